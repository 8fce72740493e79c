//! What a node does while the record is unavailable: it asks no more, writes its own runs into the spool, and catches up.

use super::journal::Journal;
use super::ledger::{Known, Ledger, Run};
use super::replay::{Replay, in_time};
use crate::store::{Append, Appended, Entry, EventLog, Head, READ_BYTES, Records, StoreError, TurnMark};
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The record, and what there is instead of it.
pub(super) struct Outage {
    pub(super) replay: Replay,
    away: AtomicBool,
    /// Where runs of others stood when they were last asked about, for readers who wait here meanwhile.
    seen: Mutex<HashMap<Arc<str>, Head>>,
}

impl Outage {
    /// Reads what a former process has left in the spool.
    pub(super) async fn recall(
        shared: Arc<dyn EventLog>,
        spool: Arc<dyn EventLog>,
        orphans: Arc<dyn Records>,
    ) -> Result<Self, StoreError> {
        let replay = Replay { shared, journal: Journal::new(spool), orphans, ledger: Ledger::default() };
        replay.recall().await?;
        Ok(Self { replay, away: AtomicBool::new(false), seen: Mutex::default() })
    }

    /// Looks whether the record is back, and replays.
    pub(super) async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let rounds = async {
            loop {
                if self.is_away() || self.replay.ledger.has_spooled() {
                    self.catch_up().await;
                }
                sleep(ROUND).await;
            }
        };
        stop.run_until_cancelled(rounds).await;
    }

    async fn catch_up(&self) {
        let reached = in_time(self.replay.shared.probe()).await.and_then(|probed| probed);
        self.away.store(reached.is_err(), Ordering::Relaxed);
        if reached.is_err() {
            return;
        }
        for name in self.replay.ledger.spooled() {
            match self.replay.run(&name).await {
                Ok(()) => {}
                Err(StoreError::Away { .. }) => return self.away.store(true, Ordering::Relaxed),
                // Another run may fare better.
                Err(error) => tracing::warn!(run = %name, %error, "a run stays in the spool"),
            }
        }
    }

    pub(super) fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

    /// Asks the record, unless it is known to be unavailable.
    pub(super) async fn ask<T>(&self, question: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        if self.is_away() {
            return Err(away("it did not answer a moment ago"));
        }
        let answer = in_time(question).await.and_then(|answer| answer);
        if let Err(StoreError::Away { cause, .. }) = &answer {
            tracing::warn!(cause, "the shared log is unavailable; runs of this node continue in the spool");
            self.away.store(true, Ordering::Relaxed);
        }
        answer
    }

    pub(super) fn shared(&self) -> &dyn EventLog {
        self.replay.shared.as_ref()
    }

    /// A look at a run that has something in the spool.
    pub(super) fn in_spool<T>(&self, run: &str, look: impl FnOnce(&Known) -> T) -> Option<T> {
        let run = self.replay.ledger.find(run)?;
        let known = run.known();
        known.is_spooled().then(|| look(&known))
    }

    pub(super) fn is_spooled(&self, run: &str) -> bool {
        self.in_spool(run, |_| ()).is_some()
    }

    /// Writes an append of a run of our own into the spool.
    pub(super) async fn spool(&self, run: &Run, append: Append) -> Result<Appended, StoreError> {
        for _ in 0..2 {
            let (head, last_place) = {
                let known = run.known();
                (known.head, known.last_place())
            };
            if let Some(refused) = self.refused(&head, &append).await? {
                return Ok(refused);
            }
            if let Some(place) = self.replay.journal.push(&append, last_place).await? {
                run.known().spooled(&append, place);
                return Ok(Appended::Done);
            }
            // A caller went away before it heard what became of its append: the spool knows.
            self.replay.recall_run(&append.run, run).await?;
        }
        Err(StoreError::Broken {
            store: "spool",
            cause: "it moves; is another process using the same folder?".to_owned(),
        })
    }

    /// Why an append is not to be written; the questions come in the log's order.
    async fn refused(&self, head: &Head, append: &Append) -> Result<Option<Appended>, StoreError> {
        if append.epoch != head.epoch {
            return Ok(Some(Appended::Fenced { epoch: head.epoch }));
        }
        if append.after != head.seq {
            let there = self.read_spool(&append.run, append.after, append.entries.len()).await?;
            let repeated = !append.entries.is_empty() && there == append.entries;
            return Ok(Some(if repeated { Appended::Duplicate } else { Appended::Gap { head: head.seq } }));
        }
        Ok((append.turn == TurnMark::Open && head.open).then_some(Appended::Busy))
    }

    /// Events after a number, if they are in the spool.
    pub(super) async fn read_spool(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        let place = self.in_spool(run, |known| known.place_of(after.saturating_add(1))).flatten();
        let Some(place) = place else { return Ok(Vec::new()) };
        let (mut entries, mut bytes, mut before): (Vec<Entry>, usize, u64) = (Vec::new(), 0, place - 1);
        while entries.len() < max {
            let part = self.replay.journal.read(run, before, 64).await?;
            let Some((last, _)) = part.last() else { break };
            before = *last;
            for entry in part.into_iter().flat_map(|(_, append)| append.entries).filter(|entry| entry.id.seq > after) {
                bytes += entry.body.len();
                if entries.len() >= max || (bytes > READ_BYTES && !entries.is_empty()) {
                    return Ok(entries);
                }
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    pub(super) fn note_seen(&self, runs: &[Arc<str>], heads: &[Head]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MAX_SEEN {
            seen.clear();
        }
        seen.extend(runs.iter().cloned().zip(heads.iter().copied()));
    }

    pub(super) fn last_seen(&self, run: &str) -> Option<Head> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(run).copied()
    }

    /// Where a run is as far as this node knows without the record.
    pub(super) fn known_head(&self, run: &str) -> Option<Head> {
        let run = self.replay.ledger.find(run)?;
        let known = run.known();
        (known.head.epoch > 0).then_some(known.head)
    }
}

/// The record cannot be asked.
pub(super) fn away(cause: &str) -> StoreError {
    StoreError::Away { store: "shared", cause: cause.to_owned() }
}

/// How often the record is looked at while it is unavailable.
const ROUND: Duration = Duration::from_millis(250);
const MAX_SEEN: usize = 100_000;
