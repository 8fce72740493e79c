//! The routes about the server itself: alive, ready, healthy, counted, described.

use super::state::App;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// `GET /livez`: the process runs.
pub(super) async fn livez() -> Response {
    axum::Json(json!({"status": "alive"})).into_response()
}

/// `GET /readyz`: it has started. An upstream that is unavailable is no reason not to be ready.
pub(super) async fn readyz(State(app): State<Arc<App>>) -> Response {
    let ready = app.ready.load(Ordering::Acquire) && !app.shutdown.begun().is_cancelled();
    let (status, word) = if ready { (StatusCode::OK, "ready") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ready") };
    (status, axum::Json(json!({"status": word}))).into_response()
}

/// `GET /health`: how each layer is. It always answers 200; what is wrong stands in the body.
pub(super) async fn health(State(app): State<Arc<App>>) -> Response {
    axum::Json(app.health.report()).into_response()
}

/// `GET /metrics`: everything that is counted, for Prometheus.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.page()).into_response()
}
