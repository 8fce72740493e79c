//! Claims: what a message says about the world that nobody has verified yet.
//!
//! Patterns find what is worth checking, not what is wrong: a claim is "unverified", never "false". The parts, in
//! reading order: finding them, and what becomes of them from message to message.

/// Where claims are in a text.
pub mod find;
/// What ships, and the patterns of the policy.
pub mod marked;
/// Whether two claims say the same.
pub mod known;
/// A message with its marks.
pub mod mark;
/// Which claim is checked first.
pub mod worth;
/// Shares, totals and growth, recomputed.
pub mod arithmetic;
/// A claim held against a passage.
pub mod settle;
/// Which claims of an answer stand in what it was made from.
pub mod support;
/// Where a claim comes from, and what follows from it.
pub mod lineage;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    find::build_tables();
    known::build_tables();
    arithmetic::build_tables();
    settle::build_tables();
}
