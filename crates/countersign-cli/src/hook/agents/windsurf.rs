//! Windsurf: the answer is the exit code alone, with the reason on standard error. It can neither ask nor rewrite.

use super::fields::{event, text};
use crate::args::Agent;
use crate::hook::event::{Call, Caller, HookEvent, Outcome, What};
use crate::hook::ruling::{Reply, Ruling};
use serde_json::{Value, json};

pub(super) fn read(body: &Value, caller: &Caller) -> Option<HookEvent> {
    let name = text(body, "agent_action_name");
    let nothing = json!({});
    let info = body.get("tool_info").unwrap_or(&nothing);
    let done = || Outcome { failed: false, content: Value::Null };
    let file = |tool: &str| Call::new(tool, Some(&json!({"file_path": text(info, "file_path")})));
    let shell = || Call::new("Shell", Some(&json!({"command": text(info, "command_line")})));
    let mcp = || {
        let tool = format!("mcp__{}__{}", text(info, "mcp_server_name"), text(info, "mcp_tool_name"));
        Call::new(&tool, info.get("mcp_tool_arguments"))
    };
    let what = match name {
        "pre_run_command" => What::Before(shell()),
        "pre_mcp_tool_use" => What::Before(mcp()),
        "pre_read_code" => What::Before(file("Read")),
        "pre_write_code" => What::Before(file("Write")),
        "post_run_command" => What::After(shell(), done()),
        "post_write_code" => What::After(file("Write"), done()),
        "post_mcp_tool_use" => What::After(mcp(), done()),
        "pre_user_prompt" => What::Prompt(text(info, "user_prompt").to_owned()),
        _ => return None,
    };
    let mut event = event(Agent::Windsurf, name, text(body, "trajectory_id"), what, body, caller);
    if let Some(cwd) = Some(text(info, "cwd")).filter(|cwd| !cwd.is_empty()) {
        cwd.clone_into(&mut event.cwd);
    }
    Some(event)
}

pub(super) fn answer(event: &HookEvent, ruling: &Ruling) -> Reply {
    match (&event.what, ruling) {
        (_, Ruling::Pass) => Reply::nothing(),
        (What::Before(_), Ruling::Mend { arguments, reason }) => {
            Reply::exit(format!("{reason} Call it again with these arguments: {arguments}"))
        }
        (What::Before(_), _) => Reply::exit(ruling.refusal()),
        (_, ruling) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
    }
}
