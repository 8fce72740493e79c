//! Whether a number follows from others by a sum, a difference, a share or a growth.
//!
//! Among many numbers chance derives anything. So few operands are taken, they must have one measure, and where several
//! computations give the number none is named.

use crate::claims::known::amount::{Amount, Measure};

/// How a number follows from others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Derivation {
    /// The computation, for people: `50/40 − 1 = 25%`.
    pub formula: String,
    /// The places of the operands in the list that was given.
    pub operands: Vec<usize>,
}

/// What is done with two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// `a + b`
    Sum,
    /// `a − b`
    Difference,
    /// `a / b`
    Share,
    /// `a / b − 1`
    Growth,
}

/// The one computation that gives a number, where there is exactly one.
pub(crate) fn derive(wanted: &Amount, operands: &[&Amount]) -> Option<Derivation> {
    let operands = operands.get(..operands.len().min(MOST))?;
    let mut found: Vec<(Vec<usize>, String)> = Vec::new();
    for (at, a) in operands.iter().enumerate() {
        for (other, b) in operands.iter().enumerate().filter(|(other, _)| *other != at) {
            for step in steps(wanted, a, b) {
                // A sum is the same both ways.
                let twice = step == Step::Sum && other < at;
                if !twice && compute(step, a, b).is_some_and(|result| bears_out(wanted, &result)) {
                    found.push((vec![at, other], formula(step, a, b)));
                }
            }
        }
    }
    if found.is_empty() {
        found.extend(whole_sum(wanted, operands));
    }
    let [(places, formula)] = found.as_slice() else { return None };
    Some(Derivation { formula: formula.clone(), operands: places.clone() })
}

/// What two numbers give, with what their rounding leaves open.
pub(crate) fn compute(step: Step, a: &Amount, b: &Amount) -> Option<Amount> {
    if !a.is_single() || !b.is_single() || a.measure != b.measure {
        return None;
    }
    let of = |a: f64, b: f64| match step {
        Step::Sum => a + b,
        Step::Difference => a - b,
        Step::Share => a / b,
        Step::Growth => a / b - 1.0,
    };
    let (open_a, open_b) = (a.precision.unwrap_or(0.0), b.precision.unwrap_or(0.0));
    let value = of(a.low, b.low);
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let open = corners.iter().map(|(x, y)| (of(a.low + x * open_a, b.low + y * open_b) - value).abs());
    let open = open.fold(0.0, f64::max);
    let measure = match step {
        Step::Sum | Step::Difference => a.measure.clone(),
        Step::Share | Step::Growth => Measure::Ratio,
    };
    let known = value.is_finite() && open.is_finite();
    known.then_some(Amount { low: value, high: value, measure, bound: None, precision: Some(open) })
}

/// Whether a computed number is the one that was written, after the rounding of both.
pub(crate) fn bears_out(wanted: &Amount, computed: &Amount) -> bool {
    let magnitude = |amount: &Amount| Amount { low: amount.low.abs(), high: amount.high.abs(), ..amount.clone() };
    let (wanted, computed) = (magnitude(wanted), magnitude(computed));
    let open = computed.precision.unwrap_or(0.0);
    let sharp = open <= 0.1 * computed.low;
    wanted.measure.meets(&computed.measure)
        && (wanted.follows_from(&computed) || (sharp && (wanted.low - computed.low).abs() <= open))
}

/// A computation as people write it, without its outcome.
pub(crate) fn formula(step: Step, a: &Amount, b: &Amount) -> String {
    let (a, b) = scale(a.low, b.low, step);
    match step {
        Step::Sum => format!("{a} + {b}"),
        Step::Difference => format!("{a} − {b}"),
        Step::Share => format!("{a}/{b}"),
        Step::Growth => format!("{a}/{b} − 1"),
    }
}

/// A number as people write it.
pub(crate) fn shown(amount: f64, measure: &Measure) -> String {
    match measure {
        Measure::Ratio => format!("{}%", plain(amount * 100.0)),
        _ => plain(amount),
    }
}

/// The computations that could give a number of this measure.
fn steps(wanted: &Amount, a: &Amount, b: &Amount) -> Vec<Step> {
    let mut steps = Vec::new();
    if a.measure != b.measure {
        return steps;
    }
    if wanted.measure == a.measure {
        steps.extend([Step::Sum, Step::Difference]);
    }
    if wanted.measure == Measure::Ratio && a.measure != Measure::Ratio && b.low > 0.0 && a.low > 0.0 {
        steps.extend((a.low < b.low).then_some(Step::Share));
        steps.push(Step::Growth);
    }
    steps
}

/// The sum of all operands of the measure, three or more.
fn whole_sum(wanted: &Amount, operands: &[&Amount]) -> Option<(Vec<usize>, String)> {
    let same: Vec<(usize, &&Amount)> =
        operands.iter().enumerate().filter(|(_, a)| a.measure == wanted.measure && a.is_single()).collect();
    let total: f64 = same.iter().map(|(_, a)| a.low).sum();
    let computed = Amount { low: total, high: total, bound: None, precision: Some(0.0), ..wanted.clone() };
    let formula = same.iter().map(|(_, a)| plain(a.low)).collect::<Vec<_>>().join(" + ");
    let holds = same.len() >= 3 && bears_out(wanted, &computed);
    holds.then(|| (same.into_iter().map(|(at, _)| at).collect(), formula))
}

/// The two numbers without the trailing zeros that both have: only their ratio counts.
fn scale(a: f64, b: f64, step: Step) -> (String, String) {
    let (mut a, mut b) = (a, b);
    while matches!(step, Step::Share | Step::Growth) && a.abs().min(b.abs()) >= 1000.0 {
        (a, b) = (a / 1000.0, b / 1000.0);
    }
    (plain(a), plain(b))
}

/// At most four digits after the decimal point, no trailing zeros, thousands separated.
fn plain(number: f64) -> String {
    let places = if number.abs() >= 1000.0 { 0 } else { 2 };
    let text = format!("{:.*}", places, number.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let rest = rest.trim_end_matches('0');
    let sign = if number < 0.0 { "−" } else { "" };
    if rest.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{rest}") }
}

/// More operands than this are not looked at.
const MOST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn money(low: f64) -> Amount {
        Amount { low, high: low, measure: Measure::Unit("usd".into()), bound: None, precision: Some(5e5) }
    }

    // CLAIM-2
    #[test]
    fn a_number_follows_from_two_others() {
        let ratio = Amount { measure: Measure::Ratio, precision: Some(0.005), ..money(0.25) };
        let found = derive(&Amount { low: 0.25, high: 0.25, ..ratio.clone() }, &[&money(5e7), &money(4e7)]).unwrap();
        assert_eq!((found.formula.as_str(), found.operands), ("50/40 − 1", vec![0, 1]));
        assert_eq!(derive(&money(9e7), &[&money(5e7), &money(4e7)]).unwrap().formula, "50,000,000 + 40,000,000");
        let parts = [money(5e7), money(4e7), money(3e6)];
        assert_eq!(derive(&money(9.3e7), &parts.iter().collect::<Vec<_>>()).unwrap().operands, [0, 1, 2]);
        let other = Amount { low: 0.31, high: 0.31, ..ratio };
        assert_eq!(derive(&other, &[&money(5e7), &money(4e7)]), None);
    }
}
