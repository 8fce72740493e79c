//! A session, taken in: what `export` gave, of this server or another.
//!
//! It becomes a session of whoever brings it. Agent, tools and files are held to the same rules as if they were new here.

use super::access;
use super::export::{FORMAT, VERSION};
use super::sessions::{self, Create};
use crate::serve::body::Json;
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use countersign_runtime::sessions::sniff::{Sniffed, sniff};
use countersign_runtime::sessions::{FileMeta, Import, ThingKind, plain_name};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// An exported session. What it says beyond this is left out.
#[derive(Debug, Deserialize)]
pub(super) struct Exported {
    format: Option<String>,
    version: Option<u64>,
    session: Head,
    events: Vec<Value>,
    #[serde(default)]
    notes: Vec<Value>,
    #[serde(default)]
    materials: Vec<Value>,
    #[serde(default)]
    files: Vec<ExportedFile>,
}

#[derive(Debug, Deserialize)]
struct Head {
    session_id: String,
    #[serde(default)]
    created_at: String,
    #[serde(flatten)]
    create: Create,
}

#[derive(Debug, Deserialize)]
struct ExportedFile {
    file_id: String,
    name: String,
    #[serde(default)]
    created_at: String,
    content: Option<String>,
}

/// Takes a session in.
pub(super) async fn import(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Json(exported): Json<Exported>,
) -> Result<axum::Json<Value>, ApiError> {
    check_form(&exported)?;
    let new = sessions::read(&app, access::name(&caller), exported.session.create)?;
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for file in exported.files {
        match file.content {
            Some(_) => files.push(read_file(&app, file)?),
            None => missing.push(file.file_id),
        }
    }
    let things = |kind: ThingKind, things: Vec<Value>| things.into_iter().map(move |thing| (kind, thing));
    let was = exported.session.session_id;
    let import = Import {
        session_id: was.clone(),
        created_at: exported.session.created_at,
        events: exported.events,
        things: things(ThingKind::Note, exported.notes)
            .chain(things(ThingKind::Material, exported.materials))
            .collect(),
        files,
    };
    let count = import.files.len();
    let imported = app.services.sessions.import(new, import).await?;
    let session_id = imported.session.session_id;
    let told = json!({
        "session_id": session_id, "renamed": session_id != was, "events": imported.events, "files": count,
        "files_without_content": missing,
    });
    Ok(axum::Json(told))
}

fn check_form(exported: &Exported) -> Result<(), ApiError> {
    let format = exported.format.as_deref().unwrap_or(FORMAT);
    if format != FORMAT {
        let message = format!("this is {format:?} and no exported session; `GET /v1/sessions/ID/export` gives one");
        return Err(ApiError::bad_request(message, "format"));
    }
    match exported.version {
        Some(version) if version > VERSION => {
            let message = format!(
                "this session is of version {version}, and this Countersign knows up to {VERSION}: take it in with the newer one"
            );
            Err(ApiError::bad_request(message, "version"))
        }
        _ => Ok(()),
    }
}

/// A file with its content, held to the rules of an upload.
fn read_file(app: &App, file: ExportedFile) -> Result<(FileMeta, Bytes), ApiError> {
    let limit = app.config.limits.file_size;
    let content = STANDARD.decode(file.content.unwrap_or_default());
    let content = content.map_err(|_| ApiError::bad_request("the `content` of a file must be base64", "files"))?;
    if content.len() as u64 > limit {
        return Err(ApiError::too_large(format!("a file has at most {limit} bytes")).with_param("files"));
    }
    let name = plain_name(&file.name);
    let media = match sniff(&name, None, &content) {
        Sniffed::Taken { media } => media,
        Sniffed::Refused { why } => return Err(ApiError::unsupported(why).with_param("files")),
    };
    let size = content.len() as u64;
    Ok((FileMeta { file_id: file.file_id, name, r#type: media, size, created_at: file.created_at }, content.into()))
}
