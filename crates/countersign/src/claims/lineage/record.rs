//! What the graph keeps of a claim, and what it answers about one.

use crate::contract::{Claim, ClaimKind, ClaimSource, ClaimStatus, ClaimValue, Language};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// How much the graph may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Claims; past it the oldest settled one goes first, then the oldest pending one.
    pub claims: usize,
    /// Earlier claims that one claim is linked to.
    pub parents: usize,
    /// Bytes of a claim's sentence.
    pub sentence: usize,
    /// Names of pending claims that had to go.
    pub forgotten: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { claims: 10_000, parents: 4, sentence: 600, forgotten: 10_000 }
    }
}

/// A claim as the graph keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) number: u64,
    pub(super) id: String,
    pub(super) message: String,
    pub(super) text: String,
    pub(super) kind: ClaimKind,
    pub(super) value: Option<ClaimValue>,
    pub(super) language: Language,
    /// The sentence, or the part around the claim.
    pub(super) sentence: String,
    /// Where the claim is in it.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) parents: Vec<Parent>,
    /// What was found when it was looked up itself.
    pub(super) own: Option<State>,
    /// What holds now.
    pub(super) state: State,
    #[serde(skip)]
    pub(super) children: BTreeSet<u64>,
}

impl Record {
    /// The claim in its kept sentence, to be read again.
    pub(super) fn claim(&self) -> Claim {
        Claim {
            id: Some(self.id.clone()),
            start: self.start,
            end: self.end,
            utf16_start: 0,
            utf16_end: 0,
            text: self.text.clone(),
            kind: self.kind.clone(),
            value: self.value.clone(),
            language: self.language,
            status: self.state.status,
            verify_note: None,
            source: None,
        }
    }
}

/// What became of a claim, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) status: ClaimStatus,
    pub(super) note: Option<String>,
    pub(super) source: Option<ClaimSource>,
}

/// A link to an earlier claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Parent {
    pub(super) number: u64,
    pub(super) id: String,
    pub(super) how: How,
    /// What it was when the graph had to forget it.
    pub(super) gone: Option<State>,
}

/// How a claim hangs on an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It says the same, rounded, or in other words.
    Repeats,
    /// It was computed from it.
    DerivesFrom {
        /// The computation.
        formula: String,
    },
}

/// A message as the graph keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Message {
    pub(super) from: String,
    pub(super) to: String,
    /// Tells another text under the same id.
    pub(super) digest: String,
    /// The numbers of its claims that are still kept.
    pub(super) claims: BTreeSet<u64>,
}

/// What the graph knows of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is kept, with this status.
    Kept(ClaimStatus),
    /// It was pending when it had to go; its mark stays on its message.
    Forgotten,
    /// It was never added, or it was settled and has gone.
    Unknown,
}

/// One step of the way that a value came.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The claim.
    pub id: String,
    /// How many links it lies back; 0 is the claim that was asked about.
    pub back: usize,
    /// The message it is in; absent once forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who said it to whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<(String, String)>,
    /// Its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The sentence it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// What became of it.
    pub status: ClaimStatus,
    /// Why, where it was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The claims it hangs on, and how. None: it begins here.
    pub from: Vec<(String, How)>,
}

impl fmt::Display for Step {
    fn fmt(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(text), Some((from, to))) = (&self.text, &self.between) else {
            return write!(words, "{} (forgotten, was {})", self.id, self.status.name());
        };
        write!(words, "{} “{text}” ({from} → {to}), {}", self.id, self.status.name())?;
        for (id, how) in &self.from {
            match how {
                How::Repeats => write!(words, ", repeats {id}")?,
                How::DerivesFrom { formula } => write!(words, ", derives from {id} ({formula})")?,
            }
        }
        if self.from.is_empty() { write!(words, ", begins here") } else { Ok(()) }
    }
}

/// Why a message cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineageError {
    /// The message has no id, so its claims cannot be told apart.
    #[error("the message has no id; give every message one")]
    NoId,
    /// The id belongs to another text.
    #[error("the message id `{id}` belongs to another text; give every message an id of its own")]
    Taken {
        /// The id.
        id: String,
    },
}
