//! opencode has plugins and no hooks: a small file of ours in its plugin folder starts `countersign hook opencode` with a
//! payload of our own, changes the arguments by the answer, and throws where it says `deny`.

use super::fields::{event, text};
use crate::args::Agent;
use crate::hook::event::{Call, Caller, HookEvent, Outcome, What};
use crate::hook::ruling::{Reply, Ruling};
use serde_json::{Value, json};

pub(super) fn read(body: &Value, caller: &Caller) -> Option<HookEvent> {
    let name = text(body, "hook");
    let call = || {
        let mut call = Call::new(text(body, "tool"), body.get("args"));
        // MCP tools are named `server_tool`; opencode's own have no schema in the transcript.
        call.id = Some(text(body, "callID").to_owned());
        call
    };
    let what = match name {
        "tool.execute.before" => What::Before(call()),
        "tool.execute.after" => {
            let content = Value::String(text(body, "output").to_owned());
            let code = body.pointer("/metadata/exit").and_then(Value::as_i64);
            What::After(call(), Outcome { failed: code.is_some_and(|code| code != 0), content })
        }
        "chat.message" => What::Prompt(text(body, "prompt").to_owned()),
        "session.created" => What::Start { fresh: true },
        _ => return None,
    };
    Some(event(Agent::Opencode, name, text(body, "sessionID"), what, body, caller))
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, .. }) => Reply::json(json!({ "args": arguments })),
        (What::Before(_), _) => refuse(&ruling.refusal()),
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}

/// A refusal that the plugin throws.
pub(super) fn refuse(reason: &str) -> Reply {
    Reply::json(json!({ "deny": reason }))
}
