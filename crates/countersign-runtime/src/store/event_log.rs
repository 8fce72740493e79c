//! The log of events: one run a session, dense numbers, one writer at a time.
//!
//! The writer is the owner of the run's lease. A lease is not a time: it is an epoch that goes up whenever another node
//! takes over, and every append names its epoch, so a writer that was given up for dead is fenced by its first word.
//! Whether a node is alive is told by its beat, a number that it raises; the watcher measures with its own monotonic
//! clock how long it has not changed. No wall clock of any machine takes part.

use super::StoreError;
use async_trait::async_trait;
use countersign::contract::{EventId, EventType};
use std::sync::Arc;

/// An event as the log keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub id: EventId,
    /// What happened.
    pub kind: EventType,
    /// When it was written, in milliseconds since 1970: for people and for retention, never for order.
    pub at: i64,
    /// The event as JSON, whole but for `meta`.
    pub body: Arc<str>,
}

/// What an append does to the run's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnMark {
    /// Nothing.
    Keep,
    /// It begins: refused as `Busy` where one is open.
    Open,
    /// It ends.
    Close,
}

/// Events to be written, all or none.
#[derive(Debug, Clone)]
pub struct Append {
    /// The run: a session.
    pub run: Arc<str>,
    /// Under which lease.
    pub epoch: u32,
    /// After which event; the first entry has the next number.
    pub after: u64,
    /// The events, dense, of this epoch. May be empty with `Close` or `Open`.
    pub entries: Vec<Entry>,
    /// What they do to the turn.
    pub turn: TurnMark,
}

impl Append {
    /// Whether its entries are what the log takes: one number after the other from `after` on, all of its epoch. A store
    /// answers anything else with `Broken`, before it looks at the run.
    pub fn is_dense(&self) -> bool {
        self.entries
            .iter()
            .zip(1..)
            .all(|(entry, place)| entry.id.epoch == self.epoch && self.after.checked_add(place) == Some(entry.id.seq))
    }
}

/// What became of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// Written and durable.
    Done,
    /// All of it was there already, byte for byte.
    Duplicate,
    /// The log does not end where the writer thinks.
    Gap {
        /// Where it ends.
        head: u64,
    },
    /// Another writer has taken over.
    Fenced {
        /// Its epoch.
        epoch: u32,
    },
    /// A turn is open already.
    Busy,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// The epoch of its writer; 0 for a run that nobody has written.
    pub epoch: u32,
    /// The newest event; 0 where there is none.
    pub seq: u64,
    /// The oldest event that is kept; one past the newest where none is.
    pub oldest: u64,
    /// Whether a turn is open.
    pub open: bool,
}

/// A node that writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Its name, new with every process.
    pub node: String,
    /// Where the other nodes reach it; empty where they cannot.
    pub address: String,
}

/// The right to write a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The epoch to write under.
    pub epoch: u32,
    /// The newest event.
    pub seq: u64,
    /// Whether a turn is open (only ever true where the lease was ours before, or was seized).
    pub open: bool,
}

/// What became of the wish to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// The run is ours.
    Held(Lease),
    /// Another node has a turn open in it.
    Taken(Owner),
}

/// A run with an open turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRun {
    /// The run.
    pub run: Arc<str>,
    /// Its epoch.
    pub epoch: u32,
    /// Who writes it.
    pub owner: Owner,
}

/// A run, for retention and listings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunInfo {
    /// The run.
    pub run: Arc<str>,
    /// Where it is.
    pub head: Head,
    /// How many bytes its events take.
    pub bytes: u64,
}

/// What of a run is kept when it is trimmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    /// Only what was written at or after this time, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only the newest events that fit in so many bytes of bodies.
    pub bytes: Option<u64>,
}

/// The log. Every method is safe to repeat, and an `Err` means that nothing was done or that doing it again is right.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Asks for the right to write a run, and makes the run where there is none.
    ///
    /// Ours already: the same epoch. Never written: epoch 1. Another's without an open turn: the next epoch. Another's with
    /// an open turn: `Taken`.
    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError>;

    /// Takes a run from a writer that was found dead, if its epoch is still the one that was seen; gives the next epoch.
    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError>;

    /// Writes events; returns once they are durable. The order of the questions: epoch (`Fenced`), what is there
    /// already (`Duplicate`), the end (`Gap`), the turn (`Busy`).
    async fn append(&self, append: Append) -> Result<Appended, StoreError>;

    /// Events after a number, in order, at most so many, and at most [`READ_BYTES`] of bodies (but at least one event).
    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError>;

    /// Where a run is; all zero (oldest 1) for one that nobody has written.
    async fn head(&self, run: &str) -> Result<Head, StoreError>;

    /// Where several runs stand, in the order asked.
    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError>;

    /// All runs with an open turn.
    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError>;

    /// Raises this node's beat.
    async fn beat(&self, owner: &Owner) -> Result<(), StoreError>;

    /// The beats of all nodes that own an open run.
    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError>;

    /// Runs in order of their names, after one.
    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError>;

    /// Removes the oldest events that need not be kept; returns the oldest that is left (one past the head if none).
    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError>;

    /// Removes a run with all its events. Its numbers may start over.
    async fn remove(&self, run: &str) -> Result<(), StoreError>;

    /// Whether the store can be written right now.
    async fn probe(&self) -> Result<(), StoreError>;
}

/// So many bytes of bodies are read at once, unless a single event is larger.
pub const READ_BYTES: usize = 4 * 1024 * 1024;
