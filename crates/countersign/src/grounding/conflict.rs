//! Where the evidence speaks of the same thing and says otherwise: another number or date, a denial, an opposite, or
//! the two sides of a comparison swapped.
//!
//! A conflict is named only where the rest of the sentence is borne out by the same unit; a unit about another
//! matter cannot contradict.

use super::evidence::Unit;
use super::figures::{Figures, Stands, holds_quantity};
use super::flatten::Kind;
use crate::grounding::wording::{Reading, Term};
use crate::text::numbers::quantities::{Hedge, Quantity};
use crate::text::stems::{Key, key, opposites, root};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// How the evidence says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum Conflict {
    /// Another number of the same kind.
    Number {
        /// What the answer says.
        said: Range<usize>,
        /// What the evidence says.
        found: String,
    },
    /// Another date.
    Date {
        /// What the answer says.
        said: Range<usize>,
        /// What the evidence says.
        found: String,
    },
    /// A status that excludes the one of the evidence.
    Status {
        /// What the answer says.
        said: Range<usize>,
        /// What the evidence says.
        found: String,
    },
    /// One side denies what the other states.
    Denied,
    /// One side states the opposite.
    Opposite,
    /// The sides of a comparison are swapped.
    Swapped,
}

/// The conflict of a sentence with its nearest units, where there is one.
pub(crate) fn find(
    text: &str,
    sentence: &Reading,
    figures: &Figures,
    asked: &Reading,
    nearest: &[(usize, &Unit)],
) -> Option<(Conflict, String)> {
    if sentence.asks {
        return None;
    }
    let alike = |unit: &Unit| sentence.share(|term| unit.reading.holds(term));
    let with = |unit: &Unit, conflict| Some((conflict, unit.text.clone()));
    for (_, unit) in nearest.iter().take(3) {
        let share = alike(unit);
        if let Some(conflict) = figure(sentence, figures, unit) {
            return with(unit, conflict);
        }
        if share >= 0.6
            && let Some(conflict) = count(sentence, figures, unit, nearest)
        {
            return with(unit, conflict);
        }
        if share >= 0.7 && is_swapped(text, sentence, unit) {
            return with(unit, Conflict::Swapped);
        }
        // A field that denies what was asked for: `merged: false`, and the answer says that it was merged.
        let refused = || {
            let known = sentence.share(|term| unit.reading.holds(term) || asked.holds(term));
            unit.kind == Kind::Fields && sentence.negated.is_empty() && known >= 0.75
        };
        if (share >= 0.75 || refused()) && denies(sentence, unit) {
            return with(unit, Conflict::Denied);
        }
        if opposite(sentence, &unit.reading) {
            return with(unit, Conflict::Opposite);
        }
    }
    None
}

/// A number or date that does not appear, where the unit has another of the same kind.
fn figure(sentence: &Reading, figures: &Figures, unit: &Unit) -> Option<Conflict> {
    let theirs = &unit.reading.numbers;
    let nowhere = sentence.numbers.quantities.iter().zip(&figures.quantities).filter(|(_, s)| **s == Stands::Nowhere);
    for (said, _) in nowhere {
        let kind = |o: &&Quantity| {
            said.same_kind(o)
                || same_noun(sentence, said, &unit.reading, o)
                || under_its_key(said, &unit.reading, o)
                || same_label(sentence, said, unit, o)
        };
        let other = theirs.quantities.iter().find(kind).filter(|_| near_words_meet(sentence, said, &unit.reading));
        if let Some(other) = other {
            return Some(Conflict::Number { said: said.range.clone(), found: quote(&unit.text, &other.range) });
        }
    }
    let dates = sentence.numbers.dates.iter().zip(&figures.dates);
    let (date, _) = dates.into_iter().find(|(_, stands)| **stands == Stands::Nowhere)?;
    // Of several dates nobody can tell which is meant.
    let [other] = theirs.dates.as_slice() else { return None };
    let alike = sentence.share(|term| unit.reading.holds(term)) >= 0.75 && other.year.is_some() == date.year.is_some();
    if !alike || sentence.numbers.dates.len() > 1 {
        return None;
    }
    Some(Conflict::Date { said: date.range.clone(), found: quote(&unit.text, &other.range) })
}

