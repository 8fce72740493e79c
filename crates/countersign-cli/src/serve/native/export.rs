//! A session, taken out: as JSON, as lines, or to read.

use super::access;
use crate::serve::body::{Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use countersign::contract::Phase;
use countersign_runtime::sessions::{Session, ThingKind};
use countersign_runtime::stream::frame::event_json;
use countersign_runtime::stream::timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// In which form.
#[derive(Debug, Deserialize)]
pub(super) struct ExportQuery {
    format: Option<String>,
}

/// Gives everything of a session.
pub(super) async fn export(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<ExportQuery>,
) -> Result<Response, ApiError> {
    let session = access::session(&app, &caller, &id).await?;
    let format = query.format.as_deref().unwrap_or("json");
    let entries = app.services.hub.history(&id, 0, MAX_EVENTS).await?;
    let events: Vec<Value> = entries.iter().map(|entry| event_json(entry, Phase::Replay)).collect();
    match format {
        "json" => {
            let notes = app.services.sessions.things(ThingKind::Note, &id).await?;
            let materials = app.services.sessions.things(ThingKind::Material, &id).await?;
            let files = app.services.sessions.files(&id).await?;
            let whole = json!({
                "session": head(&session), "events": events, "notes": notes, "materials": materials, "files": files,
            });
            Ok(axum::Json(whole).into_response())
        }
        "jsonl" => {
            let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
            Ok(([(CONTENT_TYPE, "application/jsonl; charset=utf-8")], lines).into_response())
        }
        "markdown" => {
            Ok(([(CONTENT_TYPE, "text/markdown; charset=utf-8")], markdown(&session, &events)).into_response())
        }
        other => {
            let message = format!("there is no format {other:?}; choose json, jsonl or markdown");
            Err(ApiError::bad_request(message, "format"))
        }
    }
}

fn head(session: &Session) -> Value {
    json!({
        "session_id": session.session_id, "agent": session.agent, "user": session.user, "model": session.model,
        "created_at": timestamp(session.created_at),
    })
}

/// The conversation, to read.
fn markdown(session: &Session, events: &[Value]) -> String {
    let mut page = format!("# Session {}\n", session.session_id);
    for event in events {
        let word = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = match word("/event_type") {
            "message" => {
                let pending = event.pointer("/payload/needs_verify") == Some(&Value::Bool(true));
                let mark = if pending { " ⚠️ unverified claims" } else { "" };
                write!(page, "\n## {}{mark}\n\n{}\n", word("/agent_source"), word("/payload/content"))
            }
            "tool_call" => write!(
                page,
                "\n> called `{}` with `{}`\n",
                word("/payload/name"),
                event.pointer("/payload/arguments").unwrap_or(&Value::Null)
            ),
            "tool_result" => write!(
                page,
                "\n> `{}` gave `{}`\n",
                word("/payload/name"),
                event.pointer("/payload/content").unwrap_or(&Value::Null)
            ),
            end @ ("failed" | "stopped" | "lost") => write!(page, "\n*the turn {end}*\n"),
            _ => Ok(()),
        };
    }
    page
}

/// So many events are taken out.
const MAX_EVENTS: usize = 1_000_000;
