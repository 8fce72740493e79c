//! Gemini CLI. `ask` hangs for ever where nobody sits there, and the payload does not tell; so a call that needs a person
//! is refused with the way out. A rewrite is merged into the arguments.

use super::fields::{call, event, outcome, text, unknown};
use crate::args::Agent;
use crate::hook::event::{Caller, HookEvent, What};
use crate::hook::ruling::{Reply, Ruling};
use serde_json::{Value, json};

pub(super) fn read(body: &Value, caller: &Caller) -> Option<HookEvent> {
    let name = text(body, "hook_event_name");
    let what = match name {
        "BeforeTool" => What::Before(call(body)),
        "AfterTool" => What::After(call(body), outcome(body, false)),
        "BeforeAgent" => What::Prompt(text(body, "prompt").to_owned()),
        "SessionStart" => What::Start { fresh: ["startup", "clear", ""].contains(&text(body, "source")) },
        "AfterAgent" => What::Stop(body.get("prompt_response").and_then(Value::as_str).map(str::to_owned)),
        "BeforeModel" | "AfterModel" | "BeforeToolSelection" => return None,
        _ => unknown(body)?,
    };
    Some(event(Agent::Gemini, name, text(body, "session_id"), what, body, caller))
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, .. }) => {
            Reply::json(json!({"hookSpecificOutput": {"hookEventName": event.name, "tool_input": arguments}}))
        }
        (What::Before(_), _) => Reply::json(json!({"decision": "deny", "reason": ruling.refusal()})),
        (What::Stop(_), Ruling::Block(reason)) => Reply::json(json!({"decision": "deny", "reason": reason})),
        (What::After(..), Ruling::Note(text)) => {
            Reply::json(json!({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}))
        }
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}
