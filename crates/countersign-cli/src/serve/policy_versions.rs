//! The versions of the policy that were applied over HTTP: every one is kept, with who applied it and why.
//!
//! The newest is in force, on every node that shares the store. Rolling back applies an old text again, as a new version:
//! nothing is ever changed or removed.

use countersign_runtime::ids::new_ordered_id;
use countersign_runtime::store::{Applied, Change, Kind, Order, Query, Record, Records, StoreError};
use countersign_runtime::stream::now_millis;
use serde_json::{Value, json};

/// A version that is about to be kept.
pub(crate) struct NewVersion {
    /// The policy, as TOML.
    pub text: String,
    /// The digest of what it says.
    pub version: String,
    /// Who applies it.
    pub author: Option<String>,
    /// Why.
    pub note: Option<String>,
    /// The version that it brings back.
    pub restores: Option<String>,
}

/// Keeps a version. Gives its name.
pub(crate) async fn keep(records: &dyn Records, new: NewVersion) -> Result<Option<String>, StoreError> {
    let now = now_millis();
    let Ok(id) = new_ordered_id("pol", now) else { return Ok(None) };
    let body = json!({
        "policy_id": id, "version": new.version, "toml": new.text, "author": new.author, "note": new.note,
        "restores": new.restores,
    });
    let state = new.version;
    let record =
        Record { kind: Kind::Policy, id: id.clone(), parent: String::new(), state, created_at: now, version: 1, body };
    match records.apply(vec![Change::Insert(record, None)]).await? {
        Applied::Done => Ok(Some(id)),
        Applied::Conflict(_) => Ok(None),
    }
}

/// The versions, the newest first.
pub(crate) async fn list(records: &dyn Records, limit: usize) -> Result<Vec<Record>, StoreError> {
    records.list(Kind::Policy, Query { order: Order::NewestFirst, limit, ..Query::default() }).await
}

/// The text of the newest version.
pub(crate) async fn newest(records: &dyn Records) -> Result<Option<String>, StoreError> {
    Ok(list(records, 1).await?.first().and_then(text_of))
}

/// The text of a version.
pub(crate) fn text_of(record: &Record) -> Option<String> {
    record.body.get("toml").and_then(Value::as_str).map(str::to_owned)
}
