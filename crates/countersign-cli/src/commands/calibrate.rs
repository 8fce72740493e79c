//! `countersign calibrate`: fits the score to outcomes that are known.
//!
//! The report compares before and after; `--out` writes what a policy needs, `--svg` the picture.

use super::{format, print};
use crate::args::{CalibrateArgs, Format};
use crate::engine::calibration::{Calibration, Labelled, fit};
use crate::engine::{load_policy, read_score_line};
use crate::failure::{Failure, complain};
use crate::human::calibration::{draw, svg};
use crate::human::canvas::Canvas;
use crate::lines::{BadLine, Source};
use serde_json::{Value, json};
use std::io::Read;

/// Reads, fits, reports. Malformed lines are left out and give exit 1.
pub fn run(args: CalibrateArgs) -> Result<u8, Failure> {
    let policy = load_policy(&args.policy)?;
    let (labelled, malformed) = read_all(Source::of(args.files)?)?;
    let calibration = fit(&labelled, &policy)?;
    if let Some(path) = &args.out {
        std::fs::write(path, &calibration.toml).map_err(|error| Failure::file(path, "write", &error))?;
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, svg(&calibration)).map_err(|error| Failure::file(path, "write", &error))?;
    }
    match format(args.format) {
        Format::Human => {
            let mut canvas = Canvas::new(args.color, policy.language);
            draw(&mut canvas, &calibration, labelled.len());
            print(&canvas.finish())?;
        }
        Format::Jsonl | Format::Json => print(&format!("{}\n", report(&calibration, labelled.len(), malformed)))?,
    }
    Ok(u8::from(malformed > 0))
}

fn read_all(sources: Vec<Source>) -> Result<(Vec<Labelled>, usize), Failure> {
    let (mut labelled, mut malformed) = (Vec::new(), 0);
    for source in sources {
        let (mut input, name) = source.open()?;
        let place = name.as_deref().unwrap_or("the input");
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(|error| Failure::unusable(format!("cannot read {place}: {error}")))?;
        let text = String::from_utf8_lossy(&bytes);
        for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            match read_labelled(line) {
                Ok(answer) => labelled.push(answer),
                Err(BadLine(reason)) => {
                    malformed += 1;
                    complain(&format!("{place}, line {}: {reason}", at + 1));
                }
            }
        }
    }
    Ok((labelled, malformed))
}

fn read_labelled(line: &str) -> Result<Labelled, BadLine> {
    let request = read_score_line(line)?;
    let body: Value = serde_json::from_str(line).unwrap_or_default();
    let label = body.get("label").unwrap_or(&Value::Null);
    let right = match label {
        Value::Bool(right) => Some(*right),
        Value::Number(number) => number.as_f64().filter(|n| *n == 0.0 || *n == 1.0).map(|n| n == 1.0),
        Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
            "right" | "correct" | "true" | "approve" | "approved" | "supported" => Some(true),
            "wrong" | "incorrect" | "false" | "reject" | "rejected" | "unsupported" => Some(false),
            _ => None,
        },
        _ => None,
    };
    let right =
        right.ok_or_else(|| BadLine("`label` must be true where the answer was right, else false".to_owned()))?;
    Ok(Labelled { request, right })
}

fn report(calibration: &Calibration, lines: usize, malformed: usize) -> Value {
    let quality = |quality: &crate::engine::calibration::Quality| {
        let bins: Vec<Value> = quality
            .bins
            .iter()
            .map(|bin| json!({"confidence": bin.confidence, "right": bin.right, "count": bin.count}))
            .collect();
        json!({"brier": quality.brier, "expected_calibration_error": quality.error, "bins": bins})
    };
    let weights: serde_json::Map<String, Value> =
        calibration.weights.iter().map(|(signal, _, weight)| (signal.name().to_owned(), json!(weight))).collect();
    json!({
        "lines": lines,
        "malformed": malformed,
        "before": quality(&calibration.before),
        "after": quality(&calibration.after),
        "weights": weights,
    })
}
