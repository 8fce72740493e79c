//! Knows when an upstream is away, so that clients get a clean error at once and not after a wait each.
//!
//! It opens after several failures in a row to reach the upstream, lets one request try from time to time, and closes
//! with the first that gets through. A status of the upstream, whatever it is, shows that it is there.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The state of an upstream.
#[derive(Debug, Default)]
pub struct Circuit {
    /// Failures in a row; 0 is the quick way through.
    failures: AtomicU32,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// Until when nobody tries.
    until: Option<Instant>,
    pause: Duration,
    /// Somebody is trying.
    probing: bool,
}

/// Leave to try. What came of it is told; a permit that is dropped tells nothing.
#[derive(Debug)]
pub struct Permit<'a> {
    circuit: &'a Circuit,
    probe: bool,
}

impl Circuit {
    /// Leave to try, or the time to wait.
    pub fn admit(&self) -> Result<Permit<'_>, Duration> {
        if self.failures.load(Ordering::Relaxed) < THRESHOLD {
            return Ok(Permit { circuit: self, probe: false });
        }
        let mut open = self.lock();
        let Some(until) = open.until else { return Ok(Permit { circuit: self, probe: false }) };
        let wait = until.saturating_duration_since(Instant::now());
        if !wait.is_zero() || open.probing {
            return Err(wait.max(Duration::from_millis(1)));
        }
        open.probing = true;
        Ok(Permit { circuit: self, probe: true })
    }

    /// Whether requests are turned away.
    pub fn is_open(&self) -> bool {
        self.failures.load(Ordering::Relaxed) >= THRESHOLD
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// The upstream is there.
    pub fn reached(self) {
        if self.circuit.failures.load(Ordering::Relaxed) > 0 {
            self.circuit.failures.store(0, Ordering::Relaxed);
            *self.circuit.lock() = Open::default();
        }
    }

    /// It is not.
    pub fn failed(self) {
        let failures = self.circuit.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if failures >= THRESHOLD {
            let mut open = self.circuit.lock();
            // Requests that were under way when it opened do not make the pause longer.
            if open.until.is_none() || self.probe {
                open.pause = (open.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
                open.until = Some(Instant::now() + open.pause);
            }
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.probe {
            self.circuit.lock().probing = false;
        }
    }
}

/// So many failures in a row open it.
const THRESHOLD: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-6: it opens, lets one try, and closes by itself.
    #[test]
    fn it_opens_and_recovers() {
        let circuit = Circuit::default();
        for _ in 0..THRESHOLD {
            circuit.admit().unwrap().failed();
        }
        assert!(circuit.is_open());
        assert!(circuit.admit().is_err());
        std::thread::sleep(FIRST_PAUSE);
        let probe = circuit.admit().unwrap();
        assert!(circuit.admit().is_err(), "one at a time");
        drop(probe);
        circuit.admit().unwrap().failed();
        assert!(circuit.admit().unwrap_err() > FIRST_PAUSE, "the pause grows");
        std::thread::sleep(FIRST_PAUSE * 2);
        circuit.admit().unwrap().reached();
        assert!(!circuit.is_open());
        assert!(circuit.admit().is_ok() && circuit.admit().is_ok());
    }

    #[test]
    fn a_success_between_failures_keeps_it_closed() {
        let circuit = Circuit::default();
        for _ in 0..100 {
            circuit.admit().unwrap().failed();
            circuit.admit().unwrap().reached();
        }
        assert!(!circuit.is_open());
    }
}
