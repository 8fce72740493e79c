//! What the wording of a sentence speaks for, by weights that were learned from texts of our own writing (`bench/wording`).
//!
//! A sentence is taken as its words, two of them in a row, two with one between, its first and its last word and the kinds of
//! what people copy in it (an address, a name with underscores, a number). Each of these weighs something; the sum says how much the
//! sentence sounds like one side or the other. The weights are data (`data/wording/*.tsv`), so that everyone can read why.

use super::mentions::lexer::{TokenKind, lex, lex_each};
use crate::contract::language::is_han;
use rustc_hash::{FxHashMap, FxHashSet};

/// The things that are weighed in a sentence: hashes of their names.
pub(crate) type Features = FxHashSet<u64>;

/// Where the features of a sentence go.
pub(crate) trait Sink: Default + Clone {
    /// Takes a feature, named by its parts in a row.
    fn add(&mut self, parts: &[&str]);

    /// Takes all of another's.
    fn join(&mut self, other: &Self);
}

impl Sink for Features {
    fn add(&mut self, parts: &[&str]) {
        self.insert(hash(parts));
    }

    fn join(&mut self, other: &Self) {
        self.extend(other);
    }
}

/// The names of features, for those who learn weights.
#[cfg(any(test, feature = "training"))]
impl Sink for std::collections::BTreeSet<String> {
    fn add(&mut self, parts: &[&str]) {
        self.insert(parts.concat());
    }

    fn join(&mut self, other: &Self) {
        self.extend(other.iter().cloned());
    }
}

/// Where the words of a sentence go.
pub(crate) trait WordSink<'t> {
    /// A word as it is kept while the words behind it are read.
    type Word: Copy;

    /// Reads a word.
    fn read(&self, word: &'t str) -> Self::Word;

    /// Takes one word, or some in a row.
    fn take<const COUNT: usize>(&mut self, words: [Self::Word; COUNT]);
}

impl<'t, S: Sink> WordSink<'t> for S {
    type Word = &'t str;

    fn read(&self, word: &'t str) -> &'t str {
        word
    }

    fn take<const COUNT: usize>(&mut self, words: [&'t str; COUNT]) {
        match words.as_slice() {
            [one, two] => self.add(&[one, " ", two]),
            [one, two, three] => self.add(&[one, " ", two, " ", three]),
            words => self.add(words),
        }
    }
}

/// Learned weights: `data/wording/NAME.tsv`.
#[derive(Debug)]
pub(crate) struct Weights {
    bias: f32,
    weights: FxHashMap<u64, f32>,
}

impl Weights {
    /// Reads a table: a header, then a feature and what it weighs on each line; `%bias` is what speaks before any word.
    pub(crate) fn from_lines(table: &str) -> Self {
        let rows = table.lines().skip(1).filter_map(|line| line.rsplit_once('\t'));
        let read = rows.filter_map(|(feature, weight)| Some((hash(&[feature]), weight.parse().ok()?)));
        let mut weights: FxHashMap<u64, f32> = read.collect();
        let bias = weights.remove(&hash(&["%bias"])).unwrap_or_default();
        Self { bias, weights }
    }

    /// The sum of what some features weigh: above zero where they speak for it.
    pub(crate) fn weigh<'f>(&self, features: impl IntoIterator<Item = &'f u64>) -> f32 {
        let known = features.into_iter().filter_map(|feature| self.weights.get(feature));
        known.fold(self.bias, |sum, weight| sum + weight)
    }

    /// What a feature weighs; `None` where it weighs nothing.
    pub(crate) fn find(&self, parts: &[&str]) -> Option<(u64, f32)> {
        let feature = hash(parts);
        self.weights.get(&feature).map(|weight| (feature, *weight))
    }

    /// Whether features, each with what it weighs, surely speak against it: whatever the order in which [`Self::weigh`] sums
    /// them up, and with it the rounding, its sum is not above zero.
    pub(crate) fn surely_denies(&self, features: &[(u64, f32)]) -> bool {
        let (mut sum, mut size) = (f64::from(self.bias), f64::from(self.bias.abs()));
        for (_, weight) in features {
            sum += f64::from(*weight);
            size += f64::from(weight.abs());
        }
        sum + size * f64::from(f32::EPSILON) * (features.len() + 1) as f64 <= 0.0
    }
}

/// Reads the words of a sentence. The sentence is in lower case.
pub(crate) fn read_words<'t>(lower: &'t str, sink: &mut impl WordSink<'t>) {
    let mut words = Vec::with_capacity((lower.len() / 3).min(MAX_TOKENS));
    lex_each(lower, |token| {
        if let Some(word) = lower.get(token.range()).and_then(|text| shape(token.kind, text))
            && words.len() < MAX_TOKENS
        {
            words.push((sink.read(word), token.kind == TokenKind::Han));
        }
    });
    if let (Some((first, _)), Some((last, _))) = (words.first(), words.last()) {
        sink.take([sink.read("^"), *first]);
        sink.take([*last, sink.read("$")]);
    }
    let other = sink.read("…");
    for (at, (word, is_han)) in words.iter().enumerate() {
        sink.take([*word]);
        let Some((next, _)) = words.get(at + 1) else { continue };
        sink.take([*word, *next]);
        let Some((third, _)) = words.get(at + 2) else { continue };
        // A Chinese word has one to three signs.
        sink.take([*word, if *is_han { *next } else { other }, *third]);
    }
}

