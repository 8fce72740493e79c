//! Numbers that count without a noun of their own, because one stands before them; and those that count nothing.

use crate::claims::find::lexicon::{AUX, LISTED, MARKER, MONTH, PAST, PLURAL, PREPOSITION, SCALE, UNIT};
use crate::claims::find::names::{name, names};
use crate::claims::find::numbers::{Number, Style};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Gap, Shape};

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
    let verb = happened(s, end)
        || happened(s, first.wrapping_sub(1)) && (s.divides(end) || s.one_of(end, names!["and", "as"]));
    let denied = s.word(first.wrapping_sub(1), name!("not")) && s.divides(end) && number.style == Style::Digits;
    let last = s.word(first.wrapping_sub(1), name!("and")) && s.divides(end + 1) && is_after_count(s, first);
    counted && (subject || verb || denied || last)
}

/// Whether a bare number goes on with one that counts a noun, or ends such a row: "412, 388 and 97 votes", "were 284, 191
/// and 337". A row holds one `and` or `or`, and three numbers or a noun behind the last, so that "chapters 3, 4" is none.
pub(super) fn is_in_row(s: &Sentence, number: &Number) -> bool {
    if number.style != Style::Digits || number.value < 2.0 {
        return false;
    }
    let plain = |at: usize| s.at(at).shape == Shape::Digits && s.at(at).gap == Gap::Blank;
    let joins = |at: usize| s.one_of(at, names!["and", "or"]);
    // To the first number of the row, and then along it.
    let (mut first, mut steps) = (number.first, 0);
    while steps < ROW && first >= 2 {
        let back = first - 1 - usize::from(joins(first - 1) && s.is(first - 2, ','));
        if !(s.is(back, ',') || joins(back)) || back == 0 || !plain(back - 1) {
            break;
        }
        (first, steps) = (back - 1, steps + 1);
    }
    let (mut at, mut count, mut joined) = (first, 1, false);
    while count <= ROW {
        let next = at + 2 + usize::from(s.is(at + 1, ',') && joins(at + 2));
        let conjunction = joins(next - 1);
        if !(s.is(at + 1, ',') || conjunction) || joined || !plain(next) {
            break;
        }
        (at, count, joined) = (next, count + 1, conjunction);
    }
    let before = s.before(first);
    let led = before.shape == Shape::Word
        && before.case == Case::Lower
        && !before.has(MARKER | PREPOSITION | MONTH | UNIT)
        && !s.words(first.wrapping_sub(1)).ends_with('s')
        || happened(s, first.wrapping_sub(1))
        || s.one_of(first.wrapping_sub(1), names!["was"]);
    let noun = s.at(at + 1);
    let things = noun.shape == Shape::Word
        && noun.case == Case::Lower
        && noun.gap == Gap::Blank
        && !noun.has(PREPOSITION | AUX | MONTH)
        && (noun.has(PLURAL) || s.words(at + 1).ends_with('s'));
    let totals = s.one_of(first.wrapping_sub(1), names!["were"]) && count > 2;
    joined && count > 1 && (led && things || totals && (s.divides(at + 1) || things))
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
/// So many numbers a row may hold.
const ROW: usize = 12;

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
