//! The newest events in Redis, so that many readers do not all read the record for them.
//!
//! An append goes to the record first; what Redis gets is a copy of what is durable already. Where a run is is the
//! record's word, at most a moment old; a reader is shown the copy only if it is of the same epoch, has no hole, does
//! not reach past that, and was compared with the record once since it was filled. So a Redis that is flushed, killed, filled by
//! an old snapshot or by somebody else costs time, never an event. Redis is left alone for a moment after a failure.

use crate::store::redis::{HotHead, HotRead, RedisStore};
use crate::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Hint, Hints, Keep, Lease, OpenRun, Owner, RunInfo, StoreError,
};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A record with its newest events in Redis.
pub struct HotTail {
    hot: Arc<RedisStore>,
    record: Arc<dyn EventLog>,
    keep: usize,
    trust: Trust,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The tails that this process has filled or gone on with.
    written: HashMap<Arc<str>, HotHead>,
    /// The tails that were found to agree with the record: which filling, and how far the record was then.
    agreed: HashMap<Arc<str>, (String, u64)>,
    /// Where the record said that runs stand, and when.
    heads: HashMap<Arc<str>, (Head, Instant)>,
    /// Redis failed: nobody asks it before this.
    resting: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// The record says where a run is.
    Record,
    /// Redis does: the bug that a test plants.
    SharedHead,
}

impl HotTail {
    /// Puts a tail in front of a record.
    pub fn new(hot: Arc<RedisStore>, record: Arc<dyn EventLog>) -> Self {
        Self { hot, record, keep: KEEP, trust: Trust::Record, state: Mutex::default() }
    }

    /// With tails of at most so many events.
    #[must_use]
    pub fn keeping(self, events: usize) -> Self {
        Self { keep: events.max(1), ..self }
    }

    /// With the bug that the fault tests must find: what Redis says is believed without a look at the record.
    #[cfg(feature = "planted-bugs")]
    #[must_use]
    pub fn trusting_the_shared_head(self) -> Self {
        Self { trust: Trust::SharedHead, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_resting(&self) -> bool {
        self.state().resting.is_some_and(|until| Instant::now() < until)
    }

    /// What Redis answered, if it did.
    fn answered<T>(&self, answer: Result<T, StoreError>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::debug!(%error, "the hot tail is left alone for a moment");
                self.state().resting = Some(Instant::now() + REST);
                None
            }
        }
    }
}

/// Writing: the tail follows the record.
impl HotTail {
    async fn follow(&self, append: &Append) {
        if self.is_resting() {
            return;
        }
        let known = self.state().written.get(&append.run).cloned();
        let after = known.filter(|known| known.epoch == append.epoch && known.seq == append.after);
        if let (Some(after), Some(last)) = (after, append.entries.last()) {
            let went_on = self.hot.hot_append(&append.run, &after, &append.entries, self.keep).await;
            match self.answered(went_on) {
                Some(true) => return self.note(&append.run, HotHead { seq: last.id.seq, ..after }),
                Some(false) => {}
                None => return,
            }
        }
        // It is not the tail we know, or not where we think, or gone: the record knows what belongs there.
        if let Ok(Some((head, entries))) = self.newest(&append.run).await
            && self.answered(self.hot.hot_refill(&append.run, &head, &entries).await).is_some()
        {
            self.note(&append.run, head);
        }
    }

    fn note(&self, run: &Arc<str>, head: HotHead) {
        let mut state = self.state();
        if state.written.len() >= MAX_KNOWN {
            state.written.clear();
        }
        state.written.insert(Arc::clone(run), head);
    }

    /// The record's newest events, under a new generation.
    async fn newest(&self, run: &str) -> Result<Option<(HotHead, Vec<Entry>)>, StoreError> {
        let head = self.record.head(run).await?;
        let mut entries: Vec<Entry> = Vec::new();
        let mut after = head.seq.saturating_sub(self.keep.min(REFILL) as u64);
        while after < head.seq {
            let more = self.record.read(run, after, self.keep).await?;
            let Some(last) = more.last() else { return Ok(None) };
            after = last.id.seq;
            entries.extend(more);
        }
        let Ok(random) = getrandom::u64() else { return Ok(None) };
        let generation = format!("{random:016x}");
        Ok(Some((HotHead { generation, epoch: head.epoch, seq: after }, entries)))
    }

    async fn forget(&self, run: &str) {
        {
            let mut state = self.state();
            state.written.remove(run);
            state.agreed.remove(run);
            state.heads.remove(run);
        }
        if !self.is_resting() {
            self.answered(self.hot.hot_forget(run).await);
        }
    }
}

/// Reading: the tail is shown only where it is the record's.
impl HotTail {
    /// Keeps the record's word for the readings that follow: whoever hears that there is more reads at once.
    fn note_head(&self, run: &Arc<str>, head: Head) {
        let mut state = self.state();
        if state.heads.len() >= MAX_KNOWN {
            state.heads.clear();
        }
        state.heads.insert(Arc::clone(run), (head, Instant::now()));
    }

