//! Orders to whatever reads a text, told by their wording and by how little they have to do with the text around them.
//!
//! The rules beside this file see what nobody says by chance. An order in words of its own is weighed instead: its own words, where
//! it stands, and whether what it speaks of is spoken of elsewhere in the text. See [`crate::text::wording`].

use super::signs::pattern;
use crate::text::sentences::sentences;
use crate::text::wording::{Features, Sink, Weights, content_words, read_words};
use crate::text::words::identifier_words;
use regex::Regex;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The sentence, or the two in a row, that order something by their wording. What the rules found (`signed`) is weighed with it.
pub(super) fn find_order(key: &str, text: &str, signed: Option<&Range<usize>>) -> Option<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let sentences = Sentences::of(key, &lower, signed);
    // Most texts order nothing, which is told without sets of features.
    if sentences.windows::<Weighed>().into_iter().all(|window| window.features.surely_deny()) {
        return None;
    }
    find_heaviest(&sentences)
}

fn find_heaviest(sentences: &Sentences<'_>) -> Option<Range<usize>> {
    let mut best: Option<(f32, Range<usize>)> = None;
    for window in sentences.windows::<Features>() {
        let weight = ORDERS.weigh(&window.features);
        if weight > 0.0 && best.as_ref().is_none_or(|(most, _)| weight > *most) {
            best = Some((weight, window.range));
        }
    }
    best.map(|(_, range)| range)
}

/// The features of a sentence that weigh something; some may be there twice.
#[derive(Debug, Default, Clone)]
struct Weighed(Vec<(u64, f32)>);

impl Sink for Weighed {
    fn add(&mut self, parts: &[&str]) {
        self.0.extend(ORDERS.find(parts));
    }

    fn join(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

impl Weighed {
    fn surely_deny(mut self) -> bool {
        self.0.sort_unstable_by_key(|(feature, _)| *feature);
        self.0.dedup_by_key(|(feature, _)| *feature);
        ORDERS.surely_denies(&self.0)
    }
}

/// One sentence or two in a row, with what is weighed in them.
pub(super) struct Window<S> {
    pub range: Range<usize>,
    pub features: S,
}

/// Each sentence of a text, and each with the next.
#[cfg(feature = "training")]
pub(super) fn windows<S: Sink>(key: &str, text: &str, signed: Option<&Range<usize>>) -> Vec<Window<S>> {
    Sentences::of(key, &text.to_ascii_lowercase(), signed).windows()
}

/// The sentences of a text with everything that is weighed in them beside their words.
struct Sentences<'a> {
    lower: &'a str,
    ranges: Vec<Range<usize>>,
    places: Places,
    /// The words of the field's name.
    key: Vec<String>,
    signed: Option<&'a Range<usize>>,
}

impl<'a> Sentences<'a> {
    fn of(key: &str, lower: &'a str, signed: Option<&'a Range<usize>>) -> Self {
        let ranges: Vec<Range<usize>> = sentences(lower).into_iter().take(MAX_SENTENCES).collect();
        let places = Places::of(lower, &ranges);
        Self { lower, ranges, places, key: identifier_words(key), signed }
    }

    /// Each sentence, and each with the next.
    fn windows<S: Sink>(&self) -> Vec<Window<S>> {
        let single: Vec<Window<S>> = self
            .ranges
            .iter()
            .enumerate()
            .map(|(at, range)| Window { range: range.clone(), features: self.read(at, range) })
            .collect();
        let pairs = single.windows(2).filter_map(|pair| match pair {
            [first, next] => {
                let mut features = first.features.clone();
                features.join(&next.features);
                Some(Window { range: first.range.start..next.range.end, features })
            }
            _ => None,
        });
        let pairs: Vec<Window<S>> = pairs.collect();
        single.into_iter().chain(pairs).collect()
    }

    fn read<S: Sink>(&self, at: usize, range: &Range<usize>) -> S {
        let mut features = S::default();
        read_words(self.lower.get(range.clone()).unwrap_or_default(), &mut features);
        let line = self.lower.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let own = self.lower.get(line..range.end).unwrap_or_default().trim_start();
        self.places.read(at, range.end, own, &mut features);
        if self.signed.is_some_and(|signed| signed.start < range.end && range.start < signed.end) {
            features.add(&["%signed"]);
        }
        self.key.iter().for_each(|word| features.add(&["%key:", word]));
        features
    }
}

/// The sentences of a text beside each other.
struct Places {
    words: Vec<Features>,
    /// How many sentences have a word.
    counts: FxHashMap<u64, usize>,
    /// Whether a sentence stands in a comment.
    hidden: Vec<bool>,
    /// Where speakers begin to take turns, in a text that began as something else.
    turns: Option<usize>,
}

impl Places {
    fn of(lower: &str, ranges: &[Range<usize>]) -> Self {
        let words = ranges.iter().map(|range| content_words(lower.get(range.clone()).unwrap_or_default()));
        let words: Vec<Features> = words.collect();
        let mut counts = FxHashMap::default();
        words.iter().flatten().for_each(|word| *counts.entry(*word).or_default() += 1);
        let (mut hidden, mut from, mut open) = (Vec::with_capacity(ranges.len()), 0, false);
        for range in ranges {
            let between = lower.get(from..range.start).unwrap_or_default();
            let (opens, closes) = (between.rfind("<!--"), between.rfind("-->"));
            open = if opens.is_some() || closes.is_some() { opens > closes } else { open };
            hidden.push(open);
            from = range.start;
        }
        Self { words, counts, hidden, turns: foreign_turn(lower) }
    }

