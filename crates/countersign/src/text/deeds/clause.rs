//! A request, cut into clauses, each with its mood.
//!
//! "What happens if I stop it?" asks, "can you stop it?" wishes, "if it rains, stop it" waits for something. What is
//! quoted, and what somebody shall be told, is content and no wish: it is cut away before anything is read.

use crate::contract::language::is_han;
use crate::text::fold::fold;
use crate::text::lexicon::{Deeds, Form, find_english};
use crate::text::lists::word_list;
use crate::text::phrases::stands_in;
use crate::text::sentences::sentences;
use crate::text::words::{Word, words};

/// A clause of a request.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    /// Its text, folded.
    pub text: String,
    /// Its words; a Chinese character is one.
    pub words: Vec<Word>,
    /// How it is meant.
    pub mood: Mood,
    /// Whether it is Chinese.
    pub chinese: bool,
}

impl Clause {
    /// Whether any of its words begins like one of some words: `slushy` like `slush`, `details` like `detailed`.
    pub(crate) fn resembles(&self, words: &[String]) -> bool {
        let begins = |word: &str, other: &str| {
            let length = word.len().min(other.len()).min(MAX_STEM);
            length >= MIN_STEM && word.get(..length).is_some_and(|begin| other.get(..length) == Some(begin))
        };
        self.words.iter().any(|spoken| words.iter().any(|word| begins(word, &spoken.folded)))
    }
}

/// How a clause is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// A wish or a statement.
    Told,
    /// A question that wants an answer and no deed.
    Asked,
    /// It may be either: "is it possible to cancel?".
    Open,
    /// It holds only if something else does.
    Conditional,
}

/// The clauses of a text.
pub(crate) fn clauses(text: &str) -> Vec<Clause> {
    let folded = strip_quotes(&fold(text));
    let mut found = Vec::new();
    for range in sentences(&folded) {
        let sentence = folded.get(range).unwrap_or_default();
        read_sentence(strip_content(sentence), &mut found);
    }
    found
}

fn read_sentence(sentence: &str, found: &mut Vec<Clause>) {
    let ends = sentence.ends_with(['?', '？']);
    let first = found.len();
    let mut mood = None;
    for text in cut(sentence) {
        let chinese = text.chars().any(is_han);
        let words = words(text);
        if words.is_empty() {
            continue;
        }
        let own = if chinese { chinese_mood(text) } else { english_mood(&words, text, ends, mood) };
        // What follows a condition in the same sentence hangs on it.
        let kept = if own == Mood::Told && mood == Some(Mood::Conditional) { Mood::Conditional } else { own };
        mood = Some(kept);
        found.push(Clause { text: text.to_owned(), words, mood: kept, chinese });
    }
    // "If I cancelled it, would I get the money back?" only asks.
    if found.last().is_some_and(|last| last.mood == Mood::Asked && (ends || last.chinese)) {
        let open = found.iter_mut().skip(first).filter(|clause| clause.mood == Mood::Conditional);
        open.for_each(|clause| clause.mood = Mood::Asked);
    }
    // 她写了开哪个场景，照她写的设上: what is carried out in the next clause is no question.
    for at in first + 1..found.len() {
        let carried =
            found.get(at).is_some_and(|clause| clause.chinese && clause.text.trim_start().starts_with(CARRIES_ZH));
        let asked = found.get_mut(at - 1).filter(|before| before.mood == Mood::Asked && carried);
        if let Some(before) =
            asked.filter(|before| !before.text.ends_with(['吗', '呢']) && !before.text.contains(['？', '?']))
        {
            before.mood = Mood::Told;
        }
    }
    // 取消订单，要多少钱？ asks with its last clause; what stands before it may be a wish.
    if ends && found.last().is_some_and(|last| last.chinese) {
        let last = found.len() - 1;
        for (at, clause) in found.iter_mut().enumerate().skip(first) {
            let wish = has_any(&clause.text, WISHES_ZH);
            if clause.mood == Mood::Told && !wish {
                clause.mood = if at == last { ask_chinese(&clause.text) } else { Mood::Open };
            }
        }
    }
}

/// A Chinese clause before a question mark: 能取消吗 may be a wish.
fn ask_chinese(text: &str) -> Mood {
    if has_any(text, MAY_ZH) { Mood::Open } else { Mood::Asked }
}

