//! Stores in front of stores, for a deployment of several nodes: a hot tail over the record, and a spool for the time when
//! the record is unavailable.
//!
//! Both are event logs themselves and change nothing of what a log promises. The hot tail only ever repeats what the
//! record says, and the spool only ever holds what its owner could not yet tell the record. Neither lets a node write a
//! run that is not its own.

/// The newest events in Redis, compared with the record before anybody sees them.
mod hot_tail;
/// Appends on a local disk, until the record takes them.
mod journal;
/// What this node knows about the runs it writes.
mod ledger;
/// The way back from the spool to the record.
mod replay;
/// What a node does while the record is unavailable.
mod outage;
/// The log that goes on while the record is unavailable.
mod spooled;

pub use hot_tail::HotTail;
pub use spooled::Spooled;
