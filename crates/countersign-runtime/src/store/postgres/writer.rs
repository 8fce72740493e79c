//! The task that collects appends for a few milliseconds and has them committed together.
//!
//! While one group is being committed the next one gathers. It ends when it is told to, after the last group.

use super::fault::{away, broken};
use super::group;
use super::pool::Pool;
use crate::store::{Append, Appended, StoreError, TurnMark};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

/// The near end of the task.
pub(super) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    task: Mutex<Option<JoinHandle<()>>>,
}

struct Job {
    append: Append,
    answer: oneshot::Sender<Result<Appended, StoreError>>,
}

impl Writer {
    /// Starts it.
    pub(super) fn start(pool: Arc<Pool>) -> Self {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let task = tokio::spawn(work(pool, jobs));
        Self { queue: Mutex::new(Some(queue)), task: Mutex::new(Some(task)) }
    }

    /// Hands an append over, and waits until it is committed.
    pub(super) async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        if !append.is_dense() {
            return Err(broken("an append's events are not numbered one after the other; nothing was written"));
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let queue = queue.ok_or_else(|| away("the store is closed"))?;
        let (answer, answered) = oneshot::channel();
        let through = async {
            queue.send(Job { append, answer }).await.map_err(|_| away("its writer has ended"))?;
            answered.await.map_err(|_| away("its writer has ended"))?
        };
        timeout(ANSWER, through).await.unwrap_or_else(|_| Err(away("no commit in time")))
    }

    /// Lets it finish, and waits.
    pub(super) async fn stop(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            // A task that failed has ended too.
            let _ = task.await;
        }
    }
}

async fn work(pool: Arc<Pool>, mut jobs: mpsc::Receiver<Job>) {
    while let Some(first) = jobs.recv().await {
        let (appends, answers) = gather(first, &mut jobs).await;
        let outcomes = commit(&pool, &appends).await;
        for (answer, outcome) in answers.into_iter().zip(outcomes) {
            // Who has gone away asks again and is told `Duplicate`.
            let _ = answer.send(outcome);
        }
    }
}

type Answers = Vec<oneshot::Sender<Result<Appended, StoreError>>>;

/// Collects until the time is over, the group is full, or something must not wait.
async fn gather(first: Job, jobs: &mut mpsc::Receiver<Job>) -> (Vec<Append>, Answers) {
    let until = Instant::now() + PATIENCE;
    let (mut events, mut bytes, mut urgent) = (0, 0, false);
    let (mut appends, mut answers) = (Vec::new(), Answers::new());
    let mut next = Some(first);
    while let Some(Job { append, answer }) = next {
        events += append.entries.len();
        bytes += append.entries.iter().map(|entry| entry.body.len()).sum::<usize>();
        urgent |= append.turn != TurnMark::Keep || append.entries.iter().any(|entry| entry.kind.is_barrier());
        appends.push(append);
        answers.push(answer);
        let full = events >= MAX_EVENTS || bytes >= MAX_BYTES;
        next = match (full, urgent) {
            (true, _) => None,
            // What is already there comes along.
            (false, true) => jobs.try_recv().ok(),
            (false, false) => timeout_at(until, jobs.recv()).await.ok().flatten(),
        };
    }
    (appends, answers)
}

/// One answer for each append. What the server refuses as a group is tried one by one, so that only the culprit fails.
async fn commit(pool: &Pool, appends: &[Append]) -> Vec<Result<Appended, StoreError>> {
    match group::commit(pool, appends).await {
        Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
        Err(StoreError::Broken { .. }) if appends.len() > 1 => {
            let mut outcomes = Vec::with_capacity(appends.len());
            for append in appends {
                let alone = group::commit(pool, std::slice::from_ref(append)).await;
                outcomes.push(alone.and_then(|one| one.into_iter().next().ok_or_else(|| broken("no outcome"))));
            }
            outcomes
        }
        Err(error) => appends.iter().map(|_| Err(error.clone())).collect(),
    }
}

const QUEUE: usize = 4096;
const PATIENCE: Duration = Duration::from_millis(5);
const MAX_EVENTS: usize = 512;
const MAX_BYTES: usize = 8 << 20;
/// For the queue and the commit together.
const ANSWER: Duration = Duration::from_secs(15);
