//! A number or a date against the fields of an object: `revenue_growth_percent: 25`.
//!
//! The name of a field is its topic, the other fields of its object say what it is about. In a list of like objects only
//! the one that the claim names can conflict.

use super::passage::{Passage, Statement};
use super::scope::scope;
use super::sentence::own_range;
use super::{Finding, Subject, quote};
use crate::claims::known::amount::{Amount, Measure};
use crate::claims::known::moment::Moment;
use crate::claims::known::topic::{Sense, is_change, meets, sense, telling};
use crate::claims::known::{Matter, implies};
use crate::grounding::flatten::{Kind, fields};
use crate::grounding::wording::{Reading, Term};
use std::ops::Range;

/// Holds a claim against one object.
pub(super) fn settle(subject: &Subject, statement: &Statement, near: &[&Statement], passage: &Passage) -> Finding {
    let around = &subject.telling.around;
    if around.near.is_empty() {
        return Finding::Silent;
    }
    let years: Vec<u16> = statement.reading.numbers.dates.iter().filter_map(|date| date.year).collect();
    let moment = matches!(subject.telling.matter, Matter::Moment(_));
    let other_year = !moment && !around.years.is_empty() && !years.is_empty();
    if other_year && !around.years.iter().any(|year| years.contains(year)) {
        return Finding::Silent;
    }
    let mut conflict = Finding::Silent;
    for (matter, range) in &statement.values {
        let field = field(statement, range);
        let matter = scale(subject, matter, &field);
        if !about_row(subject, statement) || field.is_of_another_year(subject) {
            continue;
        }
        if implies(&matter, &subject.telling.matter) {
            if let Some(strength) = supports(subject, statement, &field, passage) {
                return Finding::Supports(quote(statement, &field.place, strength));
            }
        } else if conflicts(subject, statement, (&matter, &field), near, passage) {
            conflict = Finding::Conflicts(quote(statement, &field.place, 0.9));
        }
    }
    conflict
}

/// Whether a message speaks of what a row of a table is about: a word of the first field that is no number is in it.
fn about_row(subject: &Subject, statement: &Statement) -> bool {
    let Some(row) = &statement.row else { return true };
    let lead =
        fields(&statement.text).map(|(_, value)| value).find(|value| !value.starts_with(|c: char| c.is_numeric()));
    let lead = lead.filter(|lead| row.contains(lead)).map(Reading::clipped);
    let spoken = |lead: &Reading| {
        let sentence = &subject.telling.around.sentence;
        lead.terms.is_empty() || lead.terms.iter().any(|term| sentence.nearly_holds(term))
    };
    lead.is_none_or(|lead| spoken(&lead))
}

/// A field: where it is in the line, and the words of its name.
struct Field {
    place: Range<usize>,
    name: Vec<Term>,
    /// The year that a column is named by.
    year: Option<u16>,
}

impl Field {
    fn is_of_another_year(&self, subject: &Subject) -> bool {
        let years = &subject.telling.around.years;
        self.year.is_some_and(|year| !years.is_empty() && !years.contains(&year))
    }
}

fn field(statement: &Statement, value: &Range<usize>) -> Field {
    let start = statement.text.get(..value.start).and_then(|before| before.rfind(';')).map_or(0, |at| at + 1);
    let end = statement
        .text
        .get(value.end..)
        .and_then(|rest| rest.find(';'))
        .map_or(statement.text.len(), |at| value.end + at);
    let named = |term: &&Term| term.range.start >= start && term.range.end <= value.start;
    let name = statement.text.get(start..value.start).unwrap_or_default().trim().trim_end_matches(':');
    let year = name.parse().ok().filter(|year| (1000..3000).contains(year));
    Field { place: start..end, name: statement.reading.terms.iter().filter(named).cloned().collect(), year }
}

/// A bare 25 under a name such as `growth_rate` may be 25%, where the claim is a share, and a bare 1931 a year, where it
/// is a date.
fn scale(subject: &Subject, matter: &Matter, field: &Field) -> Matter {
    if let (Matter::Moment(_), Matter::Amount(amount)) = (&subject.telling.matter, matter) {
        let year = amount.measure == Measure::Count && amount.is_single() && (1000.0..3000.0).contains(&amount.low);
        let moment = (year && !field.name.is_empty()).then(|| Moment::read(&amount.low.to_string())).flatten();
        return moment.map_or_else(|| matter.clone(), Matter::Moment);
    }
    let wanted = subject.telling.amount();
    match (wanted, matter) {
        (Some(wanted), Matter::Amount(amount))
            if wanted.measure == Measure::Ratio
                && amount.measure == Measure::Count
                && amount.high.abs() > 1.0
                && !field.name.is_empty() =>
        {
            let precision = amount.precision.map(|precision| precision / 100.0);
            let (low, high) = (amount.low / 100.0, amount.high / 100.0);
            Matter::Amount(Amount { low, high, measure: Measure::Ratio, precision, ..amount.clone() })
        }
        _ => matter.clone(),
    }
}

