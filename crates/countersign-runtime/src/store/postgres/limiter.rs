//! The limits in PostgreSQL: a cell a key, counted by the server's own clock, in a table that costs no disk wait.

use super::PostgresStore;
use super::group::number;
use crate::store::{Limiter, Quota, StoreError, Taken};
use async_trait::async_trait;
use std::time::Duration;

#[async_trait]
impl Limiter for PostgresStore {
    async fn take(&self, key: &str, quota: Quota) -> Result<Taken, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let each = 1e6 / f64::from(quota.per_second.get());
        let filled = each * f64::from(quota.burst.get());
        // Marked, so that no key meets the probe's cell.
        let cell = format!("key:{key}");
        let rows = connection.query("SELECT countersign.take($1, $2, $3)", &[&cell, &each, &filled]).await?;
        Ok(match rows.first().map_or(0, |row| number(row, 0)) {
            0 => Taken::Allowed,
            wait => Taken::Refused { retry_after: Duration::from_micros(wait) },
        })
    }
}
