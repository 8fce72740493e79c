//! Reading natural language without guessing: sentences, words, phrases and the names of deeds, English and Chinese.
//!
//! Nothing here understands a text. It only cuts it at places that are certain, so that later checks never test
//! for a substring ("no" in "know") and never rely on `\b` beside Chinese characters, where it does not hold.

pub mod sentences;
pub mod words;
pub(crate) mod phrases;
pub mod numbers;
pub mod units;
pub mod mentions;
pub(crate) mod lexicon;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    units::build_tables();
    lexicon::build_tables();
}
