//! The writer's queue and thread: one transaction for everything that is queued.
//!
//! A group is written 5 ms after its first job came, or with 512 events, or at once when a job says that it must not
//! wait. Nobody is answered before the commit. A group that failed for want of room, or because of what one job in it met,
//! is tried again job by job, so that one who fails harms no other.

use super::write_connection::WriteConnection;
use super::{Durability, fault};
use crate::store::StoreError;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// How long a job may wait for company, and what it weighs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Haste {
    /// Whether the group is written as soon as the job is in it.
    pub(super) barrier: Barrier,
    /// How many events it writes.
    pub(super) events: usize,
    /// How many bytes it holds.
    pub(super) bytes: usize,
}

/// Whether a group waits for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Barrier {
    /// It does.
    No,
    /// What must not be late is in it.
    Yes,
}

impl Haste {
    /// Something small that must not be late.
    pub(super) const fn at_once() -> Self {
        Self { barrier: Barrier::Yes, events: 0, bytes: 0 }
    }

    /// Something small that may be.
    pub(super) const fn with_the_next() -> Self {
        Self { barrier: Barrier::No, events: 0, bytes: 0 }
    }
}

/// The thread and the way to it.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub(super) fn start(database: WriteConnection, durability: Durability) -> Result<Self, StoreError> {
        let queue = Arc::new(Queue::default());
        let own = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("countersign-writer".to_owned())
            .spawn(move || own.serve(database, durability))
            .map_err(|error| fault::away(format!("its thread cannot be started: {error}")))?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a job and waits for its answer. A job whose answer came too late may still be done.
    pub(super) async fn write<T, F>(&self, haste: Haste, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut WriteConnection) -> Result<T, StoreError> + Send + 'static,
    {
        let end = tokio::time::Instant::now() + DEADLINE;
        let room = Arc::clone(&self.queue.room).acquire_many_owned(weight(haste.bytes));
        let room = tokio::time::timeout_at(end, room).await.map_err(|_| late("its queue is full"))?;
        let (reply, answer) = oneshot::channel();
        let work = Box::new(Task { run, done: None, reply: Some(reply) });
        self.queue.push(Job { work, haste, _room: room.map_err(|_| closed())? })?;
        let answer = tokio::time::timeout_at(end, answer).await.map_err(|_| late("it did not answer"))?;
        answer.map_err(|_| closed())?
    }

    /// Writes what is queued, and ends the thread.
    pub(super) fn close(&self) {
        self.queue.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the SQLite store ended in a panic");
        }
    }
}

/// What waits to be written.
#[derive(Debug)]
struct Queue {
    waiting: Mutex<Waiting>,
    /// Told when the queue is no longer empty, and when a group need not wait any more.
    changed: Condvar,
    /// Bounds what waits, in bytes and so in jobs.
    room: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Waiting {
    jobs: Vec<Job>,
    events: usize,
    /// When the first of them came.
    since: Option<Instant>,
    barrier: bool,
    closing: bool,
}

impl Default for Queue {
    fn default() -> Self {
        let room = Arc::new(Semaphore::new(ROOM as usize));
        Self { waiting: Mutex::default(), changed: Condvar::new(), room }
    }
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: Job) -> Result<(), StoreError> {
        let mut waiting = self.waiting();
        if waiting.closing {
            return Err(closed());
        }
        let before = waiting.patience();
        waiting.events += job.haste.events;
        waiting.barrier |= job.haste.barrier == Barrier::Yes;
        waiting.since.get_or_insert_with(Instant::now);
        waiting.jobs.push(job);
        let news = waiting.patience() != before;
        drop(waiting);
        if news {
            self.changed.notify_one();
        }
        Ok(())
    }

    fn close(&self) {
        self.waiting().closing = true;
        self.room.close();
        self.changed.notify_one();
    }

    /// The thread's life.
    fn serve(&self, mut database: WriteConnection, durability: Durability) {
        while let Some(mut group) = self.next_group() {
            match durability {
                _ if group.is_empty() => {}
                Durability::Durable => settle(&mut database, &mut group),
                #[cfg(feature = "planted-bugs")]
                Durability::AckBeforeCommit => acknowledge_early(&mut database, &mut group),
            }
            // Everybody has been answered.
            drop(group);
            database.empty_log();
        }
        database.tidy();
    }

