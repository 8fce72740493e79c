//! Who has been told, by the audit: one entry when a message is begun, one when it was sent or could not be.
//!
//! Beginning is an entry whose name only one node can write. Whoever began and was not heard of since is taken over from.

use crate::ids::new_id;
use crate::review::Review;
use crate::store::{Applied, Change, Kind, Query, Record, Records, StoreError};
use crate::stream::{now_millis, timestamp};
use serde_json::{Value, json};

/// What the audit says of an item and a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// They were told.
    Told,
    /// Somebody is at it; to be looked at again at this time.
    Busy(i64),
    /// It is ours to tell.
    Ours,
}

/// Takes an item to tell it, unless it was told or somebody is at it.
pub(super) async fn begin(records: &dyn Records, channel: &str, review: &Review) -> Result<Standing, StoreError> {
    let id = review.review_id.as_str();
    let query = Query { parent: Some(id), limit: MOST, ..Query::default() };
    let found = records.list(Kind::Audit, query).await?;
    let here = |record: &&Record| record.body.pointer("/note/channel").is_some_and(|name| name == channel);
    if found.iter().filter(here).any(|record| record.state == TOLD) {
        return Ok(Standing::Told);
    }
    let begun: Vec<&Record> = found.iter().filter(here).filter(|record| record.state == TELLING).collect();
    let times = begun.len();
    let pause = PATIENCE.saturating_mul(1 << times.saturating_sub(1).min(MOST_DOUBLINGS));
    let next = begun.iter().map(|record| record.created_at).max().map(|last| last.saturating_add(pause));
    if let Some(next) = next.filter(|next| *next > now_millis()) {
        return Ok(Standing::Busy(next));
    }
    let name = format!("tell-{id}-{channel}-{times}");
    let taken = records.apply(vec![entry(name, TELLING, review, json!({"channel": channel}))]).await?;
    Ok(match taken {
        Applied::Done => Standing::Ours,
        Applied::Conflict(_) => Standing::Busy(now_millis().saturating_add(PATIENCE)),
    })
}

/// Writes down that somebody was told, or why not.
pub(super) async fn end(
    records: &dyn Records,
    channel: &str,
    review: &Review,
    sent: &Result<(), String>,
) -> Result<(), StoreError> {
    let (state, note) = match sent {
        Ok(()) => (TOLD, json!({"channel": channel})),
        Err(reason) => (NOT_TOLD, json!({"channel": channel, "reason": reason})),
    };
    // Without randomness the entry has the name of its place; a second one of that name is dropped.
    let name = new_id("aud").unwrap_or_else(|_| format!("{state}-{}-{channel}", review.review_id));
    records.apply(vec![entry(name, state, review, note)]).await.map(|_| ())
}

fn entry(id: String, action: &str, review: &Review, note: Value) -> Change {
    let now = now_millis();
    let body = json!({
        "action": action, "review_id": review.review_id, "session_id": review.session_id, "caller": review.caller,
        "tool": review.tool, "arguments_digest": review.arguments_digest, "policy_version": review.policy_version,
        "note": note, "at": timestamp(now),
    });
    let (parent, state) = (review.review_id.clone(), action.to_owned());
    Change::Insert(Record { kind: Kind::Audit, id, parent, state, created_at: now, version: 1, body }, None)
}

const TELLING: &str = "review.telling";
const TOLD: &str = "review.told";
const NOT_TOLD: &str = "review.not_told";
/// How long somebody who began is waited for, in milliseconds; twice as long each further time.
const PATIENCE: i64 = 60_000;
const MOST_DOUBLINGS: usize = 6;
/// More entries than an item has.
const MOST: usize = 1000;
