//! A number or a date against a sentence that somebody wrote.

use super::passage::{Passage, Statement};
use super::scope::scope;
use super::{Finding, Subject, quote};
use crate::claims::known::surroundings::{near, overlap, share};
use crate::claims::known::topic::{same, sense, telling};
use crate::claims::known::{Matter, Telling, implies};
use crate::grounding::wording::{Reading, Term};
use crate::text::numbers::dates::Date;
use crate::text::stems::opposites;
use std::ops::Range;

/// Holds a claim against one sentence of a passage.
pub(super) fn settle(subject: &Subject, statement: &Statement, passage: &Passage) -> Finding {
    let telling = subject.telling;
    if statement.reading.asks || telling.around.near.is_empty() {
        return Finding::Silent;
    }
    let borne_out = statement.values.iter().filter(|(matter, _)| implies(matter, &telling.matter));
    for (_, range) in borne_out.clone() {
        let likeness = likeness(telling, statement, range, passage);
        if likeness >= required_likeness(telling.rarity) && same_case(subject, statement, passage) {
            return Finding::Supports(quote(statement, range, likeness));
        }
    }
    if borne_out.count() > 0 {
        return Finding::Silent;
    }
    conflict(subject, statement, passage).unwrap_or(Finding::Silent)
}

/// How much of the claim's topic stands around a value, in its sentence, and in the passage.
fn likeness(telling: &Telling, statement: &Statement, value: &Range<usize>, passage: &Passage) -> f64 {
    let mine = &telling.around.near;
    let theirs = near(&statement.text, &statement.reading, value);
    let here = share(mine, &statement.reading);
    // A list names each part in a word: "21% oxygen, 79% nitrogen".
    let back = if here >= 0.4 { 0.8 * overlap(&theirs, mine) } else { 0.0 };
    let beside = overlap(mine, &theirs).max(back);
    // Among several values the words beside it say which is meant.
    if beside < 0.25 && statement.values.len() > 1 {
        return 0.0;
    }
    let wide = weight(mine, |term| passage.holds(term));
    0.5 * beside + 0.25 * here + 0.25 * wide
}

/// A rare value needs less of its topic than a round one.
fn required_likeness(rarity: u8) -> f64 {
    match rarity {
        4.. => 0.3,
        3 => 0.4,
        2 => 0.5,
        _ => 0.6,
    }
}

/// Whether nothing tells the two sentences apart: another year, a denial, an opposite, a forecast, unknown names.
fn same_case(subject: &Subject, statement: &Statement, passage: &Passage) -> bool {
    let around = &subject.telling.around;
    let years = |dates: &[Date]| dates.iter().filter_map(|date| date.year).collect::<Vec<_>>();
    let theirs = years(&statement.reading.numbers.dates);
    let is_date = matches!(subject.telling.matter, Matter::Moment(_));
    let other_year =
        !is_date && !around.years.is_empty() && !theirs.is_empty() && !around.years.iter().any(|y| theirs.contains(y));
    let names: Vec<&Term> = around.near.iter().filter(|term| term.name).collect();
    let known = names.iter().filter(|term| passage.holds(term)).count();
    // A bare year or a round number is in many sentences: then every name must be known.
    let named = if subject.telling.rarity <= 1 { known == names.len() } else { known * 3 >= names.len() * 2 };
    let (mine, theirs) = (scope(subject.sentence()), scope(&statement.text));
    // What the claim leaves out it may leave out; what it adds must be there.
    let same_scope = mine.is_subset(&theirs) && !theirs.difference(&mine).any(|sense| DECIDES.contains(sense));
    !other_year
        && named
        && !is_swapped(&names, subject, statement)
        && same_scope
        && !is_denied(&around.sentence, &statement.reading, &around.near)
        && !is_reversed(&around.near, &statement.reading, &around.sentence)
}

/// Whether a sentence names somebody else in place of a name of the claim.
fn is_swapped(names: &[&Term], subject: &Subject, statement: &Statement) -> bool {
    let mine = &subject.telling.around.sentence;
    let missing = names.iter().any(|term| !statement.reading.nearly_holds(term));
    missing && statement.reading.terms.iter().any(|term| term.name && !mine.nearly_holds(term))
}

/// One value of the same measure that excludes the claimed one, and everything else the same.
fn conflict(subject: &Subject, statement: &Statement, passage: &Passage) -> Option<Finding> {
    let around = &subject.telling.around;
    let mut others = statement.values.iter().filter(|(matter, _)| same_measure(&subject.telling.matter, matter));
    let (other, range) = others.next()?;
    // Of two numbers of one measure nobody can tell which is meant.
    if others.next().is_some() || !excludes(&subject.telling.matter, other) {
        return None;
    }
    let theirs = near(&statement.text, &statement.reading, range);
    let outside = |term: &Term| term.range.end <= range.start || term.range.start >= range.end;
    let theirs: Vec<Term> = theirs.into_iter().filter(outside).collect();
    let own = own_range(subject);
    let apart = |term: &&Term| term.range.end <= own.start || term.range.start >= own.end;
    let mine: Vec<Term> = around.near.iter().filter(apart).cloned().collect();
    let fits = same(&telling(&mine), &telling(&theirs))
        && sense(subject.sentence(), &mine, &own) == sense(&statement.text, &theirs, range)
        && is_spoken_of(subject, statement, passage)
        && same_dates(subject, statement, range)
        && same_scope(subject, statement)
        && around.sentence.negated.is_empty() == statement.reading.negated.is_empty()
        && !is_reversed(&mine, &statement.reading, &around.sentence)
        && same_noun(subject.telling, statement, range);
    fits.then(|| Finding::Conflicts(quote(statement, range, f64::midpoint(0.8, overlap(&mine, &theirs)))))
}

