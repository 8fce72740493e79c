//! The limiter in memory: one cell a key, forgotten once it is full again.

use crate::store::{Limiter, Quota, StoreError, Taken};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The limiter.
#[derive(Debug)]
pub struct MemoryLimiter {
    /// For each key, when its cell will have drained.
    cells: Mutex<HashMap<String, Instant>>,
}

impl Default for MemoryLimiter {
    fn default() -> Self {
        Self { cells: Mutex::new(HashMap::new()) }
    }
}

impl MemoryLimiter {
    /// Takes one from a key's quota at a time.
    pub fn take_at(&self, key: &str, quota: Quota, now: Instant) -> Taken {
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        if cells.len() >= MAX_KEYS {
            cells.retain(|_, drained| *drained > now);
        }
        let each = Duration::from_secs(1) / quota.per_second.get();
        let drained = cells.get(key).copied().unwrap_or(now).max(now);
        // Full when what is in the cell and this one would take longer to drain than the burst does.
        let wait = (drained + each).saturating_duration_since(now + each * quota.burst.get());
        if wait > Duration::ZERO {
            return Taken::Refused { retry_after: wait };
        }
        cells.insert(key.to_owned(), drained + each);
        Taken::Allowed
    }
}

#[async_trait]
impl Limiter for MemoryLimiter {
    async fn take(&self, key: &str, quota: Quota) -> Result<Taken, StoreError> {
        Ok(self.take_at(key, quota, Instant::now()))
    }
}

/// Above so many keys the drained ones are forgotten.
const MAX_KEYS: usize = 100_000;
