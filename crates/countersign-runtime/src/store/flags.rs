//! The stop flags: a set that grows and merges by union, so that no order of messages between nodes loses a stop.
//!
//! A flag counts how often it was raised and up to which raise it was cleared; the merge of two views is the greater of
//! each. A clear that has not seen the newest raise does not undo it.

use super::StoreError;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What is stopped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every session, also those that do not exist yet.
    All,
    /// One session.
    Session(String),
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => out.write_str("all"),
            Self::Session(id) => write!(out, "session:{id}"),
        }
    }
}

impl Scope {
    /// Reads what `Display` wrote.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.strip_prefix("session:") {
            Some(id) => Some(Self::Session(id.to_owned())),
            None => (name == "all").then_some(Self::All),
        }
    }
}

/// A flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// What it stops.
    pub scope: Scope,
    /// How often it was raised.
    pub raised: u64,
    /// Up to which raise it was cleared.
    pub cleared: u64,
    /// When it was last raised, in milliseconds since 1970, for people.
    pub at: i64,
}

impl Flag {
    /// Whether it stops.
    pub fn is_up(&self) -> bool {
        self.raised > self.cleared
    }

    /// Both views in one. The time is that of the greater raise; of two equal raises the later.
    pub fn merge(&mut self, other: &Self) {
        self.at = match other.raised.cmp(&self.raised) {
            std::cmp::Ordering::Greater => other.at,
            std::cmp::Ordering::Equal => self.at.max(other.at),
            std::cmp::Ordering::Less => self.at,
        };
        self.raised = self.raised.max(other.raised);
        self.cleared = self.cleared.max(other.cleared);
    }
}

/// Merges flags into a view.
pub fn merge_flags(view: &mut BTreeMap<Scope, Flag>, flags: &[Flag]) {
    for flag in flags {
        match view.get_mut(&flag.scope) {
            Some(known) => known.merge(flag),
            None => {
                view.insert(flag.scope.clone(), flag.clone());
            }
        }
    }
}

/// Where flags are kept.
#[async_trait]
pub trait Flags: Send + Sync {
    /// Merges these into what is kept, durably, and returns everything that is kept then, in the order of the scopes.
    /// With none it only reads.
    async fn merge(&self, flags: &[Flag]) -> Result<Vec<Flag>, StoreError>;

    /// Whether what is kept is there after a restart.
    fn is_durable(&self) -> bool {
        true
    }
}
