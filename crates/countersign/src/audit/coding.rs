//! A coding agent's session: its own tools are judged by what they are given, and at the end of a turn by the ledger of
//! what was done. This is what the hooks do while the session runs.

use crate::coding::call::Call;
use crate::coding::check::check;
use crate::coding::ledger::{Entry, Output};
use crate::coding::memory::Memory;
use crate::coding::place::Place;
use crate::coding::said::not_done;
use crate::contract::{Finding, Language, ToolCall, ToolResult};
use crate::policy::Policy;
use crate::traces::Trace;
use serde_json::{Value, json};

/// What a session has done so far.
pub(super) struct Session {
    place: Place,
    ledger: Vec<Entry>,
    /// Whether other agents worked for this one, whose sessions are elsewhere.
    pub delegated: bool,
}

impl Session {
    pub(super) fn new(trace: &Trace) -> Self {
        let cwd = trace.cwd.clone();
        let home = cwd.split('/').take(3).collect::<Vec<_>>().join("/");
        let home = Some(home).filter(|home| home.starts_with("/home/") || home.starts_with("/Users/"));
        let place = Place { roots: vec![cwd.clone()], cwd, home, guarded: Vec::new() };
        let ledger = if trace.whole { vec![Entry::Start] } else { Vec::new() };
        Self { place, ledger, delegated: false }
    }

    /// The user spoke.
    pub(super) fn prompt(&mut self) {
        self.ledger.push(Entry::prompt(""));
    }

    /// What is to be said against a call of the agent's own tools.
    pub(super) fn check(&mut self, call: &ToolCall, policy: &Policy, language: Language) -> Vec<Finding> {
        let name = call.name.to_ascii_lowercase();
        self.delegated |= AGENTS.contains(&name.as_str());
        check(&read(call), &self.place, policy, &Memory::default(), language)
    }

    /// A call came back.
    pub(super) fn returned(&mut self, call: &ToolCall, result: &ToolResult) {
        let call = read(call);
        match call.command().filter(|_| !call.is_patch()) {
            Some(line) => {
                let text = text(&result.content);
                let output = Output { failed: result.is_error || tells_failure(&text), text: &text };
                self.ledger.push(Entry::of_command(line, output, &self.place));
            }
            None => {
                let edits = call.changed();
                if edits.is_empty() {
                    let name = if call.is_mcp { format!("mcp:{}", call.name) } else { call.name.clone() };
                    self.ledger.push(Entry::Call { name, ok: !result.is_error });
                }
                self.ledger.extend(edits.into_iter().filter(|_| !result.is_error).map(|path| Entry::Edit { path }));
            }
        }
        if self.ledger.len() > MAX_LEDGER {
            self.ledger.drain(..MAX_LEDGER / 2);
        }
    }

    /// What the last words claim and the ledger does not show.
    pub(super) fn said(&self, answer: &str) -> Vec<Finding> {
        if self.delegated {
            return Vec::new();
        }
        not_done(answer, &self.ledger, Language::of(answer))
    }
}

/// Whether a call is one of an MCP server's tools.
pub(super) fn is_mcp(call: &ToolCall) -> bool {
    Call::new(&call.name, None).is_mcp
}

fn read(call: &ToolCall) -> Call {
    let arguments = json!(call.arguments);
    Call::new(&call.name, Some(&arguments))
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let known = ["stdout", "stderr", "output", "error"].iter().filter_map(|key| fields.get(*key)?.as_str());
            known.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// Codex tells the exit code in the output's first lines.
fn tells_failure(output: &str) -> bool {
    let head = output.lines().take(6);
    let code = head.filter_map(|line| {
        let code = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))?;
        code.trim().parse::<i64>().ok()
    });
    code.into_iter().any(|code| code != 0)
}

/// Tools that start another agent.
const AGENTS: &[&str] = &["task", "agent", "spawn_agent", "delegate", "codebase_investigator"];
const MAX_LEDGER: usize = 50_000;
