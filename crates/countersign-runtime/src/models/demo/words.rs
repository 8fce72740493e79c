//! What stands in a question: its language, its words, and which of them a field may be meant to hold.
//!
//! This is guessing by rules of thumb, as good as a demonstration needs. It takes values from the question and makes
//! none up.

/// The language of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    /// English, and whatever else is not Chinese.
    English,
    /// Chinese.
    Chinese,
}

/// The language of a text.
pub(super) fn tongue(text: &str) -> Tongue {
    if text.chars().any(is_chinese) { Tongue::Chinese } else { Tongue::English }
}

/// Whether a character is a Chinese one.
pub(super) fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// The words of a text, without the marks around them. Ids, addresses and dates stay whole.
pub(super) fn words(text: &str) -> Vec<&str> {
    let inner = |c: char| c.is_alphanumeric() && !is_chinese(c) || "_-@./:#+".contains(c);
    let chunks = text.split(move |c: char| !inner(c)).map(|word| word.trim_matches(|c: char| "-./:#+".contains(c)));
    chunks.filter(|word| !word.is_empty()).collect()
}

/// The parts of a name: `orderId` and `order_id` are `order` and `id`.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let new = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if new && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphanumeric()) {
            part.extend(c.to_lowercase());
        }
        before = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// How many words of a question a tool's own words share.
pub(super) fn overlap(question: &str, name: &str, description: &str) -> usize {
    let asked: Vec<String> = words(question).iter().flat_map(|word| parts(word)).collect();
    let mut own = parts(name);
    own.extend(words(description).iter().take(MOST_WORDS).flat_map(|word| parts(word)));
    own.sort_unstable();
    own.dedup();
    let said =
        |word: &&String| word.len() > 2 && !COMMON.contains(&word.as_str()) && asked.iter().any(|w| same(w, word));
    let shared = own.iter().filter(said).count();
    let chinese = question.chars().collect::<Vec<_>>();
    let pairs = chinese.windows(2).filter(|pair| pair.iter().all(|c| is_chinese(*c)));
    shared + pairs.filter(|pair| description.contains(&pair.iter().collect::<String>())).take(MOST_WORDS).count()
}

/// The numbers of a question.
pub(super) fn numbers(question: &str) -> impl Iterator<Item = f64> {
    let chunks = question.split(|c: char| !c.is_ascii_digit() && c != '.');
    chunks.filter_map(|chunk| chunk.trim_matches('.').parse().ok()).filter(|number: &f64| number.is_finite())
}

/// The words that look like ids: letters and digits, or a long number.
pub(super) fn ids(text: &str) -> Vec<&str> {
    let id = |word: &&str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let bare = digits == word.chars().count();
        digits > 0 && !word.contains("//") && !word.contains('@') && (!bare || digits > 2) && !is_figure(word)
    };
    words(text).into_iter().filter(id).collect()
}

/// The text of a field of some name, as far as the question tells: what is in quotes, what follows "in" or "to", a
/// proper name, or else the last word that says something.
pub(super) fn text_for(field: &str, question: &str) -> Option<String> {
    let parts = parts(field);
    let any = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    if any(&WHOLE) {
        return Some(question.to_owned()).filter(|text| !text.is_empty());
    }
    if any(&["email", "mail"]) {
        return words(question).into_iter().find(|word| word.contains('@')).map(str::to_owned);
    }
    if any(&["url", "uri", "link"]) {
        return words(question).into_iter().find(|word| word.contains("://")).map(str::to_owned);
    }
    let directed = if any(&["from", "origin", "source", "departure"]) {
        phrases_after(question, &["from"]).pop()
    } else if any(&["to", "destination", "target", "recipient", "arrival"]) {
        phrases_after(question, &["to"]).pop()
    } else {
        None
    };
    let mut phrases = phrases_after(question, &PREPOSITIONS);
    let named = phrases.iter().rposition(|phrase| is_capital(phrase)).map(|at| phrases.swap_remove(at));
    let said = directed.or_else(|| quoted(question)).or(named).or_else(|| proper(question));
    said.or_else(|| phrases.pop()).or_else(|| topic(question))
}

/// What stands in quotes.
fn quoted(question: &str) -> Option<String> {
    QUOTES.iter().find_map(|(open, close)| {
        let (_, rest) = question.split_once(*open)?;
        let (inner, _) = rest.split_once(*close)?;
        Some(inner.trim().to_owned()).filter(|inner| !inner.is_empty())
    })
}

