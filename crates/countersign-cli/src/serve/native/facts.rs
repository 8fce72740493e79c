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
use countersign_runtime::factcheck::{Again, Evidence, EvidenceKind};
use countersign_runtime::sessions::{Relay, Relayed, SessionError};
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
        Ok(relayed) => Ok(axum::Json(look_up(&app, &id, relayed).await).into_response()),
        Err(SessionError::Write(WriteError::Elsewhere(owner))) => {
            forward::forward(&app, &owner, &format!("/v1/sessions/{id}/relay"), &headers, &json!(pass)).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Has the claims of a message looked up, where that goes by itself; gives them as they stand a moment later.
async fn look_up(app: &App, session: &str, relayed: Relayed) -> Relayed {
    if !app.config.factcheck.automatic || !relayed.needs_verify {
        return relayed;
    }
    let claims = &app.services.claims;
    claims.check_soon(session, app.services.fact_check()).wait().await;
    // It was passed on: that its claims cannot be read again just now does not undo it.
    claims.message(session, &relayed.message_id).await.map_or(relayed, Relayed::from)
}

/// What the caller vouches for, and which claims are asked about.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub(super) struct Check {
    #[serde(default)]
    evidence: Vec<Vouched>,
    /// Whether all claims that are not verified are asked about again.
    #[serde(default)]
    again: bool,
}

/// A text that the caller vouches for.
#[derive(Debug, Clone, Deserialize, Serialize)]
struct Vouched {
    #[serde(default, alias = "id", alias = "name")]
    place: String,
    content: Value,
}

/// Looks up the claims of a session that are not verified.
pub(super) async fn check(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
    MaybeJson(check): MaybeJson<Check>,
) -> Result<Response, ApiError> {
    access::session(&app, &caller, &id).await?;
    let again = if check.again { Again::RetryUnverified } else { Again::LeaveSettled };
    let vouched = check.evidence.iter().cloned().map(|vouched| Evidence {
        kind: EvidenceKind::ToolResult,
        place: vouched.place,
        content: match vouched.content {
            Value::String(text) => text,
            other => other.to_string(),
        },
    });
    let node = app.services.fact_check();
    match app.services.claims.check(&id, node, vouched.collect(), again).await {
        Ok(report) => Ok(axum::Json(report).into_response()),
        Err(SessionError::Write(WriteError::Elsewhere(owner))) => {
            forward::forward(&app, &owner, &format!("/v1/sessions/{id}/factcheck"), &headers, &json!(check)).await
        }
        Err(error) => Err(error.into()),
    }
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
