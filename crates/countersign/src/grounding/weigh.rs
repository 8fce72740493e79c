//! From likeness to support: a logistic curve.
//!
//! The coefficients were fitted once, on public pairs of answers and contexts in English, with no coefficient of the
//! wrong sign allowed: more words found can never lower the support. The curve was then made steeper, which changes
//! no order, so that a sentence borne out in full comes near to 1.

use super::compare::Likeness;
use super::conflict::Conflict;

/// The support of a sentence, within 0 and 1. `missing` is how many of its figures and names stand nowhere.
pub fn support(likeness: &Likeness, conflict: Option<&Conflict>, missing: usize) -> f64 {
    let l = likeness;
    let uncovered = (l.length * (1.0 - l.near_kin)).max(0.0).ln_1p();
    let for_it = 0.28 * l.anywhere + 1.72 * l.top + 0.37 * l.pairs + 0.86 * l.names + 1.33 * l.numbers;
    let kin = 0.16 * l.kin + 0.60 * l.near_kin;
    let against = 0.31 * uncovered + 0.64 * missing.min(2) as f64 + if conflict.is_some() { 2.65 } else { 0.0 };
    let sum = STEEPNESS * (for_it + kin - against - 2.92);
    1.0 / (1.0 + (-sum).exp())
}

const STEEPNESS: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-3
    #[test]
    fn support_rises_with_what_is_found_and_falls_with_conflict() {
        let all = Likeness {
            anywhere: 1.0,
            top: 1.0,
            pairs: 1.0,
            names: 1.0,
            numbers: 1.0,
            kin: 1.0,
            near_kin: 1.0,
            length: 8.0,
        };
        let none = Likeness { length: 8.0, names: 1.0, numbers: 1.0, ..Likeness::default() };
        assert!(support(&all, None, 0) > 0.95);
        assert!(support(&none, None, 0) < 0.2);
        assert!(support(&all, Some(&Conflict::Denied), 0) < 0.45);
        assert!(support(&all, None, 2) < support(&all, None, 1));
    }
}
