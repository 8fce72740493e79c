//! Shares: "12 of 48 users (25%)".

use super::derive::Step;
use super::operands::{Operand, Sentence, ends_in, has_word};
use super::outcome::{Computation, outcome};
use crate::claims::known::amount::{Amount, Measure};
use crate::contract::Claim;

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
    let (part, whole) = pairs.next().filter(|_| pairs.next().is_none())?;
    let (start, end) = (part.range.start.min(whole.range.start), part.range.end.max(whole.range.end));
    let gap = match claim.start >= end {
        true => sentence.content.get(end..claim.start)?.to_lowercase(),
        false => sentence.content.get(claim.end..start)?.to_lowercase(),
    };
    let told = gap.chars().count() <= 40 && (has_word(&gap, THAT_IS) || gap.contains(['(', '（']));
    let exact = [part, whole].iter().all(|o| o.amount.bound.is_none() && o.amount.measure != Measure::Ratio);
    let fits = told && exact && part.amount.low <= whole.amount.low && whole.amount.low > 0.0;
    let place = start.min(claim.start)..end.max(claim.end);
    fits.then(|| outcome(claim, wanted, Step::Share, (&part.amount, &whole.amount), place)).flatten()
}

const OF: &[&str] = &["of", "out of", "of its", "of their", "of all"];
const THAT_IS: &[&str] =
    &["or", "i.e.", "that is", "which is", "equals", "about", "占", "即", "为", "比例", "占比", "也就是"];
