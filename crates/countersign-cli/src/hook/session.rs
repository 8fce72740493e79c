//! What a session did, on disk: the engine's ledger as lines that are only appended, so that hooks that run beside each
//! other lose nothing.

use super::event::HookEvent;
use super::home::Home;
use countersign::coding::ledger::Entry;
use sha2::{Digest, Sha256};

/// The session of an event.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    home: &'a Home,
    file: String,
}

impl<'a> Session<'a> {
    /// The session of an event.
    pub(crate) fn of(home: &'a Home, event: &HookEvent) -> Self {
        let name = format!("{}:{}", event.agent.name(), event.session);
        Self { home, file: format!("sessions/{}", short_hash(&name)) }
    }

    /// Adds what happened. A disk that is full must not stop the agent's work: what is not recorded is not judged.
    pub(crate) fn add(&self, entry: &Entry) {
        if let Ok(line) = serde_json::to_string(entry) {
            let _ = self.home.append(&format!("{}.jsonl", self.file), &line);
        }
    }

    /// Everything so far.
    pub(crate) fn ledger(&self) -> Vec<Entry> {
        self.home
            .read(&format!("{}.jsonl", self.file))
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// Whether nothing is recorded yet.
    pub(crate) fn is_new(&self) -> bool {
        !self.home.path().join(format!("{}.jsonl", self.file)).exists()
    }

    /// Keeps the agent's last words for a stop that does not repeat them.
    pub(crate) fn remember(&self, answer: &str) {
        let _ = self.home.write(&format!("{}.answer", self.file), answer);
    }

    /// The agent's last words.
    pub(crate) fn remembered(&self) -> String {
        self.home.read(&format!("{}.answer", self.file))
    }

    /// A file of this session with another ending.
    pub(crate) fn beside(&self, ending: &str) -> String {
        format!("{}.{ending}", self.file)
    }
}

/// Eight bytes of a hash, in hexadecimal digits.
pub(crate) fn short_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
