//! A wait that is begun over and over: one timer for all of them.
//!
//! A stream has a deadline for each of its pieces. To set a timer for each and take it away again costs more than
//! looking at the clock, so the timer is set once, and when it rings it is only asked whether the time is really up.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// A deadline that moves on with every sign of life.
#[derive(Debug)]
pub(super) struct IdleTimer {
    span: Duration,
    last: Instant,
    timer: Option<Pin<Box<Sleep>>>,
}

impl IdleTimer {
    /// Waits so long from every sign of life on.
    pub(super) fn new(span: Duration) -> Self {
        Self { span, last: Instant::now(), timer: None }
    }

    /// A sign of life.
    pub(super) fn seen(&mut self) {
        self.last = Instant::now();
    }

    /// Ready when there was none for too long. The next wait begins then.
    pub(super) fn poll_over(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let due = self.last + self.span;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(due)));
        loop {
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let now = Instant::now();
            let due = self.last + self.span;
            if now >= due {
                self.last = now;
                timer.as_mut().reset(now + self.span);
                return Poll::Ready(());
            }
            timer.as_mut().reset(due);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    // SERVE-6: every wait has a deadline, and a sign of life moves it.
    #[tokio::test(start_paused = true)]
    async fn a_sign_of_life_moves_the_deadline() {
        let began = Instant::now();
        let mut idle = IdleTimer::new(Duration::from_secs(10));
        assert!(poll_fn(|context| Poll::Ready(idle.poll_over(context))).await.is_pending());
        tokio::time::advance(Duration::from_secs(6)).await;
        idle.seen();
        poll_fn(|context| idle.poll_over(context)).await;
        assert_eq!(began.elapsed().as_secs(), 16);
        poll_fn(|context| idle.poll_over(context)).await;
        assert_eq!(began.elapsed().as_secs(), 26);
    }
}
