//! A log that does as it is told: passes everything on and counts, is unavailable, or loses the answer of what it has done.

use countersign_runtime::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, RunInfo, StoreError,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) struct WatchedLog {
    log: Arc<dyn EventLog>,
    fault: Mutex<Fault>,
    reads: AtomicUsize,
    heads: AtomicUsize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Nothing is done.
    Away,
    /// Nothing can be written; all else is as ever.
    Full,
    /// An append is made and its answer lost; all else is as ever.
    AnswersLost,
}

impl WatchedLog {
    pub(crate) fn over(log: Arc<dyn EventLog>) -> Self {
        Self { log, fault: Mutex::new(Fault::None), reads: AtomicUsize::new(0), heads: AtomicUsize::new(0) }
    }

    pub(crate) fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    /// How often events were read.
    pub(crate) fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    /// How often it was asked where a run is.
    pub(crate) fn heads(&self) -> usize {
        self.heads.load(Ordering::Relaxed)
    }

    pub(crate) fn forget_counts(&self) {
        self.reads.store(0, Ordering::Relaxed);
        self.heads.store(0, Ordering::Relaxed);
    }

    fn pass(&self) -> Result<&dyn EventLog, StoreError> {
        let fault = *self.fault.lock().unwrap();
        if fault == Fault::Away { Err(lost()) } else { Ok(&*self.log) }
    }
}

fn lost() -> StoreError {
    StoreError::Away { store: "watched", cause: "told to be".to_owned() }
}

#[async_trait::async_trait]
impl EventLog for WatchedLog {
    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let fault = *self.fault.lock().unwrap();
        match fault {
            Fault::AnswersLost => self.log.append(append).await.and(Err(lost())),
            Fault::Full => Err(StoreError::Full { store: "watched", cause: "told to be".to_owned() }),
            Fault::None | Fault::Away => self.pass()?.append(append).await,
        }
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.pass()?.read(run, after, max).await
    }

    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        self.pass()?.claim(run, owner).await
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        self.pass()?.seize(run, seen_epoch, owner).await
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        self.heads.fetch_add(1, Ordering::Relaxed);
        self.pass()?.head(run).await
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        self.pass()?.heads(runs).await
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        self.pass()?.open_runs().await
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        self.pass()?.beat(owner).await
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.pass()?.beats().await
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        self.pass()?.runs(after, max).await
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        self.pass()?.trim(run, keep).await
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        self.pass()?.remove(run).await
    }

    async fn probe(&self) -> Result<(), StoreError> {
        self.pass()?.probe().await
    }
}
