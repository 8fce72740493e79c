//! `hook bench`: what one hook costs as a process of its own, in a session of many messages.

use crate::commands::print;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Measures shell calls and MCP calls.
pub(super) fn run(messages: usize, calls: usize) -> Result<u8, Failure> {
    let folder = tempfile::tempdir().map_err(|error| Failure::unusable(format!("no temporary folder: {error}")))?;
    let transcript = folder.path().join("session.jsonl");
    let failed = |error: std::io::Error| Failure::file(&transcript, "write", &error);
    std::fs::write(&transcript, session(messages)).map_err(failed)?;
    for (what, tool, input) in [
        ("shell call", "Bash", json!({"command": "cargo test --workspace 2>&1 | tail -20"})),
        ("MCP call", "mcp__shop__get_order", json!({"order_id": "A-1000"})),
    ] {
        let payload = json!({"session_id": "bench", "transcript_path": transcript, "cwd": folder.path(),
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "now"});
        let first = one(folder.path(), &payload)?;
        let mut took = (0..calls).map(|_| one(folder.path(), &payload)).collect::<Result<Vec<_>, _>>()?;
        took.sort_unstable();
        let at = |part: usize| took.get(took.len() * part / 100).map_or(0.0, |took| took.as_secs_f64() * 1000.0);
        let line = json!({"what": what, "messages": messages, "calls": calls, "first_ms": first.as_secs_f64() * 1000.0,
            "p50_ms": at(50), "p95_ms": at(95)});
        print(&format!("{line}\n"))?;
    }
    Ok(0)
}

fn one(folder: &Path, payload: &Value) -> Result<Duration, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::unusable(format!("no program: {error}")))?;
    let began = Instant::now();
    let mut child = Command::new(program)
        .args(["hook", "claude-code"])
        .env("COUNTERSIGN_HOOKS_DIR", folder.join("state"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| Failure::unusable(format!("the hook cannot be started: {error}")))?;
    let fed = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(payload.to_string().as_bytes()));
    fed.and_then(|()| child.wait()).map_err(|error| Failure::unusable(format!("the hook did not end: {error}")))?;
    Ok(began.elapsed())
}

/// A transcript with so many messages, most of them calls and their results.
fn session(messages: usize) -> String {
    let schema = json!({"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]});
    let tools = json!([{"name": "mcp__shop__get_order", "description": "Looks up an order", "input_schema": schema}]);
    let mut text = format!("{}\n", json!({"type": "api-request-shape", "tools": tools}));
    text +=
        &format!("{}\n", json!({"type": "user", "message": {"role": "user", "content": "Why is order A-1000 late?"}}));
    for at in 0..messages / 2 {
        let call = json!({"type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": {"command": format!("rg -n order_{at} src")}});
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{at}"), "content": format!("src/order_{at}.rs:{at}: let order = find(\"A-{at}\");\n").repeat(10)});
        text += &format!(
            "{}\n",
            json!({"type": "assistant", "uuid": at, "message": {"role": "assistant", "content": [call]}})
        );
        text += &format!("{}\n", json!({"type": "user", "uuid": at, "message": {"role": "user", "content": [result]}}));
    }
    text
}