    /// Everything that is queued, once it has waited long enough; nothing after a while without work; none when the queue
    /// is closed and empty.
    fn next_group(&self) -> Option<Vec<Job>> {
        let mut waiting = self.waiting();
        loop {
            let wait = match waiting.patience() {
                Patience::Idle if waiting.closing => return None,
                Patience::Idle => IDLE,
                Patience::None => Duration::ZERO,
                Patience::Some => WINDOW.saturating_sub(waiting.since.map_or(WINDOW, |since| since.elapsed())),
            };
            if wait.is_zero() {
                let closing = waiting.closing;
                return Some(std::mem::replace(&mut *waiting, Waiting { closing, ..Waiting::default() }).jobs);
            }
            let (next, slept) = self.changed.wait_timeout(waiting, wait).unwrap_or_else(PoisonError::into_inner);
            waiting = next;
            if slept.timed_out() && waiting.patience() == Patience::Idle && !waiting.closing {
                return Some(Vec::new());
            }
        }
    }
}

/// Whether the writer sleeps, waits for company, or writes.
#[derive(PartialEq, Eq)]
enum Patience {
    Idle,
    Some,
    None,
}

impl Waiting {
    fn patience(&self) -> Patience {
        match () {
            () if self.jobs.is_empty() => Patience::Idle,
            () if self.barrier || self.closing || self.events >= EVENTS => Patience::None,
            () => Patience::Some,
        }
    }
}

/// Writes a group and answers everyone in it.
fn settle(database: &mut WriteConnection, group: &mut [Job]) {
    match together(database, group, |_| ()) {
        // One of them, or all of them together, were too much; each alone may not be.
        Err(StoreError::Full { .. } | StoreError::Broken { .. }) if group.len() > 1 => {
            for job in group {
                let done = together(database, std::slice::from_mut(job), |_| ());
                job.work.answer(done);
            }
        }
        done => group.iter_mut().for_each(|job| job.work.answer(done.clone())),
    }
}

/// The planted bug: answers that do not wait for the commit, and a commit that takes its time.
#[cfg(feature = "planted-bugs")]
fn acknowledge_early(database: &mut WriteConnection, group: &mut [Job]) {
    let late = together(database, group, |job| {
        job.work.answer(Ok(()));
        thread::sleep(WINDOW);
    });
    drop(late);
}

/// All jobs in one transaction.
fn together(database: &mut WriteConnection, group: &mut [Job], each: impl Fn(&mut Job)) -> Result<(), StoreError> {
    database.transact(|database| {
        for job in group {
            job.work.run(database)?;
            each(job);
        }
        Ok(())
    })
}

struct Job {
    work: Box<dyn Work>,
    haste: Haste,
    _room: OwnedSemaphorePermit,
}

impl fmt::Debug for Job {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a job of {} events", self.haste.events)
    }
}

/// Something to be written: run as often as its transaction is tried, and answered once.
trait Work: Send {
    fn run(&mut self, database: &mut WriteConnection) -> Result<(), StoreError>;
    fn answer(&mut self, committed: Result<(), StoreError>);
}

struct Task<F, T> {
    run: F,
    done: Option<T>,
    reply: Option<oneshot::Sender<Result<T, StoreError>>>,
}

impl<T: Send, F: FnMut(&mut WriteConnection) -> Result<T, StoreError> + Send> Work for Task<F, T> {
    fn run(&mut self, database: &mut WriteConnection) -> Result<(), StoreError> {
        self.done = Some((self.run)(database)?);
        Ok(())
    }

    fn answer(&mut self, committed: Result<(), StoreError>) {
        let done = committed.and_then(|()| self.done.take().ok_or_else(closed));
        // Whoever asked may have gone.
        self.reply.take().map(|reply| reply.send(done));
    }
}

/// What a job takes of the queue's room: its KiB, and never less than the smallest.
fn weight(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024).unwrap_or(ROOM).clamp(SMALLEST, ROOM)
}

fn closed() -> StoreError {
    fault::away("it is closed")
}

fn late(what: &str) -> StoreError {
    fault::away(format!("{what} within {} s", DEADLINE.as_secs()))
}

/// How long a job may wait for company.
const WINDOW: Duration = Duration::from_millis(5);
/// With so many events a group waits no longer.
const EVENTS: usize = 512;
/// How long a caller waits in all.
const DEADLINE: Duration = Duration::from_secs(30);
/// The writer looks up so often without a reason.
const IDLE: Duration = Duration::from_secs(5);
/// What may wait, in KiB: 64 MiB, and 8,192 jobs.
const ROOM: u32 = 64 * 1024;
const SMALLEST: u32 = 8;
