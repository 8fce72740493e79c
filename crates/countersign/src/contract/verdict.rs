//! The verdict on a call: what the caller does next, and why.

use super::{Answer, Answers, Finding, Question, Reading, ToolCall};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::ops::Deref;

/// How a call or a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing to say against it.
    Approved,
    /// May run; something was repaired or is worth watching.
    Caution,
    /// A person decides.
    RequiresReview,
    /// Denied or dangerous.
    Rejected,
    /// Wrong; the model should correct it.
    ValidationFailed,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Go on.
    Proceed,
    /// Go on and watch.
    ProceedWithCaution,
    /// Ask a person.
    RequestHumanReview,
    /// Refuse, and let the model try something else.
    RejectAndRetry,
    /// Send the findings back to the model.
    RequestCorrection,
}

impl Status {
    /// The action that belongs to the status.
    pub fn action(self) -> Action {
        match self {
            Self::Approved => Action::Proceed,
            Self::Caution => Action::ProceedWithCaution,
            Self::RequiresReview => Action::RequestHumanReview,
            Self::Rejected => Action::RejectAndRetry,
            Self::ValidationFailed => Action::RequestCorrection,
        }
    }

    /// Whether the call must not run as it stands.
    pub fn is_refused(self) -> bool {
        matches!(self, Self::RequiresReview | Self::Rejected | Self::ValidationFailed)
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Caution => "caution",
            Self::RequiresReview => "requires_review",
            Self::Rejected => "rejected",
            Self::ValidationFailed => "validation_failed",
        }
    }
}

/// The verdict on one call. Only the engine makes one, and nobody can change it: what it says is read through
/// [`VerdictDetails`]. So a `ClearedCall` made from it cannot be forged.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict(VerdictDetails);

impl Verdict {
    /// Seals what the engine found.
    pub(crate) fn new(details: VerdictDetails) -> Self {
        Self(details)
    }

    /// What it says, to keep.
    pub fn into_details(self) -> VerdictDetails {
        self.0
    }
}

impl Deref for Verdict {
    type Target = VerdictDetails;

    fn deref(&self) -> &VerdictDetails {
        &self.0
    }
}

/// What a verdict says.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictDetails {
    /// The caller's id of the request, given back as it came.
    pub id: Value,
    /// How it ended.
    pub status: Status,
    /// Validation confidence.
    pub score: f64,
    /// What was found, in the order of the checks.
    pub findings: Vec<Finding>,
    /// What checks in shadow mode found: recorded, without effect.
    pub shadow: Vec<Finding>,
    /// The call to run, repaired where that was certain; `None` where nothing may run.
    pub call: Option<ToolCall>,
    /// The message for the model, where it should try again.
    pub feedback: Option<String>,
    /// One or two sentences that a person can act on.
    pub explanation: String,
    /// Questions that nobody answered.
    pub unanswered: Vec<Question>,
    /// What a second reader was given and said, word for word: judged again with it, the call gets the same verdict.
    pub readings: Vec<ReadingRecord>,
}

/// A second reader's question and answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadingRecord {
    /// What it was given.
    pub asked: Reading,
    /// What it said.
    pub answer: Answer,
}

impl ReadingRecord {
    /// The readings among some answers.
    pub(crate) fn of(answers: &Answers) -> Vec<Self> {
        let read = |(question, answer): (&Question, &Answer)| match question {
            Question::Reading(asked) => Some(Self { asked: asked.clone(), answer: answer.clone() }),
            _ => None,
        };
        answers.0.iter().filter_map(read).collect()
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut verdict = out.serialize_map(None)?;
        verdict.serialize_entry("id", &self.id)?;
        verdict.serialize_entry("status", &self.status)?;
        verdict.serialize_entry("action", &self.status.action())?;
        verdict.serialize_entry("score", &self.score)?;
        verdict.serialize_entry("findings", &self.findings)?;
        if !self.shadow.is_empty() {
            verdict.serialize_entry("shadow", &self.shadow)?;
        }
        verdict.serialize_entry("call", &self.call.as_ref().map(CallOut))?;
        if let Some(feedback) = &self.feedback {
            verdict.serialize_entry("feedback", feedback)?;
        }
        verdict.serialize_entry("explanation", &self.explanation)?;
        if !self.unanswered.is_empty() {
            verdict.serialize_entry("unanswered", &self.unanswered)?;
        }
        if !self.readings.is_empty() {
            verdict.serialize_entry("readings", &self.readings)?;
        }
        verdict.end()
    }
}

/// A call as the contract writes it: an id only where there is one.
struct CallOut<'a>(&'a ToolCall);

impl Serialize for CallOut<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut call = out.serialize_map(None)?;
        if let Some(id) = &self.0.id {
            call.serialize_entry("id", id)?;
        }
        call.serialize_entry("name", &self.0.name)?;
        call.serialize_entry("arguments", &self.0.arguments)?;
        call.end()
    }
}
