//! A sentence as what it says: its content words, its pole, its numbers.

use crate::contract::language::is_han;
use crate::text::lists::word_list;
use crate::text::phrases::Phrases;
use crate::text::stems::stem;
use crate::text::words::{Word, words};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A sentence as its content words, its pole, and its numbers.
pub(super) struct Statement {
    pub(super) content: FxHashSet<String>,
    pub(super) negated: bool,
    pub(super) poles: Vec<(usize, bool)>,
    numbers: Vec<String>,
    pub(super) asks: bool,
    /// What tells one thing from others of its kind: the A of "gate A", the C12 of "seat C12".
    labels: Vec<String>,
    /// The words with every number left open.
    pub(super) template: Vec<String>,
}

impl Statement {
    pub(super) fn of(sentence: &str) -> Self {
        let lower = sentence.to_lowercase();
        let template = template(&lower);
        let mut poles = Vec::new();
        let mut rest = stem_words(&lower);
        for (at, (up, down)) in STEMMED_POLES.iter().enumerate() {
            for (words, is_up) in [(up, true), (down, false)] {
                if let Some(word) =
                    words.iter().find(|word| crate::check_result::subject::has_word(&rest, word.as_str()))
                {
                    poles.push((at, is_up));
                    rest = rest.replace(word.as_str(), " ");
                    break;
                }
            }
        }
        for (words, kept) in QUANTIFIERS {
            rest = rest.replace(words, kept);
        }
        let negated = NEGATIONS.find(&rest).count() % 2 == 1;
        for found in NEGATIONS.find(&rest.clone()) {
            rest = rest.replacen(found.phrase, " ", 1);
        }
        let (numbers, content): (Vec<String>, Vec<String>) = words(&rest)
            .into_iter()
            .map(|word| word.folded)
            .filter(|word| !FUNCTION.contains(&word.as_str()))
            .partition(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let asks = sentence.contains(['?', '？']) || CONDITIONS.any(&lower);
        let labels = labels(sentence);
        Self { content: content.into_iter().collect(), negated, poles, numbers, asks, labels, template }
    }

    /// Whether another says the opposite of the same thing.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        let han = self.content.iter().filter(|word| word.starts_with(is_han)).count();
        let least = match han * 2 > self.content.len() {
            true if self.content == other.content => 3,
            true => 4,
            false => 2,
        };
        let (small, large) = if self.content.len() <= other.content.len() { (self, other) } else { (other, self) };
        let shared = small.content.intersection(&large.content).count();
        if self.asks
            || other.asks
            || self.labels != other.labels
            || small.content.len() < least
            || shared < small.content.len()
        {
            return false;
        }
        let alike = small.content.len() * 10 >= large.content.len() * 6;
        let same_numbers = self.numbers == other.numbers || self.numbers.is_empty() || other.numbers.is_empty();
        let pole =
            self.poles.iter().any(|(at, up)| other.poles.contains(&(*at, !up)) && !other.poles.contains(&(*at, *up)));
        let flips = pole != (self.negated != other.negated);
        let same_poles = self.poles == other.poles || pole;
        alike && same_numbers && flips && same_poles
    }

    /// The next sentence says of the same thing, by its name or a pronoun, that it is not so.
    pub(super) fn is_taken_back(&self, next: &Self) -> bool {
        if self.asks || next.asks || self.numbers != next.numbers || self.labels != next.labels {
            return false;
        }
        let plain = |statement: &Self| -> Vec<String> {
            let words = statement.template.iter().filter(|word| word.as_str() != "not");
            words.map(|word| word.strip_suffix("n't").unwrap_or(word).to_owned()).collect()
        };
        let (mine, theirs) = (plain(self), plain(next));
        let pronoun = theirs.first().is_some_and(|word| matches!(word.as_str(), "it" | "they" | "he" | "she"));
        let same = theirs.get(1..).is_some_and(|rest| rest.len() >= 3 && mine.ends_with(rest));
        let turned = self.template.len() + next.template.len() == mine.len() + theirs.len() + 1;
        let copula = |statement: &Self| statement.template.iter().any(|word| word == "is" || word == "are");
        let opposite = self.poles.len() == 1
            && next.poles.iter().any(|(at, up)| self.poles.contains(&(*at, !up)))
            && self.content == next.content
            && !self.content.is_empty()
            && self.negated == next.negated
            && self.template.len() == next.template.len();
        (pronoun && same && turned) || (opposite && copula(self) && copula(next))
    }

    /// The same sentence with another number.
    pub(super) fn twice(&self, other: &Self) -> bool {
        self.template.len() >= 4
            && self.template == other.template
            && self.numbers.len() == 1
            && self.numbers != other.numbers
            && self.labels == other.labels
            && !self.counts_things()
            && !(self.asks || other.asks)
    }

    /// Whether the number says which thing the sentence is about, as in "Job 3 is running".
    fn counts_things(&self) -> bool {
        let Some(number) = self.template.iter().position(|word| word == "#") else { return false };
        let verb = self.template.iter().position(|word| VERBS.contains(&word.as_str()));
        verb.map_or(number == 1, |verb| number < verb) && number + 1 < self.template.len()
    }
}

