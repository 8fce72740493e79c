//! Weights by logistic regression, none below zero: a signal may count for nothing, never against itself.

use super::LabelledRow;
use crate::contract::Signal;

/// The weights, in the order of [`Signal::ALL`], summing to 1. A signal that no row has keeps its default share,
/// so that it still has a say when it comes.
pub(crate) fn weights(rows: &[LabelledRow]) -> [f64; 6] {
    let rows: Vec<([f64; 6], f64)> = rows.iter().map(features).collect();
    let mut weights = [0.0; 6];
    let mut bias = 0.0;
    for _ in 0..STEPS {
        let (slope, bias_slope) = gradient(&rows, &weights, bias);
        bias -= RATE * bias_slope;
        for (weight, slope) in weights.iter_mut().zip(slope) {
            *weight = (*weight - RATE * (slope + RIDGE * *weight)).max(0.0);
        }
    }
    share(weights, &rows)
}

/// A signal's distance from the middle; an absent one says nothing.
fn features(row: &LabelledRow) -> ([f64; 6], f64) {
    let value = |signal| row.signals.value(signal).filter(|v| v.is_finite()).map_or(0.0, |v| v.clamp(0.0, 1.0) - 0.5);
    (Signal::ALL.map(value), f64::from(u8::from(row.good)))
}

fn gradient(rows: &[([f64; 6], f64)], weights: &[f64; 6], bias: f64) -> ([f64; 6], f64) {
    let mut slope = [0.0; 6];
    let mut bias_slope = 0.0;
    let count = rows.len().max(1) as f64;
    for (features, good) in rows {
        let sum: f64 = bias + features.iter().zip(weights).map(|(f, w)| f * w).sum::<f64>();
        let error = (1.0 / (1.0 + (-sum).exp()) - good) / count;
        bias_slope += error;
        slope.iter_mut().zip(features).for_each(|(slope, feature)| *slope += error * feature);
    }
    (slope, bias_slope)
}

/// The fitted weights as shares beside the default ones of signals that were never seen.
fn share(weights: [f64; 6], rows: &[([f64; 6], f64)]) -> [f64; 6] {
    let defaults = crate::policy::ScorePolicy::default().weights;
    let mut seen = [false; 6];
    for (features, _) in rows {
        seen.iter_mut().zip(features).for_each(|(seen, feature)| *seen |= *feature != 0.0);
    }
    let fitted: f64 = weights.iter().sum();
    let room: f64 = defaults.iter().zip(seen).filter(|(_, seen)| *seen).map(|(default, _)| default).sum();
    if fitted <= 0.0 || room <= 0.0 {
        return defaults;
    }
    let mut shares = defaults;
    for ((share, weight), seen) in shares.iter_mut().zip(weights).zip(seen) {
        if seen {
            *share = weight / fitted * room;
        }
    }
    shares
}

const STEPS: usize = 500;
const RATE: f64 = 8.0;
const RIDGE: f64 = 1e-3;
