//! The guard of coding agents over HTTP: the payload of a hook in, the agent's own answer out. (HOOK-5)
//!
//! The payload names files of this machine (the transcript, the project), so the route is there only where the server
//! listens on loopback: nobody else has business with it.

use super::body::read_json;
use super::error::ApiError;
use super::state::App;
use crate::args::Agent;
use crate::hook;
use crate::hook::event::Caller;
use crate::hook::home::Home;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// `POST /hooks/claude-code`: an event of a coding session.
pub(super) async fn claude_code(State(app): State<Arc<App>>, request: Request) -> Result<Response, ApiError> {
    if !app.config.listen.ip().is_loopback() {
        return Err(ApiError::forbidden(
            "hooks are answered only where the server listens on loopback, such as 127.0.0.1",
        ));
    }
    let body = read_json(request, app.config.limits.body_size).await?;
    let caller = Caller { named: Agent::ClaudeCode, attended: true, project: None };
    let reply = app.heavy.run(move || hook::answer(&body, &caller, &Home::of_user())).await?;
    if reply.code != 0 {
        return Err(ApiError::bad_request(reply.stderr.unwrap_or_default(), None));
    }
    let Some(json) = reply.stdout else { return Ok(().into_response()) };
    let mut response = json.to_string().into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
