//! Resume, replay, follow.

use super::access;
use super::sse::{Marker, NoMarker, follow};
use crate::serve::body::{Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use countersign::contract::EventId;
use countersign_runtime::store::{Change, Kind, Record};
use countersign_runtime::stream::{FollowFrom, Mode, Start, now_millis};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How a reader wants to read.
#[derive(Debug, Deserialize)]
pub(super) struct EventsQuery {
    mode: Option<String>,
    after: Option<String>,
    reader: Option<String>,
    follow: Option<bool>,
}

/// Reads a session's events.
pub(super) async fn read(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let mode = match query.mode.as_deref() {
        None => Mode::default(),
        Some(word) => Mode::from_name(word).ok_or_else(|| {
            ApiError::bad_request(format!("there is no mode {word:?}; choose none, replay or hybrid"), "mode")
        })?,
    };
    let after = cursor(&headers, query.after.as_deref())?;
    access::session(&app, &caller, &id).await?;
    let Some(name) = query.reader else {
        let reader = app.services.hub.reader(&id, start(mode, after, query.follow)?).await?;
        return follow(&app, reader, NoMarker);
    };
    let bookmark = Bookmark::open(&app, &id, &name).await?;
    let after = after.or(bookmark.at);
    let reader = app.services.hub.reader(&id, start(mode, after, query.follow)?).await?;
    follow(&app, reader, bookmark)
}

/// Where it begins, and whether it stays: what only replays has an end.
fn start(mode: Mode, after: Option<EventId>, follow: Option<bool>) -> Result<Start, ApiError> {
    match (follow, mode) {
        (Some(true), Mode::Replay) => {
            let message = "`mode=replay` gives what is there and ends; follow with `mode=hybrid` or `mode=none`";
            Err(ApiError::bad_request(message, "follow"))
        }
        (Some(true), Mode::None) => Ok(Start::Following { from: FollowFrom::Now }),
        (Some(true), Mode::Hybrid) => Ok(Start::Following { from: FollowFrom::After(after) }),
        _ => Ok(Start::From { mode, after }),
    }
}

/// The reader's own cursor: the header of a browser that comes back wins over the address it came with.
fn cursor(headers: &HeaderMap, after: Option<&str>) -> Result<Option<EventId>, ApiError> {
    let header = headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    let (name, text) = match (header, after) {
        (Some(text), _) if !text.is_empty() => ("Last-Event-ID", text),
        (_, Some(text)) if !text.is_empty() => ("after", text),
        _ => return Ok(None),
    };
    let wrong = |error| ApiError::bad_request(format!("{name} cannot be read: {error}"), name).with_code("bad_cursor");
    text.parse().map(Some).map_err(wrong)
}

/// Where a named reader is, kept on the server.
struct Bookmark {
    app: Arc<App>,
    key: String,
    session: String,
    at: Option<EventId>,
    /// The newest event that is not written yet.
    unwritten: Option<EventId>,
    written: Instant,
}

impl Bookmark {
    async fn open(app: &Arc<App>, session: &str, name: &str) -> Result<Self, ApiError> {
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(ApiError::bad_request(format!("`reader` has 1 to {MAX_NAME} bytes"), "reader"));
        }
        let key = format!("{session}/{name}");
        let known = app.stores.records.get(Kind::Reader, &key).await?;
        let at = known.as_ref().and_then(|record| record.body.get("at")).and_then(Value::as_str);
        let at = at.and_then(|text| text.parse().ok());
        let (app, session) = (Arc::clone(app), session.to_owned());
        Ok(Self { app, key, session, at, unwritten: None, written: Instant::now() })
    }

    async fn write(&mut self) {
        let Some(at) = self.unwritten.take() else { return };
        let record = Record {
            kind: Kind::Reader,
            id: self.key.clone(),
            parent: self.session.clone(),
            state: String::new(),
            created_at: now_millis(),
            version: 1,
            body: json!({ "at": at }),
        };
        let delete = Change::Delete { kind: Kind::Reader, id: self.key.clone() };
        // A bookmark that could not be kept costs events twice, never a loss.
        if let Err(error) = self.app.stores.records.apply(vec![delete, Change::Insert(record, None)]).await {
            tracing::warn!(%error, "a reader's place could not be kept");
        }
        self.written = Instant::now();
    }
}

impl Marker for Bookmark {
    async fn mark(&mut self, last: EventId) {
        self.unwritten = Some(last);
        // The store is not asked for every delta.
        if self.written.elapsed() >= EVERY {
            self.write().await;
        }
    }

    async fn finish(&mut self) {
        self.write().await;
    }
}

const MAX_NAME: usize = 128;
const EVERY: Duration = Duration::from_millis(500);
