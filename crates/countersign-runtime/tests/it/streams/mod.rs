//! Readers and writers of a log in memory: what was missed, in order, once; then live; then the end.

#![expect(clippy::expect_used, reason = "a test that fails says what it expected")]

/// What every test here needs.
pub(crate) mod bench;
/// Where readers begin and end.
mod reading;
/// Readers that stay from turn to turn.
mod following;
/// Writers that die, sleep and come back.
mod leases;
/// Whole turns with a model that says what the test wants.
mod turns;
