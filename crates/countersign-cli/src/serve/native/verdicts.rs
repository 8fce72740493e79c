//! The audit: verdicts on calls.

use super::access;
use crate::serve::body::{Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use countersign_runtime::store::{Kind, Order, Query as Find, Record};
use countersign_runtime::stream::timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Which verdicts.
#[derive(Debug, Deserialize)]
pub struct ListQuery {
    session_id: Option<String>,
    status: Option<String>,
    limit: Option<usize>,
}

/// Lists verdicts, the newest first.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<ListQuery>,
) -> Result<axum::Json<Value>, ApiError> {
    if let Some(session) = &query.session_id {
        access::session(&app, &caller, session).await?;
    }
    let find = Find {
        parent: query.session_id.as_deref(),
        state: query.status.as_deref(),
        order: Order::NewestFirst,
        limit: query.limit.unwrap_or(100).clamp(1, 1000),
        ..Find::default()
    };
    app.counter.gateway.ledger.flush().await;
    let found = app.stores.records.list(Kind::Verdict, find).await?;
    let verdicts: Vec<_> = found.iter().map(shown).collect();
    Ok(axum::Json(json!({ "verdicts": verdicts })))
}

/// One verdict, with what moved it.
pub async fn look(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<axum::Json<Value>, ApiError> {
    app.counter.gateway.ledger.flush().await;
    let found = app.stores.records.get(Kind::Verdict, &id).await?;
    let found = found.ok_or_else(|| ApiError::not_found(format!("there is no verdict {id:?}")))?;
    Ok(axum::Json(shown(&found)))
}

fn shown(record: &Record) -> Value {
    let mut shown = record.body.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("created_at".to_owned(), json!(timestamp(record.created_at)));
    }
    shown
}
