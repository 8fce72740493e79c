//! The log that goes on while the record is unavailable.
//!
//! The owner of a run writes on into a local spool, under the same epoch and the same numbers, because nobody else may
//! write that run; whoever does not own a run is told `Away`. As soon as the record answers again a task tells it what
//! it missed. Once the record failed, nobody waits for it until that task has reached it: a reader's or writer's call
//! costs one deadline, not each of them.

use super::ledger::Known;
use super::outage::{Outage, away};
use super::replay::in_time;
use crate::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, Records, RunInfo, StoreError,
};
use async_trait::async_trait;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A shared log with a local spool after it.
pub struct Spooled {
    outage: Arc<Outage>,
    stop: DropGuard,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Spooled {
    /// Reads what a former process has left in the spool, and starts the task that replays it. The spool must be a log
    /// of this node alone; orphan branches are filed where `orphans` are kept.
    pub async fn start(
        shared: Arc<dyn EventLog>,
        spool: Arc<dyn EventLog>,
        orphans: Arc<dyn Records>,
    ) -> Result<Arc<Self>, StoreError> {
        let outage = Arc::new(Outage::recall(shared, spool, orphans).await?);
        let stop = CancellationToken::new();
        let task = tokio::spawn(Arc::clone(&outage).watch(stop.clone()));
        Ok(Arc::new(Self { outage, stop: stop.drop_guard(), task: Mutex::new(Some(task)) }))
    }

    /// Whether the record is unavailable, or has not yet been told everything.
    pub fn is_degraded(&self) -> bool {
        self.outage.is_away() || self.outage.replay.ledger.has_spooled()
    }

    /// Ends the task. What is in the spool stays there for the next process.
    pub async fn stop(&self) {
        self.stop.token().cancel();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            // A task that failed has ended too.
            let _ = task.await;
        }
    }
}

#[async_trait]
impl EventLog for Spooled {
    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        let state = self.outage.replay.ledger.run(run);
        let _writing = in_time(state.writing.lock()).await?;
        let (ours, waits) = {
            let known = state.known();
            let ours = known.node == owner.node && known.head.epoch > 0;
            (ours.then(|| lease_of(&known.head)), known.is_spooled())
        };
        if waits {
            return ours.map(Claimed::Held).ok_or_else(|| away("the run waits in the spool of this node"));
        }
        match (self.outage.ask(self.outage.shared().claim(run, owner)).await, ours) {
            (Ok(Claimed::Held(lease)), _) => {
                state.known().claimed(&owner.node, &lease);
                Ok(Claimed::Held(lease))
            }
            (Ok(taken), _) => {
                *state.known() = Known::default();
                Ok(taken)
            }
            (Err(StoreError::Away { .. }), Some(lease)) => Ok(Claimed::Held(lease)),
            (Err(error), _) => Err(error),
        }
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        let state = self.outage.replay.ledger.run(run);
        if self.outage.is_spooled(run) {
            // Else the takeover would make an orphan of what this node itself still has to tell.
            self.outage.replay.run(&run.into()).await?;
        }
        let _writing = in_time(state.writing.lock()).await?;
        let lease = self.outage.ask(self.outage.shared().seize(run, seen_epoch, owner)).await?;
        if let Some(lease) = &lease {
            state.known().claimed(&owner.node, lease);
        }
        Ok(lease)
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        if !append.is_dense() {
            let cause = format!("the events to be written after {} are not dense", append.after);
            return Err(StoreError::Broken { store: "spool", cause });
        }
        let state = self.outage.replay.ledger.run(&append.run);
        let _writing = in_time(state.writing.lock()).await?;
        let (waits, ours) = {
            let known = state.known();
            (known.is_spooled(), known.is_ours(append.epoch))
        };
        // Behind what waits there already, else the record would see a gap.
        if waits {
            return self.outage.spool(&state, append).await;
        }
        match self.outage.ask(self.outage.shared().append(append.clone())).await {
            Ok(outcome) => {
                state.known().appended(&append, &outcome);
                Ok(outcome)
            }
            Err(error) if error.may_pass() && ours => self.outage.spool(&state, append).await,
            Err(error) => Err(error),
        }
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        if self.outage.is_spooled(run) {
            let entries = self.outage.read_spool(run, after, max).await?;
            if !entries.is_empty() {
                return Ok(entries);
            }
        }
        match self.outage.ask(self.outage.shared().read(run, after, max)).await {
            // At the end of a run of ours there is nothing to read, whoever is unavailable.
            Err(StoreError::Away { .. }) if self.outage.known_head(run).is_some_and(|head| after >= head.seq) => {
                Ok(Vec::new())
            }
            answer => answer,
        }
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        if let Some(head) = self.outage.in_spool(run, |known| known.head) {
            return Ok(head);
        }
        match self.outage.ask(self.outage.shared().head(run)).await {
            Err(error @ StoreError::Away { .. }) => self.outage.known_head(run).ok_or(error),
            answer => answer,
        }
    }

    /// While the record is unavailable: what is known here, or was last seen; `Away` if a run was never asked about.
    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        match self.outage.ask(self.outage.shared().heads(runs)).await {
            Ok(heads) => {
                self.outage.note_seen(runs, &heads);
                let local = |run: &Arc<str>| self.outage.in_spool(run, |known| known.head);
                Ok(runs.iter().zip(heads).map(|(run, head)| local(run).unwrap_or(head)).collect())
            }
            Err(error @ StoreError::Away { .. }) => {
                let known = |run: &Arc<str>| self.outage.known_head(run).or_else(|| self.outage.last_seen(run));
                runs.iter().map(known).collect::<Option<_>>().ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        let mut open = self.outage.ask(self.outage.shared().open_runs()).await?;
        // A turn that has ended in the spool only is not one whose writer died.
        open.retain(|open| self.outage.in_spool(&open.run, |known| known.head.open).unwrap_or(true));
        Ok(open)
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        self.outage.ask(self.outage.shared().beat(owner)).await
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.outage.ask(self.outage.shared().beats()).await
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        self.outage.ask(self.outage.shared().runs(after, max)).await
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        self.outage.ask(self.outage.shared().trim(run, keep)).await
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        let state = self.outage.replay.ledger.run(run);
        let _writing = in_time(state.writing.lock()).await?;
        self.outage.ask(self.outage.shared().remove(run)).await?;
        if self.outage.is_spooled(run) {
            self.outage.replay.journal.forget(run).await?;
        }
        *state.known() = Known::default();
        Ok(())
    }

    /// The spool counts: what this node owns can be written.
    async fn probe(&self) -> Result<(), StoreError> {
        match self.outage.ask(self.outage.shared().probe()).await {
            Err(StoreError::Away { .. }) => self.outage.replay.journal.probe().await,
            answer => answer,
        }
    }
}

fn lease_of(head: &Head) -> Lease {
    Lease { epoch: head.epoch, seq: head.seq, open: head.open }
}
