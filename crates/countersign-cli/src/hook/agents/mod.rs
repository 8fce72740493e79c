//! The agents: each file reads one agent's payloads and writes its answers.
//!
//! Who calls is told by the payload and not by the command line, because agents run each other's hooks: Cursor and
//! Copilot also run those in `.claude/settings.json`.

/// What payloads have in common.
mod fields;
mod claude_code;
mod codex;
mod cursor;
mod gemini;
mod copilot;
mod opencode;
mod windsurf;
mod cline;

use super::event::{Caller, HookEvent};
use super::home::Mode;
use super::ruling::{Reply, Ruling};
use crate::args::Agent;
use serde_json::Value;
use std::path::{Path, PathBuf};

impl Agent {
    /// Who sends this payload.
    pub(crate) fn of(body: &Value) -> Option<Self> {
        let has = |key: &str| body.get(key).is_some_and(|value| !value.is_null());
        let event = body.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        if has("hookName") {
            return Some(Self::Cline);
        }
        if has("agent_action_name") {
            return Some(Self::Windsurf);
        }
        if has("conversation_id") || has("cursor_version") {
            return Some(Self::Cursor);
        }
        if has("hook") && has("sessionID") {
            return Some(Self::Opencode);
        }
        if has("sessionId") {
            return Some(Self::Copilot);
        }
        if GEMINI.contains(&event) {
            return Some(Self::Gemini);
        }
        if event.is_empty() {
            return None;
        }
        if has("turn_id") && has("model") {
            return Some(Self::Codex);
        }
        // Gemini and Copilot send a time, Claude Code does not.
        if has("timestamp") && !has("prompt_id") {
            return Some(if has("transcript_path") { Self::Gemini } else { Self::Copilot });
        }
        Some(Self::ClaudeCode)
    }

    /// Reads a payload; nothing where the event is none that is judged.
    pub(crate) fn read(self, body: &Value, caller: &Caller) -> Option<HookEvent> {
        match self {
            Self::ClaudeCode => claude_code::read(body, caller),
            Self::Codex => codex::read(body, caller),
            Self::Cursor => cursor::read(body, caller),
            Self::Gemini => gemini::read(body, caller),
            Self::Copilot => copilot::read(body, caller),
            Self::Opencode => opencode::read(body, caller),
            Self::Windsurf => windsurf::read(body, caller),
            Self::Cline => cline::read(body, caller),
        }
    }

    /// Writes a ruling in the agent's own tongue.
    pub(crate) fn answer(self, event: &HookEvent, ruling: &Ruling) -> Reply {
        match self {
            Self::ClaudeCode => claude_code::answer(event, ruling),
            Self::Codex => codex::answer(event, ruling),
            Self::Cursor => cursor::answer(event, ruling),
            Self::Gemini => gemini::answer(event, ruling),
            Self::Copilot => copilot::answer(event, ruling),
            Self::Opencode => opencode::answer(event, ruling),
            Self::Windsurf => windsurf::answer(event, ruling),
            Self::Cline => cline::answer(event, ruling),
        }
    }

    /// The answer to a payload that cannot be read: refused, and only passed where the guard only watches.
    pub(crate) fn refuse_unread(self, mode: Mode, what: &str) -> Reply {
        let ruling = Ruling::trouble(what);
        match (mode, self) {
            (Mode::Observe, _) => Reply { stderr: Some(ruling.reason().to_owned()), ..Reply::nothing() },
            (_, Self::Cline) => cline::refuse(ruling.reason()),
            (_, Self::Opencode) => opencode::refuse(ruling.reason()),
            _ => Reply::exit(ruling.reason()),
        }
    }

    /// The files of a project in which hooks of this agent may be set or switched off.
    pub(crate) fn settings(self, root: &Path) -> Vec<PathBuf> {
        let files: &[&str] = match self {
            Self::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json"],
            Self::Codex => &[".codex/hooks.json", ".codex/config.toml"],
            Self::Cursor => &[".cursor/hooks.json"],
            Self::Gemini => &[".gemini/settings.json"],
            Self::Copilot => &[".github/hooks/countersign.json"],
            Self::Opencode => &[".opencode/plugins/countersign.js"],
            Self::Windsurf => &[".windsurf/hooks.json"],
            Self::Cline => &[".clinerules/hooks/PreToolUse", ".clinerules/hooks/TaskComplete"],
        };
        files.iter().map(|file| root.join(file)).collect()
    }

    /// The same for all projects of a user.
    pub(crate) fn user_settings(self, home: &Path) -> Vec<PathBuf> {
        let files: &[&str] = match self {
            Self::ClaudeCode => &[".claude/settings.json"],
            Self::Codex => &[".codex/hooks.json", ".codex/config.toml"],
            Self::Cursor => &[".cursor/hooks.json"],
            Self::Gemini => &[".gemini/settings.json"],
            Self::Copilot => &[".copilot/hooks/countersign.json"],
            Self::Opencode => &[".config/opencode/plugins/countersign.js"],
            Self::Windsurf => &[".codeium/windsurf/hooks.json"],
            Self::Cline => &["Documents/Cline/Hooks/PreToolUse", "Documents/Cline/Hooks/TaskComplete"],
        };
        files.iter().map(|file| home.join(file)).collect()
    }
}

const GEMINI: &[&str] =
    &["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"];
