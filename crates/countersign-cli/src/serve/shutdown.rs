//! The end of the server: signals, and what must happen before the process goes.
//!
//! The first SIGTERM or SIGINT begins the end: no new connections, and everything that was registered here is run, at
//! most for the grace time. A second signal cuts the grace short.

use futures_util::future::{BoxFuture, join_all};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The end, as those see it who must prepare for it.
#[derive(Default)]
pub(crate) struct Shutdown {
    begun: CancellationToken,
    hurry: CancellationToken,
    last: Mutex<Vec<Last>>,
}

/// Something to be done at the end; it is told how long it may take.
type Last = Box<dyn FnOnce(Duration) -> BoxFuture<'static, ()> + Send>;

impl Shutdown {
    /// Registers something to be done at the end, such as to end the running turns. It gets the grace time.
    pub(crate) fn at_the_end<F>(&self, last: F)
    where
        F: FnOnce(Duration) -> BoxFuture<'static, ()> + Send + 'static,
    {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(last));
    }

    /// Becomes cancelled when the end begins: long loops stop on it.
    pub(crate) fn begun(&self) -> &CancellationToken {
        &self.begun
    }

    /// Becomes cancelled on the second signal.
    pub(crate) fn hurry(&self) -> &CancellationToken {
        &self.hurry
    }

    /// Begins the end and does what was registered, at most for the grace time and a moment.
    pub(crate) async fn run(&self, grace: Duration) {
        self.begun.cancel();
        let last = std::mem::take(&mut *self.last.lock().unwrap_or_else(PoisonError::into_inner));
        let all = join_all(last.into_iter().map(|last| last(grace)));
        tokio::select! {
            _ = tokio::time::timeout(grace + MOMENT, all) => {}
            () = self.hurry.cancelled() => {}
        }
    }
}

/// Waits for the first signal, then watches for the second.
pub(crate) async fn wait_for_signal(shutdown: &Shutdown, mut signals: Signals) {
    signals.next().await;
    let hurry = shutdown.hurry.clone();
    tokio::spawn(async move {
        signals.next().await;
        hurry.cancel();
    });
}

/// SIGTERM and SIGINT, caught from the moment that this is made.
#[cfg(unix)]
pub(crate) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Begins to catch them.
    pub(crate) fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Begins to catch it.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// What ending a turn may take after its grace time.
const MOMENT: Duration = Duration::from_secs(2);
