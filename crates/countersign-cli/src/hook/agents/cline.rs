//! Cline: `{cancel, errorMessage, contextModification}`. It can neither ask nor rewrite.

use super::fields::{event, text};
use crate::args::Agent;
use crate::hook::event::{Call, Caller, HookEvent, Outcome, What};
use crate::hook::ruling::{Reply, Ruling};
use serde_json::{Value, json};

pub(super) fn read(body: &Value, caller: &Caller) -> Option<HookEvent> {
    let name = text(body, "hookName");
    let nothing = json!({});
    let before = body.get("preToolUse").unwrap_or(&nothing);
    let after = body.get("postToolUse").unwrap_or(&nothing);
    let call = |part: &Value| {
        let mut call = Call::new(text(part, "toolName"), part.get("parameters"));
        if call.name == "use_mcp_tool" {
            let of = |key: &str| call.arguments.get(key).and_then(Value::as_str).unwrap_or_default();
            let name = format!("mcp__{}__{}", of("server_name"), of("tool_name"));
            call = Call::new(&name, call.arguments.get("arguments"));
        }
        call
    };
    let what = match name {
        "PreToolUse" => What::Before(call(before)),
        "PostToolUse" => {
            let failed = after.get("success").and_then(Value::as_bool) == Some(false);
            What::After(call(after), Outcome { failed, content: after.get("result").cloned().unwrap_or_default() })
        }
        "UserPromptSubmit" => What::Prompt(text(body.get("userPromptSubmit").unwrap_or(&nothing), "prompt").to_owned()),
        "TaskStart" => What::Start { fresh: true },
        "TaskComplete" => {
            let said = body.pointer("/taskComplete/taskMetadata/result").and_then(Value::as_str);
            What::Stop(said.map(str::to_owned))
        }
        _ => return None,
    };
    Some(event(Agent::Cline, name, text(body, "taskId"), what, body, caller))
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, reason }) => {
            refuse(&format!("{reason} Call it again with these arguments: {arguments}"))
        }
        (What::Before(_), _) => refuse(&ruling.refusal()),
        (What::Stop(_), Ruling::Block(reason)) => refuse(reason),
        (What::After(..), Ruling::Note(text)) => {
            Reply::json(json!({"cancel": false, "contextModification": text, "errorMessage": ""}))
        }
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}

/// A refusal.
pub(super) fn refuse(reason: &str) -> Reply {
    Reply::json(json!({"cancel": true, "contextModification": "", "errorMessage": reason}))
}
