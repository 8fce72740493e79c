//! Rows that could not be read: named beside those that could, so that nobody takes a list for whole that is not.

use crate::serve::state::App;
use countersign_runtime::store::Kind;
use serde_json::{Value, json};

/// Names the rows of a kind that could not be read, where there are any.
pub(super) fn name_unreadable(app: &App, kind: Kind, mut answer: Value) -> Value {
    let rows = app.stores.records.unreadable();
    let ids: Vec<_> = rows.into_iter().filter(|(of, _)| *of == kind).map(|(_, id)| id).collect();
    if let (false, Some(fields)) = (ids.is_empty(), answer.as_object_mut()) {
        fields.insert("unreadable".to_owned(), json!(ids));
    }
    answer
}