/// A count that the unit gives otherwise for the same noun, although the number itself may well stand elsewhere: "four league
/// titles" and "five league titles".
fn count(sentence: &Reading, figures: &Figures, unit: &Unit, nearest: &[(usize, &Unit)]) -> Option<Conflict> {
    let counts = |said: &Quantity, unit: &Unit, agrees: bool| {
        let mut others = unit.reading.numbers.quantities.iter();
        others.any(|o| said.agrees(o) == agrees && same_noun(sentence, said, &unit.reading, o))
    };
    let stated = sentence.numbers.quantities.iter().zip(&figures.quantities);
    stated.filter(|(_, stands)| **stands != Stands::Computed).find_map(|(said, _)| {
        let other = unit.reading.numbers.quantities.iter().find(|o| same_noun(sentence, said, &unit.reading, o))?;
        let borne = nearest.iter().any(|(_, unit)| counts(said, unit, true)) || holds_quantity(&unit.reading, said);
        (!borne && said.hedge == Hedge::Exact && other.hedge == Hedge::Exact)
            .then(|| Conflict::Number { said: said.range.clone(), found: quote(&unit.text, &other.range) })
    })
}

/// Whether the words around a number, or half of the sentence, stand in the unit: then both speak of the same thing.
fn near_words_meet(sentence: &Reading, said: &Quantity, unit: &Reading) -> bool {
    let at = sentence.terms.partition_point(|term| term.range.start < said.range.start);
    let around: Vec<bool> =
        sentence.terms.iter().skip(at.saturating_sub(4)).take(6).map(|term| unit.holds(term)).collect();
    let met = around.iter().filter(|held| **held).count();
    sentence.share(|term| unit.holds(term)) >= 0.5 || (met >= 2 && met * 2 >= around.len())
}

/// Whether two numbers without unit count the same noun: the term right after each, or in "key: value" before.
fn same_noun(sentence: &Reading, said: &Quantity, unit: &Reading, other: &Quantity) -> bool {
    let behind = |reading: &Reading, q: &Quantity| {
        let at = reading.terms.partition_point(|term| term.range.start < q.range.end);
        reading.terms.get(at).filter(|term| term.range.start <= q.range.end + 2).map(|term| term.keys.clone())
    };
    let (Some(mine), Some(theirs)) = (behind(sentence, said), behind(unit, other)) else { return false };
    said.unit.is_none() && other.unit.is_none() && mine.iter().any(|key| theirs.contains(key))
}

/// Whether two whole numbers come after the same name and count nothing: "gate 12" and `gate: 64`.
fn same_label(sentence: &Reading, said: &Quantity, unit: &Unit, other: &Quantity) -> bool {
    let label = |reading: &Reading, q: &Quantity, gap: usize| {
        let at = reading.terms.partition_point(|term| term.range.start < q.range.start);
        let before =
            at.checked_sub(1).and_then(|at| reading.terms.get(at)).filter(|t| t.range.end + gap >= q.range.start);
        before.map(|term| term.keys.clone())
    };
    let counts = sentence.terms.iter().any(|term| (said.range.end..=said.range.end + 1).contains(&term.range.start));
    let whole = |q: &Quantity| q.unit.is_none() && q.upper.is_none() && q.raw.fract() == 0.0 && !q.spelled;
    let (Some(mine), Some(theirs)) = (label(sentence, said, 4), label(&unit.reading, other, 2)) else { return false };
    unit.kind == Kind::Fields && !counts && whole(said) && whole(other) && mine.iter().any(|key| theirs.contains(key))
}

/// Whether a number without unit comes after a word that names what the other measures ("temperature: 4" and 14 °C).
fn under_its_key(said: &Quantity, unit: &Reading, other: &Quantity) -> bool {
    let measured = said.unit.and_then(|base| MEASURED.iter().find(|(of, _)| of.contains(&base)));
    let before = unit.terms.iter().rfind(|term| term.range.end <= other.range.start);
    let touches = before.filter(|term| term.range.end + 2 >= other.range.start);
    let (Some((_, words)), Some(term), None) = (measured, touches, other.unit) else { return false };
    words.iter().any(|word| term.keys.contains(&key(&root(word))))
}

