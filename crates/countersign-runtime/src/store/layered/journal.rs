//! Appends on a local disk, until the record takes them: one run of the local log for each run of the record, one event
//! of it for each append.
//!
//! An append is kept whole, with its epoch, its numbers and its turn mark, as JSON in the body of the local event. The
//! numbers of the local log are its own; they are called places here.

use crate::store::{Append, Appended, Claimed, Entry, EventLog, Owner, StoreError, TurnMark};
use countersign::contract::{EventId, EventType};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The spool.
pub(super) struct Journal {
    spool: Arc<dyn EventLog>,
}

impl Journal {
    /// Over a local log, in which it uses only runs that begin with `spool:`.
    pub(super) fn new(spool: Arc<dyn EventLog>) -> Self {
        Self { spool }
    }

    /// Keeps an append after a place; gives its own place once it is durable, and none where the spool ends at another
    /// place than that.
    pub(super) async fn push(&self, append: &Append, after: u64) -> Result<Option<u64>, StoreError> {
        let run: Arc<str> = name(&append.run).into();
        let epoch = match self.spool.claim(&run, &owner()).await? {
            Claimed::Held(lease) if lease.seq == after => lease.epoch,
            _ => return Ok(None),
        };
        let urgent = append.entries.iter().map(|entry| entry.kind).find(|kind| kind.is_barrier());
        let body = serde_json::to_string(&Kept::from(append)).map_err(|error| broken(&error.to_string()))?;
        let id = EventId { epoch, seq: after + 1 };
        let at = append.entries.last().map_or(0, |entry| entry.at);
        let entry = Entry { id, kind: urgent.unwrap_or(EventType::Message), at, body: body.into() };
        match self.spool.append(Append { run, epoch, after, entries: vec![entry], turn: TurnMark::Keep }).await? {
            Appended::Done | Appended::Duplicate => Ok(Some(after + 1)),
            _ => Ok(None),
        }
    }

    /// The appends after a place, in order, with their places.
    pub(super) async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<(u64, Append)>, StoreError> {
        let entries = self.spool.read(&name(run), after, max).await?;
        let kept = |entry: Entry| {
            let kept: Kept = serde_json::from_str(&entry.body).map_err(|error| broken(&error.to_string()))?;
            let append = kept.into_append(run).ok_or_else(|| broken("an event of an unknown type"))?;
            Ok((entry.id.seq, append))
        };
        entries.into_iter().map(kept).collect()
    }

    /// The runs that have something in the spool.
    pub(super) async fn runs(&self) -> Result<Vec<Arc<str>>, StoreError> {
        let (mut runs, mut after) = (Vec::new(), PREFIX.to_owned());
        loop {
            let part = self.spool.runs(&after, 1000).await?;
            let Some(last) = part.last().map(|info| info.run.to_string()) else { return Ok(runs) };
            let ours: Vec<Arc<str>> =
                part.iter().filter_map(|info| info.run.strip_prefix(PREFIX)).map(Arc::from).collect();
            if ours.is_empty() {
                return Ok(runs);
            }
            runs.extend(ours);
            after = last;
        }
    }

    /// Forgets a run.
    pub(super) async fn forget(&self, run: &str) -> Result<(), StoreError> {
        self.spool.remove(&name(run)).await
    }

    /// Whether the spool can be written.
    pub(super) async fn probe(&self) -> Result<(), StoreError> {
        self.spool.probe().await
    }
}

fn name(run: &str) -> String {
    format!("{PREFIX}{run}")
}

/// The same name in every process: the spool's folder has one user at a time, and its runs never change hands.
fn owner() -> Owner {
    Owner { node: "spool".to_owned(), address: String::new() }
}

fn broken(cause: &str) -> StoreError {
    StoreError::Broken { store: "spool", cause: cause.to_owned() }
}

/// An append as it is written down.
#[derive(Serialize, Deserialize)]
struct Kept {
    epoch: u32,
    after: u64,
    turn: Turn,
    events: Vec<KeptEvent>,
}

#[derive(Serialize, Deserialize)]
struct KeptEvent {
    kind: String,
    at: i64,
    body: Arc<str>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Turn {
    Keep,
    Open,
    Close,
}

impl From<&Append> for Kept {
    fn from(append: &Append) -> Self {
        let event = |entry: &Entry| KeptEvent {
            kind: entry.kind.name().to_owned(),
            at: entry.at,
            body: Arc::clone(&entry.body),
        };
        let turn = match append.turn {
            TurnMark::Keep => Turn::Keep,
            TurnMark::Open => Turn::Open,
            TurnMark::Close => Turn::Close,
        };
        Self { epoch: append.epoch, after: append.after, turn, events: append.entries.iter().map(event).collect() }
    }
}

impl Kept {
    fn into_append(self, run: &str) -> Option<Append> {
        let (epoch, after) = (self.epoch, self.after);
        let entry = |(event, step): (KeptEvent, u64)| {
            let kind = EventType::from_name(&event.kind)?;
            Some(Entry { id: EventId { epoch, seq: after + step }, kind, at: event.at, body: event.body })
        };
        let entries = self.events.into_iter().zip(1..).map(entry).collect::<Option<_>>()?;
        let turn = match self.turn {
            Turn::Keep => TurnMark::Keep,
            Turn::Open => TurnMark::Open,
            Turn::Close => TurnMark::Close,
        };
        Some(Append { run: run.into(), epoch, after, entries, turn })
    }
}

const PREFIX: &str = "spool:";
