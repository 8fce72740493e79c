//! Draws the report on a tool's result.

use super::canvas::{Canvas, Paint, safe, wrap};
use super::{findings, frame};
use crate::tally::{Mark, Tone};
use countersign::contract::VerificationReport;
use serde_json::Value;

/// Trusted as it stands.
pub(crate) const CLEAN: Mark = Mark { words: ("clean", "可信"), tone: Tone::Good, passed: true };
/// Not to be trusted as it stands.
pub(crate) const SUSPICIOUS: Mark = Mark { words: ("suspicious", "可疑"), tone: Tone::Bad, passed: false };

/// How a result ended.
pub(crate) fn mark(report: &VerificationReport) -> Mark {
    if report.is_suspicious { SUSPICIOUS } else { CLEAN }
}

/// Draws the result with what was found in it, and what to do.
pub(crate) fn draw(canvas: &mut Canvas, content: &Value, report: &VerificationReport) {
    let checks = format!("{}/{} {}", report.checks_passed, report.total_checks, canvas.say("checks", "项检查"));
    canvas.title(mark(report), &report.id, &checks);
    let found = &report.findings;
    let lines = frame::draw_value(content, &findings::pointers(found), &findings::secrets(found));
    findings::draw(canvas, &lines, found, content);
    let advice = report.recommendations.iter().flat_map(|advice| wrap(&safe(advice), 94));
    for (at, line) in advice.enumerate() {
        let line = canvas.paint(Paint::Dim, &line);
        canvas.line(&format!("  {} {line}", if at == 0 { "╰" } else { " " }));
    }
    canvas.line("");
}
