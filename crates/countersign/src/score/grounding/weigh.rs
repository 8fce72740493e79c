//! From likeness to support: a logistic curve, fitted once on labelled pairs of answers and contexts.

use super::compare::Likeness;
use super::conflict::Conflict;

/// The support of a sentence, within 0 and 1.
pub fn support(likeness: &Likeness, conflict: Option<&Conflict>) -> f64 {
    let l = likeness;
    let sum =
        -3.0 + 1.0 * l.anywhere + 1.0 * l.best + 1.0 * l.window + 1.0 * l.top + l.pairs + l.names + l.near_numbers;
    let plain = 1.0 / (1.0 + (-sum).exp());
    match conflict {
        None => plain,
        Some(_) => plain * 0.25,
    }
}
