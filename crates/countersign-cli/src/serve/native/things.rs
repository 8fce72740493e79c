//! Notes and materials.

use super::access;
use crate::serve::body::{Json, Path};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_runtime::sessions::{Author, Thing, ThingKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

type Shown = Result<axum::Json<Value>, ApiError>;
type Who = Extension<Caller>;
type At = Path<(String, String)>;

/// A note or material to keep.
#[derive(Debug, Deserialize)]
pub(super) struct New {
    id: Option<Value>,
    name: Option<String>,
    content: String,
}

/// The notes of a session.
pub(super) async fn notes(State(app): State<Arc<App>>, Extension(caller): Who, Path(id): Path<String>) -> Shown {
    access::session(&app, &caller, &id).await?;
    Ok(axum::Json(json!({"notes": app.services.sessions.things(ThingKind::Note, &id).await?})))
}

/// The materials of a session.
pub(super) async fn materials(State(app): State<Arc<App>>, Extension(caller): Who, Path(id): Path<String>) -> Shown {
    access::session(&app, &caller, &id).await?;
    Ok(axum::Json(json!({"materials": app.services.sessions.things(ThingKind::Material, &id).await?})))
}

/// Keeps a note.
pub(super) async fn add_note(
    State(app): State<Arc<App>>,
    Extension(caller): Who,
    Path(id): Path<String>,
    Json(new): Json<New>,
) -> Result<(StatusCode, axum::Json<Thing>), ApiError> {
    access::session(&app, &caller, &id).await?;
    let name = new.name.unwrap_or_default();
    Ok((
        StatusCode::CREATED,
        axum::Json(app.services.sessions.save_note(&id, Author::Person, &name, &new.content).await?),
    ))
}

/// Keeps a material.
pub(super) async fn add_material(
    State(app): State<Arc<App>>,
    Extension(caller): Who,
    Path(id): Path<String>,
    Json(new): Json<New>,
) -> Result<(StatusCode, axum::Json<Thing>), ApiError> {
    access::session(&app, &caller, &id).await?;
    let number = match new.id {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(_) => return Err(ApiError::bad_request("`id` must be a number or a string", "id")),
    };
    let saved = app
        .services
        .sessions
        .save_material(&id, Author::Person, number.as_deref(), new.name.as_deref(), &new.content)
        .await?;
    Ok((StatusCode::CREATED, axum::Json(saved)))
}

/// One note.
pub(super) async fn note(app: State<Arc<App>>, caller: Who, at: At) -> Result<axum::Json<Thing>, ApiError> {
    one(ThingKind::Note, app, caller, at).await
}

/// One material.
pub(super) async fn material(app: State<Arc<App>>, caller: Who, at: At) -> Result<axum::Json<Thing>, ApiError> {
    one(ThingKind::Material, app, caller, at).await
}

/// Removes a note.
pub(super) async fn remove_note(app: State<Arc<App>>, caller: Who, at: At) -> Result<StatusCode, ApiError> {
    remove(ThingKind::Note, app, caller, at).await
}

/// Removes a material.
pub(super) async fn remove_material(app: State<Arc<App>>, caller: Who, at: At) -> Result<StatusCode, ApiError> {
    remove(ThingKind::Material, app, caller, at).await
}

async fn one(
    kind: ThingKind,
    State(app): State<Arc<App>>,
    Extension(caller): Who,
    Path((id, thing)): At,
) -> Result<axum::Json<Thing>, ApiError> {
    access::session(&app, &caller, &id).await?;
    Ok(axum::Json(app.services.sessions.thing(kind, &id, &thing).await?))
}

async fn remove(
    kind: ThingKind,
    State(app): State<Arc<App>>,
    Extension(caller): Who,
    Path((id, thing)): At,
) -> Result<StatusCode, ApiError> {
    access::session(&app, &caller, &id).await?;
    app.services.sessions.remove_thing(kind, &id, &thing).await?;
    Ok(StatusCode::NO_CONTENT)
}
