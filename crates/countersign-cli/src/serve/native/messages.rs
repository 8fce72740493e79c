//! Turns, and the results that clients bring.

use super::sse::{NoMarker, follow};
use super::{access, forward};
use crate::serve::body::{Json, Path};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use countersign_runtime::sessions::Reference;
use countersign_runtime::stream::Start;
use countersign_runtime::turn::{Delivered, ToolOutcome, UserMessage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a user says.
#[derive(Debug, Deserialize)]
pub(super) struct Say {
    content: String,
    references: Option<Vec<Reference>>,
    files: Option<Vec<String>>,
}

/// One turn, streamed.
pub(super) async fn say(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Json(said): Json<Say>,
) -> Result<Response, ApiError> {
    let session = access::session(&app, &caller, &id).await?;
    if said.content.trim().is_empty() {
        return Err(ApiError::bad_request("`content` must not be empty", "content"));
    }
    let message = UserMessage {
        content: said.content,
        references: said.references.unwrap_or_default(),
        files: said.files.unwrap_or_default(),
    };
    let after = app.services.turns.begin(session, message).await?;
    let reader = app.services.hub.reader(&id, Start::OwnTurn { after }).await?;
    follow(&app, reader, NoMarker)
}

/// What a tool gave that the client ran.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Bring {
    #[serde(alias = "tool_call_id", alias = "tool_use_id")]
    call_id: String,
    content: Value,
    is_error: Option<bool>,
}

/// Takes a tool's result.
pub(super) async fn bring(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(brought): Json<Bring>,
) -> Result<Response, ApiError> {
    access::session(&app, &caller, &id).await?;
    let outcome = ToolOutcome { content: brought.content.clone(), is_error: brought.is_error.unwrap_or_default() };
    match app.services.turns.deliver(&id, &brought.call_id, outcome) {
        Delivered::Taken => Ok(axum::Json(json!({"accepted": true, "call_id": brought.call_id})).into_response()),
        Delivered::Twice => Err(ApiError::conflict(format!("the call {:?} has its result already", brought.call_id))),
        Delivered::Unknown => {
            if let Some(owner) = app.services.other_owner(&id).await? {
                let path = format!("/v1/sessions/{id}/tool_results");
                return forward::forward(&app, &owner, &path, &headers, &json!(brought)).await;
            }
            Err(ApiError::not_found(format!("no call {:?} waits for a result in this session", brought.call_id)))
        }
    }
}
