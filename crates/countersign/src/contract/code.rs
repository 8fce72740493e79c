//! What a finding code is: its name, place, weight and page.
//!
//! Codes are the stable part of every finding. Each stands once, in `super::codes`, and the pages under
//! `docs/rules/` and `countersign explain` are written from there, so neither can drift.

use serde::Serialize;

/// Everything that is known about one finding code.
#[derive(Debug, PartialEq)]
pub struct Code {
    /// The stable name, such as `call.unknown-tool`.
    pub id: &'static str,
    /// Where in the line it was found.
    pub layer: Layer,
    /// The severity it begins with.
    pub severity: Severity,
    /// How sure we are by default that the finding is right.
    pub confidence: f64,
    /// What it does to the decision.
    pub outcome: Outcome,
    /// Which of the four sources of hallucination it serves.
    pub source: Source,
    /// Which type of hallucination it names.
    pub kind: Kind,
    /// A title of a few words.
    pub title: &'static str,
    /// What was found, and why it matters.
    pub what: &'static str,
    /// What to do about it.
    pub mend: &'static str,
    /// A short example, shown on the page.
    pub example: &'static str,
}

/// The place in the line that speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The name of the tool.
    ToolName,
    /// The arguments against the schema.
    Parameter,
    /// What the values mean.
    Meaning,
    /// What the call could break.
    Danger,
    /// Who asks, and whether they may.
    Context,
    /// Where the values come from.
    Provenance,
    /// What the outside world says.
    Fact,
    /// What the caller is able to do.
    Capability,
    /// What was called before.
    Repeat,
    /// The conversation's calls and results.
    History,
    /// A tool's result.
    Result,
    /// The model's answer.
    Answer,
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Doubtful, or mended.
    Warning,
    /// Wrong.
    Error,
}

/// What an enforced finding does to the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// By severity: an error refuses, a warning cautions.
    Ordinary,
    /// Never refuses and never asks a person, at any level.
    Gentle,
    /// Refuses also where LENIENT would accept, because there is nothing that could run.
    Fatal,
    /// A person decides.
    Review,
    /// Denied or dangerous: rejected at every level.
    Deny,
}

/// The seeds' four sources of hallucination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The model learned something wrong.
    Knowledge,
    /// The model filled a call wrongly.
    Parameters,
    /// The model, or a tool, misread an output.
    Output,
    /// The model is sure of what it cannot know.
    Confidence,
}

/// The seeds' four types of hallucination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool that does not exist or does not fit.
    Tool,
    /// A parameter that is wrong.
    Parameter,
    /// A fact that does not hold.
    Fact,
    /// An ability that nobody granted.
    Capability,
}

impl Code {
    /// Whether two references name the same code.
    pub fn is(&self, other: &Code) -> bool {
        self.id == other.id
    }
}
