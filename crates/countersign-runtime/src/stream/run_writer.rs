//! The one writer of a run: numbers events, writes them under its lease, and shows them once they are durable.

use super::draft::{Draft, now_millis};
use super::hub::Hub;
use super::planted::PlantedBug;
use super::run::Run;
use crate::store::{Append, Appended, Claimed, Entry, Head, Hint, Lease, Owner, StoreError, TurnMark};
use countersign::contract::EventId;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio_util::task::TaskTracker;

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// A turn is open already.
    #[error("a turn is running in this session; wait for its end or stop it")]
    Busy,
    /// Another node has a turn open here.
    #[error("another node is writing this session")]
    Elsewhere(Owner),
    /// Another node has taken this session over: this writer was given up for dead.
    #[error("another node has taken this session over")]
    Fenced,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Writes a run.
#[derive(Clone)]
pub struct RunWriter {
    hub: Arc<Hub>,
    run: Arc<Run>,
    /// The epoch of the turn that it writes: under another one it has been given up for dead.
    bound: Option<u32>,
    /// What it is writing. Whoever asked for it may have gone away since.
    under_way: TaskTracker,
}

/// What a writer does when the store is unavailable or full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// It says so.
    Once,
    /// It tries again, with the same events under the same numbers, until they are in.
    AtLast,
}

impl Hub {
    /// A writer for a run. Nothing is claimed before the first word.
    pub fn writer(self: &Arc<Self>, run: &str) -> RunWriter {
        RunWriter { hub: Arc::clone(self), run: self.run(run), bound: None, under_way: TaskTracker::new() }
    }

    /// The writer of a turn that is open under this epoch.
    pub fn writer_of_turn(self: &Arc<Self>, run: &str, epoch: u32) -> RunWriter {
        RunWriter { bound: Some(epoch), ..self.writer(run) }
    }
}

impl RunWriter {
    /// The session.
    pub fn session(&self) -> &Arc<str> {
        &self.run.id
    }

    /// Opens a turn with its first events; gives where the log stood before, and the writer of the turn.
    pub async fn open_turn(&self, drafts: Vec<Draft>) -> Result<(u64, Self), WriteError> {
        let count = drafts.len() as u64;
        let id = self.spawn(drafts, TurnMark::Open, Patience::Once).await?;
        Ok((id.seq - count, Self { bound: Some(id.epoch), ..self.clone() }))
    }

    /// Writes events; returns where the log ends once they are durable and shown.
    pub async fn write(&self, drafts: Vec<Draft>) -> Result<EventId, WriteError> {
        self.spawn(drafts, TurnMark::Keep, Patience::Once).await
    }

    /// Ends the turn, however long the store is unavailable or full: its terminal event must be in the log.
    ///
    /// What is still under way goes before it: nothing of a turn comes after its end.
    pub async fn close_turn(&self, drafts: Vec<Draft>) -> Result<EventId, WriteError> {
        self.under_way.close();
        self.under_way.wait().await;
        self.spawn(drafts, TurnMark::Close, Patience::AtLast).await
    }

    /// The work goes on in a task of its own: a caller that goes away in the middle must not leave events that are
    /// durable and that nobody was told of.
    async fn spawn(&self, drafts: Vec<Draft>, turn: TurnMark, patience: Patience) -> Result<EventId, WriteError> {
        let writer = self.clone();
        let work = self.under_way.spawn(async move { writer.write_here(&drafts, turn, patience).await });
        work.await.unwrap_or_else(|error| {
            Err(WriteError::Store(StoreError::Broken { store: "log", cause: format!("the writer ended: {error}") }))
        })
    }

