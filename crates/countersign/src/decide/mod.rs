//! From findings to a decision: the only place that turns what was found into what happens.

/// The status and score of a call.
pub(crate) mod call;
/// The status of a whole step.
pub(crate) mod step;

pub use call::{ClearedCall, clear, score, status};
