//! The records in memory.

use crate::store::stored_json::{as_stored, encode};
use crate::store::{Applied, Change, Fingerprint, Kind, Order, Place, Query, Record, Records, StoreError};
use async_trait::async_trait;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

type RecordKey = (Kind, String);
type Row = (Record, Option<Bytes>);
type Kept = BTreeMap<RecordKey, Row>;

/// The records.
#[derive(Debug, Default)]
pub struct MemoryRecords {
    kept: Mutex<Kept>,
}

impl MemoryRecords {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes one change; false where it meets another state than it expects.
fn make(kept: &mut Kept, change: Change) -> bool {
    match change {
        Change::Insert(record, bytes) => insert(kept, record, bytes),
        Change::Ensure(record, bytes) => {
            insert(kept, record, bytes);
            true
        }
        Change::Replace { kind, id, version, state, body } => {
            let Some((record, _)) = kept.get_mut(&(kind, id)).filter(|(record, _)| record.version == version) else {
                return false;
            };
            *record = Record { version: version + 1, state, body: as_stored(body), ..record.clone() };
            true
        }
        Change::Delete { kind, id } => {
            kept.remove(&(kind, id));
            true
        }
    }
}

/// Puts a record where there is none; false where there is one.
fn insert(kept: &mut Kept, record: Record, bytes: Option<Bytes>) -> bool {
    let key = (record.kind, record.id.clone());
    let fresh = !kept.contains_key(&key);
    if fresh {
        kept.insert(key, (Record { version: 1, body: as_stored(record.body), ..record }, bytes));
    }
    fresh
}

/// Which record a change touches.
fn place(change: &Change) -> RecordKey {
    match change {
        Change::Insert(record, _) | Change::Ensure(record, _) => (record.kind, record.id.clone()),
        Change::Replace { kind, id, .. } | Change::Delete { kind, id } => (*kind, id.clone()),
    }
}

/// Puts back what stood there, the last first: a record may have been changed twice.
fn undo(kept: &mut Kept, before: Vec<(RecordKey, Option<Row>)>) {
    for (place, record) in before.into_iter().rev() {
        match record {
            Some(record) => kept.insert(place, record),
            None => kept.remove(&place),
        };
    }
}

fn matches(record: &Record, query: &Query<'_>) -> bool {
    query.parent.is_none_or(|parent| record.parent == parent)
        && query.state.is_none_or(|state| record.state == state)
        && query.since.is_none_or(|since| record.created_at >= since)
        && query.until.is_none_or(|until| record.created_at < until)
        && query.after.is_none_or(|after| {
            let place = (record.created_at, record.id.as_str());
            if query.order == Order::OldestFirst { place > after } else { place < after }
        })
}

#[async_trait]
impl Records for MemoryRecords {
    async fn apply(&self, changes: Vec<Change>) -> Result<Applied, StoreError> {
        let mut kept = self.kept();
        // What stood there before, for the way back: a copy of everything would make each change dearer than the last.
        let mut before = Vec::new();
        for (at, change) in changes.into_iter().enumerate() {
            let place = place(&change);
            before.push((place.clone(), kept.get(&place).cloned()));
            if !make(&mut kept, change) {
                undo(&mut kept, before);
                return Ok(Applied::Conflict(at));
            }
        }
        Ok(Applied::Done)
    }

    async fn get(&self, kind: Kind, id: &str) -> Result<Option<Record>, StoreError> {
        Ok(self.kept().get(&(kind, id.to_owned())).map(|(record, _)| record.clone()))
    }

    async fn bytes(&self, kind: Kind, id: &str) -> Result<Option<Bytes>, StoreError> {
        Ok(self.kept().get(&(kind, id.to_owned())).and_then(|(_, bytes)| bytes.clone()))
    }

    async fn list(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Record>, StoreError> {
        let kept = self.kept();
        let of_kind = kept.values().map(|(record, _)| record).filter(|record| record.kind == kind);
        let mut found: Vec<_> = of_kind.filter(|record| matches(record, &query)).cloned().collect();
        found.sort_by(|one, two| (one.created_at, &one.id).cmp(&(two.created_at, &two.id)));
        if query.order == Order::NewestFirst {
            found.reverse();
        }
        found.truncate(if query.limit == 0 { 1000 } else { query.limit });
        Ok(found)
    }

    async fn list_places(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Place>, StoreError> {
        let found = self.list(kind, query).await?;
        Ok(found.into_iter().map(|record| (record.created_at, record.id)).collect())
    }

    async fn fingerprint(&self, kind: Kind, until: i64) -> Result<Fingerprint, StoreError> {
        let kept = self.kept();
        let of_kind = kept.values().filter(|(record, _)| record.kind == kind);
        Ok(Fingerprint::of(of_kind.map(|(record, _)| record.created_at).filter(|at| *at < until)))
    }

    async fn count(&self, kind: Kind, state: &str) -> Result<u64, StoreError> {
        let kept = self.kept();
        let of_kind = kept.values().filter(|(record, _)| record.kind == kind);
        Ok(of_kind.filter(|(record, _)| state.is_empty() || record.state == state).count() as u64)
    }

    async fn size(&self, kinds: &[Kind]) -> Result<u64, StoreError> {
        let kept = self.kept();
        let of_kinds = kept.values().filter(|(record, _)| kinds.contains(&record.kind));
        Ok(of_kinds
            .map(|(record, bytes)| (encode(&record.body).len() + bytes.as_ref().map_or(0, Bytes::len)) as u64)
            .sum())
    }

    async fn remove_children(&self, parent: &str, kinds: &[Kind]) -> Result<(), StoreError> {
        self.kept().retain(|_, (record, _)| record.parent != parent || !kinds.contains(&record.kind));
        Ok(())
    }
}
