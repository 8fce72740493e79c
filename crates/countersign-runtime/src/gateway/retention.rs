//! How long the audit is kept: by age and by size, the oldest first, a little at a time.
//!
//! Old records are removed in small transactions, so that nobody who writes waits for more than one of them. A request goes
//! with the last verdict that names it. What waits for a person is never removed.

use crate::kept_request::remove_unnamed;
use crate::store::{Change, Kind, Query, Record, Records, StoreError};
use crate::stream::now_millis;
use std::sync::Arc;
use std::time::Duration;

/// What of the audit is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditRetention {
    /// Only what is younger.
    pub age: Option<Duration>,
    /// Only the newest that fit in so many bytes, about.
    pub size: Option<u64>,
}

/// Removes what is not to be kept, from time to time, until it is dropped.
pub async fn retain(records: Arc<dyn Records>, keep: AuditRetention) {
    loop {
        match sweep(records.as_ref(), keep).await {
            Ok(0) => {}
            Ok(gone) => tracing::info!(records = gone, "old records of the audit were removed"),
            Err(error) => tracing::warn!(%error, "old records of the audit could not be removed"),
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Removes what is not to be kept now; gives how many records went.
pub async fn sweep(records: &dyn Records, keep: AuditRetention) -> Result<usize, StoreError> {
    let mut gone = 0;
    if let Some(age) = keep.age {
        let until = now_millis().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX / 2));
        for kind in AUDITED {
            loop {
                let removed = remove_oldest(records, kind, Some(until)).await?;
                gone += removed;
                if removed == 0 {
                    break;
                }
            }
        }
    }
    if let Some(limit) = keep.size {
        while records.size(&COUNTED).await? > limit {
            let Some(kind) = oldest_kind(records).await? else { break };
            gone += remove_oldest(records, kind, None).await?;
        }
    }
    Ok(gone)
}

/// Removes a few of the oldest records of a kind that are over.
async fn remove_oldest(records: &dyn Records, kind: Kind, until: Option<i64>) -> Result<usize, StoreError> {
    let mut last: Option<(i64, String)> = None;
    loop {
        let after = last.as_ref().map(|(at, id)| (*at, id.as_str()));
        let old = records.list(kind, Query { until, after, limit: BATCH, ..Query::default() }).await?;
        let over: Vec<_> = old.iter().filter(|record| is_over(record)).cloned().collect();
        if over.is_empty() && old.len() == BATCH {
            last = old.last().map(|record| (record.created_at, record.id.clone()));
            continue;
        }
        if !over.is_empty() {
            let delete = |record: &Record| Change::Delete { kind, id: record.id.clone() };
            records.apply(over.iter().map(delete).collect()).await?;
            remove_unnamed(records, &over).await?;
        }
        return Ok(over.len());
    }
}

/// Whether nobody decides on it any more.
fn is_over(record: &Record) -> bool {
    record.kind != Kind::Review || record.state != "pending"
}

/// The kind with the oldest record.
async fn oldest_kind(records: &dyn Records) -> Result<Option<Kind>, StoreError> {
    let mut oldest: Option<(i64, Kind)> = None;
    for kind in AUDITED {
        let first = records.list(kind, Query { limit: 1, ..Query::default() }).await?;
        let first = first.first().filter(|record| is_over(record)).map(|record| (record.created_at, kind));
        oldest = [oldest, first].into_iter().flatten().min();
    }
    Ok(oldest.map(|(_, kind)| kind))
}

/// What is removed by age and size.
const AUDITED: [Kind; 5] = [Kind::Verdict, Kind::Examination, Kind::Audit, Kind::Review, Kind::Exchange];
/// What counts.
const COUNTED: [Kind; 6] = [Kind::Verdict, Kind::Examination, Kind::Audit, Kind::Review, Kind::Exchange, Kind::Request];
/// So many records are removed in one transaction.
const BATCH: usize = 64;
/// How often it is looked.
const EVERY: Duration = Duration::from_secs(15);
