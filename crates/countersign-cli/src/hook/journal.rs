//! What was refused, asked and noted, one line each, for `countersign hook report`. Nothing that passed is written.

use super::event::{HookEvent, What};
use super::home::{Home, Mode};
use super::ruling::Ruling;
use countersign::check_call::secrets::redact;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// A line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Line {
    /// Seconds since 1970.
    pub at: u64,
    /// The agent.
    pub agent: String,
    /// The project.
    pub project: String,
    /// The tool, or the event.
    pub tool: String,
    /// The command or the path, where there is one.
    pub subject: String,
    /// What was decided.
    pub ruling: String,
    /// Why.
    pub reason: String,
    /// Whether it was only recorded.
    pub observed: bool,
}

/// Writes a ruling down, unless there is nothing to say.
pub(crate) fn write(home: &Home, event: &HookEvent, ruling: &Ruling, mode: Mode) {
    if *ruling == Ruling::Pass {
        return;
    }
    let (tool, subject) = match &event.what {
        What::Before(call) | What::After(call, _) => {
            (call.name.clone(), call.command().map(str::to_owned).or_else(|| call.changed().into_iter().next()))
        }
        _ => (event.name.clone(), None),
    };
    let subject: String = subject.unwrap_or_default().chars().take(MAX_SUBJECT).collect();
    let line = Line {
        at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        agent: event.agent.name().to_owned(),
        project: event.root().to_owned(),
        tool,
        subject: redact(&subject).into_owned(),
        ruling: ruling.word().to_owned(),
        reason: ruling.reason().to_owned(),
        observed: mode == Mode::Observe,
    };
    if let Ok(line) = serde_json::to_string(&line) {
        let _ = home.append(FILE, &line);
    }
}

/// The lines of the journal, the oldest first.
pub(crate) fn read(home: &Home) -> Vec<Line> {
    home.read(FILE).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

const FILE: &str = "journal.jsonl";
const MAX_SUBJECT: usize = 300;
