//! Copilot CLI and cloud agent. Events in camel case bring `toolName` and `toolArgs`; those in Pascal case look like
//! Claude Code's. `ask` is honoured on the command line and is a refusal in the cloud. A stop is only blocked by JSON.

use super::fields::{call, event, outcome, text, unknown};
use crate::args::Agent;
use crate::hook::event::{Call, Caller, HookEvent, Outcome, What};
use crate::hook::ruling::{Reply, Ruling};
use serde_json::{Value, json};

pub(super) fn read(body: &Value, caller: &Caller) -> Option<HookEvent> {
    let camel = body.get("sessionId").is_some();
    let session = text(body, if camel { "sessionId" } else { "session_id" });
    // The camel-case payloads do not always name their event: what they bring tells it.
    let named =
        ["hookEventName", "hook_event_name", "event"].iter().map(|key| text(body, key)).find(|name| !name.is_empty());
    let name = named.unwrap_or_else(|| guess(body));
    let what = match name {
        "preToolUse" => What::Before(camel_call(body)),
        "postToolUse" => What::After(camel_call(body), camel_outcome(body)),
        "userPromptSubmitted" | "UserPromptSubmit" => What::Prompt(text(body, "prompt").to_owned()),
        "sessionStart" | "SessionStart" => What::Start { fresh: text(body, "source") != "resume" },
        "agentStop" | "Stop" => {
            let said =
                ["lastAssistantMessage", "last_assistant_message"].iter().find_map(|key| body.get(*key)?.as_str());
            What::Stop(said.map(str::to_owned))
        }
        "PreToolUse" => What::Before(call(body)),
        "PostToolUse" => What::After(call(body), outcome(body, false)),
        _ => unknown(body)?,
    };
    Some(event(Agent::Copilot, name, session, what, body, caller))
}

fn guess(body: &Value) -> &'static str {
    let has = |key: &str| body.get(key).is_some();
    match (has("toolName"), has("toolResult"), has("prompt"), has("stopReason")) {
        (true, true, ..) => "postToolUse",
        (true, false, ..) => "preToolUse",
        (_, _, true, _) => "userPromptSubmitted",
        (_, _, _, true) => "agentStop",
        _ => "",
    }
}

fn camel_call(body: &Value) -> Call {
    Call::new(text(body, "toolName"), body.get("toolArgs"))
}

fn camel_outcome(body: &Value) -> Outcome {
    let result = body.get("toolResult").cloned().unwrap_or_default();
    let failed = matches!(text(&result, "resultType"), "failure" | "error" | "denied" | "rejected");
    Outcome { failed, content: result }
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    let decide = |decision: &str, reason: &str| {
        let plain = json!({"permissionDecision": decision, "permissionDecisionReason": reason});
        let specific = json!({"hookEventName": event.name, "permissionDecision": decision,
            "permissionDecisionReason": reason});
        Reply::json(match event.name == "PreToolUse" {
            true => json!({"permissionDecision": decision, "permissionDecisionReason": reason,
                "hookSpecificOutput": specific}),
            false => plain,
        })
    };
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, .. }) => Reply::json(json!({ "modifiedArgs": arguments })),
        (What::Before(_), Ruling::Ask { reason, .. }) => decide("ask", reason),
        (What::Before(_), _) => decide("deny", &ruling.refusal()),
        (What::Stop(_), Ruling::Block(reason)) => Reply::json(json!({"decision": "block", "reason": reason})),
        (What::After(..), Ruling::Note(text)) => Reply::json(json!({ "additionalContext": text })),
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}
