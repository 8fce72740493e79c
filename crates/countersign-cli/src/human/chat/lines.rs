//! What happens beside the text of a conversation, each in a line or a few.

use super::super::canvas::{Canvas, Paint, clip, safe};
use serde_json::Value;

/// The lines of an event; none for what says nothing to people.
pub(super) fn lines(canvas: &Canvas, kind: &str, payload: &Value) -> Vec<String> {
    match kind {
        "tool_call" => vec![tool_call(canvas, payload)],
        "verdict" => show_refusal(canvas, payload),
        "tool_result" => vec![tool_result(canvas, payload)],
        "review_required" => review(canvas, payload),
        "plan" => plan(canvas, payload),
        "evidence" => vec![evidence(canvas, payload)],
        "citation" => vec![canvas.paint(
            Paint::Dim,
            &format!("  cites {} {}", word(payload, "evidence"), clip(&word(payload, "text"), SHORT)),
        )],
        "note" | "material" => {
            vec![canvas.paint(Paint::Cyan, &format!("✎ {kind} {} kept", clip(&word(payload, "name"), SHORT)))]
        }
        "search_results" => search(canvas, payload),
        "references" => references(canvas, payload),
        "warning" => vec![canvas.paint(Paint::Yellow, &format!("⚠ {}: {}", word(payload, "code"), read_text(payload)))],
        "error" => vec![canvas.paint(Paint::Red, &format!("✖ {}", read_text(payload)))],
        "failed" | "lost" => vec![canvas.paint(Paint::Red, &ending(kind, payload))],
        "stopped" => vec![canvas.paint(Paint::Magenta, &ending(kind, payload))],
        _ => Vec::new(),
    }
}

/// `⚙ name({"city": "Oslo"}) → approved`, and what was mended.
fn tool_call(canvas: &Canvas, payload: &Value) -> String {
    let status = payload.pointer("/verdict/status").and_then(Value::as_str).unwrap_or_default();
    let paint = if status == "approved" { Paint::Green } else { Paint::Yellow };
    let mut line = format!("⚙ {} → {}", call(payload, "name"), canvas.paint(paint, &safe(status)));
    let findings = payload.pointer("/verdict/findings").and_then(Value::as_array);
    let fixes = findings.into_iter().flatten().filter_map(|finding| finding.get("correction"));
    let applied = fixes.filter(|fix| fix.get("applied").and_then(Value::as_bool).unwrap_or_default());
    let notes: Vec<String> = applied.map(|fix| word(fix, "note")).filter(|note| !note.is_empty()).collect();
    if !notes.is_empty() {
        let repaired = format!(" (repaired: {})", clip(&notes.join("; "), LONG));
        line.push_str(&canvas.paint(Paint::Yellow, &repaired));
    }
    if payload.get("review_id").is_some() {
        line.push_str(&canvas.paint(Paint::Magenta, " (a person approved)"));
    }
    if word(payload, "run_by") == "client" {
        line.push_str(&canvas.paint(Paint::Dim, " (waits for the client that runs it)"));
    }
    line
}

/// A verdict is shown only where it keeps a call from running.
fn show_refusal(canvas: &Canvas, payload: &Value) -> Vec<String> {
    let status = word(payload, "status");
    if !["rejected", "validation_failed"].contains(&status.as_str()) {
        return Vec::new();
    }
    let why = payload.pointer("/verdict/explanation").and_then(Value::as_str).unwrap_or_default();
    let line = format!("✖ {} → {status}: {}", word(payload, "name"), clip(&safe(why), LONG));
    vec![canvas.paint(Paint::Red, &line)]
}

fn tool_result(canvas: &Canvas, payload: &Value) -> String {
    let content = text_of(payload.get("content").unwrap_or(&Value::Null));
    let content = clip(&safe(content.trim()), LONG);
    let failed = payload.get("is_error").and_then(Value::as_bool).unwrap_or_default();
    let line = match (word(payload, "outcome").as_str(), failed) {
        ("unknown", _) => canvas.paint(Paint::Red, &format!("  ? it is unknown whether it ran: {content}")),
        (_, true) => canvas.paint(Paint::Red, &format!("  ✖ {content}")),
        _ => canvas.paint(Paint::Dim, &format!("  ↳ {content}")),
    };
    let suspicious = payload.pointer("/verification/is_suspicious").and_then(Value::as_bool).unwrap_or_default();
    if suspicious { line + &canvas.paint(Paint::Yellow, " ⚠ suspicious") } else { line }
}

fn review(canvas: &Canvas, payload: &Value) -> Vec<String> {
    let call = payload.get("call").unwrap_or(&Value::Null);
    let what = match payload.get("about").and_then(Value::as_str) {
        Some("answer") => "the answer".to_owned(),
        Some("result") => format!("the result of {}", call_of(&word(payload, "tool"), call)),
        _ => call_of(&word(payload, "tool"), call),
    };
    let title = format!("☝ {what} needs a person: {}", word(payload, "explanation"));
    let mut lines = vec![canvas.paint(Paint::Magenta, &title)];
    for finding in payload.get("findings").and_then(Value::as_array).into_iter().flatten() {
        let evidence = text_of(finding.get("evidence").unwrap_or(&Value::Null));
        lines.push(format!("    {}: {}", word(finding, "code"), clip(&safe(&evidence), LONG)));
    }
    lines
}

