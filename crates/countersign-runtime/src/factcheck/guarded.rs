//! A source behind a deadline: a panic, an error or a late answer stays its own.
//!
//! A thread cannot be killed, but it can be counted: a source that has not ended its earlier looks is not asked again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A source and how long it may take.
pub(super) struct Guarded<S: ?Sized> {
    name: &'static str,
    source: Arc<S>,
    deadline: Duration,
    running: Arc<AtomicUsize>,
    /// Threads that wait for their next look. One that was late is not called again and ends by itself.
    idle: Mutex<Vec<Sender<Look>>>,
}

type Look = Box<dyn FnOnce() + Send>;

impl<S: ?Sized + Send + Sync + 'static> Guarded<S> {
    pub(super) fn new(name: &'static str, source: Arc<S>, deadline: Duration) -> Self {
        Self { name, source, deadline, running: Arc::new(AtomicUsize::new(0)), idle: Mutex::new(Vec::new()) }
    }

    /// Asks on another thread; what went wrong is said in words.
    pub(super) fn ask<T, E>(&self, look: impl FnOnce(&S) -> Result<T, E> + Send + 'static) -> Result<T, String>
    where
        T: Send + 'static,
        E: std::fmt::Display,
    {
        if self.running.load(Ordering::Relaxed) >= MOST_RUNNING {
            return Err(format!("`{}` has not ended {MOST_RUNNING} earlier looks; look at the source", self.name));
        }
        let helper = self.helper()?;
        let (sender, receiver) = channel();
        let (source, running, name) = (Arc::clone(&self.source), Arc::clone(&self.running), self.name);
        running.fetch_add(1, Ordering::Relaxed);
        let body = move || {
            let answer = match catch_unwind(AssertUnwindSafe(|| look(&source))) {
                Ok(Ok(found)) => Ok(found),
                Ok(Err(error)) => Err(format!("`{name}`: {error}")),
                Err(_) => Err(format!("`{name}` panicked")),
            };
            running.fetch_sub(1, Ordering::Relaxed);
            // Nobody listens any more when the answer is late.
            let _ = sender.send(answer);
        };
        if helper.send(Box::new(body)).is_err() {
            self.running.fetch_sub(1, Ordering::Relaxed);
            return Err(format!("the thread that asks `{name}` has ended"));
        }
        match receiver.recv_timeout(self.deadline) {
            Ok(answer) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(helper);
                answer
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("`{name}` did not answer within {} ms", self.deadline.as_millis()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(format!("`{name}` ended without an answer")),
        }
    }

    /// A thread that waits, or a new one. It ends when nobody can send it a look any more.
    fn helper(&self) -> Result<Sender<Look>, String> {
        if let Some(helper) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(helper);
        }
        let (sender, receiver) = channel::<Look>();
        let body = move || receiver.into_iter().for_each(|look| look());
        let started = thread::Builder::new().name(format!("countersign-{}", self.name)).spawn(body);
        started.map_err(|error| format!("no thread to ask `{}` with: {error}", self.name))?;
        Ok(sender)
    }
}

/// How many looks of one source may be running, late ones included.
const MOST_RUNNING: usize = 32;
