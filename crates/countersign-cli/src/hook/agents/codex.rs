//! Codex CLI. Its answers are strict: `ask` and a bare `allow` count as a failed hook, and the call runs. So a call that
//! needs a person is refused with the way out, and `allow` is only written with a rewrite.

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
        "UserPromptSubmit" => What::Prompt(text(body, "prompt").to_owned()),
        "SessionStart" => What::Start { fresh: ["startup", "clear", ""].contains(&text(body, "source")) },
        "Stop" => What::Stop(body.get("last_assistant_message").and_then(Value::as_str).map(str::to_owned)),
        "PermissionRequest" => return None,
        _ => unknown(body)?,
    };
    Some(event(Agent::Codex, name, text(body, "session_id"), what, body, caller))
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    let specific = |fields: Value| {
        let mut fields = fields;
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("hookEventName".to_owned(), event.name.clone().into());
        }
        Reply::json(json!({ "hookSpecificOutput": fields }))
    };
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, .. }) => {
            specific(json!({"permissionDecision": "allow", "updatedInput": arguments}))
        }
        (What::Before(_), _) if event.name == "PreToolUse" => {
            specific(json!({"permissionDecision": "deny", "permissionDecisionReason": ruling.refusal()}))
        }
        (What::Before(_), _) => Reply::exit(ruling.refusal()),
        (What::Stop(_), Ruling::Block(reason)) => Reply::json(json!({"decision": "block", "reason": reason})),
        (What::After(..), Ruling::Note(text)) => specific(json!({ "additionalContext": text })),
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}
