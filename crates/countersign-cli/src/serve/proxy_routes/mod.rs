//! The drop-in routes: a client changes its base URL, and the guard is on.

/// What goes upstream of a request's headers.
mod headers;
/// Requests that may bring tool calls.
mod guarded;
/// Routes whose answers nobody reads here.
mod unread;
/// Everything else, carried as it is.
mod passed;

use super::state::App;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

pub(super) use passed::elsewhere;

/// The routes.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v1/chat/completions", post(guarded::chat).fallback(elsewhere))
        .route("/v1/responses", post(guarded::responses).fallback(elsewhere))
        .route("/v1/messages", post(guarded::messages).fallback(elsewhere))
        .route("/v1/models", get(passed::models).fallback(elsewhere))
}
