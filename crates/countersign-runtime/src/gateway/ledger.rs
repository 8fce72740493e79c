//! The audit of what the gateway decided, written behind the answers and in batches.
//!
//! A verdict must not cost a client the time of a disk. What is decided goes into a queue with a limit; one task writes
//! it, many records in one transaction, and tries again while a store is away. Whoever reads the audit waits until the
//! queue is written. Only what was really checked is ever written down as checked.

use crate::metrics::Metrics;
use crate::store::{Change, Kind, Query, Record, Records, StoreError};
use crate::stream::now_millis;
use bytes::Bytes;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The queue.
#[derive(Clone)]
pub struct Ledger {
    queue: mpsc::Sender<Post>,
}

/// One decision.
#[derive(Debug)]
pub struct Entry {
    /// What it is: a verdict, or a note in the audit.
    pub kind: Kind,
    /// Its name.
    pub id: String,
    /// The answer that it belongs to.
    pub answer: String,
    /// Its status.
    pub status: &'static str,
    /// What was decided and why.
    pub body: Value,
    /// The line that `countersign check` decides the same way again.
    pub line: Option<Bytes>,
}

enum Post {
    Entry(Box<Entry>),
    /// A record that is made when it is written.
    Later(Box<dyn FnOnce() -> Record + Send>),
    /// Tells when everything before it is written.
    Flush(oneshot::Sender<()>),
}

impl Ledger {
    /// A ledger, and its writer, which ends when the last ledger is gone.
    pub fn new(records: Arc<dyn Records>, metrics: Arc<Metrics>) -> (Self, impl Future<Output = ()> + Send) {
        let (queue, posts) = mpsc::channel(QUEUE);
        (Self { queue }, write(posts, records, metrics))
    }

    /// Writes a decision down.
    pub async fn record(&self, entry: Entry) {
        // The writer lives as long as the house; without it there is nothing to write to.
        let _ = self.queue.send(Post::Entry(Box::new(entry))).await;
    }

    /// Writes something down that the writer makes: who records it has no time for that.
    pub async fn record_later(&self, make: impl FnOnce() -> Record + Send + 'static) {
        // As above.
        let _ = self.queue.send(Post::Later(Box::new(make))).await;
    }

    /// Waits until everything so far is written, or for a moment.
    pub async fn flush(&self) {
        let (tell, told) = oneshot::channel();
        if self.queue.send(Post::Flush(tell)).await.is_ok() {
            let _ = tokio::time::timeout(LONGEST_FLUSH, told).await;
        }
    }
}

/// Removes verdicts on calls and results that are older than they are kept, from time to time, until it is dropped.
pub async fn forget(records: Arc<dyn Records>, age: Duration) {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX / 2);
    loop {
        match remove_older(records.as_ref(), now_millis().saturating_sub(age)).await {
            // A whole batch was too old: there may be more.
            Ok(BATCH) => tokio::task::yield_now().await,
            Ok(_) => tokio::time::sleep(FORGET).await,
            Err(error) => {
                tracing::warn!(%error, "old verdicts could not be removed");
                tokio::time::sleep(FORGET).await;
            }
        }
    }
}

async fn remove_older(records: &dyn Records, until: i64) -> Result<usize, StoreError> {
    let mut most = 0;
    for kind in [Kind::Verdict, Kind::Examination] {
        let old = records.list(kind, Query { until: Some(until), limit: BATCH, ..Query::default() }).await?;
        let changes: Vec<_> = old.into_iter().map(|record| Change::Delete { kind, id: record.id }).collect();
        most = most.max(changes.len());
        if !changes.is_empty() {
            records.apply(changes).await?;
        }
    }
    Ok(most)
}

async fn write(mut posts: mpsc::Receiver<Post>, records: Arc<dyn Records>, metrics: Arc<Metrics>) {
    let mut batch = Vec::new();
    while posts.recv_many(&mut batch, BATCH).await > 0 {
        // Under load more is waiting by now, and one transaction takes it all.
        if batch.len() < BATCH && !batch.iter().any(|post| matches!(post, Post::Flush(_))) {
            let more = tokio::time::timeout(GATHER, posts.recv_many(&mut batch, BATCH));
            let _ = more.await;
        }
        let (mut changes, mut waiting) = (Vec::new(), Vec::new());
        for post in batch.drain(..) {
            match post {
                Post::Entry(entry) => changes.push(change(*entry)),
                Post::Later(make) => changes.push(Change::Insert(make(), None)),
                Post::Flush(tell) => waiting.push(tell),
            }
        }
        apply(changes, records.as_ref(), &metrics).await;
        for tell in waiting {
            // Whoever asked may have left.
            let _ = tell.send(());
        }
    }
}

async fn apply(changes: Vec<Change>, records: &dyn Records, metrics: &Metrics) {
    if changes.is_empty() {
        return;
    }
    for attempt in 0..TRIES {
        match records.apply(changes.clone()).await {
            Ok(_) => return,
            Err(error) => {
                metrics.store_errors.of(["audit"]).add_one();
                tracing::warn!(%error, records = changes.len(), attempt, "the audit could not be written");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    tracing::error!(records = changes.len(), "records of the audit are lost: the store did not come back in time");
}

fn change(entry: Entry) -> Change {
    let record = Record {
        kind: entry.kind,
        id: entry.id,
        parent: entry.answer,
        state: entry.status.to_owned(),
        created_at: now_millis(),
        version: 1,
        body: entry.body,
    };
    Change::Insert(record, entry.line)
}

/// So many decisions may wait; then answers wait too.
const QUEUE: usize = 4096;
/// So many are written at once.
const BATCH: usize = 256;
/// How long more is waited for.
const GATHER: Duration = Duration::from_millis(50);
/// How often it is looked whether verdicts are too old.
const FORGET: Duration = Duration::from_secs(15);
const LONGEST_FLUSH: Duration = Duration::from_secs(3);
/// While a store is away: a minute, all together.
const TRIES: u32 = 60;
const PAUSE: Duration = Duration::from_secs(1);
