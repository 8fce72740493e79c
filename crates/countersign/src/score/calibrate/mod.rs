//! Calibration: weights and curve fitted from labelled outcomes, so that "0.8" comes to mean "right in 80 of 100".
//!
//! Pure and deterministic: the same rows give the same policy. What is reported as "after" comes from rows that the
//! fit did not see (five folds), never from the rows it was fitted on. With few labels, or only one kind of them, the
//! default weights stay.

pub(crate) mod labels;
pub(crate) mod fit;
pub(crate) mod curve;
pub(crate) mod quality;
mod diagram;

use super::weigh;
use crate::contract::Signals;
use crate::policy::ScorePolicy;
use quality::{Coverage, Quality};

pub use diagram::reliability_svg;
pub use labels::read_label;

/// One labelled outcome: the signals of an answer, and whether the answer was good.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledRow {
    /// The signals that had input.
    pub signals: Signals,
    /// Whether people, or the world, found the answer good.
    pub good: bool,
}

/// What the fit gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The fitted policy: weights and curve; thresholds as they were.
    pub policy: ScorePolicy,
    /// Which curve was fitted.
    pub method: Method,
    /// How many rows there were.
    pub rows: usize,
    /// The default weights without curve, on all rows.
    pub before: Quality,
    /// The fitted policy, on rows that each fit had not seen.
    pub after: Quality,
    /// How many answers pass at a threshold, and how many of those are bad; from the unseen rows.
    pub coverage: Vec<Coverage>,
    /// The least threshold at which at most a twentieth of what passes is bad, where there is one.
    pub suggested_approve: Option<f64>,
}

/// Which curve was fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Nothing was fitted: too few labels, or only one kind of them.
    None,
    /// A logistic curve (Platt), for few labels.
    Platt,
    /// A rising staircase (isotonic), for many.
    Isotonic,
}

/// Fits weights and curve.
pub fn fit(rows: &[LabelledRow]) -> Calibration {
    let plain = ScorePolicy::default();
    let scored = |policy: &ScorePolicy, rows: &[LabelledRow]| -> Vec<(f64, bool)> {
        rows.iter().map(|row| (policy.calibrated(weigh(&row.signals, policy)), row.good)).collect()
    };
    let before = Quality::of(&scored(&plain, rows));
    let (policy, method) = fit_policy(rows);
    let unseen: Vec<(f64, bool)> = if method == Method::None {
        scored(&plain, rows)
    } else {
        (0..FOLDS)
            .flat_map(|fold| {
                let (held, seen) = split(rows, fold);
                scored(&fit_policy(&seen).0, &held)
            })
            .collect()
    };
    let coverage = quality::coverage(&unseen);
    let suggested_approve = coverage.iter().find(|point| point.passed > 0 && point.risk <= 0.05).map(|p| p.threshold);
    Calibration { policy, method, rows: rows.len(), before, after: Quality::of(&unseen), coverage, suggested_approve }
}

impl Calibration {
    /// The `[score]` table of a policy.
    pub fn to_toml(&self) -> String {
        let mut text = String::from("[score]\n");
        if !self.policy.curve.is_empty() {
            let points: Vec<String> = self.policy.curve.iter().map(|(x, y)| format!("[{x:.4}, {y:.4}]")).collect();
            text.push_str(&format!("curve = [{}]\n", points.join(", ")));
        }
        text.push_str("\n[score.weights]\n");
        for signal in crate::contract::Signal::ALL {
            text.push_str(&format!("{} = {:.4}\n", signal.name(), self.policy.weight(signal)));
        }
        text
    }
}

fn fit_policy(rows: &[LabelledRow]) -> (ScorePolicy, Method) {
    let good = rows.iter().filter(|row| row.good).count();
    let mut policy = ScorePolicy::default();
    if good < LEAST || rows.len() - good < LEAST {
        return (policy, Method::None);
    }
    policy.weights = fit::weights(rows);
    let scored: Vec<(f64, bool)> = rows.iter().map(|row| (weigh(&row.signals, &policy), row.good)).collect();
    let many = rows.len() >= MANY;
    policy.curve = if many { curve::isotonic(&scored) } else { curve::platt(&scored) };
    (policy, if many { Method::Isotonic } else { Method::Platt })
}

/// Every fifth row, counted within its label so that each fold has both kinds, is held back.
fn split(rows: &[LabelledRow], fold: usize) -> (Vec<LabelledRow>, Vec<LabelledRow>) {
    let mut counts = [0usize; 2];
    rows.iter().cloned().partition(|row| {
        let count = if row.good { counts.first_mut() } else { counts.last_mut() };
        count.is_some_and(|count| {
            *count += 1;
            *count % FOLDS == fold
        })
    })
}

const FOLDS: usize = 5;
/// Fewer rows of one kind than this teach nothing.
const LEAST: usize = 5;
/// From this many rows on a staircase is safe.
const MANY: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Signal;
    use crate::policy::Policy;

    /// Rows whose truth is the log-probability signal; consistency is noise. No dice: a fixed walk.
    fn rows(count: u32) -> Vec<LabelledRow> {
        let walk = |at: u32, step: u32| f64::from(at.wrapping_mul(step) % 1000) / 1000.0;
        let row = |at: u32| {
            let (telling, noise, luck) = (walk(at, 617), walk(at, 389), walk(at, 271));
            let signals = vec![(Signal::ModelLogprobs, telling), (Signal::SemanticConsistency, noise)];
            LabelledRow { signals: Signals(signals), good: telling * telling > luck }
        };
        (1..=count).map(row).collect()
    }

    // SCORE-4
    #[test]
    fn a_fit_weighs_what_tells_and_is_better_on_unseen_rows() {
        for (count, method) in [(120, Method::Platt), (600, Method::Isotonic)] {
            let got = fit(&rows(count));
            assert_eq!(got.method, method);
            assert!(got.policy.weight(Signal::ModelLogprobs) > 3.0 * got.policy.weight(Signal::SemanticConsistency));
            assert!((got.policy.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(got.after.brier < got.before.brier, "{got:?}");
            assert!(got.after.expected_calibration_error < got.before.expected_calibration_error, "{got:?}");
        }
    }

    // SCORE-4
    #[test]
    fn the_table_goes_through_the_policy_unchanged() {
        for count in [120, 600] {
            let got = fit(&rows(count));
            let read = Policy::from_toml(&got.to_toml()).unwrap().score;
            for row in rows(50) {
                let ours = got.policy.calibrated(weigh(&row.signals, &got.policy));
                let theirs = read.calibrated(weigh(&row.signals, &read));
                assert!((ours - theirs).abs() < 2e-3, "{ours} {theirs}\n{}", got.to_toml());
            }
        }
    }

    // SCORE-4
    #[test]
    fn too_few_labels_change_nothing() {
        let few = fit(&rows(6));
        assert_eq!((few.method, few.policy.clone()), (Method::None, ScorePolicy::default()));
        assert!(Policy::from_toml(&few.to_toml()).is_ok());
        assert_eq!(fit(&[]).rows, 0);
        let same = vec![LabelledRow { signals: Signals(vec![]), good: true }; 300];
        assert_eq!(fit(&same).method, Method::None);
        let mut mixed = same;
        mixed.extend(vec![LabelledRow { signals: Signals(vec![(Signal::Coherence, f64::NAN)]), good: false }; 20]);
        let got = fit(&mixed);
        assert!(got.after.brier.is_finite() && Policy::from_toml(&got.to_toml()).is_ok(), "{}", got.to_toml());
    }
}
