//! Streams that always end and always resume: the log's writers, its readers, and the watch over both.
//!
//! The rules (STREAM-2, STREAM-3). The log is the only source of what a reader sees, and an event is durable before it is
//! visible. A reader subscribes to the head first, then reads up to it, then waits for it to move: there is no splice of
//! replay and live, so there is no gap and no duplicate. A turn ends with exactly one terminal event, which is a row of
//! the log; where its writer has died, another writes `lost` under the next epoch. Nothing here knows what an event means.

/// Bugs that tests plant.
mod planted;
/// An event before it has a number, and as a row of the log.
mod draft;
/// Server-sent events, to the byte.
pub mod frame;
/// What this node knows of one run.
mod run;
/// Turns that can go on without the process that wrote them.
mod rescue;
/// The log with its runs, writers and readers.
mod hub;
/// The one writer of a run.
mod run_writer;
/// Where a reader begins.
mod cursor;
/// One reader of a run.
mod reader;
/// Nodes that have died, and news from those that live.
mod watch;
/// What need not be kept.
mod retention;

pub use cursor::{BadCursor, FollowFrom, Mode, Start};
pub use draft::{Draft, now_millis, timestamp};
pub use hub::{Hub, HubOptions};
pub(crate) use planted::BugSwitch;
#[cfg(feature = "planted-bugs")]
pub use planted::PlantedBug;
#[cfg(not(feature = "planted-bugs"))]
pub(crate) use planted::PlantedBug;
pub use reader::{Frames, Reader};
pub use rescue::Rescuer;
pub use retention::Retention;
pub use run_writer::{RunWriter, WriteError};
