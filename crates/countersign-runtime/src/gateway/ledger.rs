//! The audit of what the gateway decided.
//!
//! What a client is given to run is on record first: the verdicts of an answer that releases a call are committed, in one
//! transaction, before a byte of the call leaves. Everything else (what was refused, sent back or only examined) is written
//! behind the answers: it goes into a queue with a limit, and one task writes many records in one transaction and tries
//! again while a store is away. Whoever reads the audit waits until the queue is written. Only what was really checked is
//! ever written down as checked.

use crate::kept_request::KeptRequest;
use crate::metrics::Metrics;
use crate::store::{Change, Kind, Record, Records, StoreError};
use crate::stream::now_millis;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// The queue.
#[derive(Clone)]
pub struct Ledger {
    queue: mpsc::Sender<Post>,
    records: Arc<dyn Records>,
    metrics: Arc<Metrics>,
    duty: Duty,
}

/// Whether a call may be released that could not be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duty {
    /// No: what is released is on record first.
    #[default]
    Required,
    /// Yes: verdicts are written behind the answers, and a crash may lose the newest.
    BestEffort,
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
    /// What it was decided on.
    pub request: Option<Arc<KeptRequest>>,
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
    pub fn new(
        records: Arc<dyn Records>,
        metrics: Arc<Metrics>,
        duty: Duty,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (queue, posts) = mpsc::channel(QUEUE);
        let ledger = Self { queue, records: Arc::clone(&records), metrics: Arc::clone(&metrics), duty };
        (ledger, write(posts, records, metrics))
    }

    /// Puts the decisions of one answer on record before it is sent, in one commit. An error means that nothing of it may
    /// be released.
    pub async fn commit(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        if self.duty == Duty::BestEffort {
            for entry in entries {
                self.record(entry).await;
            }
            return Ok(());
        }
        let late = || StoreError::Away { store: "audit", cause: format!("no answer within {} s", WAIT.as_secs()) };
        let began = Instant::now();
        let applied = tokio::time::timeout(WAIT, self.records.apply(changes(entries))).await;
        self.metrics.audit_commits.observe(began.elapsed());
        applied.unwrap_or_else(|_| Err(late())).map(drop).inspect_err(|error| {
            self.metrics.store_errors.of(["audit"]).add_one();
            tracing::error!(%error, "calls were held back: they could not be recorded");
        })
    }

    /// Writes a decision down behind the answer.
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

async fn write(mut posts: mpsc::Receiver<Post>, records: Arc<dyn Records>, metrics: Arc<Metrics>) {
    let mut batch = Vec::new();
    while posts.recv_many(&mut batch, BATCH).await > 0 {
        // Under load more is waiting by now, and one transaction takes it all.
        if batch.len() < BATCH && !batch.iter().any(|post| matches!(post, Post::Flush(_))) {
            let more = tokio::time::timeout(GATHER, posts.recv_many(&mut batch, BATCH));
            let _ = more.await;
        }
        let (mut entries, mut made, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        for post in batch.drain(..) {
            match post {
                Post::Entry(entry) => entries.push(*entry),
                Post::Later(make) => made.push(Change::Insert(make(), None)),
                Post::Flush(tell) => waiting.push(tell),
            }
        }
        made.extend(changes(entries));
        apply(made, records.as_ref(), &metrics).await;
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

/// Every request once, before the first decision that names it.
fn changes(entries: Vec<Entry>) -> Vec<Change> {
    let (mut changes, mut kept) = (Vec::with_capacity(entries.len() + 1), BTreeSet::new());
    for mut entry in entries {
        let request = entry.request.take();
        changes.extend(request.filter(|request| kept.insert(request.id.clone())).map(|request| request.keep()));
        changes.push(change(entry));
    }
    changes
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
    Change::Insert(record, None)
}

/// So many decisions may wait; then answers wait too.
const QUEUE: usize = 4096;
/// So many are written at once.
const BATCH: usize = 256;
/// How long more is waited for.
const GATHER: Duration = Duration::from_millis(50);
/// How long a client is kept waiting for the record of its calls.
const WAIT: Duration = Duration::from_secs(10);
const LONGEST_FLUSH: Duration = Duration::from_secs(3);
/// While a store is away: a minute, all together.
const TRIES: u32 = 60;
const PAUSE: Duration = Duration::from_secs(1);
