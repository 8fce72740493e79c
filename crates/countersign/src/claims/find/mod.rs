//! Finds claims: exact spans, typed, with one normal value whatever the words. English and Chinese.
//!
//! One pass cuts the text into sentences of tokens; in each the readers of `kinds` look at the cues. Citations and
//! addresses swallow the numbers inside them, then whatever begins first wins; nothing overlaps. Questions,
//! instructions and code state nothing. It finds what is worth checking and never says that anything is false.

pub(crate) mod names;
pub(crate) mod lexicon;
pub(crate) mod tokens;
mod lengths;
pub(crate) mod lexer;
pub(crate) mod sentence;
pub(crate) mod mood;
pub(crate) mod numbers;
pub(crate) mod found;
pub(crate) mod room;
pub(crate) mod kinds;
pub(crate) mod spans;
pub(crate) mod stated;
pub(crate) mod reader;

use crate::contract::Claim;

/// The claims of a text, in order, without overlaps.
pub fn find(text: &str) -> Vec<Claim> {
    reader::read(text)
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    lexicon::build_tables();
    stated::build_tables();
}
