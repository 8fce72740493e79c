//! A file of recorded traces, judged: what `countersign audit` does, for a person who drops the file on the console.
//!
//! The file is read, judged by the policy in force and forgotten. Nothing of it is stored.

use crate::serve::body::read;
use crate::serve::error::ApiError;
use crate::serve::state::App;
use axum::extract::{Request, State};
use bytes::Bytes;
use countersign::audit::{Auditor, Counts, Report};
use countersign::check_call::secrets::redact;
use countersign::contract::{Message, Role};
use countersign::policy::Policy;
use countersign::traces::readers::reader;
use countersign::traces::{Record, Step, Trace, tell};
use serde_json::{Value, json};
use std::sync::Arc;

/// `POST /v1/audit`: the file is the body.
pub(super) async fn audit(State(app): State<Arc<App>>, request: Request) -> Result<axum::Json<Value>, ApiError> {
    let file = read(request, app.config.limits.body_size).await?;
    let policy = app.policy.current().policy().as_ref().clone();
    let audited = app.heavy.run(move || judge(&file, policy)).await?;
    audited.map(axum::Json).map_err(|reason| ApiError::bad_request(reason, None))
}

fn judge(file: &Bytes, policy: Policy) -> Result<Value, String> {
    let text = String::from_utf8_lossy(file);
    let (traces, problems) = read_traces(text.trim_start_matches('\u{feff}'));
    if traces.is_empty() {
        let first = problems.first().and_then(|problem| problem.get("reason")?.as_str()).unwrap_or_default();
        return Err(format!("no trace was found in this file; docs/audit.md lists the formats. {first}")
            .trim()
            .to_owned());
    }
    let auditor = Auditor::new(policy);
    let (mut counts, mut shown, mut left_out) = (Counts::default(), Vec::new(), 0);
    for trace in &traces {
        let report = auditor.audit(trace);
        counts.add(report.counts);
        if shown.len() < MOST_SHOWN { shown.push(render(trace, &report)) } else { left_out += 1 }
    }
    let problems: Vec<Value> = problems.into_iter().take(MOST_PROBLEMS).collect();
    Ok(json!({"counts": counts, "conversations": shown, "left_out": left_out, "problems": problems}))
}

/// The conversations of a file: JSON lines, or one large document.
fn read_traces(text: &str) -> (Vec<Trace>, Vec<Value>) {
    let lines = || text.lines().enumerate().map(|(at, line)| (at as u64 + 1, line.trim()));
    let by_line = lines().filter(|(_, line)| !line.is_empty()).take(MOST_WAITING).find_map(|(_, line)| tell(line));
    let (mut traces, mut problems) = (Vec::new(), Vec::new());
    let Some(format) = by_line.or_else(|| tell(text)) else { return (traces, problems) };
    let mut reader = reader(format);
    let whole = [(1, text)];
    let records: Box<dyn Iterator<Item = (u64, &str)>> = match by_line {
        Some(_) => Box::new(lines().filter(|(_, line)| !line.is_empty())),
        None => Box::new(whole.into_iter()),
    };
    for (line, text) in records {
        if let Err(reason) = reader.read(&Record { text, line }, &mut traces) {
            problems.push(json!({"line": line, "reason": reason}));
        }
    }
    traces.extend(reader.finish());
    traces.retain(|trace| !trace.is_empty());
    (traces, problems)
}

fn render(trace: &Trace, report: &Report) -> Value {
    let first = trace.steps.iter().find(|step| step.message.role == Role::User && !step.message.text.trim().is_empty());
    let title = first.map(|step| clip(step.message.text.trim(), LONGEST_TITLE)).unwrap_or_default();
    let from = trace.steps.len().saturating_sub(MOST_STEPS);
    let steps = trace.steps.get(from..).unwrap_or_default();
    json!({
        "id": trace.id, "format": trace.format.name(), "model": trace.model, "line": trace.line, "title": title,
        "counts": report.counts, "left_out": from, "messages": steps.iter().map(message).collect::<Vec<_>>(),
        "items": report.items, "not_checked": report.not_checked,
    })
}

fn message(step: &Step) -> Value {
    let Message { role, text, calls, results } = &step.message;
    let role = match role {
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::System => "system",
        _ => "user",
    };
    let calls = calls.iter().enumerate().map(|(at, call)| {
        let arguments = clip(&json!(call.arguments).to_string(), LONGEST_TEXT);
        let read = serde_json::from_str::<Value>(&arguments).unwrap_or(Value::String(arguments));
        let line = step.call_lines.get(at).copied().unwrap_or(step.line);
        json!({"id": call.id, "name": call.name, "arguments": read, "line": line})
    });
    let results = results.iter().map(|result| {
        let content = result.content.as_str().map_or_else(|| result.content.to_string(), str::to_owned);
        json!({"call_id": result.call_id, "content": clip(&content, LONGEST_TEXT), "is_error": result.is_error})
    });
    json!({
        "role": role, "text": clip(text, LONGEST_TEXT), "line": step.line,
        "calls": calls.collect::<Vec<_>>(), "results": results.collect::<Vec<_>>(),
    })
}

/// The beginning of a text, without secrets.
fn clip(text: &str, longest: usize) -> String {
    let begin = text.get(..text.floor_char_boundary(longest)).unwrap_or_default();
    let cut = if begin.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", redact(begin))
}

const MOST_SHOWN: usize = 200;
const MOST_STEPS: usize = 400;
const MOST_PROBLEMS: usize = 20;
/// Among so many lines the format is looked for.
const MOST_WAITING: usize = 50;
const LONGEST_TITLE: usize = 160;
const LONGEST_TEXT: usize = 4096;