    /// What the place of a sentence says: how many of its words others share, where it stands, how its line begins.
    fn read(&self, at: usize, end: usize, line: &str, sink: &mut impl Sink) {
        let Some(own) = self.words.get(at) else { return };
        if self.words.len() > 2 {
            let shared = own.iter().filter(|word| self.counts.get(word).is_some_and(|count| *count > 1)).count();
            sink.add(&["%share", digit(if own.is_empty() { 9 } else { shared * 5 / own.len() })]);
        }
        let last = at + 1 == self.words.len();
        let place = if self.words.len() == 1 {
            "only"
        } else if at == 0 {
            "first"
        } else if last {
            "last"
        } else {
            "mid"
        };
        sink.add(&["%", place]);
        sink.add(&["%n", digit(own.len().min(40) / 8)]);
        if self.hidden.get(at).copied().unwrap_or_default() {
            sink.add(&["%comment"]);
        }
        if self.turns.is_some_and(|from| from < end) {
            sink.add(&["%turn"]);
        }
        if let Some(sign) = line.get(..1).filter(|sign| ["#", "/", "*", ">", "-", "<", "["].contains(sign)) {
            sink.add(&["%line", sign]);
        }
    }
}

/// Where a turn of the user's or the assistant's begins behind another text: a talk that was only recorded begins with a turn.
fn foreign_turn(lower: &str) -> Option<usize> {
    let mut speakers = SPEAKERS.find_iter(lower);
    let first = speakers.next()?;
    let before = lower.get(..first.start()).unwrap_or_default();
    let inline = |turn: &regex::Match<'_>| !turn.as_str().contains('\n');
    if before.trim().is_empty() { speakers.find(inline).map(|turn| turn.start()) } else { Some(first.start()) }
}

fn digit(number: usize) -> &'static str {
    ["0", "1", "2", "3", "4", "5", "6", "7", "8"].get(number).copied().unwrap_or("9")
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&ORDERS);
    LazyLock::force(&SPEAKERS);
}

/// The turn of a user or a model, on a line of its own or behind a sentence.
static SPEAKERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|\n|[.!?。！？]\s*)[ \t>*]*(?:[\[【(](?:user|human|assistant|用户|助手)[\]】)][:：]?\s|(?:user|human|assistant|用户|助手)\s*[:：])",
    )
});
const MAX_SENTENCES: usize = 600;
static ORDERS: LazyLock<Weights> = LazyLock::new(|| Weights::from_lines(include_str!("../data/wording/orders.tsv")));

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Every text of a value.
    fn texts(value: &Value) -> Vec<&str> {
        match value {
            Value::String(text) => vec![text],
            Value::Array(list) => list.iter().flat_map(texts).collect(),
            Value::Object(map) => map.values().flat_map(texts).collect(),
            _ => Vec::new(),
        }
    }

    // TRUST-3
    #[test]
    fn the_quick_look_overlooks_nothing() {
        let cases = [
            include_str!("../../../../../conformance/cases/trust.jsonl"),
            include_str!("../../../../../conformance/cases/wording.jsonl"),
        ];
        let (mut seen, mut found) = (0, 0);
        for row in cases.iter().flat_map(|rows| rows.lines()) {
            let row: Value = serde_json::from_str(row).unwrap();
            for text in texts(&row["request"]) {
                let (lower, signed) = (text.to_ascii_lowercase(), 0..text.len() / 2);
                for (key, signed) in [("", None), ("note", Some(&signed))] {
                    let expected = find_heaviest(&Sentences::of(key, &lower, signed));
                    assert_eq!(find_order(key, text, signed), expected, "{text}");
                    seen += 1;
                    found += usize::from(expected.is_some());
                }
            }
        }
        assert!(seen > 2000 && found > 60, "{found} of {seen}");
    }

    #[test]
    fn what_may_be_above_zero_is_not_denied() {
        let weights = Weights::from_lines("feature\tweight\n%bias\t-0.5\n");
        assert!(weights.surely_denies(&[(1, 0.25), (2, 0.24)]));
        assert!(!weights.surely_denies(&[(1, 0.25), (2, 0.25)]), "so near to zero rounding decides");
        assert!(!weights.surely_denies(&[(1, 0.3), (2, 0.25)]));
    }
}
