//! What a calibration gives: how good the score was, how good it is now, and what changed.

use crate::failure::Failure;
use countersign::contract::Signal;
use countersign::policy::Policy;
use countersign::wire::requests::ScoreRequest;

/// An answer whose outcome is known.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The answer.
    pub request: ScoreRequest,
    /// Whether it was right.
    pub right: bool,
}

/// The outcome of a calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// How good the score was.
    pub before: Quality,
    /// How good it is with the fitted weights and curve.
    pub after: Quality,
    /// The weight of each signal, before and after.
    pub weights: Vec<(Signal, f64, f64)>,
    /// The fitted `[score]` table, as TOML.
    pub toml: String,
}

/// How well confidences and outcomes agree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Quality {
    /// The mean squared distance between confidence and outcome; 0 is perfect.
    pub brier: f64,
    /// Expected calibration error; 0 is perfect.
    pub error: f64,
    /// Confidence against share of right answers, by bins of confidence.
    pub bins: Vec<Bin>,
}

/// The answers of one range of confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Their mean confidence.
    pub confidence: f64,
    /// The share that was right.
    pub right: f64,
    /// How many they are.
    pub count: usize,
}

/// Fits weights and curve to labelled answers.
pub fn fit(labelled: &[Labelled], policy: &Policy) -> Result<Calibration, Failure> {
    let right = labelled.iter().filter(|answer| answer.right && !answer.request.response.is_empty()).count();
    let known = format!("{right} of {} right, {} curve points", labelled.len(), policy.score.curve.len());
    Err(Failure::unusable(format!("calibrate is not built into this binary ({known})")))
}
