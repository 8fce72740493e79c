//! The audit: verdicts on calls, one explained, all of them as lines that `countersign check` decides the same way again.

use super::{access, explain};
use crate::serve::body::{Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use countersign_runtime::store::{Kind, Order, Query as Find, Record};
use countersign_runtime::stream::timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// Which verdicts, and in which form.
#[derive(Debug, Deserialize)]
pub struct ListQuery {
    session_id: Option<String>,
    answer_id: Option<String>,
    status: Option<String>,
    tool: Option<String>,
    limit: Option<usize>,
    format: Option<String>,
}

/// Lists verdicts, the newest first; with `format=jsonl` their requests, to be judged again.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    if let Some(session) = &query.session_id {
        access::session(&app, &caller, session).await?;
    }
    let find = Find {
        parent: query.session_id.as_deref().or(query.answer_id.as_deref()),
        state: query.status.as_deref(),
        order: Order::NewestFirst,
        limit: query.limit.unwrap_or(100).clamp(1, MOST),
        ..Find::default()
    };
    app.counter.gateway.ledger.flush().await;
    let mut found = app.stores.records.list(Kind::Verdict, find).await?;
    if let Some(tool) = &query.tool {
        found.retain(|record| record.body.get("tool").and_then(Value::as_str) == Some(tool));
    }
    match query.format.as_deref() {
        None | Some("json") => {
            let verdicts: Vec<_> = found.iter().map(shown).collect();
            Ok(axum::Json(json!({ "verdicts": verdicts })).into_response())
        }
        Some("jsonl") => lines(&app, &found).await,
        Some(other) => {
            let message = format!("there is no format {other:?}; choose json or jsonl");
            Err(ApiError::bad_request(message, "format"))
        }
    }
}

/// One verdict, with what moved it and what it was about.
pub async fn look(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<axum::Json<Value>, ApiError> {
    app.counter.gateway.ledger.flush().await;
    let found = app.stores.records.get(Kind::Verdict, &id).await?;
    let found = found.ok_or_else(|| ApiError::not_found(format!("there is no verdict {id:?}")))?;
    let mut verdict = shown(&found);
    let line = line_of(&app, &id).await?;
    let request = line.as_deref().and_then(|line| serde_json::from_slice::<Value>(line).ok());
    let then = found.body.get("verdict").unwrap_or(&Value::Null);
    let now = match line {
        Some(line) => explain::again(&app, line, then).await?,
        None => None,
    };
    if let Some(fields) = verdict.as_object_mut() {
        fields.extend(request.map(|request| ("request".to_owned(), request)));
        fields.insert("line".to_owned(), json!(now.as_ref().map(|(now, _)| &now.line)));
        fields.insert("line_same".to_owned(), json!(now.is_some_and(|(_, same)| same)));
    }
    Ok(axum::Json(verdict))
}

/// The request of a verdict, as the line that was judged.
pub async fn line_of(app: &App, id: &str) -> Result<Option<Bytes>, ApiError> {
    Ok(app.stores.records.bytes(Kind::Verdict, id).await?)
}

/// The lines of verdicts, the oldest first, as they happened.
async fn lines(app: &App, found: &[Record]) -> Result<Response, ApiError> {
    let mut text = Vec::new();
    for record in found.iter().rev() {
        let line = line_of(app, &record.id).await?;
        // A line that was damaged would spoil the file for whoever reads it.
        if let Some(line) = line.filter(|line| serde_json::from_slice::<&RawValue>(line).is_ok()) {
            text.extend_from_slice(&line);
            text.push(b'\n');
        }
    }
    Ok(([(CONTENT_TYPE, "application/jsonl; charset=utf-8")], text).into_response())
}

fn shown(record: &Record) -> Value {
    let mut shown = record.body.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("created_at".to_owned(), json!(timestamp(record.created_at)));
    }
    shown
}

/// So many at once.
const MOST: usize = 1000;
