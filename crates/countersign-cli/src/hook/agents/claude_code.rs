//! Claude Code: `PreToolUse`, `PostToolUse`, `PostToolUseFailure`, `UserPromptSubmit`, `SessionStart`, `Stop`.
//!
//! A refusal must repeat the event's name, or it is ignored. A rewrite is the whole input. `ask` needs somebody there;
//! where nobody is, `defer` holds the call until the session is resumed.

use super::fields::{call, event, outcome, text, unknown};
use crate::args::Agent;
use crate::hook::event::{Caller, HookEvent, What};
use crate::hook::ruling::{Reply, Ruling};
use serde_json::{Value, json};

pub(super) fn read(body: &Value, caller: &Caller) -> Option<HookEvent> {
    let name = text(body, "hook_event_name");
    let what = match name {
        "PreToolUse" => What::Before(call(body)),
        "PostToolUse" => What::After(call(body), outcome(body, false)),
        "PostToolUseFailure" => What::After(call(body), outcome(body, true)),
        "UserPromptSubmit" => What::Prompt(text(body, "prompt").to_owned()),
        "SessionStart" => What::Start { fresh: ["startup", "clear", ""].contains(&text(body, "source")) },
        "Stop" => What::Stop(body.get("last_assistant_message").and_then(Value::as_str).map(str::to_owned)),
        "SubagentStop" | "PermissionRequest" | "PermissionDenied" | "PostToolBatch" => return None,
        _ => unknown(body)?,
    };
    Some(event(Agent::ClaudeCode, name, text(body, "session_id"), what, body, caller))
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    let decide = |decision: &str, reason: &str| {
        Reply::json(json!({"hookSpecificOutput": {
            "hookEventName": event.name, "permissionDecision": decision, "permissionDecisionReason": reason}}))
    };
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, .. }) => {
            Reply::json(json!({"hookSpecificOutput": {"hookEventName": event.name, "updatedInput": arguments}}))
        }
        (What::Before(_), Ruling::Ask { reason, .. }) if event.attended => decide("ask", reason),
        (What::Before(_), Ruling::Ask { reason, may_wait: true, .. }) => decide("defer", reason),
        (What::Before(_), _) if event.name == "PreToolUse" => decide("deny", &ruling.refusal()),
        (What::Before(_), _) => Reply::exit(ruling.refusal()),
        (What::Stop(_), Ruling::Block(reason)) => Reply::json(json!({"decision": "block", "reason": reason})),
        (What::After(..), Ruling::Note(text)) => {
            Reply::json(json!({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}))
        }
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}
