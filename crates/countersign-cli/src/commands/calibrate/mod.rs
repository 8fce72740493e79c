//! `countersign calibrate`: fits the score to outcomes that are known.
//!
//! The report compares before and after; `--out` writes what a policy needs, `--svg` the picture. With `--judge` the lines
//! are reviewed calls, and the report says what the policy's second reader would add.

/// What a second reader would add.
mod second_reader;

use super::{format, print};
use crate::args::{CalibrateArgs, Format};
use crate::engine::{load_policy, read_score_line};
use crate::failure::{Failure, complain};
use crate::human::calibration::draw;
use crate::human::canvas::Canvas;
use crate::lines::{BadLine, Source};
use countersign::contract::Signal;
use countersign::policy::{Policy, ScorePolicy};
use countersign::score::assess;
use countersign::score::calibrate::{Calibration, LabelledRow, fit, read_label, reliability_svg};
use second_reader::Trial;
use serde_json::{Value, json};
use std::io::Read;
use std::sync::Arc;

/// Reads, fits, reports. Malformed lines are left out and give exit 1.
pub(crate) fn run(args: CalibrateArgs) -> Result<u8, Failure> {
    let policy = load_policy(&args.policy)?;
    if args.judge {
        return try_second_reader(args, &policy);
    }
    let mut rows = Vec::new();
    let malformed = each_line(Source::of(args.files)?, |line| {
        rows.push(read_row(line, &policy.score)?);
        Ok(())
    })?;
    let calibration = fit(&rows);
    if let Some(path) = &args.out {
        std::fs::write(path, calibration.to_toml()).map_err(|error| Failure::file(path, "write", &error))?;
    }
    if let Some(path) = &args.svg {
        let picture = reliability_svg(&calibration.before, &calibration.after);
        std::fs::write(path, picture).map_err(|error| Failure::file(path, "write", &error))?;
    }
    match format(args.format) {
        Format::Human => {
            let mut canvas = Canvas::new(args.color, policy.language);
            draw(&mut canvas, &calibration);
            print(&canvas.finish())?;
        }
        Format::Jsonl | Format::Json => print(&format!("{}\n", report(&calibration, malformed)))?,
    }
    Ok(u8::from(malformed > 0))
}

/// Judges reviewed calls with the policy's second reader and without it.
fn try_second_reader(args: CalibrateArgs, policy: &Arc<Policy>) -> Result<u8, Failure> {
    let mut trial = Trial::of(policy, &args.policy)?;
    let malformed = each_line(Source::of(args.files)?, |line| trial.add(line))?;
    let mut outcome = trial.finish();
    match format(args.format) {
        Format::Human => {
            let mut canvas = Canvas::new(args.color, policy.language);
            second_reader::draw(&mut canvas, &outcome);
            print(&canvas.finish())?;
        }
        Format::Jsonl | Format::Json => {
            outcome.malformed = malformed;
            print(&format!("{}\n", json!(outcome)))?;
        }
    }
    Ok(u8::from(malformed > 0))
}

/// Reads every line. Those that cannot be used are told and counted.
fn each_line(sources: Vec<Source>, mut read: impl FnMut(&str) -> Result<(), BadLine>) -> Result<usize, Failure> {
    let mut malformed = 0;
    for source in sources {
        let (mut input, name) = source.open()?;
        let place = name.as_deref().unwrap_or("the input");
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(|error| Failure::unusable(format!("cannot read {place}: {error}")))?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            if let Err(BadLine(reason)) = read(line) {
                malformed += 1;
                complain(&format!("{place}, line {}: {reason}", at + 1));
            }
        }
    }
    Ok(malformed)
}

fn read_row(line: &str, policy: &ScorePolicy) -> Result<LabelledRow, BadLine> {
    let request = read_score_line(line)?;
    let body: Value = serde_json::from_str(line).unwrap_or_default();
    let good = body.get("label").and_then(read_label);
    let good = good.ok_or_else(|| BadLine("`label` must be true where the answer was right, else false".to_owned()))?;
    Ok(LabelledRow { signals: assess(&request, policy).signals, good })
}

fn report(calibration: &Calibration, malformed: usize) -> Value {
    let weights: serde_json::Map<String, Value> = Signal::ALL
        .iter()
        .map(|signal| (signal.name().to_owned(), json!(calibration.policy.weight(*signal))))
        .collect();
    json!({
        "lines": calibration.rows,
        "malformed": malformed,
        "method": format!("{:?}", calibration.method).to_lowercase(),
        "before": calibration.before,
        "after": calibration.after,
        "weights": weights,
        "curve": calibration.policy.curve,
        "coverage": calibration.coverage,
        "suggested_approve": calibration.suggested_approve,
    })
}
