//! Weights and thresholds of the score, and the calibration that may replace the default curves.

use super::rules::Fault;
use crate::contract::Signal;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The `[score]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawScore {
    /// Weights of the signals, by name.
    pub weights: BTreeMap<String, f64>,
    /// Above this: approved.
    pub approve: Option<f64>,
    /// Above this: caution.
    pub caution: Option<f64>,
    /// Above this: a person; else rejected.
    pub review: Option<f64>,
    /// The curve that `countersign calibrate` fitted: `[[input, output], …]`, rising.
    pub curve: Vec<(f64, f64)>,
}

/// Weights, thresholds and calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct ScorePolicy {
    /// The weight of each signal, in the order of [`Signal::ALL`].
    pub weights: [f64; 6],
    /// Above this: approved.
    pub approve: f64,
    /// Above this: caution.
    pub caution: f64,
    /// Above this: a person; else rejected.
    pub review: f64,
    /// A fitted curve over the overall confidence; empty where there is none.
    pub curve: Vec<(f64, f64)>,
}

impl Default for ScorePolicy {
    fn default() -> Self {
        Self {
            weights: [0.25, 0.20, 0.20, 0.20, 0.10, 0.05],
            approve: 0.8,
            caution: 0.6,
            review: 0.4,
            curve: Vec::new(),
        }
    }
}

impl ScorePolicy {
    /// The weight of a signal.
    pub fn weight(&self, signal: Signal) -> f64 {
        let at = Signal::ALL.iter().position(|other| *other == signal);
        at.and_then(|at| self.weights.get(at)).copied().unwrap_or(0.0)
    }

    /// An overall confidence on the fitted curve: straight lines between its points, flat beyond its ends.
    pub fn calibrated(&self, confidence: f64) -> f64 {
        let (Some(first), Some(last)) = (self.curve.first(), self.curve.last()) else { return confidence };
        if confidence <= first.0 {
            return first.1;
        }
        let between = self.curve.windows(2).find_map(|pair| match pair {
            [a, b] if confidence <= b.0 => Some(a.1 + (b.1 - a.1) * (confidence - a.0) / (b.0 - a.0)),
            _ => None,
        });
        between.unwrap_or(last.1).clamp(0.0, 1.0)
    }

    /// Puts a file's words over what is there.
    pub fn overlay(&mut self, raw: RawScore) -> Result<(), Fault> {
        for (name, weight) in raw.weights {
            let at = Signal::ALL.iter().position(|signal| signal.name() == name);
            let names: Vec<&str> = Signal::ALL.iter().map(|signal| signal.name()).collect();
            let Some(place) = at.and_then(|at| self.weights.get_mut(at)) else {
                return Err((
                    name.clone(),
                    format!("unknown signal `{name}`"),
                    Some(format!("the signals are {}", names.join(", "))),
                ));
            };
            if !(0.0..=1.0).contains(&weight) {
                return Err((name.clone(), format!("the weight of `{name}` must lie within 0 and 1"), None));
            }
            *place = weight;
        }
        self.approve = raw.approve.unwrap_or(self.approve);
        self.caution = raw.caution.unwrap_or(self.caution);
        self.review = raw.review.unwrap_or(self.review);
        if !(self.approve >= self.caution && self.caution >= self.review) {
            return Err(("approve".into(), "the thresholds must fall: approve, caution, review".into(), None));
        }
        let bounds = [self.approve, self.caution, self.review];
        if !bounds.iter().all(|bound| (0.0..=1.0).contains(bound)) {
            return Err(("approve".into(), "the thresholds must lie within 0 and 1".into(), None));
        }
        if !raw.curve.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y)) {
            return Err(("curve".into(), "the curve must lie within 0 and 1".into(), None));
        }
        if raw.curve.windows(2).any(|pair| matches!(pair, [a, b] if b.0 <= a.0 || b.1 < a.1)) {
            return Err((
                "curve".into(),
                "the curve must rise".into(),
                Some("write it with `countersign calibrate`".into()),
            ));
        }
        if !raw.curve.is_empty() {
            self.curve = raw.curve;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-4
    #[test]
    fn the_curve_is_straight_between_points_and_flat_beyond() {
        let policy = ScorePolicy { curve: vec![(0.2, 0.1), (0.6, 0.5), (0.8, 0.9)], ..ScorePolicy::default() };
        for (at, wanted) in [(0.0, 0.1), (0.2, 0.1), (0.4, 0.3), (0.7, 0.7), (0.8, 0.9), (1.0, 0.9)] {
            assert!((policy.calibrated(at) - wanted).abs() < 1e-9, "{at}");
        }
        assert_eq!(ScorePolicy::default().calibrated(0.33), 0.33);
    }

    #[test]
    fn a_curve_or_bound_outside_its_place_is_refused() {
        let overlay = |raw| ScorePolicy::default().overlay(raw);
        assert!(overlay(RawScore { curve: vec![(0.0, 0.0), (1.0, 1.2)], ..RawScore::default() }).is_err());
        assert!(overlay(RawScore { curve: vec![(0.0, 0.4), (1.0, 0.2)], ..RawScore::default() }).is_err());
        assert!(overlay(RawScore { approve: Some(f64::NAN), ..RawScore::default() }).is_err());
        assert!(overlay(RawScore { curve: vec![(0.0, 0.2), (1.0, 0.2)], ..RawScore::default() }).is_ok());
    }
}
