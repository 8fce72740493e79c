//! Whether a text is in the sources it was given: the signal of the score, and the judge of claims.
//!
//! Each sentence of the answer is compared with the nearest sentences of the context: words by stem, names, numbers
//! with their units, dates. A phrase such as "according to" counts for nothing. It sees what is missing and the plain
//! kinds of conflict; it does not understand, and never claims that a sentence is false.

pub mod wording;
pub(crate) mod flatten;
pub(crate) mod evidence;
pub(crate) mod figures;
pub(crate) mod compare;
pub(crate) mod statuses;
pub(crate) mod codes;
pub(crate) mod conflict;
pub(crate) mod weigh;

use crate::text::numbers::quantities::Quantity;
use crate::text::phrases::Phrases;
use crate::text::rows::rows;
use crate::text::sentences::sentences;
use crate::wire::requests::ScoreRequest;
use codes::Known;
use compare::Likeness;
use conflict::Conflict;
use evidence::Evidence;
use figures::{Figures, Stands};
use std::ops::Range;
use std::sync::LazyLock;
use wording::Reading;

/// A sentence of the answer with what was found about it.
#[derive(Debug, Clone)]
pub struct Examined {
    /// Where it is in the response, in bytes.
    pub range: Range<usize>,
    /// How well it is in the context.
    pub support: f64,
    /// Whether it states anything that a context could bear out.
    pub states: bool,
    /// How like its evidence it is.
    pub likeness: Likeness,
    /// What the evidence says otherwise, and where.
    pub conflict: Option<(Conflict, String)>,
    /// What does not appear: the words of the response.
    pub missing: Vec<Range<usize>>,
    /// Whether nothing of it is in a context that is long enough to tell.
    pub off_topic: bool,
}

/// Examines each sentence of the answer; nothing without context.
pub fn examine(request: &ScoreRequest) -> Vec<Examined> {
    // An empty list is an answer where something was asked: then whatever is told beyond the question is made up.
    let empty = |text: &String| match text.trim() {
        "" | "null" | "\"\"" => true,
        "{}" | "[]" => request.question.is_none(),
        _ => false,
    };
    if request.context.iter().all(empty) {
        return Vec::new();
    }
    let evidence = Evidence::of(&request.context, request.question.as_deref());
    let tokens = request.response.contains(|c: char| c.is_ascii_digit() || c == '@' || c == '/');
    let texts = request.context.iter().map(String::as_str).chain(request.question.as_deref()).filter(|_| tokens);
    let known = Known::of(texts);
    let sentence =
        |range: Range<usize>| one(request.response.get(range.clone()).unwrap_or_default(), range, &evidence, &known);
    sentences(&request.response).into_iter().take(SENTENCES).map(sentence).collect()
}

/// The signal: the mean of the sentences that state something, drawn towards the worst of them. Absent without one.
pub fn evaluate(examined: &[Examined]) -> Option<f64> {
    let stated: Vec<f64> = examined.iter().filter(|s| s.states).map(|s| s.support).collect();
    let worst = stated.iter().copied().reduce(f64::min)?;
    let mean = stated.iter().sum::<f64>() / stated.len() as f64;
    Some((mean + worst) / 2.0)
}

fn one(text: &str, range: Range<usize>, evidence: &Evidence, known: &Known) -> Examined {
    let reading = Reading::clipped(text);
    let figures = Figures::of(text, &reading, evidence);
    let counted = !figures.quantities.is_empty() || !figures.dates.is_empty();
    let states = !reading.asks && (counted || (reading.weight() >= 1.0 && !chatter(text)));
    if !states {
        return Examined {
            range,
            support: 1.0,
            states,
            likeness: Likeness::default(),
            conflict: None,
            missing: vec![],
            off_topic: false,
        };
    }
    let nearest = compare::nearest(&reading, evidence);
    let likeness = compare::measure(&reading, &figures, evidence, &nearest);
    let status = || {
        let (said, found) = statuses::find_excluded(text, &reading, evidence)?;
        Some((Conflict::Status { said, found: found.clone() }, found))
    };
    let conflict = conflict::find(text, &reading, &figures, &evidence.asked, &nearest).or_else(status);
    let mut missing = missing(text, &reading, &figures, evidence);
    let copied = codes::unknown(text, &reading, known, evidence, &nearest).into_iter();
    missing.extend(copied.filter(|range| range.end <= text.len()));
    let missing = missing.into_iter();
    let missing: Vec<Range<usize>> = missing.map(|m| m.start + range.start..m.end + range.start).collect();
    let support = weigh::support(&likeness, conflict.as_ref().map(|(conflict, _)| conflict), missing.len());
    let off_topic = likeness.anywhere < 0.1 && reading.weight() >= 6.0 && evidence.breadth() >= 40;
    Examined { range, support, states, likeness, conflict, missing, off_topic }
}

/// Whether a sentence only opens, closes or offers.
fn chatter(text: &str) -> bool {
    CHATTER.any(text)
}

/// The hard parts of a sentence that do not appear: figures that cannot be derived either, and names of two or more
/// words of which none is known. A lone name is left alone: people know that Oslo lies in Norway.
fn missing(text: &str, reading: &Reading, figures: &Figures, evidence: &Evidence) -> Vec<Range<usize>> {
    let nowhere = |stands: &Stands| *stands == Stands::Nowhere;
    let telling = |q: &Quantity| {
        let precise = q.unit.is_some() || q.raw.abs() > 12.0 || q.raw.fract() != 0.0;
        precise && !q.spelled && ![0.0, 1.0, 100.0].contains(&q.raw)
    };
    let quantities = reading.numbers.quantities.iter().zip(&figures.quantities);
    let quantities = quantities.filter(|(q, stands)| nowhere(stands) && telling(q)).map(|(q, _)| q.range.clone());
    let dates = reading.numbers.dates.iter().zip(&figures.dates);
    let dates = dates.filter(|(_, stands)| nowhere(stands)).map(|(date, _)| date.range.clone());
    let mut found: Vec<Range<usize>> = quantities.chain(dates).collect();
    let unknown = |at: &usize| reading.terms.get(*at).is_some_and(|t| !evidence.holds(t) && !evidence.asked.holds(t));
    let shortened = |range: &Range<usize>| evidence.has_initials(text.get(range.clone()).unwrap_or_default());
    let names = names(text, reading).into_iter();
    found.extend(names.filter(|(range, run)| run.iter().all(unknown) && !shortened(range)).map(|(range, _)| range));
    found
}

/// Runs of two or more names that only blanks divide. A sentence in title case has none.
fn names(text: &str, reading: &Reading) -> Vec<(Range<usize>, Vec<usize>)> {
    let named = reading.terms.iter().filter(|term| term.name).count();
    if named * 3 > reading.terms.len() * 2 {
        return Vec::new();
    }
    let mut runs: Vec<(Range<usize>, Vec<usize>)> = Vec::new();
    for (at, term) in reading.terms.iter().enumerate().filter(|(_, term)| term.name) {
        let joins =
            |end: usize| text.get(end..term.range.start).is_some_and(|gap| gap == " " || gap == ". " || gap == "-");
        match runs.last_mut() {
            Some((range, run)) if joins(range.end) => {
                range.end = term.range.end;
                run.push(at);
            }
            _ => runs.push((term.range.clone(), vec![at])),
        }
    }
    runs.retain(|(_, run)| run.len() >= 2);
    runs
}

/// An answer longer than this is judged by its beginning.
const SENTENCES: usize = 1000;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&CHATTER);
    figures::build_tables();
    statuses::build_tables();
}

static CHATTER: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(rows(include_str!("data/chatter.txt"))));