/// The mood of an English clause: by how it opens, else by the clause before it in the same sentence.
fn english_mood(words: &[Word], text: &str, ends: bool, before: Option<Mood>) -> Mood {
    let skip = words.iter().take_while(|word| OPENINGS.contains(&word.folded.as_str())).count();
    let word = |at: usize| words.get(skip + at).map(|word| word.folded.as_str()).unwrap_or_default();
    let (first, second, third) = (word(0), word(1), word(2));
    if CONDITIONS.contains(&first) && before != Some(Mood::Asked) {
        return Mood::Conditional;
    }
    if is_polite(first, second, third) {
        return Mood::Told;
    }
    if ASKS.contains(&first) && (ends || WH.contains(&first) || asks_unmarked(first, [second, third])) {
        return if may_wish(first, second, third, text) { Mood::Open } else { Mood::Asked };
    }
    let listed: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    if asks_to_know(&listed) || only_wonders(&listed) {
        return Mood::Asked;
    }
    let orders =
        || find_english(&listed).first().is_some_and(|found| found.range.start == skip && found.form == Form::Base);
    match before {
        Some(Mood::Asked) if ends && orders() => Mood::Open,
        Some(mood) if ends => mood,
        None if ends && words.len() < text.len() && !has_mark_inside(text) => Mood::Open,
        _ => Mood::Told,
    }
}

/// Whether a clause has the question mark itself: "cancel it?" is open, "I'm not done, can I keep it?" told before it asks.
fn has_mark_inside(text: &str) -> bool {
    !text.trim_end().ends_with('?')
}

/// 哪个便宜订哪个, 谁先来给谁: said twice, the word for "which" points and asks nothing.
fn names_which(text: &str) -> bool {
    let twice = ["哪", "谁"].iter().any(|which| text.matches(which).count() == 2);
    twice && !text.contains(['？', '?']) && !has_any(text, &["还是", "知道", "告诉"])
}

/// "Dale wants to know roughly what it would cost".
fn asks_to_know(words: &[&str]) -> bool {
    let Some(at) = words.windows(2).position(|pair| matches!(pair, ["to", "know"])) else { return false };
    let wants = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| WANTS.contains(word));
    let rest = words.get(at + 2..).unwrap_or_default();
    let asks = rest.iter().take(3).any(|word| WH.contains(word) || matches!(*word, "if" | "whether"));
    // "I'd like to know if you could cancel it" wishes.
    let wishes = rest.windows(2).any(|pair| matches!(pair, ["you" | "we" | "i", "could" | "can" | "would"]));
    wants && asks && !wishes
}

/// "Just wondering what it would come to", "only look whether it's known".
fn only_wonders(words: &[&str]) -> bool {
    let Some(at) = words.iter().position(|word| matches!(*word, "just" | "only")) else { return false };
    let looks = |word: &&str| matches!(*word, "wondering" | "curious" | "look" | "check" | "see" | "asking");
    let rest = words.get(at + 2..).unwrap_or_default();
    let asks = rest.first().is_some_and(|word| WH.contains(word) || matches!(*word, "if" | "whether"));
    // "Just see if you can move it" wishes.
    let wishes = rest.iter().any(|word| matches!(*word, "you" | "we" | "i"));
    words.get(at + 1).is_some_and(looks) && asks && !wishes
}

/// "Did she pay the fee", "has B-12 come in yet": a question by the order of its words, where nobody set the mark.
fn asks_unmarked(first: &str, [second, third]: [&str; 2]) -> bool {
    let numbered = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let who = ASKED_OF.contains(&second) || numbered(second) || numbered(third);
    who && ["did", "does", "has", "is", "are", "was", "were"].contains(&first)
}

/// "Can you", "why don't you", "how about": a wish in the form of a question.
fn is_polite(first: &str, second: &str, third: &str) -> bool {
    match first {
        "can" | "could" | "may" | "might" | "shall" => {
            ["you", "we", "i", "u", "someone", "anyone", "somebody"].contains(&second)
        }
        "would" | "will" => ["you", "u", "someone", "anyone", "somebody"].contains(&second),
        "why" => ["don't", "not"].contains(&second),
        "how" | "what" => second == "about",
        "do" => second == "you" && third == "mind",
        _ => false,
    }
}

/// Questions that are often wishes: "is it possible to …", "how do I …".
fn may_wish(first: &str, second: &str, third: &str, text: &str) -> bool {
    match first {
        "how" => ["do", "can", "could", "to", "should", "would"].contains(&second),
        "is" | "are" => {
            ["it", "there", "you", "we"].contains(&second)
                && ["possible", "a", "any", "able", "too", "ok", "okay", "alright"].contains(&third)
                && !stands_in(text, "fee")
        }
        "do" | "does" | "did" => second == "you",
        "can" | "could" | "may" => true,
        "would" => second == "it" && third == "be",
        _ => false,
    }
}

fn chinese_mood(text: &str) -> Mood {
    if has_any(text, CONDITIONS_ZH) {
        return Mood::Conditional;
    }
    let asks = (has_any(text, ASKS_ZH) && !names_which(text)) || text.ends_with(['吗', '呢']);
    if !asks || has_any(text, WISHES_ZH) {
        return Mood::Told;
    }
    let ways = has_any(text, WAYS_ZH) || (has_any(text, MAY_ZH) && !has_any(text, COSTS_ZH));
    if ways { Mood::Open } else { Mood::Asked }
}

