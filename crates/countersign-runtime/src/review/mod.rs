//! A person decides (REVIEW-1, REVIEW-2): calls that wait, who has them, and what was said.
//!
//! An item is bound to the caller, the conversation, the tool as it was shown, the digest of the arguments and the version
//! of the policy; an approval of one is no approval of another, and it is used once. Whoever waits too long is denied. Every step is an entry of the audit log,
//! written together with the step.

/// What an item is.
mod item;
/// A call, put before people.
mod proposal;
/// The queue.
mod queue;

pub use item::{Conversation, Decided, Decision, NewReview, Origin, Resolution, Review, ReviewState, Reviewer};
pub use proposal::{ProposedCall, ProposedResult};
pub use queue::{ReviewError, Reviews};
