//! What a thread worked, not what the clock on the wall says: a test of cost must not fail because another program had the processor.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A stopwatch that runs only while its thread does.
pub(crate) struct Stopwatch(Duration);

impl Stopwatch {
    /// Starts it on this thread.
    pub(crate) fn start() -> Self {
        Self(worked())
    }

    /// How long the thread has worked since.
    pub(crate) fn elapsed(&self) -> Duration {
        worked().saturating_sub(self.0)
    }
}

fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[test]
fn sleep_is_no_work() {
    let watch = Stopwatch::start();
    std::thread::sleep(Duration::from_millis(200));
    assert!(watch.elapsed() < Duration::from_millis(150));
}
