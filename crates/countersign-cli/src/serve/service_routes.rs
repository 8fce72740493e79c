//! The routes about the server itself: alive, ready, healthy, counted, described.

use super::state::App;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// `GET /livez`: the process runs.
#[utoipa::path(get, path = "/livez", tag = "service", responses((status = 200, description = "The process runs")))]
pub async fn livez() -> Response {
    axum::Json(json!({"status": "alive"})).into_response()
}

/// `GET /readyz`: it has started. An upstream that is away is no reason not to be ready.
#[utoipa::path(get, path = "/readyz", tag = "service", responses((status = 200, description = "It has started"), (status = 503, description = "Not yet, or not any more")))]
pub async fn readyz(State(app): State<Arc<App>>) -> Response {
    let ready = app.ready.load(Ordering::Acquire) && !app.shutdown.begun().is_cancelled();
    let (status, word) = if ready { (StatusCode::OK, "ready") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ready") };
    (status, axum::Json(json!({"status": word}))).into_response()
}

/// `GET /health`: how each layer is. It always answers 200; what is wrong stands in the body.
#[utoipa::path(get, path = "/health", tag = "service", responses((status = 200, description = "How each layer is", body = serde_json::Value)))]
pub async fn health(State(app): State<Arc<App>>) -> Response {
    axum::Json(app.health.report()).into_response()
}

/// `GET /metrics`: everything that is counted, for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "service", responses((status = 200, description = "Prometheus text", body = String)))]
pub async fn metrics(State(app): State<Arc<App>>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.page()).into_response()
}

/// `GET /`: what runs here.
#[utoipa::path(get, path = "/", tag = "service", responses((status = 200, description = "What runs here", body = String)))]
pub async fn home() -> Response {
    Html(HOME).into_response()
}

const HOME: &str = "<!doctype html>
<html lang=\"en\"><meta charset=\"utf-8\"><title>Countersign</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}code{background:#8882;padding:0 .2em}</style>
<h1>Countersign runs here</h1>
<p>It checks what language models want to do, what their tools return and what they say.</p>
<ul>
<li><a href=\"/health\">/health</a>: how each layer is</li>
<li><a href=\"/openapi.json\">/openapi.json</a>: every route</li>
<li><a href=\"/metrics\">/metrics</a>: what is counted</li>
</ul>
<p>Try it: <code>curl -s -X POST -d '{\"text\": \"Sales rose 12% in 2025.\"}' http://HOST/v1/claims</code></p>
</html>
";
