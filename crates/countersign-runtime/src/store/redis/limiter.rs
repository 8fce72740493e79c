//! The limits in Redis: a cell a key, counted by the server's own clock, forgotten once it is empty.

use super::RedisStore;
use super::link::SHORT;
use crate::store::{Limiter, Quota, StoreError, Taken};
use async_trait::async_trait;
use redis::Script;
use std::sync::LazyLock;
use std::time::Duration;

#[async_trait]
impl Limiter for RedisStore {
    async fn take(&self, key: &str, quota: Quota) -> Result<Taken, StoreError> {
        let mut take = TAKE.key(self.key("limit", key));
        take.arg(quota.per_second.get()).arg(quota.burst.get());
        Ok(match self.link.script(&take, SHORT).await? {
            0 => Taken::Allowed,
            wait => Taken::Refused { retry_after: Duration::from_micros(wait) },
        })
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&TAKE);
}

static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/take.lua")));
