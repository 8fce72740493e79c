//! What a tool does to the world, as its name tells.

use crate::text::lists::word_list;
use crate::text::words::identifier_words;

/// Whether a tool changes something, so that silence is a fair answer.
pub(crate) fn acts(name: &str) -> bool {
    identifier_words(name).iter().any(|word| ACTS.contains(&word.as_str()))
}

const ACTS: &[&str] = word_list!("check_result", "effect/acts");
