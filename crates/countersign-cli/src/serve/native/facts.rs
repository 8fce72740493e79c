//! The fact layer: messages between the user's own agents, look-ups, lineage.

use super::{access, forward};
use crate::serve::body::{Json, MaybeJson, Path};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use countersign_runtime::factcheck::Evidence;
use countersign_runtime::sessions::{Relay, SessionError};
use countersign_runtime::stream::WriteError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// A message from one agent to another.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct Pass {
    from: String,
    to: String,
    content: String,
    #[serde(default)]
    derived_from: Vec<String>,
}

/// Passes a message on.
pub(super) async fn relay(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(pass): Json<Pass>,
) -> Result<Response, ApiError> {
    access::session(&app, &caller, &id).await?;
    for (field, value) in [("from", &pass.from), ("to", &pass.to)] {
        if value.trim().is_empty() {
            return Err(ApiError::bad_request(format!("`{field}` must name an agent"), field));
        }
    }
    let Pass { from, to, content, derived_from } = pass.clone();
    let policy = app.policy.current();
    let relayed = app.services.claims.relay(&id, Relay { from, to, content, derived_from }, policy.policy()).await;
    match relayed {
        Ok(relayed) => Ok(axum::Json(relayed).into_response()),
        Err(SessionError::Write(WriteError::Elsewhere(owner))) => {
            forward::forward(&app, &owner, &format!("/v1/sessions/{id}/relay"), &headers, &json!(pass)).await
        }
        Err(error) => Err(error.into()),
    }
}

/// What the caller vouches for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Check {
    #[serde(default)]
    evidence: Vec<Vouched>,
}

/// A text that the caller vouches for.
#[derive(Debug, Deserialize)]
struct Vouched {
    #[serde(default, alias = "id", alias = "name")]
    place: String,
    content: Value,
}

/// Looks up the pending claims of a session.
pub(super) async fn check(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    MaybeJson(check): MaybeJson<Check>,
) -> Result<Response, ApiError> {
    access::session(&app, &caller, &id).await?;
    let vouched = check.evidence.into_iter().map(|vouched| Evidence {
        place: vouched.place,
        content: match vouched.content {
            Value::String(text) => text,
            other => other.to_string(),
        },
    });
    let node = app.services.fact_check();
    let report = app.services.claims.check(&id, node, vouched.collect()).await?;
    Ok(axum::Json(report).into_response())
}

/// Where a claim came from.
pub(super) async fn trace(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path((id, claim)): Path<(String, String)>,
) -> Result<axum::Json<Value>, ApiError> {
    access::session(&app, &caller, &id).await?;
    let steps = app.services.claims.trace(&id, &claim).await?;
    Ok(axum::Json(json!({"claim_id": claim, "lineage": steps})))
}
