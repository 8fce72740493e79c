//! A log that dies at a chosen append: from then on nothing returns, or everything is refused.

use countersign_runtime::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, RunInfo, StoreError,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// How it dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Death {
    /// The append is durable, and nobody hears of it.
    Deaf,
    /// The append is not written, and nobody hears of it.
    Unwritten,
    /// The append is not written, and whoever asks hears so.
    Refused,
}

pub(super) struct DyingLog {
    log: Arc<dyn EventLog>,
    death: Death,
    at: usize,
    appends: AtomicUsize,
    died: Notify,
}

impl DyingLog {
    /// Dies at the append of this number; the first is 1.
    pub(super) fn over(log: Arc<dyn EventLog>, death: Death, at: usize) -> Self {
        Self { log, death, at, appends: AtomicUsize::new(0), died: Notify::new() }
    }

    /// Waits until it is dead.
    pub(super) async fn died(&self) {
        self.died.notified().await;
    }

    async fn pass(&self) -> Result<&dyn EventLog, StoreError> {
        if self.appends.load(Ordering::SeqCst) < self.at { Ok(&*self.log) } else { self.end().await }
    }

    async fn end<T>(&self) -> Result<T, StoreError> {
        match self.death {
            Death::Refused => Err(StoreError::Away { store: "dying", cause: "it is dead".to_owned() }),
            Death::Deaf | Death::Unwritten => std::future::pending().await,
        }
    }
}

#[async_trait::async_trait]
impl EventLog for DyingLog {
    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let number = self.appends.fetch_add(1, Ordering::SeqCst) + 1;
        if number < self.at {
            return self.log.append(append).await;
        }
        if number == self.at {
            if self.death == Death::Deaf {
                self.log.append(append).await?;
            }
            self.died.notify_one();
        }
        self.end().await
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        self.pass().await?.read(run, after, max).await
    }

    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        self.pass().await?.claim(run, owner).await
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        self.pass().await?.seize(run, seen_epoch, owner).await
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        self.pass().await?.head(run).await
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        self.pass().await?.heads(runs).await
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        self.pass().await?.open_runs().await
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        self.pass().await?.beat(owner).await
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.pass().await?.beats().await
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        self.pass().await?.runs(after, max).await
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        self.pass().await?.trim(run, keep).await
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        self.pass().await?.remove(run).await
    }

    async fn probe(&self) -> Result<(), StoreError> {
        self.pass().await?.probe().await
    }
}
