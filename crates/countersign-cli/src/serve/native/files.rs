//! Files: taken in, listed, given out, removed.
//!
//! An upload is held in memory up to the limit and then kept by the store in one step, so there is no temporary file that
//! a crash could leave behind.

use super::access;
use crate::serve::body::Path;
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use countersign_runtime::sessions::sniff::{Sniffed, sniff};
use countersign_runtime::sessions::{FileKind, FileMeta, Upload, plain_name};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::SemaphorePermit;

/// Takes a file in.
pub(super) async fn upload(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    request: Request,
) -> Result<(StatusCode, axum::Json<FileMeta>), ApiError> {
    let session = access::session(&app, &caller, &id).await?;
    let mut form = Multipart::from_request(request, &()).await.map_err(no_form)?;
    while let Some(field) = within(form.next_field()).await? {
        if field.name() == Some("file") {
            let taken = tokio::time::timeout(LONGEST, take(&app, field)).await;
            drain(&mut form).await;
            // The room is held until the file is kept.
            let (upload, _room) = taken.map_err(|_| ApiError::timed_out("the upload did not arrive in time"))??;
            let kept = app.services.sessions.save_file(&session, upload).await?;
            count(&app, FileKind::of_media(&kept.r#type), "kept");
            return Ok((StatusCode::CREATED, axum::Json(kept)));
        }
    }
    Err(ApiError::bad_request("the form has no field `file`", "file"))
}

/// Reads a file to its end. What is refused is read on for a while, so that the answer reaches a client that sends
/// before it listens.
async fn take<'a>(app: &'a App, mut field: Field<'_>) -> Result<(Upload, Room<'a>), ApiError> {
    let limit = usize::try_from(app.config.limits.file_size).unwrap_or(usize::MAX);
    let declared = field.content_type().map(str::to_owned);
    if field.file_name().unwrap_or_default().is_empty() {
        return Err(ApiError::bad_request("the file needs a name: send `filename` with the field `file`", "file"));
    }
    // The name that will be kept is the one that is judged.
    let name = plain_name(field.file_name().unwrap_or_default());
    let mut bytes = BytesMut::new();
    let mut room = None;
    let mut read = 0usize;
    while let Some(chunk) = within(field.chunk()).await? {
        read += chunk.len();
        if read <= limit {
            hold(app, &mut room, chunk.len()).await?;
            bytes.extend_from_slice(&chunk);
        } else if read > limit.max(READ_ON) {
            break;
        } else {
            (bytes, room) = (BytesMut::new(), None);
        }
    }
    if read > limit {
        count(app, FileKind::Other, "too_large");
        return Err(ApiError::too_large(format!("a file has at most {limit} bytes")).with_param("file"));
    }
    match sniff(&name, declared.as_deref(), &bytes) {
        Sniffed::Taken { media } => Ok((Upload { name, media, bytes: bytes.freeze() }, room)),
        Sniffed::Refused { why } => {
            count(app, FileKind::Other, "refused");
            Err(ApiError::unsupported(why).with_param("file"))
        }
    }
}

fn count(app: &App, kind: FileKind, outcome: &str) {
    app.metrics.uploads.of([kind.name(), outcome]).add_one();
}

/// The memory that an upload holds.
type Room<'a> = Option<SemaphorePermit<'a>>;

/// Holds room for as much as has come, so that an upload that does not go on keeps nobody out.
async fn hold<'a>(app: &'a App, room: &mut Room<'a>, bytes: usize) -> Result<(), ApiError> {
    let count = u32::try_from(bytes).unwrap_or(u32::MAX);
    let more = tokio::time::timeout(WAIT, app.services.uploads.acquire_many(count)).await;
    let busy = || ApiError::unavailable("too many uploads at once; try again in a moment", Duration::from_secs(1));
    let more = more.map_err(|_| busy())?.map_err(|_| busy())?;
    match room {
        Some(held) => held.merge(more),
        None => *room = Some(more),
    }
    Ok(())
}

/// Reads what follows the file, within bounds.
async fn drain(form: &mut Multipart) {
    let mut read = 0;
    while let Ok(Some(mut field)) = within(form.next_field()).await {
        while let Ok(Some(chunk)) = within(field.chunk()).await {
            read += chunk.len();
            if read > READ_ON {
                return;
            }
        }
    }
}

async fn within<T>(part: impl Future<Output = Result<T, MultipartError>>) -> Result<T, ApiError> {
    match tokio::time::timeout(SILENCE, part).await {
        Ok(Ok(part)) => Ok(part),
        Ok(Err(error)) => Err(ApiError::bad_request(format!("the form cannot be read: {}", error.body_text()), None)),
        Err(_) => Err(ApiError::timed_out("the upload did not arrive in time")),
    }
}

fn no_form(error: MultipartRejection) -> ApiError {
    let message = format!("send the file as multipart/form-data with a field `file`: {}", error.body_text());
    ApiError::bad_request(message, None)
}

/// Lists the files of a session.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, ApiError> {
    access::session(&app, &caller, &id).await?;
    Ok(axum::Json(json!({"files": app.services.sessions.files(&id).await?})))
}

/// Gives a file out, always as something to save: a page that it holds must not run as ours.
pub(super) async fn download(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path((id, file)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    access::session(&app, &caller, &id).await?;
    let meta = app.services.sessions.file(&id, &file).await?;
    let bytes: Bytes = app.services.sessions.file_bytes(&file).await?;
    let headers = [
        (CONTENT_TYPE, meta.r#type.clone()),
        (CONTENT_DISPOSITION, disposition(&meta.name)),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

/// The name in the form that every browser reads, whatever letters it has.
fn disposition(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => encoded.push(char::from(byte)),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    format!("attachment; filename*=UTF-8''{encoded}")
}

/// Removes a file.
pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path((id, file)): Path<(String, String)>,
) -> Result<StatusCode, ApiError> {
    access::session(&app, &caller, &id).await?;
    app.services.sessions.remove_file(&id, &file).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How far a refused upload is read.
const READ_ON: usize = 32 * 1024 * 1024;
/// How long a piece of an upload may take.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a whole upload may take.
const LONGEST: Duration = Duration::from_secs(5 * 60);
/// How long an upload waits for room.
const WAIT: Duration = Duration::from_secs(20);
