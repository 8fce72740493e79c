//! Whether a sentence with a number states anything, by its wording.
//!
//! [`super::mood`] silences what its rules see: questions, orders, recipes, what is supposed. A hint, a title, an offer or a proverb
//! in words of its own is weighed instead. See [`crate::text::wording`].

use super::sentence::Sentence;
use crate::text::fold::lowercase;
use crate::text::weigher::WordWeights;
use crate::text::wording::{Features, Sink, Weights, read_words};
use std::sync::LazyLock;

/// Whether a sentence sounds like one that states something.
pub(crate) fn sounds_stated(sentence: &Sentence) -> bool {
    let lower = lower(sentence);
    match STATED.weigh(&lower) {
        0 => BALANCE.weigh(&weighed::<Features>(&lower)) > 0.0,
        weight => weight > 0,
    }
}

/// What is weighed in a sentence.
#[cfg(feature = "training")]
pub(crate) fn read<S: Sink>(sentence: &Sentence) -> S {
    weighed(&lower(sentence))
}

fn lower(sentence: &Sentence) -> String {
    let start = sentence.at(0).start;
    let end = sentence.tokens.last().map_or(start, |last| last.end);
    lowercase(sentence.text.get(start..end).unwrap_or_default())
}

fn weighed<S: Sink>(lower: &str) -> S {
    let mut features = S::default();
    read_words(lower, &mut features);
    features
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&STATED);
}

const TABLE: &str = include_str!("../../text/data/wording/claims.tsv");
static STATED: LazyLock<WordWeights> = LazyLock::new(|| WordWeights::from_lines(TABLE));
/// Decides where the hundredths balance to nothing, as the weights were tried when they were learned: in their order and rounding.
static BALANCE: LazyLock<Weights> = LazyLock::new(|| Weights::from_lines(TABLE));
