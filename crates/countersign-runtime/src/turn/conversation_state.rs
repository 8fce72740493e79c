//! What a conversation with a model is about, how it has gone so far, and what it came to.

use super::calls::{Refused, RefusedBy, Settled, mistake};
use super::listen::HeardCall;
use super::repeats::Kept;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// What a conversation came to.
pub(super) struct Answered {
    /// The last answer.
    pub text: String,
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
    pub(super) mistakes: Mistakes,
    /// What stands while the model corrects a call.
    pub(super) kept: Kept,
    /// How often it may still search.
    pub(super) searches: usize,
    /// It has delegated.
    pub(super) delegated: bool,
    /// What the model said before it was told that this is no answer.
    pub(super) first: Option<String>,
    /// The model was told once that its answer is none.
    pub(super) asked_again: bool,
}

impl Default for ConversationState {
    fn default() -> Self {
        Self {
            mistakes: Mistakes::default(),
            kept: Kept::default(),
            searches: MAX_SEARCH_ROUNDS,
            delegated: false,
            first: None,
            asked_again: false,
        }
    }
}

/// What the model has got wrong in this turn.
#[derive(Default)]
pub(super) struct Mistakes {
    seen: HashSet<String>,
    loops: HashMap<String, Refused>,
    count: usize,
}

impl Mistakes {
    /// Whether a call that was cut as a loop comes again.
    pub(super) fn is_looping(&self, calls: &[HeardCall]) -> Option<Refused> {
        calls.iter().find_map(|heard| self.loops.get(&mistake(&heard.call))).cloned()
    }

    /// Takes what was refused; gives the refusal that ends the turn: the same mistake twice, or too many.
    pub(super) fn add(&mut self, settled: &[Settled]) -> Option<Refused> {
        for refused in settled.iter().filter_map(|settled| settled.refused.as_ref()) {
            self.count += 1;
            if refused.by == RefusedBy::Loop {
                self.loops.insert(refused.digest.clone(), refused.clone());
            }
            if !self.seen.insert(refused.digest.clone()) || self.count > MAX_MISTAKES {
                return Some(refused.clone());
            }
        }
        None
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

/// How many calls of a turn may be refused before it ends.
const MAX_MISTAKES: usize = 3;
/// How often a turn may search.
const MAX_SEARCH_ROUNDS: usize = 3;
