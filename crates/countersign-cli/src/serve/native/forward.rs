//! What another node must do: a request for a session whose turn runs there is handed on, once.

use crate::serve::auth;
use crate::serve::cookie::{self, Transport};
use crate::serve::error::ApiError;
use crate::serve::sealed::Visitor;
use crate::serve::state::App;
use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use countersign_runtime::store::Owner;
use serde_json::Value;
use std::time::Duration;

/// Hands a request on to the node that owns the session, with the caller's own key.
pub(super) async fn forward(
    app: &App,
    owner: &Owner,
    path: &str,
    headers: &HeaderMap,
    body: &Value,
) -> Result<Response, ApiError> {
    let away = |why: &str| {
        let message = format!("this session is being written by another node, which cannot be reached: {why}");
        ApiError::unavailable(message, Duration::from_secs(2))
    };
    if owner.address.is_empty() {
        return Err(away("it has no address; set `advertise` on every node"));
    }
    if headers.contains_key(FORWARDED) {
        return Err(away("the request was handed on already"));
    }
    let mut request = app.services.client.post(format!("{}{path}", owner.address)).header(FORWARDED, "1").json(body);
    for name in [header::AUTHORIZATION.as_str(), "x-api-key", "countersign-key"] {
        if let Some(value) = headers.get(name) {
            request = request.header(name, value);
        }
    }
    match auth::visitor(app, headers) {
        // What came with the console's cookie was looked at here; the other node gets its key alone.
        Some(Ok(Visitor::Key(key))) => request = request.header("countersign-key", key),
        // A person has no key; the other node opens the same cookie and looks for itself.
        Some(Ok(Visitor::Person(_))) => {
            let proto = if cookie::transport(&app.config, headers) == Transport::Tls { "https" } else { "http" };
            request = request.header("x-forwarded-proto", proto);
            for name in [header::COOKIE.as_str(), cookie::TOKEN] {
                if let Some(value) = headers.get(name) {
                    request = request.header(name, value);
                }
            }
        }
        Some(Err(_)) | None => {}
    }
    let sent = tokio::time::timeout(DEADLINE, request.send()).await;
    let answered = sent.map_err(|_| away("no answer in time"))?.map_err(|_| away("no connection"))?;
    let mut response = Response::builder().status(answered.status());
    for name in [header::CONTENT_TYPE, header::RETRY_AFTER] {
        if let Some(value) = answered.headers().get(&name) {
            response = response.header(name, value);
        }
    }
    let bytes = tokio::time::timeout(DEADLINE, answered.bytes()).await;
    let bytes = bytes.map_err(|_| away("no answer in time"))?.map_err(|_| away("the answer broke off"))?;
    response.body(Body::from(bytes)).map_err(|error| ApiError::internal(error.to_string()))
}

/// Marks a request that was handed on.
const FORWARDED: &str = "countersign-forwarded";
/// How long the other node may take.
const DEADLINE: Duration = Duration::from_secs(10);
