//! Signal: how many of the checked facts held.

/// The signal: verified over verified and disputed; absent where nothing was checked.
pub(crate) fn evaluate(facts: Option<(f64, f64)>) -> Option<f64> {
    let (verified, disputed) = facts?;
    let total = verified + disputed;
    (verified >= 0.0 && disputed >= 0.0 && total > 0.0 && total.is_finite()).then(|| verified / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-1, SCORE-2, T19
    #[test]
    fn nothing_checked_is_absent_and_not_half() {
        assert_eq!(evaluate(Some((3.0, 1.0))), Some(0.75));
        assert_eq!(evaluate(Some((0.0, 0.0))), None);
        assert_eq!(evaluate(Some((0.0, 2.0))), Some(0.0));
        assert_eq!(evaluate(Some((f64::NAN, 1.0))), None);
        assert_eq!(evaluate(None), None);
    }
}