/// Single capital letters and words of letters and digits: names of things that are else alike.
fn labels(sentence: &str) -> Vec<String> {
    let named = |word: &Word| {
        let written = sentence.get(word.range.clone()).unwrap_or_default();
        let letter = written.chars().count() == 1 && written.starts_with(|c: char| c.is_ascii_uppercase());
        let coded =
            written.contains(|c: char| c.is_ascii_digit()) && written.contains(|c: char| c.is_ascii_alphabetic());
        (letter && (word.range.start > 0 || !matches!(written, "A" | "I"))) || coded
    };
    words(sentence).into_iter().filter(named).map(|word| word.folded).collect()
}

/// A word without its ending, where four letters are left: shorter ones are small words that must stay whole.
pub(super) fn shorten(word: &str) -> Cow<'_, str> {
    Some(stem(word)).filter(|stem| stem.len() >= 4).unwrap_or(Cow::Borrowed(word))
}

/// English words without their endings, so that "approved" and "approve" are one.
fn stem_words(lower: &str) -> String {
    let mut out = String::with_capacity(lower.len());
    let mut word = String::new();
    for c in lower.chars().chain([' ']) {
        if c.is_ascii_alphabetic() || c == '\'' {
            word.push(c);
            continue;
        }
        out.push_str(&shorten(&word));
        word.clear();
        out.push(c);
    }
    out
}

/// The words of a sentence with numbers left open.
fn template(lower: &str) -> Vec<String> {
    let open = |word: String| if word.starts_with(|c: char| c.is_ascii_digit()) { "#".to_owned() } else { word };
    words(lower).into_iter().map(|word| open(word.folded)).collect()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&NEGATIONS);
    LazyLock::force(&CONDITIONS);
    LazyLock::force(&STEMMED_POLES);
}

/// The poles as they are found in a stemmed text.
static STEMMED_POLES: LazyLock<Vec<(Vec<String>, Vec<String>)>> = LazyLock::new(|| {
    let stemmed = |words: &[&str]| words.iter().map(|word| stem_words(word).trim_end().to_owned()).collect();
    POLES.iter().map(|(up, down)| (stemmed(up), stemmed(down))).collect()
});
static NEGATIONS: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/negations.txt")));
static CONDITIONS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new([
        "if",
        "unless",
        "whether",
        "before",
        "after",
        "until",
        "previously",
        "formerly",
        "initially",
        "originally",
        "later",
        "then",
        "however",
        "but",
        "now",
        "again",
        "once",
        "except",
        "not all",
        "some",
        "others",
        "partly",
        "部分",
        "有的",
        "有些",
        "一些",
        "并非所有",
        "不是所有",
        "如果",
        "除非",
        "是否",
        "之前",
        "之后",
        "后来",
        "原先",
        "曾",
        "但",
        "现在",
        "直到",
        "起初",
    ])
});
const FUNCTION: &[&str] = word_list!("check_result", "anomaly/statement/function");
/// Verbs between what a sentence is about and what it says of it.
const VERBS: &[&str] = word_list!("check_result", "anomaly/statement/verbs");
/// The place of true and false in `POLES`.
pub(super) const TRUTH: usize = 5;
/// The place of valid and invalid in `POLES`.
pub(super) const VALIDITY: usize = 13;
const POLES: &[(&[&str], &[&str])] = &[
    (&["open"], &["close"]),
    (&["approve", "accept"], &["reject", "decline", "denied", "denies"]),
    (
        &["increase", "rose", "grew", "higher", "rise", "went up"],
        &["decrease", "fell", "dropped", "shrank", "lower", "went down"],
    ),
    (&["alive"], &["dead"]),
    (&["pass", "succeed", "successful"], &["fail", "unsuccessful"]),
    (&["true", "correct", "正确", "属实", "真的"], &["false", "incorrect", "wrong", "错误", "不实", "虚假", "假的"]),
    (&["always"], &["never"]),
    (&["safe"], &["unsafe", "dangerous"]),
    (&["profitable", "a profit"], &["unprofitable", "a loss"]),
    (&["available"], &["unavailable", "sold out"]),
    (&["support"], &["unsupported", "oppose"]),
    (&["legal"], &["illegal"]),
    (&["possible"], &["impossible"]),
    (&["valid"], &["invalid"]),
    (&["上涨", "增长", "增加", "上升", "提高"], &["下跌", "下降", "减少", "下滑", "降低"]),
    (&["同意", "赞成", "批准", "通过"], &["反对", "拒绝", "否决", "驳回"]),
    (&["开放", "营业"], &["关闭", "停业"]),
    (&["成功"], &["失败"]),
    (&["盈利"], &["亏损"]),
    (&["安全"], &["危险"]),
    (&["有货"], &["缺货", "无货", "售罄"]),
];
/// Words of Chinese that say how many or since when, and what is left of them.
const QUANTIFIERS: &[(&str, &str)] = &[
    ("所有", " "),
    ("全部", " "),
    ("任何", " "),
    ("已经", " "),
    ("至今", " "),
    ("目前", " "),
    ("尚未", "未"),
    ("仍未", "未"),
    ("完毕", " "),
    ("一家", " "),
    ("一份", " "),
    ("一个", " "),
    ("一项", " "),
    ("一名", " "),
    ("一台", " "),
    ("一间", " "),
    ("一位", " "),
    ("没有一", "没有"),
    ("无一", "无"),
    ("均", " "),
];
