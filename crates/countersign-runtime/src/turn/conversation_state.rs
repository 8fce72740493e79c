//! What a conversation with a model is about, how it has gone so far, and what it came to.

use super::listen::Heard;
use super::verdicts::HostedCall;
use countersign::resolve::Resolution;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a conversation came to.
pub(super) struct Answered {
    /// The last answer.
    pub text: String,
}

/// An answer, named.
pub(super) struct Told {
    pub(super) message_id: Arc<str>,
    pub(super) heard: Heard,
    /// What the log has of it.
    pub(super) record: Record,
}

/// What the log has of an answer.
pub(super) enum Record {
    /// Nothing: it has just been heard.
    New,
    /// That it is held for a person, under this review.
    Held(String),
    /// All of it.
    Written {
        /// Whether a person decided on it: then it is the last word.
        decided: bool,
        /// With which words the model was asked again, where its own are not in the log.
        asked_again: Option<String>,
    },
}

/// What was asked, and of whom.
pub(super) struct Talk {
    /// The conversation for the model.
    pub messages: Vec<Value>,
    /// The question it is about.
    pub question: String,
    /// What the answer can rest on beside tools.
    pub sources: Vec<String>,
}

/// How a conversation has gone so far.
pub(super) struct ConversationState {
    /// What becomes of its calls.
    pub(super) resolution: Resolution<HostedCall>,
    /// How far it may still send others off.
    pub(super) errands: ErrandLimits,
    /// What the model said before it was told that this is no answer.
    pub(super) first: Option<String>,
}

/// How far a model may still send others off.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrandLimits {
    /// How often it may still search.
    pub(super) searches: usize,
    /// It has delegated.
    pub(super) delegated: bool,
}

impl Default for ErrandLimits {
    fn default() -> Self {
        Self { searches: MAX_SEARCH_ROUNDS, delegated: false }
    }
}

/// What came of an errand.
pub(super) struct Errand {
    /// In words, for the model.
    pub(super) evidence: String,
    /// Whether the model is to answer on it.
    pub(super) asks_again: bool,
}

impl Errand {
    /// For the conversation.
    pub(super) fn message(&self) -> Value {
        json!({"role": "user", "content": self.evidence})
    }
}

/// How often a turn may search.
const MAX_SEARCH_ROUNDS: usize = 3;
