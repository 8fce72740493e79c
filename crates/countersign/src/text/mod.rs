//! Reading natural language without guessing: sentences, words, phrases and the names of deeds, English and Chinese.
//!
//! Nothing here understands a text. It only cuts it at places that are certain, so that later checks never test
//! for a substring ("no" in "know") and never rely on `\b` beside Chinese characters, where it does not hold.

pub(crate) mod lists;
pub(crate) mod rows;
pub mod sentences;
pub mod words;
pub mod fold;
pub mod stems;
pub(crate) mod phrases;
pub(crate) mod fields;
pub(crate) mod cells;
pub(crate) mod quotes;
pub mod units;
pub mod numbers;
pub mod mentions;
pub(crate) mod lexicon;
pub(crate) mod cues;
pub(crate) mod deeds;
pub(crate) mod wording;
pub(crate) mod weigher;
pub(crate) mod instructions;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    stems::build_tables();
    units::build_tables();
    mentions::build_tables();
    lexicon::build_tables();
    cues::build_tables();
    instructions::build_tables();
}
