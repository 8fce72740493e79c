//! A source behind a deadline: a panic, an error or a late answer stays its own.
//!
//! A thread cannot be killed, but it can be counted: a source that has not ended its earlier looks is not asked again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A source and how long it may take.
pub(super) struct Guarded<S: ?Sized> {
    name: &'static str,
    source: Arc<S>,
    deadline: Duration,
    running: Arc<AtomicUsize>,
}

impl<S: ?Sized + Send + Sync + 'static> Guarded<S> {
    pub(super) fn new(name: &'static str, source: Arc<S>, deadline: Duration) -> Self {
        Self { name, source, deadline, running: Arc::new(AtomicUsize::new(0)) }
    }

    /// Asks on a thread of its own; what went wrong is said in words.
    pub(super) fn ask<T, E>(&self, look: impl FnOnce(&S) -> Result<T, E> + Send + 'static) -> Result<T, String>
    where
        T: Send + 'static,
        E: std::fmt::Display,
    {
        if self.running.load(Ordering::Relaxed) >= MOST_RUNNING {
            return Err(format!("`{}` has not ended {MOST_RUNNING} earlier looks; look at the source", self.name));
        }
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
        if let Err(error) = thread::Builder::new().name(format!("countersign-{name}")).spawn(body) {
            self.running.fetch_sub(1, Ordering::Relaxed);
            return Err(format!("no thread to ask `{name}` with: {error}"));
        }
        receiver.recv_timeout(self.deadline).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => {
                Err(format!("`{name}` did not answer within {} ms", self.deadline.as_millis()))
            }
            RecvTimeoutError::Disconnected => Err(format!("`{name}` ended without an answer")),
        })
    }
}

/// How many looks of one source may be running, late ones included.
const MOST_RUNNING: usize = 32;
