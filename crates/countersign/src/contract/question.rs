//! What the core would like to know from the outside world, and what it was told.
//!
//! The core does no I/O. Checks that need the world ask `Question`s; the runtime answers them, and the call is
//! judged again with the `Answers`. A question that nobody answered is reported as unanswered, never as passed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A question about the world. It is its own key: the same question has the same answer within a verdict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Question {
    /// Is this an endpoint that the named source knows?
    Endpoint {
        /// The source in the policy.
        source: String,
        /// The HTTP method, upper case, where the call names one.
        method: Option<String>,
        /// The URL or path that the call has, without query and user info, which may hold secrets.
        url: String,
    },
    /// Does the caller hold this permission?
    Permission {
        /// The source in the policy.
        source: String,
        /// The caller, as the context names it.
        user: String,
        /// The permission that the tool requires, such as `delete:database`.
        permission: String,
    },
    /// Does this record exist?
    Record {
        /// The source in the policy.
        source: String,
        /// The value to look up.
        value: String,
    },
    /// Anything a user's own checker answers.
    Custom {
        /// The source in the policy.
        source: String,
        /// What is asked, as the policy put it together.
        question: String,
    },
    /// What does a second reader say to this?
    Reading(Reading),
}

/// What a second reader is given: a call or an answer, and the words to hold it against. It is data, never an instruction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Reading {
    /// What is read.
    pub of: ReadingOf,
    /// The call as JSON, or the answer.
    pub text: String,
    /// The conversation or the sources, oldest first.
    pub material: Vec<Passage>,
}

/// What a second reader reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingOf {
    /// A call: does it do what was asked?
    Call,
    /// An answer: do its sources say so?
    Answer,
}

/// Some words, and whose they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Passage {
    /// `user`, `assistant`, `system`, `result` or `source`.
    pub from: String,
    /// The words.
    pub words: String,
}

/// Why a second reader doubts what it read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// The sentence of the answer, or the argument of the call, that it doubts.
    #[serde(default)]
    pub words: String,
    /// The words of the material that say otherwise, copied exactly.
    pub quote: String,
    /// Why, in a sentence.
    #[serde(default)]
    pub reason: String,
}

/// What the world said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// It holds.
    Yes,
    /// It does not hold; `nearest` is the closest thing that does.
    No {
        /// The nearest known value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
        /// What the source said beside that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// What a second reader doubts; nothing where it agrees.
    Read {
        /// The doubts.
        doubts: Vec<Doubt>,
        /// How many tokens the reading took, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<u64>,
    },
    /// Nobody could say: the source is unavailable, too slow or not configured.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// The answers at hand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers(pub BTreeMap<Question, Answer>);

impl Answers {
    /// The answer to a question, where somebody gave one.
    pub fn to(&self, question: &Question) -> Option<&Answer> {
        self.0.get(question)
    }
}
