//! What touches the world around the engine: files, databases, the network and the clock.
//!
//! The engine asks questions and takes answers; here they are answered. The rooms, in reading order.

/// Answers to the engine's questions about endpoints, permissions and records.
pub mod ask;
/// Claims looked up in tool results, documents and the like.
pub mod factcheck;

pub use ask::{AskError, Asker, FactChecker, judge, judge_in};
