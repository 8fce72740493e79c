//! Deadlines for the heads of requests, without a timer for each request.
//!
//! The HTTP library sets a timer before every head and takes it away after, which costs more than reading the head. Here
//! a deadline is only a time that is looked at when the connection is looked at; the listener looks at each connection
//! every few seconds, so that a deadline passes at most that much late.

use hyper::rt::{Sleep, Timer};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// Makes deadlines that nobody is woken for.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadTimer;

struct Deadline(Instant);

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Deadline(deadline))
    }
}

impl Sleep for Deadline {}

impl Future for Deadline {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.0 { Poll::Ready(()) } else { Poll::Pending }
    }
}
