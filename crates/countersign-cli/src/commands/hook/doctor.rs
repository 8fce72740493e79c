//! `hook doctor`: the very command in the settings, run with a call that must be refused.

use super::install::{chosen, project, read};
use super::places::{configured, file};
use crate::args::{Agent, PlaceArgs};
use crate::commands::print;
use crate::failure::Failure;
use crate::hook::home::{Home, Mode, user_home};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Tries every guard that is configured.
pub(super) fn run(args: &PlaceArgs, home: &Home) -> Result<u8, Failure> {
    let mode = home.mode(project(args.scope).as_deref());
    let (mut on, mut off) = (0, 0);
    for agent in chosen(args, |_| true) {
        let path = file(agent, args.scope)?;
        let text = read(&path)?;
        let Some(command) = configured(agent, &text) else {
            if !args.agent.is_empty() {
                off += 1;
                print(&format!(
                    "{}: off, because {} does not name it; run `countersign hook install --agent {}`\n",
                    agent.name(),
                    path.display(),
                    agent.name()
                ))?;
            }
            continue;
        };
        let began = Instant::now();
        let trouble = switched_off(agent, &text).or_else(|| try_command(agent, &command, mode).err());
        match trouble {
            None => on += 1,
            Some(_) => off += 1,
        }
        let took = began.elapsed().as_millis();
        print(&match trouble {
            None if mode == Mode::Observe => format!("{}: on, and only records ({took} ms)\n", agent.name()),
            None => format!("{}: on, it refused `{MUST_REFUSE}` ({took} ms){}\n", agent.name(), reminder(agent)),
            Some(why) => format!("{}: this guard is off, because {why}\n", agent.name()),
        })?;
    }
    if on + off == 0 {
        print("no agent has the guard here; run `countersign hook install --agent …`\n")?;
    }
    Ok(u8::from(off > 0 || on == 0))
}

/// A setting that switches every hook off.
fn switched_off(agent: Agent, text: &str) -> Option<String> {
    let settings: Value = serde_json::from_str(text).ok()?;
    let disabled = settings.get("disableAllHooks").and_then(Value::as_bool) == Some(true);
    (agent == Agent::ClaudeCode && disabled).then(|| "`disableAllHooks` is set in the same file".to_owned())
}

fn reminder(agent: Agent) -> &'static str {
    let trusted = || {
        let file = user_home().map(|home| home.join(".codex/config.toml"));
        file.and_then(|file| std::fs::read_to_string(file).ok()).is_some_and(|text| text.contains("trusted_hash"))
    };
    if agent == Agent::Codex && !trusted() { "; Codex has not trusted it yet: type /hooks there" } else { "" }
}

/// Runs a command with a call that must be refused.
fn try_command(agent: Agent, command: &str, mode: Mode) -> Result<(), String> {
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().map_err(|error| format!("`{command}` cannot be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that ends without reading says why on standard error.
        let _ = stdin.write_all(payload(agent).to_string().as_bytes());
    }
    let ran = child.wait_with_output().map_err(|error| format!("`{command}` did not end: {error}"))?;
    let (out, said) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let code = ran.status.code().unwrap_or(-1);
    if mode == Mode::Observe {
        return if code == 0 { Ok(()) } else { Err(format!("`{command}` ended with {code}: {}", said.trim())) };
    }
    let json: Option<Value> = serde_json::from_str(&out).ok();
    let denies = |json: &Value| {
        let text = json.to_string();
        ["\"deny\"", "\"cancel\":true"].iter().any(|word| text.contains(word))
    };
    match (code, json) {
        (0, Some(json)) if denies(&json) => Ok(()),
        (2, _) if !said.trim().is_empty() => Ok(()),
        (127, _) => Err(format!("`{command}` was not found; run `countersign hook install` again")),
        (code, _) => Err(format!("`{command}` ended with {code} and did not refuse: {}{}", out.trim(), said.trim())),
    }
}

/// A call that must be refused, as the agent would send it.
fn payload(agent: Agent) -> Value {
    let here = std::env::current_dir().map(|here| here.display().to_string()).unwrap_or_default();
    let call = json!({"command": MUST_REFUSE});
    match agent {
        Agent::ClaudeCode => {
            json!({"session_id": "doctor", "cwd": here, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": call})
        }
        Agent::Codex => {
            json!({"session_id": "doctor", "turn_id": "1", "model": "m", "cwd": here, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": call})
        }
        Agent::Cursor => {
            json!({"conversation_id": "doctor", "cwd": here, "hook_event_name": "beforeShellExecution", "command": MUST_REFUSE})
        }
        Agent::Gemini => {
            json!({"session_id": "doctor", "cwd": here, "timestamp": "", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": call})
        }
        Agent::Copilot => json!({"sessionId": "doctor", "cwd": here, "toolName": "bash", "toolArgs": call.to_string()}),
        Agent::Opencode => {
            json!({"hook": "tool.execute.before", "sessionID": "doctor", "cwd": here, "tool": "bash", "args": call})
        }
        Agent::Windsurf => {
            json!({"agent_action_name": "pre_run_command", "trajectory_id": "doctor", "tool_info": {"command_line": MUST_REFUSE, "cwd": here}})
        }
        Agent::Cline => {
            json!({"hookName": "PreToolUse", "clineVersion": "0", "taskId": "doctor", "workspaceRoots": [here], "preToolUse": {"toolName": "execute_command", "parameters": call}})
        }
    }
}

const MUST_REFUSE: &str = "rm -rf /";
