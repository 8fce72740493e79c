//! A person decides (REVIEW-1, REVIEW-2): calls, results and answers that wait, who has them, and what was said.
//!
//! An item is bound to the caller, the conversation, the tool as it was shown, the digest of the arguments and the version
//! of the policy; an approval of one is no approval of another, and it is used once. Whoever waits too long is denied. Every step is an entry of the audit log,
//! written together with the step. What is decided on a result or an answer clears no call.

/// What became of an item.
mod state;
/// Why a step was not taken.
mod error;
/// What an item is.
mod item;
/// An item in a few sentences.
mod summary;
/// A call, a result or an answer, put before people.
mod proposal;
/// The queue.
mod queue;

pub use error::ReviewError;
pub use item::{About, Conversation, Decided, Decision, NewReview, Origin, Resolution, Review, Reviewed, Reviewer};
pub use proposal::{HostedResult, ProposedAnswer, ProposedCall, ProposedResult};
pub use queue::Reviews;
pub use state::ReviewState;
pub use summary::Summary;