/// The words after some prepositions, each up to the next word that only joins, inside one clause.
fn phrases_after(question: &str, prepositions: &[&str]) -> Vec<String> {
    let mut phrases = Vec::new();
    for clause in question.split([',', ';', '?', '!', '\n', '，', '；', '。']) {
        let words = words(clause);
        let joins = |word: &str| COMMON.contains(&word.to_lowercase().as_str());
        let starts = words.iter().enumerate().filter(|(_, word)| prepositions.contains(&word.to_lowercase().as_str()));
        for (at, _) in starts.take(MOST_PHRASES) {
            let behind = words.iter().skip(at + 1).skip_while(|word| joins(word));
            let phrase = behind.take_while(|word| !joins(word)).take(3).copied().collect::<Vec<_>>().join(" ");
            phrases.extend(Some(phrase).filter(|phrase| !phrase.is_empty()));
        }
    }
    phrases
}

/// A word with a capital that does not stand first.
fn proper(question: &str) -> Option<String> {
    words(question).iter().skip(1).find(|word| is_capital(word)).map(|word| (*word).to_owned())
}

fn is_capital(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase) && word.chars().count() > 1
}

/// The last word that says something; in Chinese the first stretch that is none of the usual words.
fn topic(question: &str) -> Option<String> {
    if tongue(question) == Tongue::Chinese {
        let mut rest = question.to_owned();
        CHINESE_COMMON.iter().for_each(|common| rest = rest.replace(common, " "));
        let mut stretches = rest.split(|c: char| !c.is_alphanumeric()).filter(|stretch| !stretch.is_empty());
        return stretches.next().map(str::to_owned).or_else(|| Some(question.to_owned()));
    }
    let words = words(question);
    let says = |word: &&&str| !COMMON.contains(&word.to_lowercase().as_str());
    words.iter().rev().find(says).or(words.last()).map(|word| (*word).to_owned())
}

/// The same word, or one in the plural.
fn same(one: &str, other: &str) -> bool {
    one == other || one.strip_suffix('s') == Some(other) || other.strip_suffix('s') == Some(one)
}

/// A plain figure, such as `2.5` or `10:30`.
fn is_figure(word: &str) -> bool {
    word.contains(['.', ':']) && word.chars().all(|c| c.is_ascii_digit() || ".:".contains(c))
}

/// Fields that take the question as it is.
const WHOLE: [&str; 9] = ["query", "question", "q", "prompt", "text", "message", "content", "body", "input"];

const PREPOSITIONS: [&str; 10] = ["in", "at", "for", "of", "about", "named", "called", "on", "to", "from"];

const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('「', '」'), ('《', '》'), ('`', '`')];

const COMMON: [&str; 62] = [
    "the", "a", "an", "of", "in", "at", "for", "to", "on", "is", "are", "was", "do", "does", "did", "me", "my", "i",
    "you", "your", "please", "what", "which", "who", "how", "when", "where", "why", "and", "or", "with", "from", "by",
    "it", "its", "this", "that", "tell", "give", "show", "get", "find", "can", "could", "would", "will", "about",
    "next", "now", "today", "tomorrow", "be", "like", "there", "some", "any", "all", "long", "much", "many", "as",
    "if",
];

const CHINESE_COMMON: [&str; 34] = [
    "怎么样",
    "是什么",
    "为什么",
    "有没有",
    "能不能",
    "今天",
    "明天",
    "昨天",
    "现在",
    "天气",
    "查询",
    "查一下",
    "一下",
    "告诉",
    "帮我",
    "如何",
    "多少",
    "什么",
    "哪里",
    "请问",
    "情况",
    "请",
    "查",
    "我",
    "的",
    "在",
    "是",
    "了",
    "吗",
    "呢",
    "有",
    "和",
    "给",
    "把",
];

const MOST_WORDS: usize = 200;
const MOST_PHRASES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_take_what_the_question_says() {
        let cases = [
            ("city", "What is the weather in Paris?", "Paris"),
            ("city", "Paris", "Paris"),
            ("city", "Weather in Paris for 3 days in celsius", "Paris"),
            ("topic", "Write about cats", "cats"),
            ("destination", "Book a flight from Oslo to New York tomorrow", "New York"),
            ("origin", "Book a flight from Oslo to New York tomorrow", "Oslo"),
            ("city", "北京今天天气怎么样？", "北京"),
            ("title", "Open the book \"War and Peace\"", "War and Peace"),
            ("query", "How did sales do?", "How did sales do?"),
            ("email", "Write to ann@example.com.", "ann@example.com"),
        ];
        for (field, question, expected) in cases {
            assert_eq!(text_for(field, question).as_deref(), Some(expected), "{field} of {question:?}");
        }
        assert_eq!(text_for("city", ""), None);
        assert_eq!(ids("Cancel order ord_123, not 7 at 10:30"), ["ord_123"]);
        assert_eq!(parts("orderId2-of_XML"), ["order", "id2", "of", "xml"]);
    }

    #[test]
    fn a_question_fits_the_tool_that_speaks_of_it() {
        let question = "How will the weather be in Paris?";
        assert!(overlap(question, "get_weather", "") > overlap(question, "send_mail", "Sends mail to a person."));
        assert!(overlap("北京天气", "a", "查询城市天气") > overlap("北京天气", "b", "发送邮件"));
    }
}