fn supports(subject: &Subject, statement: &Statement, field: &Field, passage: &Passage) -> Option<f64> {
    let around = &subject.telling.around;
    let named = match field.year {
        Some(year) if around.years.contains(&year) => 1.0,
        _ => share_of(&field.name, |term| around.sentence.nearly_holds(term)),
    };
    let line = share_of(&around.near, |term| statement.reading.nearly_holds(term));
    let wide = share_of(&around.near, |term| passage.holds(term));
    let fits = match subject.telling.rarity {
        3.. => named >= 0.5 || line >= 0.25 || wide >= 0.34,
        2 => named >= 0.5 || line >= 0.5,
        _ => (named >= 0.5 && line.max(wide) >= 0.34) || line >= 0.67,
    };
    fits.then_some(0.4 * named + 0.4 * line + 0.2 * wide)
}

/// The field has the claim's name, holds another number of its measure, and no other object could be meant.
fn conflicts(
    subject: &Subject,
    statement: &Statement,
    (matter, field): (&Matter, &Field),
    near: &[&Statement],
    passage: &Passage,
) -> bool {
    let around = &subject.telling.around;
    let excludes = match (&subject.telling.matter, matter) {
        (Matter::Amount(mine), Matter::Amount(theirs)) => mine.excludes(theirs),
        (Matter::Moment(mine), Matter::Moment(theirs)) => mine.excludes(theirs) && mine.as_fine_as(theirs),
        _ => false,
    };
    let named = {
        let (mine, theirs) = (telling(&around.near), telling(&field.name));
        !theirs.is_empty() && theirs.iter().all(|term| mine.iter().any(|other| meets(term, other)))
    };
    // Every word of the claim's topic that could narrow it is in the object.
    let covered = telling(&around.near).iter().all(|term| statement.reading.nearly_holds(term))
        && around.sentence.terms.iter().filter(|term| term.name).all(|term| passage.holds(term));
    let moment = matches!(subject.telling.matter, Matter::Moment(_));
    let years: Vec<u16> = statement.reading.numbers.dates.iter().filter_map(|date| date.year).collect();
    let own = own_range(subject);
    let alike = match sense(subject.sentence(), &around.near, &own) {
        Sense::Change => field.name.iter().any(is_change),
        Sense::Plain | Sense::Level => !field.name.iter().any(is_change) || around.near.iter().any(is_change),
    };
    let dated = statement.row.is_none() || moment || years.iter().all(|year| around.years.contains(year));
    excludes
        && dated
        && named
        && covered
        && alike
        && around.sentence.negated.is_empty()
        && scope(subject.sentence()).iter().all(|sense| scope(&statement.text).contains(sense))
        && alone(subject, statement, &field.name, near)
}

/// Whether no like object stands beside it, or it is the only one that the claim names.
fn alone(subject: &Subject, statement: &Statement, name: &[Term], near: &[&Statement]) -> bool {
    let like = |other: &&&Statement| {
        other.kind == Kind::Fields && !other.values.is_empty() && name.iter().all(|term| other.reading.holds(term))
    };
    let rows = near.iter().filter(like).count();
    let sentence = &subject.telling.around.sentence;
    let own_word = |reading: &Reading, all: &[&Statement]| {
        reading.terms.iter().any(|term| {
            let shared = all.iter().filter(|other| other.reading.holds(term)).count();
            shared == 1 && sentence.holds(term)
        })
    };
    rows <= 1 || own_word(&statement.reading, near)
}

fn share_of(terms: &[Term], held: impl Fn(&Term) -> bool) -> f64 {
    let total: f64 = terms.iter().map(|term| term.weight).sum();
    let found: f64 = terms.iter().filter(|term| held(term)).map(|term| term.weight).sum();
    if total > 0.0 { found / total } else { 0.0 }
}
