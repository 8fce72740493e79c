//! The log in memory.

use crate::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, READ_BYTES, RunInfo, StoreError,
    TurnMark,
};
use async_trait::async_trait;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The log.
#[derive(Debug, Default)]
pub struct MemoryLog {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    runs: BTreeMap<Arc<str>, Run>,
    beats: BTreeMap<String, u64>,
}

#[derive(Debug)]
struct Run {
    epoch: u32,
    seq: u64,
    open: bool,
    owner: Owner,
    entries: VecDeque<Entry>,
}

impl MemoryLog {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    fn new(owner: &Owner) -> Self {
        Self { epoch: 1, seq: 0, open: false, owner: owner.clone(), entries: VecDeque::new() }
    }

    fn head(&self) -> Head {
        let oldest = self.entries.front().map_or(self.seq + 1, |entry| entry.id.seq);
        Head { epoch: self.epoch, seq: self.seq, oldest, open: self.open }
    }

    fn lease(&self) -> Lease {
        Lease { epoch: self.epoch, seq: self.seq, open: self.open }
    }

    fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.body.len() as u64).sum()
    }

    fn take_over(&mut self, owner: &Owner) {
        self.epoch += 1;
        self.owner = owner.clone();
    }

    fn append(&mut self, append: Append) -> Appended {
        if append.epoch != self.epoch {
            return Appended::Fenced { epoch: self.epoch };
        }
        if !append.entries.is_empty() && self.holds(&append.entries) {
            return Appended::Duplicate;
        }
        if append.after != self.seq {
            return Appended::Gap { head: self.seq };
        }
        if append.turn == TurnMark::Open && self.open {
            return Appended::Busy;
        }
        self.seq += append.entries.len() as u64;
        self.entries.extend(append.entries);
        match append.turn {
            TurnMark::Keep => {}
            TurnMark::Open => self.open = true,
            TurnMark::Close => self.open = false,
        }
        Appended::Done
    }

    fn holds(&self, entries: &[Entry]) -> bool {
        let oldest = self.head().oldest;
        let at = |entry: &Entry| entry.id.seq.checked_sub(oldest).and_then(|place| usize::try_from(place).ok());
        entries.iter().all(|entry| at(entry).and_then(|place| self.entries.get(place)) == Some(entry))
    }

    fn trim(&mut self, keep: Keep) -> u64 {
        let mut bytes = self.bytes();
        while let Some(first) = self.entries.front() {
            let old = keep.since.is_some_and(|since| first.at < since);
            let big = keep.bytes.is_some_and(|limit| bytes > limit);
            if !old && !big {
                break;
            }
            bytes -= first.body.len() as u64;
            self.entries.pop_front();
        }
        self.head().oldest
    }
}

#[async_trait]
impl EventLog for MemoryLog {
    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        let mut state = self.state();
        let known = state.runs.entry(run.into()).or_insert_with(|| Run::new(owner));
        if known.owner.node != owner.node {
            if known.open {
                return Ok(Claimed::Taken(known.owner.clone()));
            }
            known.take_over(owner);
        }
        Ok(Claimed::Held(known.lease()))
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        let mut state = self.state();
        let known = state.runs.get_mut(run).filter(|known| known.epoch == seen_epoch);
        Ok(known.map(|known| {
            known.take_over(owner);
            known.lease()
        }))
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        if !append.is_dense() {
            let cause = format!("the events to be written after {} are not dense", append.after);
            return Err(StoreError::Broken { store: "memory", cause });
        }
        let mut state = self.state();
        Ok(match state.runs.get_mut(&append.run) {
            Some(run) => run.append(append),
            None => Appended::Fenced { epoch: 0 },
        })
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        let state = self.state();
        let Some(run) = state.runs.get(run) else { return Ok(Vec::new()) };
        let skip = after.saturating_add(1).saturating_sub(run.head().oldest);
        let later = run.entries.iter().skip(usize::try_from(skip).unwrap_or(usize::MAX)).take(max);
        let mut bytes = 0;
        let fits = later.enumerate().take_while(|(place, entry)| {
            bytes += entry.body.len();
            *place == 0 || bytes <= READ_BYTES
        });
        Ok(fits.map(|(_, entry)| entry.clone()).collect())
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        Ok(self.state().runs.get(run).map_or(Head { oldest: 1, ..Head::default() }, Run::head))
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        let state = self.state();
        let head = |run| state.runs.get(run).map_or(Head { oldest: 1, ..Head::default() }, Run::head);
        Ok(runs.iter().map(head).collect())
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        let state = self.state();
        let open = state.runs.iter().filter(|(_, known)| known.open);
        Ok(open
            .map(|(run, known)| OpenRun { run: Arc::clone(run), epoch: known.epoch, owner: known.owner.clone() })
            .collect())
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        *self.state().beats.entry(owner.node.clone()).or_default() += 1;
        Ok(())
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let state = self.state();
        let owners = state.runs.values().filter(|run| run.open).map(|run| run.owner.node.as_str());
        let owners: std::collections::BTreeSet<_> = owners.collect();
        Ok(owners.into_iter().map(|node| (node.to_owned(), state.beats.get(node).copied().unwrap_or(0))).collect())
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        let state = self.state();
        let later = state.runs.iter().filter(|(run, _)| run.as_ref() > after).take(max);
        Ok(later
            .map(|(run, known)| RunInfo { run: Arc::clone(run), head: known.head(), bytes: known.bytes() })
            .collect())
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        Ok(self.state().runs.get_mut(run).map_or(1, |known| known.trim(keep)))
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        self.state().runs.remove(run);
        Ok(())
    }

    async fn probe(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
