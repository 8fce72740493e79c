//! What an agent may spend: time of its own work. Waiting for a person, or for a tool that a client runs, costs nothing.

use super::ending::Ending;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The time that an agent has.
#[derive(Debug)]
pub(super) struct TimeBudget {
    time: Duration,
    begun: Instant,
    pauses: Mutex<Pauses>,
}

#[derive(Debug, Default)]
struct Pauses {
    /// How many wait now, and since when one does.
    waiting: usize,
    since: Option<Instant>,
    /// How long was waited before.
    over: Duration,
}

/// A wait that costs nothing, until it is dropped.
pub(super) struct Pause<'a>(&'a TimeBudget);

impl TimeBudget {
    /// So much time, from now on.
    pub(super) fn new(time: Duration) -> Self {
        Self { time, begun: Instant::now(), pauses: Mutex::default() }
    }

    /// What is left.
    pub(super) fn left(&self) -> Duration {
        let pauses = self.pauses();
        let paused = pauses.over + pauses.since.map_or(Duration::ZERO, |since| since.elapsed());
        self.time.saturating_sub(self.begun.elapsed().saturating_sub(paused))
    }

    /// Does something in the time that is left.
    pub(super) async fn spend<T>(&self, work: impl Future<Output = Result<T, Ending>>) -> Result<T, Ending> {
        let mut work = std::pin::pin!(work);
        loop {
            let left = self.left();
            if left.is_zero() {
                let message = format!("the turn took longer than the {} s that its agent has", self.time.as_secs_f64());
                return Err(Ending::Failed { code: "time_over", message, retryable: true });
            }
            if let Ok(done) = tokio::time::timeout(left, work.as_mut()).await {
                return done;
            }
        }
    }

    /// Waits without cost until the pause is dropped.
    pub(super) fn pause(&self) -> Pause<'_> {
        let mut pauses = self.pauses();
        pauses.waiting += 1;
        pauses.since.get_or_insert_with(Instant::now);
        Pause(self)
    }

    fn pauses(&self) -> MutexGuard<'_, Pauses> {
        self.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let mut pauses = self.0.pauses();
        pauses.waiting -= 1;
        if pauses.waiting == 0 {
            let waited = pauses.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            pauses.over += waited;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_work_costs_time() {
        let time_budget = TimeBudget::new(Duration::from_secs(10));
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(time_budget.left(), Duration::from_secs(6));
        {
            let (_one, _two) = (time_budget.pause(), time_budget.pause());
            tokio::time::advance(Duration::from_secs(100)).await;
        }
        assert_eq!(time_budget.left(), Duration::from_secs(6));
        let endless = time_budget.spend(std::future::pending::<Result<(), Ending>>()).await;
        assert!(matches!(endless, Err(Ending::Failed { code: "time_over", .. })));
    }
}
