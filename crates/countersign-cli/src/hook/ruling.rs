//! What is decided about an event, and what is written back.

use serde_json::Value;

/// What is decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ruling {
    /// Nothing to say.
    Pass,
    /// The call runs with these arguments.
    Mend {
        /// All arguments.
        arguments: Value,
        /// What was mended.
        reason: String,
    },
    /// A person must agree.
    Ask {
        /// Why.
        reason: String,
        /// What a person types to let the call through once.
        way_out: String,
        /// Whether it may wait for days where the agent can hold it.
        may_wait: bool,
    },
    /// The call does not run.
    Refuse(String),
    /// The model is told something about a result.
    Note(String),
    /// The turn goes on.
    Block(String),
    /// Something broke on our side; the call does not run.
    Trouble(String),
}

impl Ruling {
    /// Something broke on our side.
    pub(crate) fn trouble(what: &str) -> Self {
        let help = "run `countersign hook doctor`; to go on without the guard, `countersign hook uninstall`";
        Self::Trouble(format!("countersign could not judge this: {what} ({help})"))
    }

    /// Why, for the model and the person.
    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Mend { reason, .. } | Self::Ask { reason, .. } => reason,
            Self::Refuse(text) | Self::Note(text) | Self::Block(text) | Self::Trouble(text) => text,
        }
    }

    /// The reason with the way out, for agents that cannot ask.
    pub(crate) fn refusal(&self) -> String {
        match self {
            Self::Ask { reason, way_out, .. } => format!("{reason} {way_out}"),
            other => other.reason().to_owned(),
        }
    }

    /// A word for the journal.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Mend { .. } => "mend",
            Self::Ask { .. } => "ask",
            Self::Refuse(_) => "refuse",
            Self::Note(_) => "note",
            Self::Block(_) => "block",
            Self::Trouble(_) => "trouble",
        }
    }
}

/// What the process writes: one JSON object or nothing, a line for errors, an exit code.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reply {
    /// Standard output.
    pub stdout: Option<Value>,
    /// Standard error.
    pub stderr: Option<String>,
    /// The exit code.
    pub code: u8,
}

impl Reply {
    /// No words, no objection.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    /// One JSON object.
    pub(crate) fn json(value: Value) -> Self {
        Self { stdout: Some(value), ..Self::default() }
    }

    /// Exit code 2 with a reason: every agent that reads exit codes refuses by it.
    pub(crate) fn exit(reason: impl Into<String>) -> Self {
        Self { stdout: None, stderr: Some(reason.into()), code: 2 }
    }
}
