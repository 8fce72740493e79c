//! From likeness to support: a logistic curve.
//!
//! The coefficients were fitted once, on public pairs of answers and contexts in English, with no coefficient of the
//! wrong sign allowed: more words found can never lower the support. The curve was then made steeper, which changes
//! no order, so that a sentence borne out in full comes near to 1.

use super::compare::Likeness;
use super::conflict::Conflict;

/// The support of a sentence, within 0 and 1. `missing` is how many of its figures and names do not appear.
pub(crate) fn support(likeness: &Likeness, conflict: Option<&Conflict>, missing: usize) -> f64 {
    let l = likeness;
    let for_it = 3.4 * l.window + 0.8 * l.close + 1.2 * l.numbers + 1.6 * l.prose;
    let absent = 0.9 * l.strange_names.max(0.0).ln_1p() + 0.3 * missing.min(2) as f64;
    let against = 6.0 * l.denied + if conflict.is_some() { 2.9 } else { 0.0 };
    let sum = STEEPNESS * (for_it - absent - against - 4.45);
    1.0 / (1.0 + (-sum).exp())
}

const STEEPNESS: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-3
    #[test]
    fn support_rises_with_what_is_found_and_falls_with_conflict() {
        let all = Likeness { anywhere: 1.0, window: 1.0, close: 1.0, numbers: 1.0, prose: 1.0, ..Likeness::default() };
        let none = Likeness { numbers: 1.0, prose: 1.0, ..Likeness::default() };
        assert!(support(&all, None, 0) > 0.95);
        assert!(support(&none, None, 0) < 0.3);
        assert!(support(&all, Some(&Conflict::Denied), 0) < 0.6);
        assert!(support(&all, None, 2) < support(&all, None, 1));
        assert!(support(&Likeness { denied: 0.5, ..all.clone() }, None, 0) < support(&all, None, 0));
    }
}
