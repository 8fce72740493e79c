//! Somebody who watches the line: where a call is, and what each check has said.
//!
//! The core reads no clock; whoever wants to know what a check costs brings one and is told when it begins and ends.
//! Nobody watches in the hot path: the watcher is a type, and one that does nothing costs nothing. A watcher is told
//! copies and can change nothing, so a watched call gets the verdict that it gets anyway.

use crate::contract::{Finding, Mode};

/// Who watches.
pub trait Watch {
    /// A check begins.
    fn begin(&mut self, check: &'static str);

    /// It is over; so many findings there are by now, its own among them. They come in the order of the line.
    /// Its mode is looked up only for those who ask.
    fn end(&mut self, check: &'static str, mode: impl FnOnce() -> Mode, findings: usize);

    /// Every finding in the order of the line, as people may see it. Who does not ask for them pays nothing.
    fn said(&mut self, findings: impl FnOnce() -> Vec<Finding>);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Watch for Nobody {
    #[inline]
    fn begin(&mut self, _: &'static str) {}

    #[inline]
    fn end(&mut self, _: &'static str, _: impl FnOnce() -> Mode, _: usize) {}

    #[inline]
    fn said(&mut self, _: impl FnOnce() -> Vec<Finding>) {}
}

/// The stops of the line that are no entries of its list of checks: the name.
pub const NAME: &str = "name";
/// The arguments as an object.
pub const ARGUMENTS: &str = "arguments";
/// The arguments against the schema.
pub const SCHEMA: &str = "schema";
/// What is done about the call.
pub const DECISION: &str = "decision";
