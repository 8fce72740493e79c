//! Everything in this process's memory: the plainest form of each store, and the model that the others are held against.
//!
//! For tests, for `--data-dir :memory:`, and for what a node does while a shared store is unavailable. Nothing survives the
//! process.

/// The log.
mod log;
/// The records.
mod records;
/// The flags.
mod flags;
/// The limiter.
mod limiter;

pub use flags::MemoryFlags;
pub use limiter::MemoryLimiter;
pub use log::MemoryLog;
pub use records::MemoryRecords;
