//! Totals inside one sentence: "12 cats, 20 dogs and 10 birds, 42 animals in total".

use super::derive::shown;
use super::operands::{Operand, Sentence, ends_in, has_word};
use super::outcome::{Computation, conclude};
use crate::claims::known::amount::Amount;
use crate::contract::Claim;
use crate::text::lists::word_list;

/// "12 cats, 20 dogs and 10 birds, 42 animals in total".
pub(super) fn total(sentence: &Sentence, claim: &Claim, wanted: &Amount, own: usize) -> Option<Computation> {
    let (before, behind) = (sentence.before(claim.start), sentence.behind(claim.end));
    let told = ends_in(&before, TOTAL) || has_word(&behind.chars().take(14).collect::<String>(), IN_TOTAL);
    let parts: Vec<&Operand> = sentence.operands.iter().take(own).collect();
    let text = sentence.content.get(sentence.place.clone())?.to_lowercase();
    let alike = |operand: &&Operand| {
        let amount = &operand.amount;
        amount.measure == wanted.measure && amount.is_single() && amount.bound.is_none() && amount.low >= 0.0
    };
    let plain = parts.iter().all(alike) && (2..=8).contains(&parts.len()) && !has_word(&text, PARTLY);
    // A part that is larger than the total, or equal to it, is no part: something else is meant.
    if !told || !plain || wanted.bound.is_some() || parts.iter().any(|part| part.amount.low >= wanted.low) {
        return None;
    }
    let sum: f64 = parts.iter().map(|part| part.amount.low).sum();
    let open: f64 = parts.iter().filter_map(|part| part.amount.precision).sum::<f64>();
    let open =
        if parts.iter().all(|part| part.amount.low.fract() == 0.0 && part.amount.low < 1e4) { 0.0 } else { open };
    let computed = Amount { low: sum, high: sum, measure: wanted.measure.clone(), bound: None, precision: Some(open) };
    let formula = parts.iter().map(|part| shown(part.amount.low, &part.amount.measure)).collect::<Vec<_>>().join(" + ");
    let place = parts.first()?.range.start..claim.end;
    conclude(claim, wanted, &computed, &formula, place)
}

const TOTAL: &[&str] = word_list!("claims", "arithmetic/total/total");
const IN_TOTAL: &[&str] = &["in total", "altogether", "in all", "combined"];
const PARTLY: &[&str] = word_list!("claims", "arithmetic/total/partly");
