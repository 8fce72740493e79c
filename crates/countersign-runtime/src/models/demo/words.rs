//! The words of a text: its language, its words in their places, the parts of a name, what a request is about.
//!
//! These are rules of thumb, as good as a demonstration needs.

use std::ops::Range;

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

/// A word in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed<'a> {
    /// The word, without the marks around it.
    pub(super) word: &'a str,
    /// Where it is, in bytes.
    pub(super) at: Range<usize>,
}

/// The words of a text, without the marks around them. Ids, addresses, paths and dates stay whole.
pub(super) fn placed(text: &str) -> Vec<Placed<'_>> {
    let inner = |c: char| c.is_alphanumeric() && !is_chinese(c) || INNER.contains(c);
    let mut found = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (from, inner(c)) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                found.extend(trim(text, start..at));
                from = None;
            }
            _ => {}
        }
    }
    found
}

fn trim(text: &str, at: Range<usize>) -> Option<Placed<'_>> {
    let chunk = text.get(at.clone())?;
    let front = chunk.trim_start_matches(['-', ':', '+', '?', '=', '&', '%', '’', '\'']);
    let front = if front.starts_with("./") || front.starts_with("../") { front } else { front.trim_start_matches('.') };
    let word = front.trim_end_matches(['-', '.', ':', '+', '?', '=', '&', '’', '\'']);
    let start = at.start + (chunk.len() - front.len());
    let bare = word.trim_matches(['/', '#', '*', '~', '%', '_']);
    (!bare.is_empty()).then(|| Placed { word, at: start..start + word.len() })
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<&str> {
    placed(text).into_iter().map(|placed| placed.word).collect()
}

/// The parts of a name: `orderId` and `order_id` are `order` and `id`.
pub(super) fn parts(name: &str) -> Vec<String> {
    countersign::text::words::identifier_words(name)
}

/// Whether a text in lower case holds a word in lower case, as a word.
pub(super) fn mentions_word(text: &str, word: &str) -> bool {
    if word.chars().any(is_chinese) {
        return text.contains(word);
    }
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_chinese(c));
    let free = |at: usize| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|text| text.chars().next());
        bound(before) && bound(behind)
    };
    !word.is_empty() && text.match_indices(word).any(|(at, _)| free(at))
}

/// Whether a word only joins or asks.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(&word.to_lowercase().as_str())
}

/// The places of what is in quotes.
pub(super) fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        let behind = at + first.len_utf8();
        let close = QUOTES.iter().find(|(open, _)| *open == first).map(|(_, close)| *close);
        // An apostrophe inside a word opens nothing.
        let inside = first == '\'' && text.get(..at).is_some_and(|text| text.ends_with(char::is_alphanumeric));
        let inner =
            close.filter(|_| !inside).and_then(|close| text.get(behind..)?.find(close)).filter(|inner| *inner > 0);
        match inner {
            Some(inner) => {
                found.push(behind..behind + inner);
                at = behind
                    + inner
                    + text.get(behind + inner..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8);
            }
            None => at = behind,
        }
    }
    found
}

/// What a request is about: its words without those that only ask.
pub(super) fn topic(request: &str) -> String {
    let mut rest = request.trim_end_matches(['.', '?', '!', '。', '？', '！', ' ']);
    loop {
        let trimmed = rest.trim_start_matches([' ', ',', ':', '，', '：']);
        let lower = trimmed.to_lowercase();
        // Lower case may have another length; then nothing is taken off.
        let front = ASKING.iter().find(|word| lower.starts_with(*word) && ends_word(&lower, word));
        match front.and_then(|word| trimmed.get(word.len()..)).filter(|left| !left.trim().is_empty()) {
            Some(left) => rest = left,
            None => return trimmed.chars().take(LONGEST_TOPIC).collect(),
        }
    }
}

fn ends_word(text: &str, word: &str) -> bool {
    let next = text.get(word.len()..).and_then(|rest| rest.chars().next());
    !word.is_ascii() || next.is_none_or(|c| !c.is_alphanumeric())
}

/// What is left of a request in Chinese when the usual words are taken out of it.
pub(super) fn chinese_rest(request: &str) -> Option<String> {
    let mut rest = request.to_owned();
    CHINESE_COMMON.iter().for_each(|common| rest = rest.replace(common, " "));
    let mut stretches = rest.split(|c: char| !c.is_alphanumeric()).filter(|stretch| stretch.chars().any(is_chinese));
    stretches.next().map(str::to_owned)
}

const INNER: &str = "_-@./:#+~*%?=&’'";

const QUOTES: [(char, char); 7] =
    [('"', '"'), ('“', '”'), ('「', '」'), ('《', '》'), ('`', '`'), ('\'', '\''), ('‘', '’')];

const COMMON: [&str; 66] = [
    "the", "a", "an", "of", "in", "at", "for", "to", "on", "is", "are", "was", "do", "does", "did", "me", "my", "i",
    "you", "your", "please", "what", "which", "who", "how", "when", "where", "why", "and", "or", "with", "from", "by",
    "it", "its", "this", "that", "tell", "give", "show", "get", "find", "can", "could", "would", "will", "about",
    "next", "now", "today", "tomorrow", "be", "like", "there", "some", "any", "all", "long", "much", "many", "as",
    "if", "what's", "then", "us", "our",
];

/// Words at the front of a request that only ask.
const ASKING: [&str; 44] = [
    "please",
    "can you",
    "could you",
    "search the web for",
    "search for",
    "search",
    "look up",
    "find out",
    "find",
    "google",
    "research",
    "take a note that",
    "take a note of",
    "make a note that",
    "make a note of",
    "make a note",
    "note that",
    "note",
    "remember that",
    "remember",
    "write down that",
    "write down",
    "save this",
    "save",
    "keep this",
    "give me",
    "list",
    "three",
    "calculate",
    "what is",
    "tell me",
    "remind me to",
    "请",
    "帮我",
    "搜索一下",
    "搜索",
    "查找",
    "查一下",
    "记下",
    "记住",
    "保存",
    "一下",
    "给我",
    "列出",
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

const LONGEST_TOPIC: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-7
    #[test]
    fn words_stand_in_their_places() {
        let text = "Read /srv/a.txt, then mail ann@example.com (order #A-22).";
        assert_eq!(words(text), ["Read", "/srv/a.txt", "then", "mail", "ann@example.com", "order", "#A-22"]);
        assert!(placed(text).iter().all(|placed| text.get(placed.at.clone()) == Some(placed.word)));
        assert_eq!(parts("orderId"), ["order", "id"]);
        let inner = |text| quoted(text).into_iter().map(|at| text.get(at).unwrap()).collect::<Vec<&str>>();
        assert_eq!(inner("Ann's \"War and Peace\" and 'x y'"), ["War and Peace", "x y"]);
        assert_eq!(inner("查询“奥斯陆”"), ["奥斯陆"]);
        assert_eq!(topic("Please search for heat pumps."), "heat pumps");
        assert!(mentions_word("in celsius please", "celsius") && !mentions_word("discuss it", "is"));
    }
}
