//! Shares: "12 of 48 users (25%)".

use super::derive::Step;
use super::operands::{Operand, Sentence, ends_in, has_word};
use super::outcome::{Computation, outcome};
use super::window::Window;
use crate::claims::known::amount::{Amount, Measure};
use crate::contract::Claim;
use crate::text::lists::word_list;

/// "12 of 48 users (25%)", 48人中有12人，占25%.
pub(super) fn share(sentence: &Sentence, claim: &Claim, wanted: &Amount, own: usize) -> Option<Computation> {
    if wanted.measure != Measure::Ratio || wanted.bound.is_some() {
        return None;
    }
    let others: Vec<&Operand> =
        sentence.operands.iter().enumerate().filter(|(at, _)| *at != own).map(|o| o.1).collect();
    let mut pairs = others.windows(2).filter_map(|pair| {
        let ([first, second], gap) = (<[&Operand; 2]>::try_from(pair).ok()?, sentence.gap(pair.first()?, pair.last()?));
        let (part, whole) = match gap.trim().to_lowercase().as_str() {
            gap if gap.len() <= 24 && (ends_in(gap, OF) || ends_in(gap.trim_end_matches(" the"), OF)) => {
                (first, second)
            }
            gap if gap.chars().count() <= 8 && gap.contains(['中', '里']) => (second, first),
            _ => return None,
        };
        (part.amount.measure == whole.amount.measure).then_some((part, whole))
    });
    let paired = pairs.next().filter(|_| pairs.next().is_none());
    let (part, whole) = paired.or_else(|| among(sentence, claim, &others))?;
    let (start, end) = (part.range.start.min(whole.range.start), part.range.end.max(whole.range.end));
    let gap = match claim.start >= end {
        true => sentence.content.get(end..claim.start)?.to_lowercase(),
        false => sentence.content.get(claim.end..start)?.to_lowercase(),
    };
    let between = |operand: &&&Operand| {
        operand.range.start >= end && operand.range.end <= claim.start
            || operand.range.start >= claim.end && operand.range.end <= start
    };
    let told = is_told(&gap) && others.iter().filter(between).count() == 0;
    let exact = [part, whole].iter().all(|o| o.amount.bound.is_none() && o.amount.measure != Measure::Ratio);
    let fits = told && exact && part.amount.low <= whole.amount.low && whole.amount.low > 0.0;
    let place = start.min(claim.start)..end.max(claim.end);
    fits.then(|| outcome(claim, wanted, Step::Share, (&part.amount, &whole.amount), place)).flatten()
}

/// "Of 200 respondents, 50 agreed (25%) and 100 did not (50%)": the number right before the claim, of the first.
fn among<'a>(sentence: &Sentence, claim: &Claim, others: &[&'a Operand]) -> Option<(&'a Operand, &'a Operand)> {
    let whole = others.first().filter(|first| ends_in(&sentence.before(first.range.start), AMONG))?;
    let part = others.iter().rfind(|operand| operand.range.end <= claim.start)?;
    let same = part.amount.measure == whole.amount.measure && part.range != whole.range;
    same.then_some((*part, *whole))
}

/// "We asked 200 people. Of them 50 agreed, or 25%."
pub(super) fn of_them(window: &Window, sentence: &Sentence, claim: &Claim, wanted: &Amount) -> Option<Computation> {
    let before = window.last_before()?;
    let [whole] = before.operands.as_slice() else { return None };
    let mut parts = sentence.operands.iter().filter(|operand| operand.range.end <= claim.start);
    let part = parts.next().filter(|_| parts.next().is_none())?;
    let said = ends_in(&sentence.before(part.range.start), THEM);
    let gap = sentence.content.get(part.range.end..claim.start)?.to_lowercase();
    let plain = |amount: &Amount| amount.is_single() && amount.bound.is_none() && amount.measure != Measure::Ratio;
    let fits = said
        && is_told(&gap)
        && wanted.measure == Measure::Ratio
        && wanted.bound.is_none()
        && plain(&part.amount)
        && plain(&whole.amount)
        && part.amount.measure == whole.amount.measure
        && part.amount.low <= whole.amount.low;
    let place = before.place.start..claim.end;
    fits.then(|| outcome(claim, wanted, Step::Share, (&part.amount, &whole.amount), place)).flatten()
}

/// Whether the words between a number and its share say that it is one.
fn is_told(gap: &str) -> bool {
    gap.chars().count() <= 40 && (has_word(gap, THAT_IS) || gap.contains(['(', '（']))
}

const AMONG: &[&str] = &["of", "among", "out of", "在"];
const THEM: &[&str] = &["of them", "of these", "of those", "of whom", "其中", "其中有"];
const OF: &[&str] = &["of", "out of", "of its", "of their", "of all"];
const THAT_IS: &[&str] = word_list!("claims", "arithmetic/part/that-is");
