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
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use countersign::claims::mark::apply;
use countersign::contract::{Claim, ClaimStatus, ClaimUpdate, Phase};
use countersign_runtime::sessions::{Session, Thing, ThingKind, read_message, read_updates};
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
    /// `content`: files with what is in them.
    files: Option<String>,
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
            let files = list_files(&app, &id, query.files.as_deref()).await?;
            let things = |things: Vec<Thing>| -> Vec<Value> { things.iter().map(thing).collect() };
            let whole = json!({
                "format": FORMAT, "version": VERSION, "session": head(&session), "events": events,
                "notes": things(notes), "materials": things(materials), "files": files,
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
        "created_at": timestamp(session.created_at), "tools": session.tools, "context": session.context,
    })
}

/// A note or material, and who wrote it.
fn thing(thing: &Thing) -> Value {
    let mut fields = json!(thing);
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("author".to_owned(), thing.author.name().into());
    }
    fields
}

/// The files, with what is in them where that is asked for.
async fn list_files(app: &App, session: &str, wanted: Option<&str>) -> Result<Vec<Value>, ApiError> {
    let with_content = match wanted {
        None => false,
        Some("content") => true,
        Some(other) => {
            let message = format!("`files={other}` is not known; `files=content` gives what is in them");
            return Err(ApiError::bad_request(message, "files"));
        }
    };
    let mut listed = Vec::new();
    for file in app.services.sessions.files(session).await? {
        let mut fields = json!(file);
        if let (true, Some(fields)) = (with_content, fields.as_object_mut()) {
            let bytes = app.services.sessions.file_bytes(&file.file_id).await?;
            fields.insert("content".to_owned(), STANDARD.encode(&bytes).into());
        }
        listed.push(fields);
    }
    Ok(listed)
}

/// The conversation, to read. Claims are marked as they stand at its end.
fn markdown(session: &Session, events: &[Value]) -> String {
    let mut page = format!("# Session {}\n", session.session_id);
    let updates = collect_updates(events);
    for event in events {
        let word = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = match word("/event_type") {
            "message" => {
                let message = event.get("payload").and_then(Value::as_object).and_then(read_message);
                let claims = message.map(|mut message| {
                    apply(&mut message, &updates);
                    describe_claims(&message.claims)
                });
                let (mark, list) = claims.unwrap_or_default();
                write!(page, "\n## {}{mark}\n\n{}\n{list}", word("/agent_source"), word("/payload/content"))
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

/// What became of claims, the newest last.
fn collect_updates(events: &[Value]) -> Vec<ClaimUpdate> {
    let updated = events.iter().filter(|event| event.get("event_type") == Some(&json!("claims_updated")));
    updated.filter_map(|event| event.get("payload")?.as_object()).flat_map(read_updates).collect()
}

/// The mark of a message, and a line for each claim of it that is not verified.
fn describe_claims(claims: &[Claim]) -> (&'static str, String) {
    let open: Vec<&Claim> = claims.iter().filter(|claim| !claim.verified()).collect();
    if open.is_empty() {
        return ("", String::new());
    }
    let note = |claim: &Claim| claim.verify_note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    let line = |claim: &&Claim| format!("- {} — {}{}\n", claim.text, claim.status.name(), note(claim));
    let mark = if open.iter().any(|claim| claim.status == ClaimStatus::Disputed) {
        " ⚠️ unverified claims, some disputed"
    } else {
        " ⚠️ unverified claims"
    };
    (mark, format!("\n{}", open.iter().map(line).collect::<String>()))
}

/// What an exported session calls itself.
pub(super) const FORMAT: &str = "countersign session";
/// The version of that form.
pub(super) const VERSION: u64 = 1;
/// So many events are taken out.
const MAX_EVENTS: usize = 1_000_000;
