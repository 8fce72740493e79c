//! The audit: verdicts on calls and results, searched; one explained; calls as lines that `countersign check` decides the
//! same way again.

use super::audited::{self, RecordCursor};
use super::wanted::{self, Wanted, WantedQuery};
use super::{access, explain, standing};
use crate::serve::body::{Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use countersign_runtime::kept_request::line_of;
use countersign_runtime::store::stored_json::decode;
use countersign_runtime::store::{Kind, Record};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// How many verdicts, from where on, and in which form.
#[derive(Debug, Deserialize)]
pub(super) struct FormQuery {
    limit: Option<usize>,
    after: Option<String>,
    format: Option<String>,
}

/// Lists verdicts, the newest first; with `format=jsonl` the requests of calls, to be judged again.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(wanted): Query<WantedQuery>,
    Query(form): Query<FormQuery>,
) -> Result<Response, ApiError> {
    let wanted = Wanted::read(wanted)?.of_owner(access::owner(&caller));
    if let Some(session) = &wanted.session_id {
        access::session(&app, &caller, session).await?;
    }
    let after = form.after.as_deref().filter(|cursor| !cursor.is_empty()).map(RecordCursor::read).transpose()?;
    let limit = form.limit.unwrap_or(100).clamp(1, MOST);
    app.gateway_setup.gateway.ledger.flush().await;
    let records = app.stores.records.as_ref();
    match form.format.as_deref() {
        None | Some("json") => {
            let page = audited::read(records, &wanted, after, limit).await?;
            let mut verdicts = Vec::with_capacity(page.found.len());
            for record in &page.found {
                verdicts.push(standing::render(&app, record).await?);
            }
            let next = page.next.map(|place| place.cursor());
            Ok(axum::Json(json!({"verdicts": verdicts, "next": next})).into_response())
        }
        Some("jsonl") => {
            let page = audited::read(records, &wanted.of_calls(), after, limit).await?;
            lines(&app, &page.found).await
        }
        Some(other) => {
            let message = format!("there is no format {other:?}; choose json or jsonl");
            Err(ApiError::bad_request(message, "format"))
        }
    }
}

/// One verdict, with what moved it and what it was about.
pub(super) async fn look(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, ApiError> {
    app.gateway_setup.gateway.ledger.flush().await;
    let records = &app.stores.records;
    let seen = |record: &Record| access::sees(&caller, wanted::key(&record.body).unwrap_or_default());
    let Some(found) = records.get(Kind::Verdict, &id).await?.filter(seen) else {
        let result = records.get(Kind::Examination, &id).await?.filter(seen);
        let result = result.ok_or_else(|| ApiError::not_found(format!("there is no verdict {id:?}")))?;
        return Ok(axum::Json(standing::render(&app, &result).await?));
    };
    let mut verdict = standing::render(&app, &found).await?;
    let line = line_of(records.as_ref(), &found).await?;
    let request = line.as_deref().and_then(|line| decode(&String::from_utf8_lossy(line)).ok());
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

/// The lines of verdicts, the oldest first, as they happened.
async fn lines(app: &App, found: &[Record]) -> Result<Response, ApiError> {
    let mut text = Vec::new();
    for record in found.iter().rev() {
        let line = line_of(app.stores.records.as_ref(), record).await?;
        // A line that was damaged would spoil the file for whoever reads it.
        if let Some(line) = line.filter(|line| serde_json::from_slice::<&RawValue>(line).is_ok()) {
            text.extend_from_slice(&line);
            text.push(b'\n');
        }
    }
    Ok(([(CONTENT_TYPE, "application/jsonl; charset=utf-8")], text).into_response())
}

/// So many at once.
const MOST: usize = 1000;
