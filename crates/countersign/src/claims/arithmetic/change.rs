//! Growth and difference inside one sentence: "from 40 to 50 million, up 25%".

use super::derive::Step;
use super::operands::{Operand, Sentence, ends_in, has_word};
use super::outcome::{Computation, outcome};
use crate::claims::known::amount::{Amount, Measure};
use crate::contract::{Claim, ClaimKind};
use crate::text::lists::word_list;
use std::ops::Range;

/// "From 40 to 50 million, up 25%": the change, as a share or as a difference.
pub(super) fn growth(sentence: &Sentence, claim: &Claim, wanted: &Amount, own: usize) -> Option<Computation> {
    let (from, to, place) = change(sentence, own)?;
    let (before, behind) = (sentence.before(claim.start), sentence.behind(claim.end));
    let near: String = before.chars().rev().take(18).collect::<Vec<_>>().into_iter().rev().collect();
    let changes = has_word(&near, CHANGE) || has_word(&behind.chars().take(14).collect::<String>(), CHANGE);
    let points = ["point", "点", "bps"].iter().any(|word| claim.text.contains(word) || behind.trim().starts_with(word));
    let relative = claim.kind == ClaimKind::Percentage && wanted.measure == Measure::Ratio;
    let step = match () {
        () if relative && !points && from.measure != Measure::Ratio => Step::Growth,
        // "From 40% to 50%, up 30%" may be either; points are a difference.
        () if wanted.measure == from.measure && (points || (ends_in(&near, BY) && !relative)) => Step::Difference,
        () => return None,
    };
    let exact = from.bound.is_none() && to.bound.is_none() && wanted.bound.is_none();
    // A change of more than this is a scale that stands elsewhere.
    let plausible = from.low > 0.0 && to.low >= 0.0 && to.low <= from.low * 50.0;
    let fits = changes && plausible && exact && is_joined(sentence, claim, &place);
    fits.then(|| outcome(claim, wanted, step, (&to, &from), place)).flatten()
}

/// Whether the claim speaks of the change: right before it, or behind it without another subject between them.
fn is_joined(sentence: &Sentence, claim: &Claim, place: &Range<usize>) -> bool {
    let gap = |from: usize, to: usize| sentence.content.get(from..to).unwrap_or_default().to_lowercase();
    match claim.end <= place.start {
        true => gap(claim.end, place.start).chars().count() <= 10,
        false => {
            let gap = gap(place.end, claim.start);
            gap.chars().count() <= 40 && !has_word(&gap, ANOTHER)
        }
    }
}

/// The two ends of a change in the sentence, where there is exactly one: a range behind "from", or "from X … to Y".
fn change(sentence: &Sentence, own: usize) -> Option<(Amount, Amount, Range<usize>)> {
    let others = || sentence.operands.iter().enumerate().filter(move |(at, _)| *at != own).map(|(_, operand)| operand);
    let from = |operand: &&Operand| ends_in(&sentence.before(operand.range.start), FROM);
    let to = |operand: &&Operand| ends_in(&sentence.before(operand.range.start), TO);
    let mut starts = others().filter(from);
    let start = starts.next().filter(|_| starts.next().is_none())?;
    if !start.amount.is_single() {
        return ends_of(sentence, start);
    }
    let end = others().find(|operand| operand.range.start >= start.range.end).filter(to)?;
    let more = others().filter(|operand| operand.range.start >= end.range.end).filter(to).count();
    let from = like(&start.amount, &end.amount, sentence.content.get(end.range.clone())?);
    let same = more == 0 && from.measure == end.amount.measure && end.amount.is_single();
    same.then(|| (from, end.amount.clone(), start.range.start..end.range.end))
}

/// The ends of "40 to 50 million", which reads as a range, in the order in which they were written.
fn ends_of(sentence: &Sentence, range: &Operand) -> Option<(Amount, Amount, Range<usize>)> {
    let text = sentence.content.get(range.range.clone())?;
    let single = |value: f64| Amount { low: value, high: value, ..range.amount.clone() };
    let numbers = leading_numbers(text);
    let [first, last] = numbers.as_slice() else { return None };
    let (low, high) = (range.amount.low, range.amount.high);
    // The scale comes after the second number and holds for both.
    let scale = if first <= last { high / last } else { low.max(high) / last };
    let (start, end) = (first * scale, last * scale);
    let as_written = [low, high].iter().any(|value| (value - end).abs() <= end.abs() * 1e-6);
    (as_written && scale.is_finite()).then(|| (single(start), single(end), range.range.clone()))
}

/// The first number with the unit and the scale of the second, where it has none of its own: "from 40 to 50 million".
fn like(first: &Amount, second: &Amount, text: &str) -> Amount {
    let written = leading_numbers(text).first().copied().filter(|number| *number != 0.0);
    let scale = written.map_or(1.0, |number| second.low / number);
    let bare = first.measure == Measure::Count;
    let short = bare && scale >= 100.0 && first.high * scale <= second.high * 100.0;
    let scale = if short { scale } else { 1.0 };
    let measure = if bare { second.measure.clone() } else { first.measure.clone() };
    let precision = first.precision.map(|precision| precision * scale);
    Amount { low: first.low * scale, high: first.high * scale, measure, precision, ..first.clone() }
}

fn leading_numbers(text: &str) -> Vec<f64> {
    let runs = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    runs.filter_map(|run| run.replace(',', "").trim_matches('.').parse().ok()).collect()
}

const FROM: &[&str] = &["from", "从", "由", "自"];
const TO: &[&str] = &["to", "to reach", "到", "至", "达", "为"];
const ANOTHER: &[&str] = word_list!("claims", "arithmetic/change/another");
/// Words that say by how much.
pub(super) const BY: &[&str] = &["by", "加", "少", "长", "升", "降", "up", "down"];
/// Words of a change.
pub(super) const CHANGE: &[&str] = word_list!("claims", "arithmetic/change/change");
