//! The stop flags in PostgreSQL: merged by the database, so that no order of two nodes' words loses a stop.

use super::PostgresStore;
use super::fault::broken;
use super::group::{number, signed};
use crate::store::{Flag, Flags, Scope, StoreError, merge_flags};
use async_trait::async_trait;
use std::collections::BTreeMap;
use tokio_postgres::Row;

#[async_trait]
impl Flags for PostgresStore {
    async fn merge(&self, flags: &[Flag]) -> Result<Vec<Flag>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        if !flags.is_empty() {
            // Each scope once, and always in the same order: two nodes that merge at once wait for each other.
            let mut merged = BTreeMap::new();
            merge_flags(&mut merged, flags);
            let scopes: Vec<String> = merged.keys().map(ToString::to_string).collect();
            let raised: Vec<i64> = merged.values().map(|flag| signed(flag.raised)).collect();
            let cleared: Vec<i64> = merged.values().map(|flag| signed(flag.cleared)).collect();
            let times: Vec<i64> = merged.values().map(|flag| flag.at).collect();
            connection.execute(MERGE, &[&scopes, &raised, &cleared, &times]).await?;
        }
        let rows = connection.query("SELECT scope, raised, cleared, at FROM countersign.flags", &[]).await?;
        let mut kept = rows.iter().map(flag_of).collect::<Result<Vec<_>, _>>()?;
        kept.sort_by(|one, two| one.scope.cmp(&two.scope));
        Ok(kept)
    }
}

fn flag_of(row: &Row) -> Result<Flag, StoreError> {
    let scope = Scope::from_name(row.get(0)).ok_or_else(|| broken("it holds a flag with an unknown scope"))?;
    Ok(Flag { scope, raised: number(row, 1), cleared: number(row, 2), at: row.get(3) })
}

const MERGE: &str = "INSERT INTO countersign.flags AS kept (scope, raised, cleared, at) \
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) \
    ON CONFLICT (scope) DO UPDATE SET \
    at = CASE WHEN excluded.raised > kept.raised THEN excluded.at \
    WHEN excluded.raised = kept.raised THEN greatest(kept.at, excluded.at) ELSE kept.at END, \
    raised = greatest(kept.raised, excluded.raised), cleared = greatest(kept.cleared, excluded.cleared)";