    async fn write_here(&self, drafts: &[Draft], turn: TurnMark, patience: Patience) -> Result<EventId, WriteError> {
        let mut writing = self.run.writing.lock().await;
        for _ in 0..TRIES {
            let lease = match writing.take() {
                Some(lease) => lease,
                None => self.claim(patience).await?,
            };
            let given_up = self.bound.is_some_and(|epoch| epoch != lease.epoch);
            if given_up && !self.hub.plant.is(PlantedBug::NoFence) {
                *writing = Some(lease);
                return Err(WriteError::Fenced);
            }
            // The turn is over: what comes now was said too late.
            if self.bound.is_some() && turn == TurnMark::Keep && !lease.open {
                *writing = Some(lease);
                return Err(WriteError::Fenced);
            }
            let entries = self.number(drafts, &lease);
            let appended = self.append(&entries, &lease, turn, patience).await;
            if turn == TurnMark::Open {
                match &appended {
                    Err(_) => self.hub.doubt(&self.run.id),
                    Ok(Appended::Done | Appended::Duplicate) => self.hub.settle(&self.run.id),
                    Ok(_) => {}
                }
            }
            match appended? {
                Appended::Done | Appended::Duplicate => {
                    let lease = self.show(entries, lease, turn);
                    let id = EventId { epoch: lease.epoch, seq: lease.seq };
                    *writing = Some(lease);
                    return Ok(id);
                }
                Appended::Busy => {
                    *writing = Some(lease);
                    return Err(WriteError::Busy);
                }
                // What we knew was of another time: without a lease, it is asked for again.
                Appended::Fenced { .. } | Appended::Gap { .. } => {}
            }
        }
        Err(WriteError::Fenced)
    }

    async fn append(
        &self,
        entries: &[Entry],
        lease: &Lease,
        turn: TurnMark,
        patience: Patience,
    ) -> Result<Appended, WriteError> {
        loop {
            let (run, entries) = (Arc::clone(&self.run.id), entries.to_vec());
            let append = Append { run, epoch: lease.epoch, after: lease.seq, entries, turn };
            match self.hub.log.append(append).await {
                Err(StoreError::Full { .. }) if self.hub.plant.is(PlantedBug::SwallowedError) => {
                    return Ok(Appended::Done);
                }
                Err(error) if error.may_pass() && patience == Patience::AtLast => self.wait(&error).await,
                other => return Ok(other?),
            }
        }
    }

    async fn wait(&self, error: &StoreError) {
        tracing::debug!(session = %self.run.id, %error, "an event waits for the store");
        self.hub.options.metrics.store_errors.of(["log"]).add_one();
        tokio::time::sleep(RETRY).await;
    }

    async fn claim(&self, patience: Patience) -> Result<Lease, WriteError> {
        loop {
            match self.hub.log.claim(&self.run.id, &self.hub.options.owner).await {
                Ok(Claimed::Held(lease)) => return Ok(lease),
                Ok(Claimed::Taken(owner)) => return Err(WriteError::Elsewhere(owner)),
                Err(error) if error.may_pass() && patience == Patience::AtLast => self.wait(&error).await,
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn number(&self, drafts: &[Draft], lease: &Lease) -> Vec<Entry> {
        let at = now_millis();
        let place = |seq| EventId { epoch: lease.epoch, seq };
        let first = if self.hub.plant.is(PlantedBug::WallClockIds) { at.unsigned_abs() } else { lease.seq + 1 };
        drafts.iter().zip(first..).map(|(draft, seq)| draft.entry(&self.run.id, place(seq), at)).collect()
    }

    fn show(&self, entries: Vec<Entry>, lease: Lease, turn: TurnMark) -> Lease {
        let open = match turn {
            TurnMark::Keep => lease.open,
            TurnMark::Open => true,
            TurnMark::Close => false,
        };
        let lease = Lease { seq: lease.seq + entries.len() as u64, open, ..lease };
        self.hub.options.metrics.events.add(entries.len() as u64);
        let oldest = self.run.head().oldest;
        self.run.publish(entries, Head { epoch: lease.epoch, seq: lease.seq, oldest, open });
        if let Some(hints) = &self.hub.hints {
            hints.announce(Hint::Run(Arc::clone(&self.run.id)));
        }
        lease
    }
}

/// How long a writer waits before it asks a store again that was unavailable or full.
const RETRY: Duration = Duration::from_millis(300);
/// How often a lease is asked for in one write.
const TRIES: usize = 4;