fn plan(canvas: &Canvas, payload: &Value) -> Vec<String> {
    let mut lines = vec![canvas.paint(Paint::Cyan, "☰ plan")];
    for step in payload.get("steps").and_then(Value::as_array).into_iter().flatten() {
        let call = call_of(&word(step, "tool"), step);
        let about = clip(&word(step, "description"), LONG);
        lines.push(canvas.paint(Paint::Dim, &format!("  {} {call} {about}", word(step, "id"))));
    }
    lines
}

fn evidence(canvas: &Canvas, payload: &Value) -> String {
    let content = clip(&safe(text_of(payload.get("content").unwrap_or(&Value::Null)).trim()), LONG);
    let failed = payload.get("is_error").and_then(Value::as_bool).unwrap_or_default();
    let cached = if payload.get("cached").and_then(Value::as_bool).unwrap_or_default() { " (kept)" } else { "" };
    let line = format!("  {} {}{cached} → {content}", word(payload, "id"), word(payload, "tool"));
    canvas.paint(if failed { Paint::Red } else { Paint::Dim }, &line)
}

fn search(canvas: &Canvas, payload: &Value) -> Vec<String> {
    let queries = payload.get("queries").and_then(Value::as_array).into_iter().flatten().map(text_of);
    let results = payload.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
    let queries = clip(&safe(&queries.collect::<Vec<_>>().join(" | ")), LONG);
    let mut lines = vec![canvas.paint(Paint::Cyan, &format!("⌕ {queries} → {} results", results.len()))];
    for result in results.iter().take(SOME) {
        let line = format!("  {} {}", clip(&word(result, "title"), SHORT), clip(&word(result, "link"), SHORT));
        lines.push(canvas.paint(Paint::Dim, &line));
    }
    lines
}

fn references(canvas: &Canvas, payload: &Value) -> Vec<String> {
    let invalid = payload.get("invalid").and_then(Value::as_array).into_iter().flatten();
    let line = |one: &Value| {
        let name = [word(one, "name"), word(one, "id")].into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        canvas.paint(Paint::Yellow, &format!("⚠ not given to the model: {name} ({})", word(one, "reason")))
    };
    invalid.map(line).collect()
}

fn ending(kind: &str, payload: &Value) -> String {
    let why = [word(payload, "message"), word(payload, "reason")].into_iter().find(|why| !why.is_empty());
    let mark = if kind == "stopped" { "■" } else { "✖" };
    match why {
        Some(why) => format!("{mark} {kind}: {why}"),
        None => format!("{mark} {kind}"),
    }
}

fn call(payload: &Value, name: &str) -> String {
    call_of(&word(payload, name), payload)
}

/// `name(arguments)`, shortened.
fn call_of(name: &str, holder: &Value) -> String {
    let arguments = holder.get("arguments").map(text_of).unwrap_or_default();
    format!("{}({})", safe(name), clip(&safe(&arguments), LONG))
}

fn read_text(payload: &Value) -> String {
    clip(&word(payload, "message"), LONGEST)
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn word(value: &Value, name: &str) -> String {
    safe(value.get(name).and_then(Value::as_str).unwrap_or_default())
}

/// How many columns of a thing are shown.
const SHORT: usize = 60;
const LONG: usize = 120;
const LONGEST: usize = 300;
/// How many results of a search are listed.
const SOME: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Colour;
    use serde_json::json;

    #[test]
    fn calls_say_their_verdict_and_what_was_mended() {
        let canvas = Canvas::new(Colour::Never, None);
        let fix = json!({"correction": {"note": "\"3\" became 3", "applied": true}});
        let payload = json!({
            "name": "get_weather", "arguments": {"city": "Oslo"}, "run_by": "countersign",
            "verdict": {"status": "caution", "findings": [fix]},
        });
        let drawn = lines(&canvas, "tool_call", &payload);
        assert_eq!(drawn, ["⚙ get_weather({\"city\":\"Oslo\"}) → caution (repaired: \"3\" became 3)"]);
        let refused = json!({"name": "rm", "status": "rejected", "verdict": {"explanation": "no"}});
        assert_eq!(lines(&canvas, "verdict", &refused), ["✖ rm → rejected: no"]);
        assert!(lines(&canvas, "verdict", &json!({"name": "rm", "status": "approved"})).is_empty());
        assert!(lines(&canvas, "of_a_later_version", &json!({})).is_empty());
    }

    // Model text is hostile: no field of any event reaches the terminal with a control character in it.
    #[test]
    fn no_event_can_repaint_the_terminal() {
        let canvas = Canvas::new(Colour::Never, None);
        let evil = "\u{1b}[2J\u{7}\u{202e}\r\u{9b}31m\u{61c}";
        let one = json!({
            "id": evil, "name": evil, "text": evil, "code": evil, "evidence": evil, "title": evil, "link": evil,
            "tool": evil, "description": evil, "arguments": {"a": evil}, "reason": evil,
            "correction": {"note": evil, "applied": true},
        });
        let payload = json!({
            "call_id": evil, "name": evil, "tool": evil, "status": "rejected", "content": evil, "message": evil,
            "code": evil, "reason": evil, "id": evil, "text": evil, "evidence": evil, "explanation": evil,
            "arguments": {"a": evil}, "outcome": "unknown", "call": one, "queries": [evil], "results": [one],
            "steps": [one], "findings": [one], "invalid": [one],
            "verdict": {"status": evil, "explanation": evil, "findings": [one]},
        });
        for kind in countersign::contract::EventType::ALL {
            for line in lines(&canvas, kind.name(), &payload) {
                let bad = line.chars().find(|c| c.is_control() || ['\u{202e}', '\u{61c}'].contains(c));
                assert_eq!(bad, None, "{}: {line:?}", kind.name());
            }
        }
    }
}
