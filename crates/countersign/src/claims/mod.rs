//! Claims: what a message says about the world that nobody has verified yet.
//!
//! Patterns find what is worth checking, not what is wrong: a claim is "unverified", never "false". The parts, in
//! reading order: finding them, and what becomes of them from message to message.

/// Where claims stand in a text.
pub mod find;
