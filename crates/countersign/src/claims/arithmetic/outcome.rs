//! How a computation came out, in words.

use super::derive::{Step, bears_out, compute, formula, shown};
use crate::claims::known::amount::Amount;
use crate::contract::{Bound, Claim};
use crate::localized;
use std::ops::Range;

/// A claim that was recomputed.
#[derive(Debug, Clone, PartialEq)]
pub struct Computation {
    /// Whether it came out as written.
    pub outcome: Outcome,
    /// The computation in words: `50/40 − 1 = 25%, not 30%`.
    pub note: String,
    /// The part of the message that holds the operands, in bytes.
    pub place: Range<usize>,
}

/// How a computation came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As written.
    Holds,
    /// Otherwise.
    Fails,
}

/// Computes, and says how it came out.
pub(super) fn outcome(
    claim: &Claim,
    wanted: &Amount,
    step: Step,
    (a, b): (&Amount, &Amount),
    place: Range<usize>,
) -> Option<Computation> {
    let computed = compute(step, a, b)?;
    conclude(claim, wanted, &computed, &formula(step, a, b), place)
}

/// Holds, or fails by more than any rounding explains.
pub(super) fn conclude(
    claim: &Claim,
    wanted: &Amount,
    computed: &Amount,
    formula: &str,
    place: Range<usize>,
) -> Option<Computation> {
    let result = shown(computed.low.abs(), &computed.measure);
    if bears_out(wanted, computed) {
        return Some(Computation { outcome: Outcome::Holds, note: format!("{formula} = {result}"), place });
    }
    let magnitude = |amount: &Amount| Amount { low: amount.low.abs(), high: amount.high.abs(), ..amount.clone() };
    let open = Amount { bound: Some(Bound::About).filter(|_| computed.precision > Some(0.0)), ..magnitude(computed) };
    if !magnitude(wanted).excludes(&Amount { measure: wanted.measure.clone(), ..open }) {
        return None;
    }
    let written = &claim.text;
    let note = localized!(claim.language, "{formula} = {result}, not {written}", "{formula} = {result}，不是{written}");
    Some(Computation { outcome: Outcome::Fails, note, place })
}
