//! Where the guard stands in each agent's settings, and how it is put there and taken out. What others wrote stays.
//!
//! The command line never changes: Codex trusts a hook by the hash of its line, and an updated line would switch the guard
//! off until somebody reviews it. So neither the mode nor a version is on it.

use crate::args::{Agent, Scope};
use crate::failure::Failure;
use crate::hook::home::user_home;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The settings file of an agent.
pub(super) fn file(agent: Agent, scope: Scope) -> Result<PathBuf, Failure> {
    let found = match scope {
        Scope::Project => {
            let here =
                std::env::current_dir().map_err(|error| Failure::unusable(format!("no current folder: {error}")))?;
            agent.settings(&here)
        }
        Scope::User => {
            let home =
                user_home().ok_or_else(|| Failure::with_help("HOME is not set", "set it, or use --scope project"))?;
            agent.user_settings(&home)
        }
    };
    found.into_iter().next().ok_or_else(|| Failure::Internal("an agent without settings".to_owned()))
}

/// Whether an agent keeps its hooks in a file that is ours alone.
pub(super) fn is_own_file(agent: Agent) -> bool {
    matches!(agent, Agent::Copilot | Agent::Opencode | Agent::Cline)
}

/// The settings with the guard in them.
pub(super) fn put(agent: Agent, text: &str, blocks: bool) -> Result<String, String> {
    let line = line(agent);
    match agent {
        Agent::Opencode => Ok(PLUGIN.replace("COMMAND", &json!(program()).to_string())),
        Agent::Cline => Ok(format!(
            "#!/bin/sh\n# The guard of countersign; `countersign hook uninstall` removes it.\nexec {line}\n"
        )),
        _ => {
            let mut settings = read(text)?;
            take_out(&mut settings);
            if agent == Agent::Cursor || agent == Agent::Copilot {
                settings.entry("version").or_insert(json!(1));
            }
            let hooks = settings.entry("hooks").or_insert_with(|| json!({}));
            let hooks = hooks.as_object_mut().ok_or("`hooks` is no object")?;
            for name in events(agent) {
                let list = hooks.entry(*name).or_insert_with(|| json!([]));
                list.as_array_mut()
                    .ok_or_else(|| format!("`hooks.{name}` is no list"))?
                    .push(entry(agent, name, &line, blocks));
            }
            write(settings)
        }
    }
}

/// The settings without the guard; none where nothing is left of a file.
pub(super) fn take(agent: Agent, text: &str) -> Result<Option<String>, String> {
    if is_own_file(agent) {
        return if text.contains("countersign") { Ok(None) } else { Ok(Some(text.to_owned())) };
    }
    let mut settings = read(text)?;
    take_out(&mut settings);
    if settings.is_empty() || (settings.len() == 1 && settings.contains_key("version")) {
        return Ok(None);
    }
    write(settings).map(Some)
}

/// The command line that stands in the settings, if any.
pub(super) fn configured(agent: Agent, text: &str) -> Option<String> {
    if matches!(agent, Agent::Opencode | Agent::Cline) {
        return text.contains("countersign").then(|| line(agent));
    }
    let settings = read(text).ok()?;
    find(settings.get("hooks")?)
}

/// The command of the first entry that is ours.
fn find(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(find),
        Value::Object(fields) if is_ours(value) && !fields.contains_key("hooks") => {
            let command = ["command", "bash"].iter().find_map(|key| fields.get(*key)?.as_str())?;
            let args = fields.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            Some(std::iter::once(command).chain(args).collect::<Vec<_>>().join(" "))
        }
        Value::Object(fields) => fields.values().find_map(find),
        _ => None,
    }
}

fn read(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error}); nothing was written"))
}

fn write(settings: Map<String, Value>) -> Result<String, String> {
    serde_json::to_string_pretty(&Value::Object(settings)).map(|text| text + "\n").map_err(|error| error.to_string())
}

/// Takes our entries out, and lists that are empty then.
fn take_out(settings: &mut Map<String, Value>) {
    let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) else { return };
    for list in hooks.values_mut().filter_map(Value::as_array_mut) {
        for group in list.iter_mut() {
            if let Some(inner) = group.get_mut("hooks").and_then(Value::as_array_mut) {
                inner.retain(|hook| !is_ours(hook));
            }
        }
        let empty = |group: &Value| group.get("hooks").and_then(Value::as_array).is_some_and(Vec::is_empty);
        list.retain(|group| !empty(group) && (group.get("hooks").is_some() || !is_ours(group)));
    }
    hooks.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
    if hooks.is_empty() {
        settings.remove("hooks");
    }
}

/// Whether an entry runs this guard.
fn is_ours(hook: &Value) -> bool {
    let text = |key: &str| hook.get(key).map(Value::to_string).unwrap_or_default();
    let command = format!("{} {} {}", text("command"), text("bash"), text("args"));
    command.contains("countersign") && command.contains("hook")
}

/// The events of an agent that the guard wants to hear.
fn events(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::ClaudeCode => {
            &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"]
        }
        Agent::Codex => &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
        Agent::Cursor => &[
            "sessionStart",
            "beforeSubmitPrompt",
            "preToolUse",
            "beforeShellExecution",
            "beforeMCPExecution",
            "afterShellExecution",
            "afterMCPExecution",
            "afterFileEdit",
            "afterAgentResponse",
            "stop",
        ],
        Agent::Gemini => &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"],
        Agent::Copilot => &["sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "agentStop"],
        Agent::Windsurf => &[
            "pre_user_prompt",
            "pre_run_command",
            "pre_mcp_tool_use",
            "pre_read_code",
            "pre_write_code",
            "post_run_command",
            "post_write_code",
        ],
        Agent::Opencode | Agent::Cline => &[],
    }
}

