//! Sessions, notes, materials, files, reviews, verdicts, keys and audit entries: small documents with a version.
//!
//! One shape for all of them, so that a store is written once and the rules of a review or a session once, above it.
//! Changes are made together or not at all, and each names the version that it changes.

use super::StoreError;
use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A hosted conversation.
    Session,
    /// A note of a session.
    Note,
    /// A material of a session.
    Material,
    /// An uploaded file.
    File,
    /// Where a named reader is.
    Reader,
    /// A call that waits for a person, or did.
    Review,
    /// A verdict on a call.
    Verdict,
    /// The request that verdicts were made on, once for all of them.
    Request,
    /// What was said of a result.
    Examination,
    /// An entry of the audit log.
    Audit,
    /// An API key, as its digest.
    Key,
    /// Events of a writer that was fenced.
    Orphan,
    /// A request to the gateway and its answer, as people look at them.
    Exchange,
    /// A version of the policy.
    Policy,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Session,
        Self::Note,
        Self::Material,
        Self::File,
        Self::Reader,
        Self::Review,
        Self::Verdict,
        Self::Request,
        Self::Examination,
        Self::Audit,
        Self::Key,
        Self::Orphan,
        Self::Exchange,
        Self::Policy,
    ];

    /// The word in the store.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Note => "note",
            Self::Material => "material",
            Self::File => "file",
            Self::Reader => "reader",
            Self::Review => "review",
            Self::Verdict => "verdict",
            Self::Request => "request",
            Self::Examination => "examination",
            Self::Audit => "audit",
            Self::Key => "key",
            Self::Orphan => "orphan",
            Self::Exchange => "exchange",
            Self::Policy => "policy",
        }
    }

    /// The one with this word.
    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

/// A record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What it is.
    pub kind: Kind,
    /// Its name, unique among its kind.
    pub id: String,
    /// What it belongs to: mostly a session; empty for none.
    pub parent: String,
    /// A word that can be asked for: a review's state, a note's name; empty for none.
    pub state: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// 1 when it is made, one more with every change.
    pub version: u64,
    /// What it says.
    pub body: Value,
}

/// A change of one record.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new record (its `version` is taken as 1), with bytes where it has some.
    Insert(Record, Option<Bytes>),
    /// The same, unless there is one of this name already, which then stays as it is: never a conflict.
    Ensure(Record, Option<Bytes>),
    /// Another body and state for the version that was read. `parent`, `created_at` and the bytes stay.
    Replace {
        /// What it is.
        kind: Kind,
        /// Which.
        id: String,
        /// The version that was read.
        version: u64,
        /// Its new state.
        state: String,
        /// Its new body.
        body: Value,
    },
    /// No record any more. Not to be there is no conflict.
    Delete {
        /// What it is.
        kind: Kind,
        /// Which.
        id: String,
    },
}

/// What became of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// All were made.
    Done,
    /// None was made: this one (by its place) met a record that exists, is gone, or has another version.
    Conflict(usize),
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The oldest first, by time of making and then by id.
    #[default]
    OldestFirst,
    /// The newest first.
    NewestFirst,
}

/// Which records.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// Of one parent.
    pub parent: Option<&'a str>,
    /// With one state.
    pub state: Option<&'a str>,
    /// Made at or after this time.
    pub since: Option<i64>,
    /// Made before this time.
    pub until: Option<i64>,
    /// Only those that come after this one (its time and id) in the order.
    pub after: Option<(i64, &'a str)>,
    /// In which order.
    pub order: Order,
    /// At most so many; 0 means 1,000.
    pub limit: usize,
}

/// Where a record is in the order: when it was made, and its id.
pub type Place = (i64, String);

/// Which records there are, in two numbers: where both are the same as before, none was made or removed in between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// How many.
    pub count: u64,
    /// The sum of when they were made, each modulo 2^32: no count of records makes it overflow.
    pub times: i64,
}

impl Fingerprint {
    /// That of records made at these times.
    pub fn of(times: impl IntoIterator<Item = i64>) -> Self {
        times.into_iter().fold(Self::default(), |sum, at| Self { count: sum.count + 1, times: sum.times + (at & LOW) })
    }
}

/// What of a time goes into a fingerprint.
const LOW: i64 = 0xFFFF_FFFF;

/// The records.
#[async_trait]
pub trait Records: Send + Sync {
    /// Makes changes, all or none; durable when it returns.
    async fn apply(&self, changes: Vec<Change>) -> Result<Applied, StoreError>;

    /// The same for changes that something urgent follows at once, such as the event of the verdict that they record. A
    /// store that writes in groups may let them wait for it a few milliseconds, so that both are one commit.
    async fn apply_in_company(&self, changes: Vec<Change>) -> Result<Applied, StoreError> {
        self.apply(changes).await
    }

    /// One record.
    async fn get(&self, kind: Kind, id: &str) -> Result<Option<Record>, StoreError>;

    /// The bytes of a record.
    async fn bytes(&self, kind: Kind, id: &str) -> Result<Option<Bytes>, StoreError>;

    /// Several records.
    async fn list(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Record>, StoreError>;

    /// The places of the records that `list` would give. No body is read, so it costs little.
    async fn list_places(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Place>, StoreError>;

    /// Which records of a kind there are that were made before a time.
    async fn fingerprint(&self, kind: Kind, until: i64) -> Result<Fingerprint, StoreError>;

    /// How many there are of a kind with a state (an empty state means any).
    async fn count(&self, kind: Kind, state: &str) -> Result<u64, StoreError>;

    /// How many bytes the records of these kinds take, about: bodies and bytes.
    async fn size(&self, kinds: &[Kind]) -> Result<u64, StoreError>;

    /// The rows that could not be read when they were asked for: each was listed with a body that says so.
    fn unreadable(&self) -> Vec<(Kind, String)> {
        Vec::new()
    }

    /// Removes every record of these kinds that belongs to a parent.
    async fn remove_children(&self, parent: &str, kinds: &[Kind]) -> Result<(), StoreError>;
}
