//! Signal: the mean log-probability of the answer's tokens, from −5 (nothing) to 0 (sure).
//!
//! The caller gives the tokens of the answer or of the arguments, not of the whole turn. A number that is none is
//! left out; minus infinity counts as the floor, because some providers write it for a probability of zero.

/// The signal; absent without log-probabilities.
pub(crate) fn evaluate(logprobs: Option<&[f64]>) -> Option<f64> {
    Some(((mean(logprobs?)? + 5.0) / 5.0).clamp(0.0, 1.0))
}

/// The mean of the log-probabilities that are numbers.
pub(crate) fn mean(logprobs: &[f64]) -> Option<f64> {
    let (sum, count) = readable(logprobs).fold((0.0, 0u32), |(sum, count), l| (sum + l, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The log-probabilities that are numbers, none below the floor and none above 0.
pub(crate) fn readable(logprobs: &[f64]) -> impl Iterator<Item = f64> {
    logprobs.iter().copied().filter(|l| !l.is_nan() && *l < f64::INFINITY).map(|l| l.clamp(FLOOR, 0.0))
}

/// Providers write −9999 or minus infinity for "impossible"; one such token must not drown all others.
const FLOOR: f64 = -100.0;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-1, T16
    #[test]
    fn the_curve_runs_from_minus_five_to_zero() {
        let near = |logprobs: &[f64], wanted: f64| (evaluate(Some(logprobs)).unwrap() - wanted).abs() < 1e-9;
        assert!(near(&[-0.5, -0.3, -0.7, -0.4], 0.905));
        assert!(near(&[-0.1, -11.0], 0.0));
        assert!(near(&[0.0], 1.0));
        assert!(near(&[-2.5], 0.5));
        assert_eq!(evaluate(None), None);
        assert_eq!(evaluate(Some(&[])), None);
        assert_eq!(evaluate(Some(&[f64::NAN])), None);
        assert!(near(&[f64::NEG_INFINITY], 0.0));
    }
}