fn entry(agent: Agent, event: &str, line: &str, blocks: bool) -> Value {
    let before = event.to_ascii_lowercase().starts_with("pre") || event.starts_with("before");
    match agent {
        Agent::ClaudeCode => {
            let more = (before && blocks).then(|| ("onFailure", json!("block")));
            let hook = with(
                json!({"type": "command", "command": program(), "args": ["hook", agent.name()], "timeout": 10}),
                more,
            );
            if event.contains("ToolUse") { json!({"matcher": "*", "hooks": [hook]}) } else { json!({"hooks": [hook]}) }
        }
        Agent::Codex => json!({"hooks": [{"type": "command", "command": line, "timeout": 10}]}),
        Agent::Gemini => {
            let hook = json!({"type": "command", "command": line, "name": "countersign", "timeout": 10_000});
            if event.ends_with("Tool") { json!({"matcher": ".*", "hooks": [hook]}) } else { json!({"hooks": [hook]}) }
        }
        Agent::Cursor => {
            let closed = (before && blocks).then(|| ("failClosed", json!(true)));
            // Shell and MCP calls have events of their own, which can ask a person.
            let matcher = (event == "preToolUse").then(|| ("matcher", json!("Write|Edit|Delete")));
            with(json!({"command": line, "timeout": 10}), closed.into_iter().chain(matcher))
        }
        Agent::Copilot => json!({"type": "command", "bash": line, "powershell": line, "timeoutSec": 10}),
        _ => json!({"command": line, "show_output": false}),
    }
}

/// The same object with more members.
fn with(mut object: Value, more: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
    }
    object
}

/// The command line of the guard.
pub(super) fn line(agent: Agent) -> String {
    let program = program();
    let quoted = if program.contains(' ') { format!("\"{program}\"") } else { program };
    format!("{quoted} hook {}", agent.name())
}

/// The program: by its name where the shell finds this very one by it, else by its path.
fn program() -> String {
    let own = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("countersign")).find(|file| file.is_file());
    let same = found.and_then(|file| file.canonicalize().ok()).is_some_and(|file| file == own);
    if same { "countersign".to_owned() } else { own.display().to_string() }
}

/// Whether this agent seems to be in use.
pub(super) fn is_present(agent: Agent, scope: Scope) -> bool {
    let Ok(file) = file(agent, scope) else { return false };
    let top = match agent {
        Agent::Copilot if scope == Scope::Project => return file.exists(),
        Agent::Windsurf => file.parent().map(Path::to_path_buf),
        _ => file.parent().map(|parent| {
            if parent.ends_with("hooks") || parent.ends_with("plugins") {
                parent.parent().unwrap_or(parent)
            } else {
                parent
            }
            .to_path_buf()
        }),
    };
    top.is_some_and(|folder| folder.is_dir())
}

/// The plugin of opencode: one process for each call, a throw where it is refused.
const PLUGIN: &str = r#"// The guard of countersign; `countersign hook uninstall --agent opencode` removes it.
import { spawnSync } from "node:child_process"

const ask = (payload) => {
  const ran = spawnSync(COMMAND, ["hook", "opencode"], { input: JSON.stringify(payload), encoding: "utf8", timeout: 10000 })
  if (ran.error || ran.status !== 0) throw new Error("countersign did not answer: " + (ran.error?.message ?? ran.stderr))
  return ran.stdout.trim() ? JSON.parse(ran.stdout) : {}
}

export const Countersign = async ({ directory }) => ({
  "chat.message": async (input) => { ask({ hook: "chat.message", sessionID: input.sessionID, cwd: directory }) },
  "tool.execute.before": async (input, output) => {
    const said = ask({ hook: "tool.execute.before", sessionID: input.sessionID, callID: input.callID, tool: input.tool, args: output.args, cwd: directory })
    if (said.deny) throw new Error(said.deny)
    if (said.args) Object.assign(output.args, said.args)
  },
  "tool.execute.after": async (input, output) => {
    ask({ hook: "tool.execute.after", sessionID: input.sessionID, callID: input.callID, tool: input.tool, args: input.args ?? {}, output: String(output.output ?? ""), metadata: output.metadata, cwd: directory })
  },
})
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_stays() {
        // HOOK-3
        let theirs = json!({"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "dcg"}]}]}});
        for agent in [Agent::ClaudeCode, Agent::Codex, Agent::Gemini] {
            let put_in = put(agent, &theirs.to_string(), true).unwrap();
            assert!(put_in.contains("dcg") && put_in.contains(agent.name()), "{put_in}");
            assert_eq!(put(agent, &put_in, true).unwrap(), put_in, "twice is once");
            let out = take(agent, &put_in).unwrap().unwrap();
            assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), theirs);
        }
        let cursor = put(Agent::Cursor, "", true).unwrap();
        assert!(cursor.contains("failClosed") && take(Agent::Cursor, &cursor).unwrap().is_none());
        assert!(put(Agent::Cursor, "{ // a comment\n}", true).is_err());
    }

    #[test]
    fn the_command_line_is_constant() {
        // HOOK-3
        for agent in Agent::ALL {
            let text = put(agent, "", true).unwrap();
            assert!(!configured(agent, &text).unwrap().contains(" --"), "{text}");
            let watching = put(agent, "", false).unwrap();
            assert_eq!(configured(agent, &text), configured(agent, &watching));
            assert!(configured(agent, &text).unwrap().ends_with(&format!("hook {}", agent.name())));
        }
    }
}
