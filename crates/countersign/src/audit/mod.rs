//! A recorded conversation, judged from its beginning to its end: each call by the line with what was said before it,
//! each result by what it answers, each answer by what was done.
//!
//! Nothing here runs, asks or writes. What a trace does not hold cannot be checked, and that is said: a call without a list
//! of tools is not a call that passed.

/// What was found in one conversation.
pub mod report;
/// A coding agent's session.
mod coding;
/// START HERE: the walk over a conversation.
mod walk;
/// What another policy would have done.
pub mod compare;

pub use report::{Counts, Item, ItemKind, NotChecked, Report};
pub use walk::Auditor;
