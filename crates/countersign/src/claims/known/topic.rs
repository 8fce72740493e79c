//! What a number is of: the words around it without those that any number may have around it, and whether it is a level
//! ("fell to 4%") or a change ("fell 4%").

use super::surroundings::has_any;
use crate::grounding::wording::Term;
use crate::text::rows::rows;
use crate::text::stems::{Key, key, root};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Whether a number is said to be reached or to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    /// Nothing around it speaks of a change.
    Plain,
    /// What something changed to, or from.
    Level,
    /// By how much it changed.
    Change,
}

/// The terms that say what a number is of.
pub(crate) fn telling(terms: &[Term]) -> Vec<&Term> {
    let neutral = |term: &Term| term.keys.iter().any(|key| WORDS.neutral.contains(key) || WORDS.change.contains(key));
    terms.iter().filter(|term| !neutral(term)).collect()
}

/// Whether two lists of terms speak of the same: each term of one stands among the other's.
pub(crate) fn same(mine: &[&Term], theirs: &[&Term]) -> bool {
    let among = |term: &Term, others: &[&Term]| others.iter().any(|other| meets(term, other));
    !mine.is_empty() && mine.iter().all(|t| among(t, theirs)) && theirs.iter().all(|t| among(t, mine))
}

/// Whether two terms are one word, or kin.
pub(crate) fn meets(a: &Term, b: &Term) -> bool {
    has_any(a, &b.keys) || (a.kin.is_some() && a.kin == b.kin)
}

/// Whether a term speaks of a change.
pub(crate) fn is_change(term: &Term) -> bool {
    term.keys.iter().any(|key| WORDS.change.contains(key))
}

/// The sense of a number in its sentence.
pub(crate) fn sense(sentence: &str, near: &[Term], number: &Range<usize>) -> Sense {
    if !near.iter().any(is_change) {
        return Sense::Plain;
    }
    let before = sentence.get(..number.start).unwrap_or_default().trim_end().to_lowercase();
    let before = before.trim_end_matches(['约', '近']);
    let before = ABOUT.iter().find_map(|word| before.strip_suffix(word)).unwrap_or(before).trim_end();
    if LEVEL.iter().any(|word| before.ends_with(word)) { Sense::Level } else { Sense::Change }
}

struct Words {
    change: FxHashSet<Key>,
    neutral: FxHashSet<Key>,
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&WORDS);
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let list = |sense: &str| {
        let row = rows(include_str!("../data/neutral.txt")).find_map(|row| row.strip_prefix(sense)?.strip_prefix(':'));
        row.unwrap_or_default().split_whitespace().map(|word| key(&root(word))).collect()
    };
    Words { change: list("change"), neutral: list("neutral") }
});

const ABOUT: &[&str] = &[" about", " around", " roughly", " nearly", " almost", " over", " under", " a", " $", "$"];
const LEVEL: &[&str] = &[" to", " at", " from", " of", " was", " is", " reached", "到", "至", "达", "为", "从", "是"];
