//! Cursor. Only `beforeShellExecution` and `beforeMCPExecution` ask a person; `preToolUse` accepts `ask` and lets the call
//! run, so there it is a refusal. On Windows payloads begin with a byte-order mark.

use super::fields::{call, event, outcome, text, unknown};
use crate::args::Agent;
use crate::hook::event::{Call, Caller, HookEvent, What};
use crate::hook::ruling::{Reply, Ruling};
use serde_json::{Value, json};

pub(super) fn read(body: &Value, caller: &Caller) -> Option<HookEvent> {
    let name = text(body, "hook_event_name");
    let what = match name {
        "preToolUse" => What::Before(call(body)),
        "beforeShellExecution" => What::Before(shell(body)),
        "beforeMCPExecution" => What::Before(mcp(body)),
        "beforeReadFile" => What::Before(Call::new("Read", Some(&json!({"file_path": text(body, "file_path")})))),
        "postToolUse" => What::After(call(body), outcome(body, false)),
        "postToolUseFailure" => What::After(call(body), outcome(body, true)),
        "afterShellExecution" => What::After(shell(body), outcome(body, false)),
        "afterMCPExecution" => What::After(mcp(body), outcome(body, false)),
        "afterFileEdit" => {
            let edit = Call::new("Edit", Some(&json!({"file_path": text(body, "file_path")})));
            What::After(edit, outcome(body, false))
        }
        "afterAgentResponse" => What::Said(text(body, "text").to_owned()),
        "beforeSubmitPrompt" => What::Prompt(text(body, "prompt").to_owned()),
        "sessionStart" => What::Start { fresh: true },
        "stop" => What::Stop(None),
        // A hook of `.claude/settings.json`, run by Cursor under Claude's names.
        "PreToolUse" => What::Before(call(body)),
        "PostToolUse" => What::After(call(body), outcome(body, false)),
        "UserPromptSubmit" => What::Prompt(text(body, "prompt").to_owned()),
        "Stop" => What::Stop(body.get("last_assistant_message").and_then(Value::as_str).map(str::to_owned)),
        _ => unknown(body)?,
    };
    Some(event(Agent::Cursor, name, text(body, "conversation_id"), what, body, caller))
}

fn shell(body: &Value) -> Call {
    Call::new("Shell", Some(&json!({"command": text(body, "command")})))
}

fn mcp(body: &Value) -> Call {
    Call { is_mcp: true, ..call(body) }
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    let asks = ["beforeShellExecution", "beforeMCPExecution"].contains(&event.name.as_str());
    let permit = |permission: &str, reason: &str| {
        Reply::json(json!({"permission": permission, "user_message": reason, "agent_message": reason}))
    };
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, .. }) if event.name == "preToolUse" => {
            Reply::json(json!({ "updated_input": arguments }))
        }
        (What::Before(_), Ruling::Ask { reason, .. }) if asks => permit("ask", reason),
        // Under Claude's names only an exit code is sure to be read.
        (What::Before(_), _) if event.name == "PreToolUse" => Reply::exit(ruling.refusal()),
        (What::Before(_), _) => permit("deny", &ruling.refusal()),
        (What::Stop(_), Ruling::Block(reason)) => Reply::json(json!({ "followup_message": reason })),
        (What::After(..), Ruling::Note(text)) => Reply::json(json!({ "additional_context": text })),
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}
