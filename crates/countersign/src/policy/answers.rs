//! What happens to answers and results that a check doubts, and when the model is asked again (RESOLVE-3, CALL-10).

use super::pattern::Pattern;
use serde::Deserialize;
use std::collections::BTreeSet;

/// What happens to an answer that a check doubts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DoubtfulAnswers {
    /// It is recorded, and nobody is told.
    Pass,
    /// It is recorded, and whoever reads it is told: by header or comment on the gateway, by a warning in a hosted turn.
    #[default]
    Mark,
    /// The model is asked again, once for each finding.
    Correct,
    /// A hosted turn shows an answer once it is examined, and holds one that needs a person until somebody has decided.
    /// The gateway cannot hold a streamed answer back: there it is as `mark`.
    Review,
}

/// What happens to a tool result that looks wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SuspiciousResults {
    /// It is recorded, and the model is not told.
    Pass,
    /// The model is told in front of it.
    #[default]
    Mark,
    /// It is withheld until a person has approved it.
    Review,
}

/// A fault of an answer for which the model is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskAgain {
    /// No word and no call.
    Empty,
    /// A promise or an acknowledgement, and no call.
    Promise,
    /// A call cut at the token limit.
    CutCall,
    /// A call that exists only in a thought.
    CallInThought,
    /// A final answer while a required step is open.
    OpenStep,
}

impl AskAgain {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Empty, Self::Promise, Self::CutCall, Self::CallInThought, Self::OpenStep];

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Empty => "an empty answer",
            Self::Promise => "a bare promise",
            Self::CutCall => "a call cut at the token limit",
            Self::CallInThought => "a call that exists only in a thought",
            Self::OpenStep => "an answer while a required step is open",
        }
    }
}

/// The `[answer]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawAnswer {
    /// For which faults of an answer the model is asked again: `empty`, `promise`, `cut_call`, `call_in_thought`,
    /// `open_step`.
    pub ask_again: Option<BTreeSet<AskAgain>>,
    /// Tools that must have succeeded before the final answer, where they are declared.
    pub requires: Vec<String>,
}

/// When the model is asked again, and what happens to a doubtful answer.
#[derive(Debug, Clone)]
pub struct AnswersPolicy {
    /// For which faults the model is asked again.
    pub ask_again: BTreeSet<AskAgain>,
    /// Tools that must have succeeded before the final answer.
    pub requires: Vec<Pattern>,
    /// What happens to an answer that a check doubts.
    pub doubtful: DoubtfulAnswers,
}

impl AnswersPolicy {
    /// Takes what a policy adds.
    pub(super) fn overlay(&mut self, raw: RawAnswer, doubtful: Option<DoubtfulAnswers>) {
        self.ask_again = raw.ask_again.unwrap_or_else(|| std::mem::take(&mut self.ask_again));
        self.requires.extend(raw.requires.into_iter().map(Pattern::new));
        self.doubtful = doubtful.unwrap_or(self.doubtful);
    }
}

impl Default for AnswersPolicy {
    fn default() -> Self {
        Self {
            ask_again: AskAgain::ALL.into_iter().collect(),
            requires: Vec::new(),
            doubtful: DoubtfulAnswers::default(),
        }
    }
}
