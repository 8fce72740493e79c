//! Signal: the least likely token. One very unlikely token is where an answer often turns.

use super::logprobs::readable;

/// The signal; absent without log-probabilities.
pub(crate) fn evaluate(logprobs: Option<&[f64]>) -> Option<f64> {
    let lowest = lowest(logprobs?)?;
    Some(if lowest < VERY_LOW {
        0.3
    } else if lowest > FAIR {
        0.8
    } else {
        0.5
    })
}

/// The lowest log-probability.
pub(crate) fn lowest(logprobs: &[f64]) -> Option<f64> {
    readable(logprobs).reduce(f64::min)
}

/// Below this a token is very unlikely.
pub(crate) const VERY_LOW: f64 = -10.0;
const FAIR: f64 = -3.0;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-1, T16, T17
    #[test]
    fn the_lowest_token_decides() {
        let cases = [(-0.7, 0.8), (-11.0, 0.3), (-10.0, 0.5), (-3.0, 0.5), (-2.999, 0.8), (-10.001, 0.3)];
        for (lowest, wanted) in cases {
            assert_eq!(evaluate(Some(&[-0.1, lowest])), Some(wanted), "{lowest}");
        }
        assert_eq!(evaluate(Some(&[])), None);
    }
}
