//! What every request goes through, whatever its route: a name, a clock, the checks at the door, and a net below.
//!
//! One piece and not a stack of layers, because the order matters (origin, key, limit, handler) and because each layer
//! costs every request something.

use super::auth;
use super::error::{ApiError, Inside};
use super::keys::Caller;
use super::origin;
use super::state::App;
use super::telemetry::request_span;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{HeaderName, ORIGIN};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::Instrument;

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The name of a request, for handlers that write it somewhere.
#[derive(Debug, Clone)]
pub struct RequestId(pub Arc<str>);

/// Takes a request in and its answer out.
pub async fn shell(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id: Arc<str> = app.request_ids.next().into();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let origin = request.headers().get(ORIGIN).filter(|origin| origin::is_allowed(&app.config, origin)).cloned();
    let mut response = match enter(&app, &mut request, origin.is_some()).await {
        Ok(Entered::Handler) => {
            request.extensions_mut().insert(RequestId(Arc::clone(&id)));
            if app.traced { traced(&id, route.as_ref(), request, next).await } else { caught(next.run(request)).await }
        }
        Ok(Entered::Preflight) => preflight(),
        Err(refused) => refused.into_response(),
    };
    if let Some(origin) = origin {
        origin::allow(response.headers_mut(), origin);
    }
    let took = began.elapsed();
    stamp(&mut response, &id, took);
    count(&app, &method, route.as_ref(), &response, took);
    tell(&response, &id, &method, route.as_ref());
    response
}

/// What a request that was let in goes on to.
enum Entered {
    Handler,
    Preflight,
}

/// The checks at the door.
async fn enter(app: &App, request: &mut Request, allowed_page: bool) -> Result<Entered, ApiError> {
    if request.method() == Method::OPTIONS && allowed_page {
        return Ok(Entered::Preflight);
    }
    if !app.keys.is_locked() {
        origin::check(&app.config, request.headers(), request.uri())?;
    }
    let path = request.uri().path();
    let caller = auth::admit(app, path, request.headers())?;
    if app.limits.is_on() && path.starts_with("/v1/") {
        let who = who(&caller, request);
        app.limits.take(&who).await.map_err(ApiError::limited)?;
    }
    request.extensions_mut().insert(caller);
    Ok(Entered::Handler)
}

/// Whose quota a request takes from.
fn who(caller: &Caller, request: &Request) -> Arc<str> {
    match (&caller.key_id, request.extensions().get::<Peer>()) {
        (Some(key), _) => Arc::clone(key),
        (None, Some(Peer(address))) => address.ip().to_string().into(),
        (None, None) => "nobody".into(),
    }
}

/// A panic is our fault and costs this request alone.
async fn caught(answer: impl Future<Output = Response>) -> Response {
    match AssertUnwindSafe(answer).catch_unwind().await {
        Ok(response) => response,
        Err(_) => ApiError::internal("a handler panicked").into_response(),
    }
}

/// The same inside a span.
async fn traced(id: &str, route: Option<&MatchedPath>, request: Request, next: Next) -> Response {
    let route = route.map_or("unmatched", MatchedPath::as_str);
    let span = request_span(request.method(), route, id, request.headers());
    let response = caught(next.run(request)).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    response
}

fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    origin::allow_request(response.headers_mut());
    response
}

/// The name and the time. A name that the upstream gave stays, once.
fn stamp(response: &mut Response, id: &str, took: Duration) {
    let headers = response.headers_mut();
    match headers.get(REQUEST_ID).cloned() {
        // Where an upstream sent several, the first is kept.
        Some(first) => drop(headers.insert(REQUEST_ID, first)),
        None => {
            if let Ok(id) = HeaderValue::from_str(id) {
                headers.insert(REQUEST_ID, id);
            }
        }
    }
    if let Ok(seconds) = HeaderValue::from_str(&format!("{:.6}", took.as_secs_f64())) {
        headers.insert(PROCESS_TIME, seconds);
    }
}

fn count(app: &App, method: &Method, route: Option<&MatchedPath>, response: &Response, took: Duration) {
    let route = route.map_or("unmatched", MatchedPath::as_str);
    app.metrics.requests.of([method_name(method), route, response.status().as_str()]).add_one();
    app.metrics.latency.of([route]).observe(took);
}

/// Methods that we do not know are one label: a caller could invent any number of them.
fn method_name(method: &Method) -> &str {
    const KNOWN: [Method; 7] =
        [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD, Method::OPTIONS];
    if KNOWN.contains(method) { method.as_str() } else { "other" }
}

fn tell(response: &Response, id: &str, method: &Method, route: Option<&MatchedPath>) {
    let status = response.status().as_u16();
    let route = route.map_or("unmatched", MatchedPath::as_str);
    if status >= 500 {
        let inside = response.extensions().get::<Inside>().map_or("", |inside| inside.0.as_str());
        tracing::warn!(request_id = id, %method, route, status, inside, "request failed");
    } else {
        tracing::debug!(request_id = id, %method, route, status, "request");
    }
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PROCESS_TIME: HeaderName = HeaderName::from_static("x-process-time");