/// Whether a word is denied on one side and stated on the other.
fn denies(sentence: &Reading, unit: &Unit) -> bool {
    let theirs = &unit.reading;
    if unit.denied {
        return sentence.negated.is_empty();
    }
    if theirs.asks || (unit.kind == Kind::Sentence && !clause_covers(sentence, theirs)) {
        return false;
    }
    let differs = |key: &Key, denied: &Reading, stated: &Reading| {
        denied.negated.contains(key) && stated.keys.contains(key) && !stated.negated.contains(key)
    };
    let mine_denied = sentence.negated.iter().any(|key| differs(key, sentence, theirs));
    let theirs_denied = theirs.negated.iter().any(|key| differs(key, theirs, sentence));
    // Where both deny something, which denial meets which cannot be told.
    (mine_denied && theirs.negated.is_empty()) || (theirs_denied && sentence.negated.is_empty())
}

/// Whether the clause that denies something, or the whole unit where none does, speaks of the sentence's matter:
/// "no charge overall, but a negative charge on the oxygen" denies nothing about the oxygen.
fn clause_covers(sentence: &Reading, unit: &Reading) -> bool {
    let Some(clause) = unit.terms.iter().find(|term| term.negated).map(|term| term.clause) else { return true };
    let keys: FxHashSet<Key> =
        unit.terms.iter().filter(|term| term.clause == clause).flat_map(|term| term.keys.iter().copied()).collect();
    sentence.share(|term| term.keys.iter().any(|key| keys.contains(key))) >= 0.7
}

/// Whether one side has an opposite of a word of the other, and all else that matters agrees.
fn opposite(sentence: &Reading, unit: &Reading) -> bool {
    if unit.asks || sentence.negated.is_empty() != unit.negated.is_empty() {
        return false;
    }
    let turned =
        |key: &Key| opposites(*key).iter().any(|other| unit.keys.contains(other) && !sentence.keys.contains(other));
    let turns = |term: &&Term| !unit.holds(term) && term.keys.iter().any(turned);
    let Some(term) = sentence.terms.iter().find(turns) else { return false };
    let held: f64 = sentence.terms.iter().filter(|other| unit.holds(other)).map(|other| other.weight).sum();
    // A Chinese word is two characters: its other half is turned with it.
    let turned_weight = if term.weight < 1.0 { 1.0 } else { term.weight };
    let others = sentence.weight() - turned_weight;
    held >= 1.0 && (held >= others - 0.01 || (others >= 3.0 && held / others >= 0.8))
}

/// "A is more X than B" against "B is more X than A".
fn is_swapped(text: &str, sentence: &Reading, unit: &Unit) -> bool {
    let sides = |text: &str, reading: &Reading| {
        let at = text.to_lowercase().find(" than ").or_else(|| text.find('比'))?;
        let before = reading.terms.iter().rfind(|t| t.range.end <= at)?.clone();
        let first = reading.terms.first()?.clone();
        let after = reading.terms.iter().find(|t| t.range.start >= at)?.clone();
        Some((first, before, after))
    };
    let (Some((mine, _, mine_after)), Some((_, _, their_after))) =
        (sides(text, sentence), sides(&unit.text, &unit.reading))
    else {
        return false;
    };
    let same = |a: &Term, b: &Term| a.keys.iter().any(|key| b.keys.contains(key));
    same(&mine, &their_after) && !same(&mine_after, &their_after) && unit.reading.holds(&mine_after)
}

/// The words of the evidence; a long one was cut, and then its beginning must do.
fn quote(text: &str, range: &Range<usize>) -> String {
    text.get(range.clone()).unwrap_or(text).trim().to_owned()
}

/// What the words of a table measure.
const MEASURED: &[(&[&str], &[&str])] = &[
    (&["celsius", "degree"], &["temperature", "temp", "气温", "温度"]),
    (
        &["usd", "eur", "cny", "¥", "gbp", "jpy", "hkd"],
        &["price", "cost", "amount", "total", "balance", "fee", "价格", "金额", "费用", "余额", "总额"],
    ),
    (&["ratio"], &["percent", "percentage", "rate", "humidity", "share", "比例", "湿度", "占比"]),
    (&["m"], &["distance", "length", "height", "距离", "长度", "高度"]),
    (&["kg"], &["weight", "mass", "重量"]),
];
