//! Bugs that can be planted, so that every fault test can show that it is able to fail.
//!
//! Each is a mistake that a log of events invites, and each has its fault in `docs/reliability.md`. A hub or the turns are
//! given one by a constructor that exists only with the feature `planted-bugs`, which no build that ships turns on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A mistake, on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(not(feature = "planted-bugs"), expect(unreachable_pub, reason = "public with the feature only"))]
pub enum PlantedBug {
    /// Nobody looks for writers that have died.
    NoSweeper,
    /// A writer that was given up for dead writes on.
    NoFence,
    /// A cursor's own event is sent again: `>=` for `>`.
    CursorIncluded,
    /// A reader looks where the log ends before it asks to be told of more.
    ReadBeforeSubscribe,
    /// What was sent to one reader counts as sent to all.
    MarkReplayed,
    /// What a reader does not take is kept for it, however much.
    UnboundedChannel,
    /// A full disk is taken for success.
    SwallowedError,
    /// Events are numbered by the clock.
    WallClockIds,
    /// A call whose end was never seen is run.
    RunPartialArguments,
    /// The process ends without waiting for its turns.
    AbortedTasks,
}

/// Which bug is planted. Without the feature there is none, and the compiler drops every branch that asks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BugSwitch(#[cfg(feature = "planted-bugs")] Option<PlantedBug>);

impl BugSwitch {
    #[cfg(feature = "planted-bugs")]
    pub(crate) fn plant(bug: Option<PlantedBug>) -> Self {
        Self(bug)
    }

    #[cfg(feature = "planted-bugs")]
    pub(crate) fn is(self, bug: PlantedBug) -> bool {
        self.0 == Some(bug)
    }

    #[cfg(not(feature = "planted-bugs"))]
    pub(crate) fn is(self, _: PlantedBug) -> bool {
        false
    }
}

/// The bug of a hub, if it has one, and what the bug remembers.
#[derive(Debug, Default)]
pub(super) struct Plant {
    bug: BugSwitch,
    marked: Mutex<HashMap<Arc<str>, u64>>,
}

impl Plant {
    pub(super) fn new(bug: BugSwitch) -> Self {
        Self { bug, marked: Mutex::default() }
    }

    pub(super) fn is(&self, bug: PlantedBug) -> bool {
        self.bug.is(bug)
    }

    /// Whether a reader is given an event: always, unless it counts as sent to all once it was sent to one.
    pub(super) fn gives(&self, run: &Arc<str>, seq: u64) -> bool {
        if !self.is(PlantedBug::MarkReplayed) {
            return true;
        }
        let mut marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = marked.entry(Arc::clone(run)).or_default();
        let first = seq > *newest;
        *newest = seq.max(*newest);
        first
    }
}
