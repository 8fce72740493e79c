//! A name for each request: ours, unless an upstream gave one. Names are told apart, not guessed: they are no secret.

use std::sync::atomic::{AtomicU64, Ordering};

/// Makes names that no other process makes.
#[derive(Debug)]
pub struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl RequestIds {
    /// Begins with a random number for this process.
    pub fn new() -> Self {
        let process = getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id()));
        Self { process, next: AtomicU64::new(0) }
    }

    /// The next name.
    pub fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("req_{:016x}{number:08x}", self.process)
    }
}
