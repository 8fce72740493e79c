//! The sentences before a claim and its own, each with its numbers: what a claim may be computed from beyond its own
//! sentence.

use super::change::{BY, CHANGE};
use super::derive::Step;
use super::operands::{Operand, Sentence, ends_in, has_word};
use super::outcome::{Computation, outcome};
use super::series::{Told, Wanted, pair};
use crate::claims::known::Telling;
use crate::claims::known::amount::{Amount, Measure};
use crate::contract::{Claim, ClaimKind};
use crate::grounding::wording::Reading;
use crate::text::sentences::sentences;
use std::ops::Range;

/// The sentences before a claim, at most so many bytes back, and its own as the last.
pub(super) struct Window<'a> {
    content: &'a str,
    sentences: Vec<(Sentence<'a>, Reading)>,
}

impl<'a> Window<'a> {
    pub(super) fn before(content: &'a str, all: (&[Claim], &[Telling]), own: &Range<usize>) -> Self {
        let from = (own.start.saturating_sub(REACH)..=own.start).find(|at| content.is_char_boundary(*at));
        let from = from.unwrap_or(own.start);
        let cuts = sentences(content.get(from..own.start).unwrap_or_default());
        let skipped = cuts.len().saturating_sub(BACK);
        let places = cuts.into_iter().skip(skipped).map(|cut| from + cut.start..from + cut.end);
        let read = |place: Range<usize>| {
            let reading = Reading::clipped(content.get(place.clone()).unwrap_or_default());
            (Sentence::read(content, place, &reading, all), reading)
        };
        Self { content, sentences: places.chain([own.clone()]).map(read).collect() }
    }

    /// The sentence right before the claim's.
    pub(super) fn last_before(&self) -> Option<&Sentence<'a>> {
        self.sentences.len().checked_sub(2).and_then(|at| self.sentences.get(at)).map(|(sentence, _)| sentence)
    }

    /// What the sentences tell, without the claim itself.
    fn read_told(&self, claim: &Claim) -> Vec<Told<'_>> {
        let one = |(sentence, _): &'_ (Sentence<'a>, Reading)| {
            let start = sentence.place.start;
            let local = |range: &Range<usize>| range.start.saturating_sub(start)..range.end.saturating_sub(start);
            let own = sentence.place.contains(&claim.start).then(|| local(&(claim.start..claim.end)));
            let apart = |operand: &&Operand| operand.range.end <= claim.start || operand.range.start >= claim.end;
            let amounts = sentence.operands.iter().filter(apart);
            let amounts = amounts.map(|operand| (operand.amount.clone(), local(&operand.range))).collect();
            (start, own, amounts)
        };
        let told = self.sentences.iter().map(|pair| (pair, one(pair)));
        told.map(|((sentence, reading), (_, own, amounts))| {
            let text = self.content.get(sentence.place.clone()).unwrap_or_default();
            Told::new(text, reading, amounts, own)
        })
        .collect()
    }
}

/// Growth or difference between two periods that are before the claim.
pub(super) fn grown(window: &Window, sentence: &Sentence, claim: &Claim, telling: &Telling) -> Option<Computation> {
    let amount = telling.amount()?;
    let step = step(sentence, claim, amount)?;
    let text = sentence.content.get(sentence.place.clone())?;
    let around = &telling.around;
    // The years of the numbers are in its sentence as well, where they are its own.
    let told = window.read_told(claim);
    let own = told.last()?;
    let reached = own.amounts.last().map_or(0, |(_, range)| range.end);
    let later = around.sentence.numbers.dates.iter().filter(|date| date.range.start >= reached);
    let years: Vec<u16> = later.filter_map(|date| date.year).collect();
    let wanted = Wanted { amount, sentence: &around.sentence, text, years: &years, step };
    let found = pair(wanted, &told)?;
    let start = window.sentences.get(found.told.0)?.0.place.start;
    outcome(claim, amount, step, (&found.later, &found.earlier), start..claim.end)
}

/// Growth or difference between two periods that others tell of: a tool result, a table. Gives the places in the list
/// that the two numbers are in.
pub fn recompute_from(
    content: &str,
    claim: &Claim,
    telling: &Telling,
    told: &[Told],
) -> Option<(Computation, (usize, usize))> {
    let amount = telling.amount()?;
    let around = &telling.around;
    let sentence = Sentence { content, place: around.place.clone(), operands: Vec::new() };
    let step = step(&sentence, claim, amount)?;
    let text = content.get(around.place.clone())?;
    let wanted = Wanted { amount, sentence: &around.sentence, text, years: &around.years, step };
    let found = pair(wanted, told)?;
    let computed = outcome(claim, amount, step, (&found.later, &found.earlier), 0..0)?;
    Some((computed, found.told))
}

/// Whether a claim says by how much something changed.
pub fn says_a_change(content: &str, claim: &Claim, telling: &Telling) -> bool {
    let sentence = Sentence { content, place: telling.around.place.clone(), operands: Vec::new() };
    telling.amount().is_some_and(|amount| step(&sentence, claim, amount).is_some())
}

/// What kind of change a claim says, where it says one.
fn step(sentence: &Sentence, claim: &Claim, wanted: &Amount) -> Option<Step> {
    let before = sentence.before(claim.start);
    let behind: String = sentence.behind(claim.end).chars().take(16).collect();
    let points = ["point", "点", "bps"].iter().any(|word| claim.text.contains(word) || behind.trim().starts_with(word));
    let changes = has_word(&before, CHANGE) || has_word(&behind, CHANGE);
    let ratio = claim.kind == ClaimKind::Percentage && wanted.measure == Measure::Ratio;
    let exact = wanted.bound.is_none() && changes;
    match () {
        () if exact && ratio && !points => Some(Step::Growth),
        () if exact && !ratio && ends_in(&before, BY) => Some(Step::Difference),
        () => None,
    }
}

const REACH: usize = 800;
const BACK: usize = 4;
