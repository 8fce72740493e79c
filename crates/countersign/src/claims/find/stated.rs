//! Whether a sentence with a number states anything, by its wording.
//!
//! [`super::mood`] silences what its rules see: questions, orders, recipes, what is supposed. A hint, a title, an offer or a proverb
//! in words of its own is weighed instead. See [`crate::text::wording`].

use super::sentence::Sentence;
use crate::text::fold::lowercase;
use crate::text::weigher::WordWeights;
#[cfg(feature = "training")]
use crate::text::wording::{Sink, read_words};
use std::sync::LazyLock;

/// Whether a sentence sounds like one that states something.
pub(crate) fn sounds_stated(sentence: &Sentence) -> bool {
    STATED.weigh(&lower(sentence)) > 0
}

/// What is weighed in a sentence.
#[cfg(feature = "training")]
pub(crate) fn read<S: Sink>(sentence: &Sentence) -> S {
    let mut features = S::default();
    read_words(&lower(sentence), &mut features);
    features
}

fn lower(sentence: &Sentence) -> String {
    let start = sentence.at(0).start;
    let end = sentence.tokens.last().map_or(start, |last| last.end);
    lowercase(untagged(sentence.text.get(start..end).unwrap_or_default()))
}

/// A text without the tag before it: `[planner → writer] Revenue rose by 25%.`
fn untagged(text: &str) -> &str {
    let tagged = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let own = tagged.filter(|(tag, rest)| tag.len() <= MAX_TAG && !rest.trim().is_empty() && !rest.starts_with('('));
    own.map_or(text, |(_, rest)| rest.trim_start())
}

/// A tag is a few words.
const MAX_TAG: usize = 60;

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&STATED);
}

static STATED: LazyLock<WordWeights> =
    LazyLock::new(|| WordWeights::from_lines(include_str!("../../text/data/wording/claims.tsv")));