/// The words by which one sentence is about the same as another: longer English words, pairs of Chinese signs.
pub(crate) fn content_words(lower: &str) -> Features {
    let mut found = Features::default();
    let mut before: Option<(usize, &str)> = None;
    for token in lex(lower).iter().take(MAX_TOKENS) {
        let word = lower.get(token.range()).unwrap_or_default();
        match token.kind {
            TokenKind::Word if word.len() > 3 => found.add(&[word]),
            TokenKind::Han => {
                if let Some((_, other)) = before.filter(|(end, _)| *end == token.start) {
                    found.add(&[other, word]);
                }
            }
            _ => {}
        }
        before = word.starts_with(is_han).then_some((token.end, word));
    }
    found
}

/// A token as it is weighed: a word as it is, what people copy by its kind. A comma weighs nothing.
fn shape(kind: TokenKind, text: &str) -> Option<&str> {
    Some(match kind {
        TokenKind::Word | TokenKind::Han => text,
        TokenKind::Sign if matches!(text, "," | "." | "，" | "。" | "、") => return None,
        TokenKind::Number if text.bytes().all(|byte| matches!(byte, b'0' | b'.')) => "0",
        TokenKind::Number if text.len() == 4 && text.starts_with(['1', '2']) => "#year",
        TokenKind::Number => "#",
        TokenKind::Id if text.contains('_') => "@name",
        TokenKind::Id => "#id",
        TokenKind::Email => "@mail",
        TokenKind::Url => "@url",
        TokenKind::Path => "@path",
        TokenKind::Sign => match text {
            "：" => ":",
            "！" => "!",
            "？" => "?",
            ":" | "!" | "?" | "<" | "[" | "【" | "{" | "*" | "#" | "=" | "@" | "`" => text,
            _ => return None,
        },
    })
}

/// FNV-1a over the parts in a row.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What stands behind in a longer sentence weighs nothing.
const MAX_TOKENS: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    // TRUST-3
    #[test]
    fn a_sentence_is_its_words_and_the_kinds_of_what_is_copied() {
        let mut names = BTreeSet::new();
        read_words("send it to ann@x.example, 马上发", &mut names);
        for name in ["^ send", "send", "send it", "send … to", "to @mail", "马 上 发", "发 $"] {
            assert!(names.contains(name), "{name}: {names:?}");
        }
        assert!(!names.contains("ann@x.example") && !names.contains(","));
        let mut hashes = Features::default();
        read_words("send it to ann@x.example, 马上发", &mut hashes);
        assert_eq!(hashes.len(), names.len());
    }

    #[test]
    fn weights_are_summed() {
        let weights = Weights::from_lines("feature\tweight\n%bias\t-1\nsend\t0.75\nsend it\t0.5\n");
        let mut features = Features::default();
        assert!(weights.weigh(&features) < 0.0);
        read_words("send it", &mut features);
        assert!((weights.weigh(&features) - 0.25).abs() < 1e-6);
    }
}
