//! Draws findings under the lines of a frame: where, which rule, what was seen, and the repair as before → after.

use super::canvas::{Canvas, Paint, clip, columns, safe, wrap};
use super::frame::{FrameLine, brief};
use countersign::contract::{Correction, Finding, Op, PatchOp, Severity};
use serde_json::Value;

/// Draws the lines of a frame with the findings under the places that they point at. Findings whose place is not in
/// the picture (a missing argument, say) follow at its end. `before` is the document that patches apply to.
pub(crate) fn draw(canvas: &mut Canvas, lines: &[FrameLine], findings: &[Finding], before: &Value) {
    let mut left: Vec<&Finding> = findings.iter().collect();
    for line in lines {
        put(canvas, &line.text);
        for (pointer, column, width) in &line.places {
            let (here, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|finding| finding.pointer == *pointer);
            left = rest;
            for finding in here {
                under(canvas, finding, *column, *width);
                correction(canvas, finding, column + width + 1, before);
            }
        }
    }
    for finding in left {
        let place = if finding.pointer.is_empty() { String::new() } else { format!("{} ", safe(&finding.pointer)) };
        entry(canvas, finding, &place, 0);
        correction(canvas, finding, 4, before);
    }
}

/// Draws findings one under another, without a picture.
pub(crate) fn list(canvas: &mut Canvas, findings: &[Finding]) {
    for finding in findings {
        let place = if finding.pointer.is_empty() { String::new() } else { format!("{} ", safe(&finding.pointer)) };
        entry(canvas, finding, &place, 0);
        correction(canvas, finding, 4, &Value::Null);
    }
}

/// The pointers of findings.
pub(crate) fn pointers(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.pointer.as_str()).collect()
}

/// The pointers of values that must not be shown.
pub(crate) fn secrets(findings: &[Finding]) -> Vec<&str> {
    findings.iter().filter(|finding| finding.code.id == "danger.secret").map(|f| f.pointer.as_str()).collect()
}

fn under(canvas: &mut Canvas, finding: &Finding, column: usize, width: usize) {
    let carets = canvas.paint(paint(finding.severity), &"^".repeat(width.clamp(1, 76)));
    let head = format!("{}{carets} ", " ".repeat(column));
    say(canvas, finding, &head, column + width + 1);
}

fn entry(canvas: &mut Canvas, finding: &Finding, place: &str, column: usize) {
    let arrow = canvas.paint(paint(finding.severity), "▸ ");
    let head = format!("{}{arrow}{}", " ".repeat(column), canvas.paint(Paint::Dim, place));
    say(canvas, finding, &head, column + 2 + columns(place));
}

/// The code and what was seen, after a head of so many columns; what does not fit goes under it.
fn say(canvas: &mut Canvas, finding: &Finding, head: &str, indent: usize) {
    let code = canvas.paint(paint(finding.severity), finding.code.id);
    let evidence = safe(&finding.evidence);
    let beside = WIDTH.saturating_sub(indent + finding.code.id.len() + 2);
    if columns(&evidence) <= beside {
        put(canvas, &format!("{head}{code}  {evidence}"));
        return;
    }
    put(canvas, &format!("{head}{code}"));
    let indent = indent.min(40);
    for line in wrap(&evidence, WIDTH.saturating_sub(indent)).into_iter().take(8) {
        put(canvas, &format!("{}{line}", " ".repeat(indent)));
    }
}

fn correction(canvas: &mut Canvas, finding: &Finding, indent: usize, before: &Value) {
    let Some(correction) = &finding.correction else { return };
    let pad = " ".repeat(indent.min(40));
    let label = label(canvas, correction);
    if correction.patch.is_empty() {
        for (at, line) in wrap(&safe(&correction.note), WIDTH - indent.min(40) - 6).into_iter().enumerate() {
            let head = if at == 0 { label.clone() } else { " ".repeat(columns(canvas.say("hint: ", "提示："))) };
            put(canvas, &format!("{pad}{head}{line}"));
        }
        return;
    }
    for op in &correction.patch {
        let change = change(canvas, op, before);
        put(canvas, &format!("{pad}{label}{change}"));
    }
}

fn label(canvas: &Canvas, correction: &Correction) -> String {
    match (correction.patch.is_empty(), correction.applied) {
        (true, _) => canvas.paint(Paint::Dim, canvas.say("hint: ", "提示：")),
        (false, true) => canvas.paint(Paint::Green, canvas.say("mended: ", "已修复：")),
        (false, false) => canvas.paint(Paint::Cyan, canvas.say("perhaps: ", "建议：")),
    }
}

/// One operation as before → after.
fn change(canvas: &Canvas, op: &PatchOp, before: &Value) -> String {
    let key = |pointer: &str| safe(&clip(pointer.rsplit('/').next().unwrap_or_default(), 40));
    let value = || op.value.as_ref().map(brief).unwrap_or_default();
    let old = |text: &str| canvas.paint(Paint::Red, text);
    let new = |text: &str| canvas.paint(Paint::Green, text);
    match op.op {
        Op::Replace => match before.pointer(&op.path) {
            Some(was) => format!("{} → {}", old(&brief(was)), new(&value())),
            None => format!("{} → {}", key(&op.path), new(&value())),
        },
        Op::Add => new(&format!("+ {}: {}", key(&op.path), value())),
        Op::Remove => old(&format!("- {}", key(&op.path))),
        Op::Move => format!("{} → {}", old(&key(op.from.as_deref().unwrap_or_default())), new(&key(&op.path))),
    }
}

fn put(canvas: &mut Canvas, text: &str) {
    let bar = canvas.paint(Paint::Dim, "│");
    canvas.line(&format!("  {bar} {text}"));
}

fn paint(severity: Severity) -> Paint {
    match severity {
        Severity::Info => Paint::Cyan,
        Severity::Warning => Paint::Yellow,
        Severity::Error => Paint::Red,
    }
}

const WIDTH: usize = 100;
