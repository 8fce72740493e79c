//! Whether a sentence with a number states anything, by its wording.
//!
//! [`super::mood`] silences what its rules see: questions, orders, recipes, what is supposed. A hint, a title, an offer or a proverb
//! in words of its own is weighed instead. See [`crate::text::wording`].

use super::sentence::Sentence;
use crate::text::wording::{Features, Sink, Weights, read_words};
use std::sync::LazyLock;

/// Whether a sentence sounds like one that states something.
pub(crate) fn sounds_stated(sentence: &Sentence) -> bool {
    STATED.weigh(&read::<Features>(sentence)) > 0.0
}

/// What is weighed in a sentence.
pub(crate) fn read<S: Sink>(sentence: &Sentence) -> S {
    let mut features = S::default();
    let start = sentence.at(0).start;
    let end = sentence.tokens.last().map_or(start, |last| last.end);
    read_words(&sentence.text.get(start..end).unwrap_or_default().to_lowercase(), &mut features);
    features
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&STATED);
}

static STATED: LazyLock<Weights> =
    LazyLock::new(|| Weights::from_lines(include_str!("../../text/data/wording/claims.tsv")));
