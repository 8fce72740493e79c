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