/// Cuts a sentence at its marks and between its main clauses.
fn cut(sentence: &str) -> Vec<&str> {
    let marks = |c: char| matches!(c, ',' | ';' | ':' | '，' | '；' | '：' | '、' | '(' | ')' | '（' | '）' | '—');
    let mut found = Vec::new();
    // A mark inside a number or a time (`1,500`, `10:30`) cuts nothing.
    let mut start = 0;
    for (at, mark) in sentence.match_indices(marks) {
        let after = sentence.get(at + mark.len()..).and_then(|rest| rest.chars().next());
        let before = sentence.get(..at).and_then(|rest| rest.chars().next_back());
        let number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if matches!(mark, "," | ":") && number(before) && number(after) {
            continue;
        }
        found.extend(sentence.get(start..at));
        start = at + mark.len();
    }
    found.extend(sentence.get(start..));
    for joint in JOINTS {
        found = found.into_iter().flat_map(|text| split_before(text, joint)).collect();
    }
    found
}

fn split_before<'a>(text: &'a str, joint: &str) -> Vec<&'a str> {
    // "If so" is one word.
    if joint == " so " && text.contains("if so") {
        return vec![text];
    }
    text.split(joint).collect()
}

/// Takes out what is quoted; an apostrophe inside a word quotes nothing.
fn strip_quotes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|(at, c)| is_open(rest, *at, *c)) {
        let close = match open {
            '「' => '」',
            '『' => '』',
            '《' => '》',
            other => other,
        };
        let inner = rest.get(at + open.len_utf8()..).unwrap_or_default();
        let Some(end) = inner.find(close).filter(|end| *end <= MAX_QUOTE) else { break };
        kept.push_str(rest.get(..at).unwrap_or_default());
        kept.push_str(" _ ");
        rest = inner.get(end + close.len_utf8()..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept
}

fn is_open(text: &str, at: usize, c: char) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    match c {
        '"' | '「' | '『' | '《' => true,
        '\'' => before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ':' | ',')),
        _ => false,
    }
}

/// A sentence up to what somebody shall be told: "tell Anna that …", "reply: …", 留言：….
fn strip_content(sentence: &str) -> &str {
    let content = [" that ", " saying ", ": ", "：", ":"].iter().filter_map(|mark| {
        let at = sentence.find(mark)?;
        let words = words(sentence.get(..at)?);
        let words: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
        let tells =
            find_english(&words).iter().any(|found| found.deeds.meet(&Deeds::named(&["send", "draft", "publish"])));
        let before = sentence.get(..at)?;
        (tells || has_any(before, TELLS_ZH) || TELLS.iter().any(|word| stands_in(before, word))).then_some(at)
    });
    content.min().and_then(|end| sentence.get(..end)).unwrap_or(sentence)
}

/// Whether any of some Chinese words is in a text.
pub(crate) fn has_any(text: &str, list: &[&str]) -> bool {
    list.iter().any(|word| text.contains(word))
}

const MIN_STEM: usize = 4;
const MAX_STEM: usize = 5;
/// Longer quotes are no quotes.
const MAX_QUOTE: usize = 2000;
const OPENINGS: &[&str] = word_list!("text", "deeds/clause/openings");
const ASKS: &[&str] = word_list!("text", "deeds/clause/asks");
const WH: &[&str] = word_list!("text", "deeds/clause/wh");
const ASKED_OF: &[&str] = &[
    "he", "she", "it", "they", "we", "you", "there", "the", "my", "our", "your", "his", "her", "their", "anyone",
    "anybody", "this", "that",
];
const WANTS: &[&str] = &["want", "wants", "wanted", "like", "likes", "need", "needs", "love"];
const CONDITIONS: &[&str] = &["if", "unless", "once", "whenever"];
const CONDITIONS_ZH: &[&str] = &["如果", "要是", "假如", "万一", "一旦", "倘若", "若是"];
const ASKS_ZH: &[&str] = word_list!("text", "deeds/clause/asks-zh");
const WISHES_ZH: &[&str] = &["帮", "请", "给我", "麻烦", "替我", "把", "好吗", "行吗", "好不好"];
/// How a clause begins that carries out what the one before it told of.
const CARRIES_ZH: [char; 4] = ['照', '按', '依', '就'];
const WAYS_ZH: &[&str] = &["怎么取消", "怎么退", "如何", "怎样"];
const MAY_ZH: &[&str] = &["能", "可以", "可否", "可不可以"];
const COSTS_ZH: &[&str] = &["多少", "扣", "收费", "手续费", "费用"];
const JOINTS: &[&str] = &[
    " but ",
    " and ",
    " then ",
    " because ",
    " so ",
    "但是",
    "但",
    "而且",
    "然后",
    "不过",
    "只是",
    "并且",
    "而是",
    "就是",
];
const TELLS: &[&str] = word_list!("text", "deeds/clause/tells");
const TELLS_ZH: &[&str] = word_list!("text", "deeds/clause/tells-zh");
