//! What payloads have in common: texts, folders, calls and outcomes under known keys.

use crate::args::Agent;
use crate::hook::Caller;
use crate::hook::event::{Call, HookEvent, Outcome, What};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A text of a payload.
pub(super) fn text<'a>(body: &'a Value, key: &str) -> &'a str {
    body.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A call under the usual keys.
pub(super) fn call(body: &Value) -> Call {
    let mut call = Call::new(text(body, "tool_name"), body.get("tool_input"));
    call.id = body.get("tool_use_id").and_then(Value::as_str).map(str::to_owned);
    call.is_mcp |=
        body.get("mcp_server").is_some() || body.get("mcp_context").is_some_and(|context| !context.is_null());
    call
}

/// What came of a call, under one of these keys.
pub(super) fn outcome(body: &Value, failed: bool) -> Outcome {
    let keys = ["tool_response", "error", "tool_output", "error_message", "output", "result_json"];
    let content = keys.iter().find_map(|key| body.get(*key)).cloned().unwrap_or_default();
    // A string that is JSON is what the tool returned.
    let content = match &content {
        Value::String(text) if text.starts_with(['{', '[']) => serde_json::from_str(text).unwrap_or(content),
        _ => content,
    };
    let flag = |key: &str| content.get(key).and_then(Value::as_bool);
    let interrupted =
        flag("interrupted") == Some(true) || flag("success") == Some(false) || flag("isError") == Some(true);
    let code = ["exitCode", "exit_code"].iter().find_map(|key| content.get(*key)?.as_i64());
    let error = content.get("error").is_some_and(|error| !error.is_null());
    Outcome { failed: failed || interrupted || error || code.is_some_and(|code| code != 0), content }
}

/// An event with what most payloads say of where they come from.
pub(super) fn event(agent: Agent, name: &str, session: &str, what: What, body: &Value, caller: &Caller) -> HookEvent {
    let cwd = Some(text(body, "cwd")).filter(|cwd| !cwd.is_empty()).map(str::to_owned);
    let listed = ["workspace_roots", "workspaceRoots"].iter().find_map(|key| body.get(*key)?.as_array());
    let mut roots: Vec<String> =
        listed.into_iter().flatten().filter_map(|root| Some(root.as_str()?.to_owned())).collect();
    let here = || std::env::current_dir().map(|dir| dir.display().to_string()).unwrap_or_default();
    let cwd = cwd.or_else(|| roots.first().cloned()).unwrap_or_else(here);
    let project = caller.project.clone().filter(|project| cwd.starts_with(project.as_str()));
    if roots.is_empty() {
        let root = project.unwrap_or_else(|| repository(&cwd));
        roots.extend(worktrees(&root));
        roots.insert(0, root);
    }
    let transcript = Some(text(body, "transcript_path")).filter(|path| !path.is_empty()).map(PathBuf::from);
    let attended = caller.attended;
    let (name, session) = (name.to_owned(), session.to_owned());
    HookEvent { agent, name, what, session, cwd, roots, transcript, attended }
}

/// The repository that a folder is in, else the folder.
fn repository(cwd: &str) -> String {
    let found = Path::new(cwd).ancestors().take(MAX_UP).find(|folder| folder.join(".git").exists());
    found.map_or_else(|| cwd.to_owned(), |folder| folder.display().to_string())
}

/// The other working copies of a repository: work there is work in the project.
fn worktrees(root: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(Path::new(root).join(".git/worktrees")) else { return Vec::new() };
    let copies =
        entries.take(MAX_COPIES).filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("gitdir")).ok());
    copies.filter_map(|gitdir| Some(gitdir.trim().strip_suffix("/.git")?.to_owned())).collect()
}

/// A call that an unknown event carries: it may be one that runs after this, so it is judged.
pub(super) fn unknown(body: &Value) -> Option<What> {
    let ran = ["tool_response", "tool_output", "error"].iter().any(|key| body.get(*key).is_some());
    let asks = !text(body, "tool_name").is_empty() && body.get("tool_input").is_some();
    (asks && !ran).then(|| What::Before(call(body)))
}

const MAX_UP: usize = 40;
const MAX_COPIES: usize = 50;
