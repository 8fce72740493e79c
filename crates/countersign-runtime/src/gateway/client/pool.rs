//! Idle connections to one upstream.

use super::connection::Connection;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

/// Connections that wait for a request, the one that was used last at the back.
#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    connections: VecDeque<(Instant, Box<Connection>)>,
    /// Whether somebody closes those that nobody uses.
    swept: bool,
}

impl Pool {
    /// The connection that was used last.
    pub(super) fn take(&self) -> Option<Box<Connection>> {
        let (since, connection) = self.lock().connections.pop_back()?;
        (since.elapsed() < IDLE).then_some(connection)
    }

    /// Keeps a connection for the next request.
    pub(super) fn put(self: &Arc<Self>, connection: Box<Connection>) {
        let mut idle = self.lock();
        if idle.connections.len() >= MOST_IDLE {
            return;
        }
        idle.connections.push_back((Instant::now(), connection));
        if !std::mem::replace(&mut idle.swept, true) {
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Closes what has waited too long or was closed by the upstream. Whether any is left.
    fn close_old(&self) -> bool {
        let mut idle = self.lock();
        let mut context = Context::from_waker(Waker::noop());
        idle.connections.retain_mut(|(since, connection)| since.elapsed() < IDLE && connection.is_idle(&mut context));
        idle.swept = !idle.connections.is_empty();
        idle.swept
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks after a pool until it is empty or gone.
async fn sweep(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        if !pool.upgrade().is_some_and(|pool| pool.close_old()) {
            return;
        }
    }
}

/// Shorter than servers keep idle connections, so that we do not send into one that is being closed.
pub(super) const IDLE: Duration = Duration::from_secs(25);
const MOST_IDLE: usize = 512;
const SWEEP: Duration = Duration::from_secs(5);
