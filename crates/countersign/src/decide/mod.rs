//! From findings to a decision: the only place that turns what was found into what happens.

/// The status and score of a call.
pub(crate) mod call;
/// The status of a whole step.
pub mod step;
/// What an approval is bound to.
pub mod binding;
/// A call that may run.
pub mod cleared;

pub use binding::Binding;
pub use call::{score, status};
pub use cleared::{Approval, ClearedCall, Proposal, Scope};
