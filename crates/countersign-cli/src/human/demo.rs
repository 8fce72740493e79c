//! The scenes of `countersign demo`: what the model wrote, what the client got, and what was found, in 80 columns.

use super::canvas::{Canvas, Paint, safe, symbol, wrap};
use super::verdict::mark;
use countersign::contract::Status;
use serde_json::Value;

/// Before the first scene.
pub(crate) fn opening(mut canvas: Canvas) -> String {
    let title = canvas.paint(Paint::Bold, "Countersign between a client and its model");
    canvas.line(&title);
    canvas.line("");
    canvas.line("The model is the built-in demo model, which errs as real ones do. For each");
    canvas.line("scene: what the model wrote, what the client got, and what the guard found.");
    canvas.line("");
    canvas.finish()
}

/// A scene.
pub(crate) fn draw(mut canvas: Canvas, number: usize, scene: &Value) -> String {
    let name = canvas.paint(Paint::Bold, &format!("{number:>2}  {}", word(scene, "scene")));
    canvas.line(&name);
    for line in wrap(&word(scene, "about"), WIDTH - MARGIN) {
        canvas.line(&format!("    {line}"));
    }
    let null = &Value::Null;
    answer(&mut canvas, "model", scene.get("wrote").unwrap_or(null));
    answer(&mut canvas, "client", scene.get("client").unwrap_or(null));
    for found in findings(scene) {
        let code = canvas.paint(Paint::Yellow, &word(&found, "code"));
        row(&mut canvas, "found", &code);
        for line in wrap(&safe(&word(&found, "evidence")), ROOM) {
            row(&mut canvas, "", &line);
        }
    }
    let requests = scene.get("upstream_requests").and_then(Value::as_u64).unwrap_or(1);
    if requests > 1 {
        row(&mut canvas, "asked", &format!("{requests} times, unseen by the client"));
    }
    let end = ending_of(&canvas, scene);
    canvas.line(&format!("    ╰ {end}"));
    canvas.line("");
    canvas.finish()
}

/// After the last scene.
pub(crate) fn ending(mut canvas: Canvas) -> String {
    let title = canvas.paint(Paint::Bold, "The same guard before a model of yours");
    canvas.line(&title);
    canvas.line("");
    canvas.line("    countersign serve --upstream-openai https://api.example.com/v1");
    canvas.line("    client = OpenAI(base_url=\"http://127.0.0.1:7420/v1\")");
    canvas.line("");
    canvas.finish()
}

/// An answer: its words, its calls, its error, its claims.
fn answer(canvas: &mut Canvas, who: &str, heard: &Value) {
    let mut rows: Vec<String> = Vec::new();
    for line in word(heard, "text").lines().filter(|line| !line.trim().is_empty()) {
        rows.extend(wrap(&safe(line), ROOM));
    }
    for call in list(heard, "calls") {
        rows.extend(wrap(&safe(&format!("→ {} {}", word(call, "name"), word(call, "arguments"))), ROOM));
    }
    if let Some(error) = heard.get("error") {
        let said = format!("error {}: {}", word(error, "code"), word(error, "message"));
        rows.extend(wrap(&safe(&said), ROOM).into_iter().map(|line| canvas.paint(Paint::Red, &line)));
    }
    for (at, line) in rows.iter().enumerate() {
        row(canvas, if at == 0 { who } else { "" }, line);
    }
    for (at, claim) in list(heard, "claims").iter().enumerate() {
        let text = canvas.paint(Paint::Yellow, &safe(&word(claim, "text")));
        let line = format!("{text}  {}, {}", word(claim, "kind"), word(claim, "status"));
        row(canvas, if at == 0 { "marked" } else { "" }, &line);
    }
}

/// How it ended: a word for each call, or what is in the place of calls.
fn ending_of(canvas: &Canvas, scene: &Value) -> String {
    let last = list(scene, "verdicts").iter().filter(|verdict| word(verdict, "outcome") != "sent_back");
    let last: Vec<&Value> = last.collect();
    let mut parts: Vec<String> = Vec::new();
    for verdict in &last {
        let status = STATUSES.iter().find(|status| status.name() == word(verdict, "status"));
        let Some(mark) = status.map(|status| mark(*status)) else { continue };
        let said = format!("{} {}", symbol(mark.tone), mark.words.0);
        let mended = list(verdict, "findings").iter().any(is_applied);
        let said = if mended { said + ", mended" } else { said };
        let tool = if last.len() > 1 { format!(" {}", safe(&word(verdict, "tool"))) } else { String::new() };
        parts.push(canvas.paint_tone(mark.tone, &said) + &tool);
    }
    let claims = scene.pointer("/client/claims").and_then(Value::as_array).map_or(0, Vec::len);
    match parts.is_empty() {
        false => parts.join(" · "),
        true if claims > 0 => canvas.paint(Paint::Yellow, &format!("⚠ {claims} claims to verify")),
        true => canvas.paint(Paint::Red, "✖ an error, and never half a call"),
    }
}

fn is_applied(finding: &Value) -> bool {
    finding.pointer("/correction/applied").and_then(Value::as_bool).unwrap_or_default()
}

/// What was found, each thing once: in the history, then in the calls.
fn findings(scene: &Value) -> Vec<Value> {
    let calls = list(scene, "verdicts").iter().flat_map(|verdict| list(verdict, "findings"));
    let mut seen: Vec<Value> = Vec::new();
    for finding in list(scene, "repairs").iter().chain(calls) {
        let same =
            |known: &Value| known.get("code") == finding.get("code") && known.get("pointer") == finding.get("pointer");
        if !seen.iter().any(same) {
            seen.push(finding.clone());
        }
    }
    seen
}

fn row(canvas: &mut Canvas, label: &str, text: &str) {
    let label = canvas.paint(Paint::Dim, &format!("{label:<6}"));
    canvas.line(&format!("    │ {label}  {text}"));
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn word(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

const STATUSES: [Status; 5] =
    [Status::Approved, Status::Caution, Status::RequiresReview, Status::Rejected, Status::ValidationFailed];
const WIDTH: usize = 80;
/// What a scene stands in from the left.
const MARGIN: usize = 4;
/// What is left beside a label.
const ROOM: usize = WIDTH - MARGIN - 10;
