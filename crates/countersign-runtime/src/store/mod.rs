//! What must outlive a process: the event log, the records, the stop flags, and the limits that nodes share.
//!
//! Small traits, each with a memory, a SQLite and a PostgreSQL or Redis form, and one contract suite
//! (`tests/it/store_contract.rs`) that every form passes. A store keeps and compares; it never decides: who may write, what
//! a turn is and when a reader ends are questions for `stream`. Nothing here reads the wall clock to put things in
//! order.

/// Why a store could not do its work.
mod error;
/// The log of events.
mod event_log;
/// Sessions, notes, files, reviews and the like.
mod records;
/// JSON as it is stored.
pub mod stored_json;
/// The stop flags, which merge.
mod flags;
/// How often somebody may ask.
mod limiter;
/// Word from other nodes that something is new.
mod hints;
/// Everything in this process's memory.
pub mod memory;
/// Everything in one file: the default.
pub mod sqlite;
/// Everything in a PostgreSQL database that several nodes share.
pub mod postgres;
/// What nodes tell each other through Redis: the hot tail, flags, limits and hints.
pub mod redis;
/// Stores in front of stores: a hot tail over the record, and a spool while the record is unavailable.
pub mod layered;

pub use error::StoreError;
pub use event_log::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, READ_BYTES, RunInfo, TurnMark,
};
pub use flags::{Flag, Flags, Scope, merge_flags};
pub use hints::{Hint, Hints};
pub use limiter::{Limiter, Quota, Taken};
pub use records::{Applied, Change, Fingerprint, Kind, Order, Place, Query, Record, Records};

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    redis::build_tables();
}