/// Whether both sentences are narrowed alike; a date is not narrowed by its own month.
fn same_scope(subject: &Subject, statement: &Statement) -> bool {
    let (mut mine, mut theirs) = (scope(subject.sentence()), scope(&statement.text));
    if matches!(subject.telling.matter, Matter::Moment(_)) {
        mine.remove("month");
        theirs.remove("month");
    }
    mine == theirs
}

/// Where the claim is in its sentence.
pub(super) fn own_range(subject: &Subject) -> Range<usize> {
    let from = subject.telling.around.place.start;
    subject.claim.start.saturating_sub(from)..subject.claim.end.saturating_sub(from)
}

/// Whether the rest of both sentences allows that they speak of the same: every name of one is known to the other, and
/// half of the other words.
fn is_spoken_of(subject: &Subject, statement: &Statement, passage: &Passage) -> bool {
    let (mine, theirs) = (&subject.telling.around.sentence, &statement.reading);
    let names = |terms: &[Term], held: &dyn Fn(&Term) -> bool| terms.iter().filter(|term| term.name).all(held);
    let most = |terms: &[Term], held: &dyn Fn(&Term) -> bool| {
        let told = telling(terms);
        told.iter().filter(|term| held(term)).count() * 2 >= told.len()
    };
    names(&mine.terms, &|term| passage.holds(term))
        && names(&theirs.terms, &|term| mine.holds(term))
        && most(&mine.terms, &|term| passage.holds(term))
        && most(&theirs.terms, &|term| mine.nearly_holds(term))
}

fn same_measure(mine: &Matter, theirs: &Matter) -> bool {
    match (mine, theirs) {
        (Matter::Amount(mine), Matter::Amount(theirs)) => mine.measure == theirs.measure,
        (Matter::Moment(_), Matter::Moment(_)) => true,
        _ => false,
    }
}

fn excludes(mine: &Matter, theirs: &Matter) -> bool {
    match (mine, theirs) {
        (Matter::Amount(mine), Matter::Amount(theirs)) => mine.excludes(theirs),
        (Matter::Moment(mine), Matter::Moment(theirs)) => mine.excludes(theirs) && mine.as_fine_as(theirs),
        _ => false,
    }
}

/// Whether the two sentences name the same dates, the claim itself aside, and those of a later clause that says something
/// else: "is 36 km long, and opened in 2008".
fn same_dates(subject: &Subject, statement: &Statement, value: &Range<usize>) -> bool {
    let mine = &subject.telling.around.sentence.numbers.dates;
    let rest = statement.text.get(value.end..).unwrap_or_default();
    let clause = rest.find([',', '，', ';', '；']).map_or(statement.text.len(), |at| value.end + at);
    let says_more = statement.reading.terms.iter().filter(|term| term.range.start >= clause).count() >= 2;
    let own = |date: &&Date| !says_more || date.range.start < clause;
    let theirs: Vec<Date> = statement.reading.numbers.dates.iter().filter(own).cloned().collect();
    let theirs = theirs.as_slice();
    if matches!(subject.telling.matter, Matter::Moment(_)) {
        return mine.len() <= 1 && theirs.len() <= 1;
    }
    let among =
        |a: &[Date], b: &[Date]| a.iter().all(|date| b.iter().any(|other| date.is_in(other) || other.is_in(date)));
    among(mine, theirs) && among(theirs, mine)
}

/// Counts conflict only where they count the same: the word right after each number.
fn same_noun(telling: &Telling, statement: &Statement, range: &Range<usize>) -> bool {
    let Some(amount) = telling.amount() else { return true };
    if amount.measure != crate::claims::known::amount::Measure::Count {
        return true;
    }
    let behind = statement.reading.terms.iter().filter(|term| term.range.end > range.start);
    let theirs = behind.take(4).take_while(|term| term.range.start <= range.end + 12);
    let mut theirs = theirs.flat_map(|term| &term.keys);
    !telling.noun.is_empty() && theirs.any(|key| telling.noun.contains(key))
}

/// Whether a word of the topic is denied on one side only.
fn is_denied(mine: &Reading, theirs: &Reading, topic: &[Term]) -> bool {
    let keys = || topic.iter().flat_map(|term| &term.keys);
    let one_side = |a: &Reading, b: &Reading| {
        keys().any(|key| a.negated.contains(key) && b.keys.contains(key) && !b.negated.contains(key))
    };
    one_side(mine, theirs) || one_side(theirs, mine)
}

/// Whether the sentence has the opposite of a word of the topic in place of it.
fn is_reversed(topic: &[Term], theirs: &Reading, mine: &Reading) -> bool {
    let opposed =
        |key: &u64| opposites(*key).iter().any(|other| theirs.keys.contains(other) && !mine.keys.contains(other));
    topic.iter().any(|term| !theirs.holds(term) && term.keys.iter().any(opposed))
}

fn weight(terms: &[Term], held: impl Fn(&Term) -> bool) -> f64 {
    let total: f64 = terms.iter().map(|term| term.weight).sum();
    let found: f64 = terms.iter().filter(|term| held(term)).map(|term| term.weight).sum();
    if total > 0.0 { found / total } else { 0.0 }
}

/// Senses that a claim may not leave out: a forecast is no fact, and one quarter is not the year.
const DECIDES: &[&str] = &["forecast", "condition", "past", "near"];
