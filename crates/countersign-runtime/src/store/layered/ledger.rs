//! What this node knows about the runs it writes: under which epoch, how far, and what of them is only in the spool.
//!
//! It is learned from the node's own claims and appends, never guessed. A run is written by one call at a time, so that the
//! spool has its appends in order.

use crate::store::{Append, Appended, Head, Lease, TurnMark};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The runs.
#[derive(Default)]
pub(super) struct Ledger {
    runs: Mutex<HashMap<Arc<str>, Arc<Run>>>,
}

/// A run.
#[derive(Default)]
pub(super) struct Run {
    /// Held by whoever writes or replays it.
    pub(super) writing: tokio::sync::Mutex<()>,
    known: Mutex<Known>,
}

/// What is known of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// The node that claimed it; empty where that is not known, as after a restart.
    pub(super) node: String,
    /// Where it is, as this node left it or last saw it.
    pub(super) head: Head,
    /// What of it is in the spool: the first number of each append, and its place.
    pub(super) spooled: Vec<(u64, u64)>,
    /// Up to which place the record has it.
    pub(super) replayed: u64,
}

impl Ledger {
    /// A run, which may be one that nothing is known of.
    pub(super) fn run(&self, name: &str) -> Arc<Run> {
        let mut runs = self.runs();
        if let Some(run) = runs.get(name) {
            return Arc::clone(run);
        }
        if runs.len() >= MAX_RUNS {
            // What is idle is learned again by the next claim.
            runs.retain(|_, run| run.is_needed() || Arc::strong_count(run) > 1);
        }
        Arc::clone(runs.entry(name.into()).or_default())
    }

    /// A run, if anything is known of it.
    pub(super) fn find(&self, name: &str) -> Option<Arc<Run>> {
        self.runs().get(name).map(Arc::clone)
    }

    /// The runs that have something in the spool, in the order of their names.
    pub(super) fn spooled(&self) -> Vec<Arc<str>> {
        let runs = self.runs();
        let spooled = runs.iter().filter(|(_, run)| run.known().is_spooled());
        let mut names: Vec<_> = spooled.map(|(name, _)| Arc::clone(name)).collect();
        names.sort();
        names
    }

    /// Whether there is any.
    pub(super) fn has_spooled(&self) -> bool {
        self.runs().values().any(|run| run.known().is_spooled())
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Run>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    /// What is known of it.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_needed(&self) -> bool {
        let known = self.known();
        known.head.open || known.is_spooled()
    }
}

impl Known {
    /// Whether an append is the next word of this node in its own run.
    pub(super) fn is_ours(&self, epoch: u32) -> bool {
        epoch > 0 && self.head.epoch == epoch
    }

    /// Whether some of it is only in the spool.
    pub(super) fn is_spooled(&self) -> bool {
        !self.spooled.is_empty()
    }

    /// Learns from a claim.
    pub(super) fn claimed(&mut self, node: &str, lease: &Lease) {
        self.node = node.to_owned();
        self.head = Head { epoch: lease.epoch, seq: lease.seq, open: lease.open, oldest: self.head.oldest.max(1) };
    }

    /// Learns from what became of an append.
    pub(super) fn appended(&mut self, append: &Append, outcome: &Appended) {
        match outcome {
            Appended::Done => self.wrote(append),
            // An earlier attempt, whose answer was lost.
            Appended::Duplicate if append.after >= self.head.seq => self.wrote(append),
            Appended::Duplicate => {}
            Appended::Gap { head } => self.head = Head { epoch: append.epoch, seq: *head, ..self.head },
            Appended::Busy => self.head.open = true,
            // Not ours any more.
            Appended::Fenced { .. } => self.head = Head::default(),
        }
    }

    /// Learns that an append was kept, in the record or in the spool.
    pub(super) fn wrote(&mut self, append: &Append) {
        self.head.epoch = append.epoch;
        self.head.seq = append.after + append.entries.len() as u64;
        match append.turn {
            TurnMark::Keep => {}
            TurnMark::Open => self.head.open = true,
            TurnMark::Close => self.head.open = false,
        }
    }

    /// Learns that an append is in the spool.
    pub(super) fn spooled(&mut self, append: &Append, place: u64) {
        self.wrote(append);
        self.spooled.push((append.after + 1, place));
    }

    /// The place of the spooled append that holds a number; none for numbers before the spool.
    pub(super) fn place_of(&self, seq: u64) -> Option<u64> {
        // Appends without events have the number of the next one's first: the last of equals holds it.
        let behind = self.spooled.partition_point(|(first, _)| *first <= seq);
        self.spooled.get(behind.checked_sub(1)?).map(|(_, place)| *place)
    }

    /// The last place in the spool.
    pub(super) fn last_place(&self) -> u64 {
        self.spooled.last().map_or(0, |(_, place)| *place)
    }
}

const MAX_RUNS: usize = 100_000;
