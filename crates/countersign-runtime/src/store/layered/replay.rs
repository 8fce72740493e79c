//! The way back from the spool to the record: append by append, under the epoch they were written under, by compare-and-set.
//!
//! What the record has already is skipped. If another writer has taken the run over meanwhile, the rest is an orphan
//! branch: it is kept whole as records of their own and never mixed into the run. Nothing is removed from the spool
//! before the record has it or the orphan is filed.

use super::journal::Journal;
use super::ledger::{Known, Ledger, Run};
use crate::store::{Append, Appended, Applied, Change, Entry, EventLog, Kind, Record, Records, StoreError, TurnMark};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What replaying needs.
pub(super) struct Replay {
    pub(super) shared: Arc<dyn EventLog>,
    pub(super) journal: Journal,
    pub(super) orphans: Arc<dyn Records>,
    pub(super) ledger: Ledger,
}

enum Sent {
    /// The record has it.
    There,
    /// It never will, for this reason.
    Orphaned(String),
}

impl Replay {
    /// Learns what a former process has left in the spool.
    pub(super) async fn recall(&self) -> Result<(), StoreError> {
        for name in self.journal.runs().await? {
            self.recall_run(&name, &self.ledger.run(&name)).await?;
        }
        Ok(())
    }

    /// Learns what the spool holds of one run.
    pub(super) async fn recall_run(&self, name: &str, run: &Run) -> Result<(), StoreError> {
        run.known().spooled.clear();
        let mut after = 0;
        loop {
            let part = self.journal.read(name, after, PART).await?;
            let mut known = run.known();
            let Some((place, _)) = part.last() else {
                if known.last_place() < known.replayed {
                    known.replayed = 0;
                }
                return Ok(());
            };
            after = *place;
            part.iter().for_each(|(place, append)| known.spooled(append, *place));
        }
    }

    /// Replays one run to its end. The owner may write between two steps; that goes behind.
    pub(super) async fn run(&self, name: &Arc<str>) -> Result<(), StoreError> {
        let run = self.ledger.run(name);
        while self.step(name, &run).await? {}
        Ok(())
    }

    /// Replays a little; says whether there is more.
    async fn step(&self, name: &Arc<str>, run: &Run) -> Result<bool, StoreError> {
        let _writing = in_time(run.writing.lock()).await?;
        let (from, last) = {
            let known = run.known();
            (known.replayed, known.last_place())
        };
        if from >= last {
            self.journal.forget(name).await?;
            let mut known = run.known();
            known.spooled.clear();
            known.replayed = 0;
            return Ok(false);
        }
        let part = self.journal.read(name, from, PART).await?;
        let Some((append, place)) = merge(part) else {
            return Err(StoreError::Broken {
                store: "spool",
                cause: format!("nothing after position {from} of a run"),
            });
        };
        match self.send(append).await? {
            Sent::There => run.known().replayed = place,
            Sent::Orphaned(reason) => {
                self.file(name, from, &reason).await?;
                self.journal.forget(name).await?;
                *run.known() = Known::default();
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn send(&self, append: Append) -> Result<Sent, StoreError> {
        let mut next = append;
        loop {
            next = match in_time(self.shared.append(next.clone())).await?? {
                Appended::Done | Appended::Duplicate => return Ok(Sent::There),
                Appended::Fenced { epoch } => {
                    return Ok(Sent::Orphaned(format!("another writer took over under epoch {epoch}")));
                }
                // It was opened by this very append, before its answer was lost.
                Appended::Busy if next.entries.is_empty() => return Ok(Sent::There),
                Appended::Busy => Append { turn: TurnMark::Keep, ..next },
                Appended::Gap { head } if head < next.after => {
                    return Ok(Sent::Orphaned(format!("the record ends at {head}, before the spool begins")));
                }
                Appended::Gap { head } => match self.back_up(next, head).await? {
                    Ok(rest) if rest.entries.is_empty() => return Ok(Sent::There),
                    Ok(rest) => rest,
                    Err(reason) => return Ok(Sent::Orphaned(reason)),
                },
            };
        }
    }

    /// What of an append lies after the record's end, if what lies before is the same in both.
    async fn back_up(&self, append: Append, head: u64) -> Result<Result<Append, String>, StoreError> {
        let there = in_time(self.shared.read(&append.run, append.after, append.entries.len())).await??;
        let same = there.iter().all(|known| append.entries.iter().all(|e| e.id.seq != known.id.seq || e == known));
        if !same {
            return Ok(Err(format!("the record has other events up to {head}")));
        }
        let entries = append.entries.into_iter().filter(|entry| entry.id.seq > head).collect();
        Ok(Ok(Append { after: head, entries, ..append }))
    }

    /// Files everything after a place that the record does not have.
    async fn file(&self, name: &Arc<str>, from: u64, reason: &str) -> Result<(), StoreError> {
        let mut after = from;
        loop {
            let part = self.journal.read(name, after, PART).await?;
            let Some((place, _)) = part.last() else { return Ok(()) };
            after = *place;
            let entries: Vec<Entry> = part.into_iter().flat_map(|(_, append)| append.entries).collect();
            let Some(first) = entries.first() else { continue };
            let there = in_time(self.shared.read(name, first.id.seq - 1, entries.len())).await??;
            let lost: Vec<Entry> = entries.into_iter().filter(|entry| !there.contains(entry)).collect();
            if let (Some(first), Some(last)) = (lost.first(), lost.last()) {
                tracing::warn!(run = %name, first = %first.id, last = %last.id, reason, "an orphan branch was filed");
                let change = Change::Insert(orphan(name, reason, first, last, &lost), None);
                // Filed by an earlier attempt: as good.
                let (Applied::Done | Applied::Conflict(_)) = in_time(self.orphans.apply(vec![change])).await??;
            }
        }
    }
}

fn orphan(run: &str, reason: &str, first: &Entry, last: &Entry, entries: &[Entry]) -> Record {
    let event = |entry: &Entry| json!({"id": entry.id, "event_type": entry.kind, "at": entry.at, "body": entry.body});
    let events: Vec<_> = entries.iter().map(event).collect();
    Record {
        kind: Kind::Orphan,
        id: format!("{run}:{}", first.id),
        parent: run.to_owned(),
        state: String::new(),
        created_at: last.at,
        version: 1,
        body: json!({"reason": reason, "first": first.id, "last": last.id, "events": events}),
    }
}

/// The next appends as one, with the place of the last. One that begins or ends a turn goes alone: where its events are
/// there already, so is its mark.
fn merge(part: Vec<(u64, Append)>) -> Option<(Append, u64)> {
    let mut part = part.into_iter();
    let (mut place, mut append) = part.next()?;
    for (next_place, next) in part {
        let plain = append.turn == TurnMark::Keep && next.turn == TurnMark::Keep && next.epoch == append.epoch;
        if !plain || append.entries.len() + next.entries.len() > MAX_EVENTS {
            break;
        }
        append.entries.extend(next.entries);
        place = next_place;
    }
    Some((append, place))
}

/// Waits for the record or a run, but not for long: the run's owner waits behind.
pub(super) async fn in_time<T>(work: impl Future<Output = T>) -> Result<T, StoreError> {
    let late = |_| StoreError::Away { store: "shared", cause: format!("no answer within {} s", PATIENCE.as_secs()) };
    timeout(PATIENCE, work).await.map_err(late)
}

const PART: usize = 256;
const MAX_EVENTS: usize = 512;
const PATIENCE: Duration = Duration::from_secs(3);
