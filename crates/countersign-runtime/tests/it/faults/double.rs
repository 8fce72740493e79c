//! A log that somebody meddles with: before what it does, and between the deed and the answer.

use async_trait::async_trait;
use countersign_runtime::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, RunInfo, StoreError,
};
use std::sync::Arc;

/// What a log is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Append,
    Read,
    Head,
    Claim,
    Seize,
    Other,
}

/// Who meddles. An error of `before` means that nothing was done, one of `after` that the answer is lost.
#[async_trait]
pub(crate) trait Meddler: Send + Sync {
    async fn before(&self, _asked: Asked) -> Result<(), StoreError> {
        Ok(())
    }

    async fn after(&self, _asked: Asked) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A log with somebody in between.
pub(crate) struct MeddledLog<M> {
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) meddler: M,
}

impl<M: Meddler> MeddledLog<M> {
    async fn around<T>(
        &self,
        asked: Asked,
        deed: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        self.meddler.before(asked).await?;
        let answer = deed.await;
        self.meddler.after(asked).await?;
        answer
    }
}

#[async_trait]
impl<M: Meddler> EventLog for MeddledLog<M> {
    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        self.around(Asked::Append, self.log.append(append)).await
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        self.around(Asked::Read, self.log.read(run, after, max)).await
    }

    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        self.around(Asked::Claim, self.log.claim(run, owner)).await
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        self.around(Asked::Seize, self.log.seize(run, seen_epoch, owner)).await
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        self.around(Asked::Head, self.log.head(run)).await
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        self.around(Asked::Other, self.log.heads(runs)).await
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        self.around(Asked::Other, self.log.open_runs()).await
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        self.around(Asked::Other, self.log.beat(owner)).await
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.around(Asked::Other, self.log.beats()).await
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        self.around(Asked::Other, self.log.runs(after, max)).await
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        self.around(Asked::Other, self.log.trim(run, keep)).await
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        self.around(Asked::Other, self.log.remove(run)).await
    }

    async fn probe(&self) -> Result<(), StoreError> {
        self.around(Asked::Other, self.log.probe()).await
    }
}