    fn recent_head(&self, run: &str) -> Option<Head> {
        self.state().heads.get(run).filter(|(_, at)| at.elapsed() < RECENT).map(|(head, _)| *head)
    }

    async fn hot_read(&self, run: &str, after: u64, max: usize) -> Option<HotRead> {
        if self.is_resting() { None } else { self.answered(self.hot.hot_read(run, after, max).await) }
    }

    /// What of a tail a reader may see: all of it that the record has too, or nothing.
    async fn shown(&self, run: &str, after: u64, head: &Head, tail: HotRead) -> Option<Vec<Entry>> {
        let mut entries = tail.entries;
        let dense = entries.iter().zip(after.saturating_add(1)..).all(|(entry, seq)| entry.id.seq == seq);
        if self.trust == Trust::SharedHead {
            return Some(entries);
        }
        entries.retain(|entry| entry.id.seq <= head.seq);
        let same_run = tail.head.epoch == head.epoch && after.saturating_add(1) >= head.oldest;
        let fits = dense && same_run && !entries.is_empty();
        (fits && self.agrees(run, head, &tail.head).await).then_some(entries)
    }

    /// Compares a tail's newest event with the record's, once a filling. Who goes on with a tail names its filling and
    /// its end, so that what comes before the newest event is the record's too.
    async fn agrees(&self, run: &str, head: &Head, tail: &HotHead) -> bool {
        let known = self.state().agreed.get(run).cloned();
        if known.is_some_and(|(generation, seq)| generation == tail.generation && seq <= head.seq) {
            return true;
        }
        let before = tail.seq.saturating_sub(1);
        let (hot, record) = tokio::join!(self.hot_read(run, before, 1), self.record.read(run, before, 1));
        let (Some(hot), Ok(record)) = (hot, record) else { return false };
        if hot.head.generation != tail.generation {
            return false;
        }
        if hot.entries.is_empty() || hot.entries != record {
            self.forget(run).await;
            return false;
        }
        let mut state = self.state();
        if state.agreed.len() >= MAX_KNOWN {
            state.agreed.clear();
        }
        state.agreed.insert(run.into(), (hot.head.generation, head.seq));
        true
    }
}

#[async_trait]
impl EventLog for HotTail {
    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        self.record.claim(run, owner).await
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        self.record.seize(run, seen_epoch, owner).await
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let outcome = self.record.append(append.clone()).await?;
        if outcome == Appended::Done && !append.entries.is_empty() {
            // Who wrote reads what they wrote: the word from before is no longer good enough.
            self.state().heads.remove(&append.run);
            self.follow(&append).await;
        }
        if matches!(outcome, Appended::Done | Appended::Duplicate) {
            self.hot.announce(Hint::Run(append.run));
        }
        Ok(outcome)
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        let (head, tail) = match self.recent_head(run).filter(|head| after < head.seq) {
            Some(head) => (head, self.hot_read(run, after, max).await),
            None => {
                let (head, tail) = tokio::join!(self.record.head(run), self.hot_read(run, after, max));
                (head?, tail)
            }
        };
        if let Some(tail) = tail
            && let Some(entries) = self.shown(run, after, &head, tail).await
        {
            return Ok(entries);
        }
        if after >= head.seq { Ok(Vec::new()) } else { self.record.read(run, after, max).await }
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        if self.trust == Trust::SharedHead {
            let hot = self.hot_read(run, u64::MAX, 1).await.unwrap_or_default().head;
            return Ok(Head { epoch: hot.epoch, seq: hot.seq, oldest: 1, open: true });
        }
        let head = self.record.head(run).await?;
        self.note_head(&run.into(), head);
        Ok(head)
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        let heads = self.record.heads(runs).await?;
        runs.iter().zip(&heads).for_each(|(run, head)| self.note_head(run, *head));
        Ok(heads)
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        self.record.open_runs().await
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        self.record.beat(owner).await
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.record.beats().await
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        self.record.runs(after, max).await
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        let oldest = self.record.trim(run, keep).await?;
        self.forget(run).await;
        Ok(oldest)
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        self.record.remove(run).await?;
        self.forget(run).await;
        self.hot.announce(Hint::Run(run.into()));
        Ok(())
    }

    async fn probe(&self) -> Result<(), StoreError> {
        self.record.probe().await
    }
}

/// So many events a tail.
const KEEP: usize = 1000;
/// So many of them are copied when a tail is filled; more come with time.
const REFILL: usize = 256;
/// So many runs are remembered; with more, all are forgotten, which only costs a refill or a comparison.
const MAX_KNOWN: usize = 50_000;
/// So long the record's word for where a run is is good enough to read what lies before it.
const RECENT: Duration = Duration::from_millis(500);
const REST: Duration = Duration::from_secs(1);
