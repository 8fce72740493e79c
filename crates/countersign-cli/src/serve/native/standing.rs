//! How a call stands now: the verdict of the audit, joined with what people said since.
//!
//! A record is never changed, so one that says that a call waits for a person says so for ever. Whoever shows it asks the
//! queue: while the item waits the call is `requires_review`, and never approved; afterwards it says what was decided.

use super::wanted;
use crate::serve::error::ApiError;
use crate::serve::state::App;
use countersign_runtime::store::{Kind, Record};
use countersign_runtime::stream::timestamp;
use serde_json::{Value, json};
use std::collections::HashSet;

/// A record of the audit, for people and programs.
pub(super) async fn render(app: &App, record: &Record) -> Result<Value, ApiError> {
    let mut shown = render_stored(record);
    let Some(review_id) = waits_for(&record.body) else { return Ok(shown) };
    let review = app.stores.records.get(Kind::Review, review_id).await?;
    let is_late = |review: &Record| {
        let until = review.body.get("expires_at_ms").and_then(Value::as_i64);
        review.state == "pending" && until.is_some_and(|until| until <= countersign_runtime::stream::now_millis())
    };
    let state = match &review {
        Some(review) if is_late(review) => "expired",
        Some(review) => review.state.as_str(),
        None => "expired",
    };
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("review_state".to_owned(), json!(state));
        if state != "pending" {
            fields.insert("outcome".to_owned(), json!("decided_later"));
        }
    }
    Ok(shown)
}

/// The same as it is stored.
pub(super) fn render_stored(record: &Record) -> Value {
    let mut shown = record.body.clone();
    if let Some(fields) = shown.as_object_mut() {
        let of = wanted::kind(record);
        if record.problem().is_some() {
            fields.insert("verdict_id".to_owned(), json!(record.id));
            fields.insert("status".to_owned(), json!(record.state));
        }
        if waits_for(&record.body).is_some() {
            fields.insert("status".to_owned(), json!("requires_review"));
        }
        fields.insert("of".to_owned(), json!(of));
        fields.insert("kind".to_owned(), json!(of));
        fields.insert("key".to_owned(), json!(wanted::key(&record.body)));
        fields.insert("created_at".to_owned(), json!(timestamp(record.created_at)));
    }
    shown
}

/// The item that a call waits for, by its record.
fn waits_for(body: &Value) -> Option<&str> {
    let word = |name: &str| body.get(name).and_then(Value::as_str);
    word("review_id").filter(|_| word("outcome") == Some("waiting_for_person"))
}

/// Calls, each counted once, however often a model or a client tried.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Calls.
    pub calls: usize,
    /// Of them, those that were refused.
    pub refused: usize,
    /// Those that run because they were repaired.
    pub repaired: usize,
    /// Those that wait for a person.
    pub waiting: usize,
    items: HashSet<String>,
}

impl Counts {
    /// Counts a verdict as it is rendered.
    pub(super) fn add(&mut self, shown: &Value) {
        let word = |name: &str| shown.get(name).and_then(Value::as_str);
        if is_aside(shown) {
            return;
        }
        // The same call, made again while it waits or once it is approved, has the same item.
        if word("review_id").is_some_and(|item| !self.items.insert(item.to_owned())) {
            return;
        }
        self.calls += 1;
        match word("status").or_else(|| shown.pointer("/verdict/status")?.as_str()) {
            Some("rejected" | "validation_failed") => self.refused += 1,
            Some("requires_review") if word("review_state") == Some("pending") => self.waiting += 1,
            _ => self.repaired += usize::from(is_repaired(shown)),
        }
    }
}

/// Whether a record is one more try of a call that has a record of its own: it went back to the model, or repeated a call
/// that was kept.
pub(super) fn is_aside(body: &Value) -> bool {
    let outcome = body.get("outcome").and_then(Value::as_str);
    outcome.is_some_and(|outcome| ASIDES.contains(&outcome))
}

fn is_repaired(shown: &Value) -> bool {
    let found = shown.pointer("/verdict/findings").and_then(Value::as_array);
    found.into_iter().flatten().any(|finding| finding.pointer("/correction/applied") == Some(&Value::Bool(true)))
}

const ASIDES: [&str; 2] = ["sent_back", "repeated"];
