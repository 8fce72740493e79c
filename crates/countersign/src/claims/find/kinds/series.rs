//! Numbers that count without a noun of their own, because one stands before them; and those that count nothing.

use crate::claims::find::lexicon::{AUX, LISTED, MONTH, PAST, PREPOSITION, SCALE};
use crate::claims::find::names::{name, names};
use crate::claims::find::numbers::{Number, Style};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Shape};

/// Whether a bare number goes on with a count of the same sentence: "31 were positive and 19 negative", "from 40 to 12",
/// "58 floors, not 85".
pub(super) fn is_in_series(s: &Sentence, number: &Number) -> bool {
    let (first, end) = (number.first, number.end);
    if number.style == Style::Digits && number.digits > 3 || number.value < 2.0 || number.style == Style::Chinese {
        return false;
    }
    let counted = is_counting(s, first);
    let subject = s.one_of(end, names!["were", "was", "had", "have", "are"])
        && (first == 0
            || s.before(first).is(',')
            || s.one_of(first.wrapping_sub(1), names!["and", "but", "only", "whom", "which"])
            || s.at(first.wrapping_sub(1)).shape == Shape::Digits && s.at(first.wrapping_sub(1)).length() == 4);
    let verb = happened(s, end) || happened(s, first.wrapping_sub(1)) && (s.divides(end) || s.word(end, name!("and")));
    let denied = s.word(first.wrapping_sub(1), name!("not")) && s.divides(end) && number.style == Style::Digits;
    let last = s.word(first.wrapping_sub(1), name!("and")) && s.divides(end + 1) && is_after_count(s, first);
    counted && (subject || verb || denied || last)
}

/// Whether things were counted before a token: "Of 120 patients, 84".
pub(super) fn is_counting(s: &Sentence, first: usize) -> bool {
    (first.saturating_sub(NEAR)..first).any(|at| {
        let noun = s.at(at + 1);
        let thing = noun.shape == Shape::Word && noun.case == Case::Lower && !noun.has(PREPOSITION | AUX | MONTH);
        s.at(at).shape == Shape::Digits && thing
    })
}

/// Whether something was counted before a token.
pub(super) fn is_after_count(s: &Sentence, at: usize) -> bool {
    (at.saturating_sub(NEAR)..at).any(|at| s.at(at).shape == Shape::Digits && s.has(at + 1, AUX))
}

/// Whether a word is a past tense.
pub(super) fn happened(s: &Sentence, at: usize) -> bool {
    let token = s.at(at);
    token.has(PAST) || token.shape == Shape::Word && token.case == Case::Lower && s.words(at).ends_with("ed")
}

/// "a thousand".
pub(super) fn has_article(s: &Sentence, number: &Number) -> bool {
    s.has(number.first, SCALE) && s.one_of(number.first.wrapping_sub(1), names!["a"])
}

/// "a million times", "a thousand and one ways", "six of one and half a dozen of the other": no count.
pub(super) fn is_hyperbole(s: &Sentence, number: &Number) -> bool {
    has_article(s, number) && (s.has(number.end, LISTED) || s.one_of(number.end, names!["times", "words", "thanks"]))
        || s.word(number.end, name!("of"))
            && s.word(number.end + 1, name!("the"))
            && s.word(number.end + 2, name!("other"))
}

/// "Two birds with one stone", "forty winks".
pub(super) fn idiom(s: &Sentence, number: &Number, noun: &str) -> bool {
    number.style == Style::Words && IDIOMS.contains(&(s.words(number.first).to_ascii_lowercase().as_str(), noun))
}

/// So far back a count is looked for.
const NEAR: usize = 48;

const IDIOMS: &[(&str, &str)] = &[
    ("two", "birds"),
    ("forty", "winks"),
    ("nine", "lives"),
    ("two", "cents"),
    ("seven", "seas"),
    ("four", "corners"),
    ("two", "minds"),
    ("five", "senses"),
    ("three", "cheers"),
    ("six", "pack"),
    ("two", "left"),
    ("second", "thoughts"),
    ("seven", "sins"),
    ("two", "wrongs"),
    ("two", "heads"),
    ("two", "peas"),
    ("two", "sides"),
    ("half", "dozen"),
];
