//! Draws the verdict on a whole step: the call, its result, the answer.

use super::canvas::{Canvas, Paint, safe, wrap};
use super::{assessment, findings, verdict};
use countersign::contract::{Finding, Layer, StepReport};
use countersign::wire::requests::StepRequest;

/// Draws the step.
pub(crate) fn draw(canvas: &mut Canvas, request: &StepRequest, report: &StepReport) {
    canvas.title(verdict::mark(report.status), &report.id, &format!("{:.2}", report.score));
    let (later, call): (Vec<Finding>, Vec<Finding>) =
        report.findings.iter().cloned().partition(|f| matches!(f.code.layer, Layer::Result | Layer::Answer));
    part(canvas, ("call", "调用"), &format!("{:.2}", report.validation.confidence));
    verdict::call(canvas, &request.check.call, &call);
    if let Some(verification) = &report.verification {
        let checks = format!("{:.2}", verification.confidence);
        part(canvas, ("result", "结果"), &checks);
        findings::list(canvas, &later);
    }
    if let Some(confidence) = &report.confidence {
        part(canvas, ("answer", "回答"), &format!("{:.2}", confidence.overall_confidence));
        assessment::body(canvas, &request.response, confidence);
    }
    for (at, line) in wrap(&safe(without_opening(&report.explanation)), 94).into_iter().enumerate() {
        canvas.line(&format!("  {}{line}", if at == 0 { "→ " } else { "  " }));
    }
    canvas.line("");
}

/// An explanation begins with fixed English words for programs; where a Chinese sentence follows them, people read that alone.
fn without_opening(explanation: &str) -> &str {
    match explanation.split_once('：') {
        Some((opening, rest)) if opening.is_ascii() => rest,
        _ => explanation,
    }
}

fn part(canvas: &mut Canvas, words: (&'static str, &'static str), value: &str) {
    let head = canvas.paint(Paint::Bold, canvas.word(words));
    let value = canvas.paint(Paint::Dim, value);
    canvas.line(&format!("  {head} {value}"));
}
