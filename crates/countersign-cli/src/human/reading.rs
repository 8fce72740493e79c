//! Draws what was read from a model's output, with each repair at its place.

use super::canvas::{Canvas, Paint, clip, columns, safe};
use crate::tally::{Mark, Tone};
use countersign::inspect::parse::Reading;
use countersign::parse::{Outcome, Repair, Span, TagRead, Unfinished};

/// How an output was read. Reading never fails, so every line passes.
pub(crate) fn mark(outcome: &Outcome) -> Mark {
    let (words, tone) = match outcome {
        outcome if !outcome.complete => (("cut", "不完整"), Tone::Watch),
        outcome if !outcome.findings.is_empty() => (("odd", "有疑问"), Tone::Watch),
        outcome if !outcome.repairs.is_empty() => (("mended", "已修复"), Tone::Watch),
        _ => (("read", "已读取"), Tone::Good),
    };
    Mark { words, tone, passed: true }
}

/// Draws text, calls, tags and value, then what was mended and where.
pub(crate) fn draw(canvas: &mut Canvas, input: &str, reading: &Reading) {
    let outcome = &reading.outcome;
    canvas.title(mark(outcome), &reading.id, "");
    if !outcome.reasoning.trim().is_empty() {
        put(canvas, canvas.say("reasoning", "推理"), Paint::Dim, outcome.reasoning.trim());
    }
    if !outcome.remaining_text.is_empty() {
        put(canvas, canvas.say("text", "文本"), Paint::Dim, &outcome.remaining_text);
    }
    for call in &outcome.calls {
        let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
        put(canvas, canvas.say("call", "调用"), Paint::Green, &format!("{} {arguments}", call.name));
    }
    for tag in outcome.tags.iter().flatten() {
        put(canvas, canvas.say("tag", "标签"), Paint::Green, &words(tag));
    }
    if let Some(value) = &outcome.value {
        put(canvas, canvas.say("value", "值"), Paint::Green, &value.to_string());
    }
    for unfinished in &outcome.unfinished {
        let shown = match unfinished {
            Unfinished::Call { name, arguments, .. } => format!("{name} {arguments}"),
            Unfinished::Tag(tag) => words(tag),
        };
        put(canvas, canvas.say("unfinished", "未完成"), Paint::Red, &shown);
    }
    for repair in &outcome.repairs {
        draw_repair(canvas, input, repair);
    }
    for finding in &outcome.findings {
        let code = canvas.paint(Paint::Yellow, finding.code);
        canvas.line(&format!("  ╰ {code}  {}", safe(&finding.note)));
        draw_place(canvas, input, Span::at(finding.at));
    }
    canvas.line("");
}

fn words(tag: &TagRead) -> String {
    serde_json::to_string(tag).unwrap_or_default()
}

fn draw_repair(canvas: &mut Canvas, input: &str, repair: &Repair) {
    let code = canvas.paint(Paint::Cyan, repair.kind.code);
    canvas.line(&format!("  ╰ {code}  {}", repair.kind.note));
    draw_place(canvas, input, repair.span);
}

/// The line of the input around a place, with the place underlined.
fn draw_place(canvas: &mut Canvas, input: &str, span: Span) {
    let (start, end) = (floor(input, span.start), floor(input, span.end.max(span.start)));
    let before = input.get(..start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let shown_from = floor(input, line_start.max(start.saturating_sub(CONTEXT)));
    let line_end = input.get(start..).and_then(|rest| rest.find('\n')).map_or(input.len(), |at| start + at);
    let shown = safe(input.get(shown_from..line_end).unwrap_or_default());
    let left = columns(&safe(input.get(shown_from..start).unwrap_or_default()));
    let under = columns(&safe(input.get(start..end.min(line_end)).unwrap_or_default())).clamp(1, ROOM);
    let (cut, more) = if shown_from > line_start { ("…", 1) } else { ("", 0) };
    let text = canvas.paint(Paint::Dim, &format!("{cut}{}", clip(&shown, ROOM)));
    let marks = canvas.paint(Paint::Cyan, &"^".repeat(under.min(ROOM.saturating_sub(left).max(1))));
    canvas.line(&format!("      {text}"));
    canvas.line(&format!("      {}{marks}", " ".repeat(left + more)));
}

/// The nearest place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn put(canvas: &mut Canvas, name: &str, paint: Paint, text: &str) {
    let pad = " ".repeat(11usize.saturating_sub(columns(name)));
    let (edge, name) = (canvas.paint(Paint::Dim, "│"), canvas.paint(paint, name));
    canvas.line(&format!("  {edge} {name}{pad}{}", clip(&safe(text), ROOM)));
}

/// How much of the line before a place is shown, in bytes.
const CONTEXT: usize = 48;
/// How many columns a line may take.
const ROOM: usize = 84;
