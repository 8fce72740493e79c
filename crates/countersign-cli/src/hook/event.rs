//! The common form of what agents send: who, where, and what is about to happen or has happened.

use crate::args::Agent;
pub(crate) use countersign::coding::call::Call;
use serde_json::Value;
use std::path::PathBuf;

/// Who calls, and what is known from outside the payload.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The agent that the command line names; the payload may say otherwise.
    pub named: Agent,
    /// Whether somebody could answer a question, where the environment tells.
    pub attended: bool,
    /// The project that the environment names.
    pub project: Option<String>,
}

impl Caller {
    /// A caller with what the environment says.
    pub(crate) fn from_environment(named: Agent) -> Self {
        let text = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let attended = text("CLAUDE_CODE_SESSION_ATTENDED").is_none_or(|text| text != "0");
        let project = text("CLAUDE_PROJECT_DIR").or_else(|| text("GEMINI_PROJECT_DIR"));
        Self { named, attended, project }
    }
}

/// One event of a session.
#[derive(Debug, Clone)]
pub(crate) struct HookEvent {
    /// Who sends it.
    pub agent: Agent,
    /// The event's name as the agent writes it; answers repeat it.
    pub name: String,
    /// What happens.
    pub what: What,
    /// The session.
    pub session: String,
    /// The folder that commands run in.
    pub cwd: String,
    /// The folders of the project.
    pub roots: Vec<String>,
    /// The conversation on disk, where the agent tells.
    pub transcript: Option<PathBuf>,
    /// Whether a person could answer a question.
    pub attended: bool,
}

/// What happens.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A call is about to run.
    Before(Call),
    /// A call has run.
    After(Call, Outcome),
    /// The user spoke. Some agents also send what a blocked stop told the model.
    Prompt(String),
    /// The session began; `fresh` where nothing was before it.
    Start {
        /// Whether nothing was before it.
        fresh: bool,
    },
    /// The agent said something that a later `Stop` does not repeat.
    Said(String),
    /// The agent wants to end its turn, with its last message where it is told.
    Stop(Option<String>),
}

/// What came of a call.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// Whether the agent called it an error.
    pub failed: bool,
    /// What came back.
    pub content: Value,
}

impl Outcome {
    /// All texts of what came back, without the names of their fields.
    pub(crate) fn texts(&self) -> String {
        countersign::coding::noticed::texts(&self.content)
    }

    /// What came back, as text.
    pub(crate) fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Object(fields) => {
                let known = ["stdout", "stderr", "output", "llmContent", "textResultForLlm", "error"];
                let texts: Vec<&str> = known.iter().filter_map(|key| fields.get(*key)?.as_str()).collect();
                if texts.is_empty() { self.content.to_string() } else { texts.join("\n") }
            }
            other => other.to_string(),
        }
    }
}

impl HookEvent {
    /// The project's folder.
    pub(crate) fn root(&self) -> &str {
        self.roots.first().unwrap_or(&self.cwd)
    }
}
