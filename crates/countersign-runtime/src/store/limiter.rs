//! How often somebody may ask: a cell that drains evenly (GCRA), kept where all nodes see it.

use super::StoreError;
use async_trait::async_trait;
use std::num::NonZeroU32;
use std::time::Duration;

/// What is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// So many a second on the long run.
    pub per_second: NonZeroU32,
    /// So many at once.
    pub burst: NonZeroU32,
}

/// What became of the wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is allowed.
    Allowed,
    /// Not now: after this time it will be.
    Refused {
        /// How long to wait; never too short.
        retry_after: Duration,
    },
}

/// A limiter.
#[async_trait]
pub trait Limiter: Send + Sync {
    /// Takes one from a key's quota.
    async fn take(&self, key: &str, quota: Quota) -> Result<Taken, StoreError>;
}
