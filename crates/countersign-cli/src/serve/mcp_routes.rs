//! `/mcp/NAME`: the MCP servers of the configuration behind one address, each call and each result guarded.
//!
//! What opens this server is not for the servers behind it: where keys are wanted, the header that carried ours goes no
//! further. A client that names our key apart, as `countersign-key`, may sign in to the server itself.

use super::body::{Path, read_after};
use super::error::ApiError;
use super::keys::Caller;
use super::state::App;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HeaderName};
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router};
use countersign_runtime::gateway::judging::ANYONE;
use countersign_runtime::mcp_guard::{GuardedBody, GuardedResponse};
use std::sync::Arc;

/// The routes.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/mcp/{name}", post(guarded).get(guarded).delete(guarded))
}

/// `POST`, `GET` and `DELETE /mcp/NAME`.
pub(super) async fn guarded(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let Some(guard) = app.mcp_guards.get(&name) else {
        let known: Vec<&str> = app.mcp_guards.keys().map(String::as_str).collect();
        let help = match known.is_empty() {
            true => "no server is guarded here: set `guard = true` in its `[mcp.NAME]`".to_owned(),
            false => format!("there are: {}", known.join(", ")),
        };
        return Err(ApiError::not_found(format!("there is no MCP server `{name}`; {help}")));
    };
    let (parts, body) = request.into_parts();
    let headers = for_the_server(&app, parts.headers);
    let answer = match parts.method {
        Method::POST => {
            let body = read_after(&headers, body, app.config.limits.body_size).await?;
            let who = caller.key_id.as_deref().unwrap_or(ANYONE);
            guard.post(who, headers, body).await
        }
        Method::GET | Method::DELETE => guard.other(parts.method, headers).await,
        method => return Err(ApiError::method_not_allowed(format!("/mcp/{name} does not take {method}"))),
    };
    Ok(response(answer))
}

/// The headers without a key of ours.
fn for_the_server(app: &App, mut headers: HeaderMap) -> HeaderMap {
    if app.keys.is_locked() && !headers.contains_key("countersign-key") {
        headers.remove(AUTHORIZATION);
        headers.remove(HeaderName::from_static("x-api-key"));
    }
    headers
}

fn response(answer: GuardedResponse) -> Response {
    let body = match answer.body {
        GuardedBody::Whole(bytes) => Body::from(bytes),
        GuardedBody::Stream(pieces) => Body::from_stream(pieces),
    };
    let mut response = Response::new(body);
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    response
}
