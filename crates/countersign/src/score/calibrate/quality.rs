//! How good a score is: Brier score, expected calibration error, and what passes at a threshold.

/// The quality of scored rows.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Quality {
    /// The mean square of what was missed; 0 is best.
    pub brier: f64,
    /// The mean distance between score and share of good answers, over ten bins.
    pub expected_calibration_error: f64,
    /// The bins that hold rows.
    pub bins: Vec<Bin>,
}

/// One bin of the reliability diagram.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Bin {
    /// The mean score.
    pub score: f64,
    /// The share of good answers.
    pub good: f64,
    /// How many rows.
    pub count: usize,
}

/// A threshold with what passes it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Coverage {
    /// Scores above this pass.
    pub threshold: f64,
    /// How many rows pass.
    pub passed: usize,
    /// The share of all rows that pass.
    pub coverage: f64,
    /// The share of bad answers among those that pass.
    pub risk: f64,
}

impl Quality {
    /// Measures scored rows; zero without any.
    pub fn of(scored: &[(f64, bool)]) -> Self {
        let count = scored.len().max(1) as f64;
        let truth = |good: bool| f64::from(u8::from(good));
        let brier = scored.iter().map(|(score, good)| (score - truth(*good)).powi(2)).sum::<f64>() / count;
        let mut sums = [(0.0, 0.0, 0usize); BINS];
        for (score, good) in scored {
            let at = ((score * BINS as f64) as usize).min(BINS - 1);
            if let Some(bin) = sums.get_mut(at) {
                *bin = (bin.0 + score, bin.1 + truth(*good), bin.2 + 1);
            }
        }
        let bin = |(score, good, count): (f64, f64, usize)| {
            (count > 0).then(|| Bin { score: score / count as f64, good: good / count as f64, count })
        };
        let bins: Vec<Bin> = sums.into_iter().filter_map(bin).collect();
        let error = bins.iter().map(|bin| (bin.score - bin.good).abs() * bin.count as f64).sum::<f64>() / count;
        Self { brier, expected_calibration_error: error, bins }
    }
}

/// What passes at each twentieth.
pub(crate) fn coverage(scored: &[(f64, bool)]) -> Vec<Coverage> {
    let point = |threshold: f64| {
        let passed: Vec<bool> = scored.iter().filter(|(score, _)| *score > threshold).map(|(_, good)| *good).collect();
        let bad = passed.iter().filter(|good| !**good).count();
        Coverage {
            threshold,
            passed: passed.len(),
            coverage: passed.len() as f64 / scored.len().max(1) as f64,
            risk: bad as f64 / passed.len().max(1) as f64,
        }
    };
    (0..20u32).map(|at| point(f64::from(at) / 20.0)).collect()
}

const BINS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-4
    #[test]
    fn quality_is_measured_as_defined() {
        let scored = [(0.9, true), (0.9, false), (0.1, false), (0.1, false)];
        let got = Quality::of(&scored);
        assert!((got.brier - (0.01 + 0.81 + 0.01 + 0.01) / 4.0).abs() < 1e-9);
        assert!((got.expected_calibration_error - (0.4 * 2.0 + 0.1 * 2.0) / 4.0).abs() < 1e-9);
        assert_eq!(got.bins.len(), 2);
        let points = coverage(&scored);
        let at = |threshold: f64| points.iter().find(|p| (p.threshold - threshold).abs() < 1e-9).unwrap();
        assert_eq!((at(0.5).passed, at(0.5).risk), (2, 0.5));
        assert_eq!(at(0.95).passed, 0);
        assert_eq!(Quality::of(&[]).brier, 0.0);
        assert_eq!(Quality::of(&[(1.0, true), (f64::NAN, true)]).bins.len(), 2);
    }
}
