//! What waits to be done: every bounded queue of the server, and how full it is.

use super::{Look, Probe, Status};
use futures_util::future::BoxFuture;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Says how many wait and how many may.
type Fill = Arc<dyn Fn() -> (usize, usize) + Send + Sync>;

/// The queues. Cloning is cheap; all clones show the same.
#[derive(Clone, Default)]
pub(crate) struct Queues {
    known: Arc<Mutex<Vec<(&'static str, Fill)>>>,
}

impl Queues {
    /// Shows one more queue: how many wait in it, and how many may.
    pub(crate) fn show(&self, name: &'static str, fill: impl Fn() -> (usize, usize) + Send + Sync + 'static) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).push((name, Arc::new(fill)));
    }

    fn look_at_all(&self) -> Look {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut worst = Look::healthy();
        let mut shown = Vec::new();
        for (name, fill) in known {
            let (waiting, room) = fill();
            shown.push((name, json!({"waiting": waiting, "room": room})));
            if room > 0 && waiting >= room {
                worst = Look::unhealthy(format!("the queue {name} is full"));
            } else if waiting * 5 > room * 4 && worst.status() == Status::Healthy {
                worst = Look::degraded(format!("the queue {name} is nearly full"));
            }
        }
        shown.into_iter().fold(worst, |look, (name, value)| look.with(name, value))
    }
}

impl Probe for Queues {
    fn name(&self) -> &'static str {
        "queues"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async { self.look_at_all() })
    }
}
