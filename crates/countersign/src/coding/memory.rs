//! What a session brings to a call: the user's words, what was written and is dangerous to run, what was read that gives orders
//! or holds secrets, and whether a hook of git refused.

use super::ledger::Entry;
use super::wish::Wishes;
use sha2::{Digest, Sha256};

/// What a call is judged by besides itself.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) wishes: Wishes,
    /// All that the user said in this session, in lower case.
    pub(crate) said: String,
    /// What was written and is dangerous to run.
    pub(crate) armed: Vec<Armed>,
    /// Passages that order something, with the file that they were read in.
    pub(crate) orders: Vec<(String, Option<String>)>,
    /// The marks of the secrets that were read.
    pub(crate) secrets: Vec<String>,
    /// Whether a hook of git refused a commit or a push in this turn.
    pub(crate) refused: bool,
}

/// A file, a target in it or an alias, which does what would have been stopped as a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Armed {
    /// The file.
    pub path: String,
    /// The target in it; empty for the whole file.
    pub target: String,
    /// What was said against it.
    pub reason: String,
    /// Whether it was refused; otherwise it was asked about.
    pub refused: bool,
}

impl Memory {
    /// Reads a ledger.
    pub fn of(ledger: &[Entry]) -> Self {
        let mut memory = Self::default();
        let (mut words, mut offered, mut offers): (&str, &[String], &[String]) = ("", &[], &[]);
        for entry in ledger {
            match entry {
                Entry::Prompt { words: said } => {
                    memory.said.push_str(&said.to_lowercase());
                    memory.said.push('\n');
                    memory.refused = false;
                    (words, offered, offers) = (said, offers, &[]);
                }
                Entry::Offered { commands } => offers = commands,
                Entry::Armed { path, target, reason, refused } => {
                    memory.armed.retain(|armed| armed.path != *path || (armed.target != *target && !target.is_empty()));
                    let (path, target, reason) = (path.clone(), target.clone(), reason.clone());
                    memory.armed.push(Armed { path, target, reason, refused: *refused });
                }
                Entry::Ordered { words, path } => memory.orders.push((words.clone(), path.clone())),
                Entry::Secret { mark } => memory.secrets.push(mark.clone()),
                Entry::HookRefused => memory.refused = true,
                _ => {}
            }
        }
        memory.armed.retain(|armed| !armed.reason.is_empty());
        memory.wishes = Wishes::of(words, offered);
        memory
    }

    /// What was written and is dangerous to run.
    pub fn armed(&self) -> &[Armed] {
        &self.armed
    }

    /// Whether the user said this.
    pub(crate) fn was_said(&self, text: &str) -> bool {
        self.said.contains(&text.to_lowercase())
    }
}

/// What a secret is known by without being kept.
pub(crate) fn mark(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
