//! What every request goes through, whatever its route: a name, a clock, the checks at the door, and a net below.
//!
//! One piece and not a stack of layers, because the order matters (origin, key, limit, handler) and because each layer
//! costs every request something.

use super::auth;
use super::error::{ApiError, Inside};
use super::keys::Caller;
use super::limits::Peer;
use super::origin;
use super::state::App;
use super::telemetry::request_span;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, ORIGIN, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::Instrument;

/// Takes a request in and its answer out.
pub(crate) async fn handle(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = app.request_ids.next();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let origin = request.headers().get(ORIGIN).filter(|origin| origin::is_allowed(&app.config, origin)).cloned();
    let mut response = match enter(&app, &mut request, origin.is_some()).await {
        Ok(Entered::Handler) => {
            if app.traced {
                trace(&id, route.as_ref(), request, next).await
            } else {
                catch_panic(next.run(request)).await
            }
        }
        Ok(Entered::Preflight) => preflight(),
        Err(refused) => refused.on(request.uri().path()),
    };
    if let Some(origin) = origin {
        origin::allow(response.headers_mut(), origin);
    }
    let took = began.elapsed();
    stamp(&mut response, id.clone(), took);
    guard(response.headers_mut());
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
    let caller = auth::admit(app, request)?;
    if let Some(who) = who(&caller, request).filter(|_| app.limits.is_on()) {
        app.limits.take(&who).await.map_err(ApiError::limited)?;
    }
    request.extensions_mut().insert(caller);
    if is_form(request) {
        // The framework's own limit is for its own readers of bodies; forms are bounded by who takes them.
        DefaultBodyLimit::disable().apply(request);
    }
    Ok(Entered::Handler)
}

fn is_form(request: &Request) -> bool {
    request.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/"))
}

/// Whose quota a request takes from, if from one. Who types a key is not yet its owner, whatever cookie they have.
fn who(caller: &Caller, request: &Request) -> Option<Arc<str>> {
    let signs_in = auth::is_sign_in(request);
    if !signs_in && !request.uri().path().starts_with("/v1/") {
        return None;
    }
    Some(match (caller.key_id.as_ref().filter(|_| !signs_in), request.extensions().get::<Peer>()) {
        (Some(key), _) => Arc::clone(key),
        (None, Some(Peer(address))) => address.ip().to_string().into(),
        (None, None) => "nobody".into(),
    })
}

/// A panic is our fault and costs this request alone.
async fn catch_panic(answer: impl Future<Output = Response>) -> Response {
    match AssertUnwindSafe(answer).catch_unwind().await {
        Ok(response) => response,
        Err(_) => ApiError::internal("a handler panicked").into_response(),
    }
}

/// The same inside a span.
async fn trace(id: &HeaderValue, route: Option<&MatchedPath>, request: Request, next: Next) -> Response {
    let route = route.map_or("unmatched", MatchedPath::as_str);
    let span = request_span(request.method(), route, id.to_str().unwrap_or_default(), request.headers());
    let response = catch_panic(next.run(request)).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    response
}

fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    origin::allow_request(response.headers_mut());
    response
}

/// The name and the time. A name that the upstream gave stays, once.
fn stamp(response: &mut Response, id: HeaderValue, took: Duration) {
    let headers = response.headers_mut();
    // Where an upstream sent several, the first is kept.
    let id = headers.get(REQUEST_ID).cloned().unwrap_or(id);
    headers.insert(REQUEST_ID, id);
    headers.insert(PROCESS_TIME, seconds(took));
}

/// What a browser may do with an answer. The console's own files have said it already; whatever else it opens, of a tool,
/// a file or an upstream, is no page of ours: it runs nothing, stands in no frame and is kept nowhere. The console's cookie
/// would go with all that it did.
fn guard(headers: &mut HeaderMap) {
    for (name, value) in NO_PAGE {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// Seconds as a plain number with six places, put together by hand: every answer carries one.
fn seconds(took: Duration) -> HeaderValue {
    let mut text = *b"00000000.000000";
    let micros = u64::from(took.subsec_micros());
    let digits = |number: u64, places: &mut [u8]| {
        let mut rest = number;
        for place in places.iter_mut().rev() {
            *place = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
    };
    let (whole, part) = text.split_at_mut(8);
    digits(took.as_secs().min(99_999_999), whole);
    digits(micros, part.get_mut(1..).unwrap_or_default());
    // Strip leading zeros, but keep one before the decimal point.
    let start = text.iter().take(7).take_while(|digit| **digit == b'0').count();
    HeaderValue::from_bytes(text.get(start..).unwrap_or_default()).unwrap_or(HeaderValue::from_static("0"))
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

fn tell(response: &Response, id: &HeaderValue, method: &Method, route: Option<&MatchedPath>) {
    let status = response.status().as_u16();
    let route = route.map_or("unmatched", MatchedPath::as_str);
    if status >= 500 {
        let inside = response.extensions().get::<Inside>().map_or("", |inside| inside.0.as_str());
        tracing::warn!(request_id = id.to_str().unwrap_or_default(), %method, route, status, inside, "request failed");
    } else {
        tracing::debug!(request_id = id.to_str().unwrap_or_default(), %method, route, status, "request");
    }
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PROCESS_TIME: HeaderName = HeaderName::from_static("x-process-time");
const NO_PAGE: [(HeaderName, &str); 3] = [
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; sandbox"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CACHE_CONTROL, "no-store"),
];

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-4: seconds as a plain number.
    #[test]
    fn times_are_plain_numbers() {
        for (micros, text) in [(0, "0.000000"), (1234, "0.001234"), (61_000_007, "61.000007"), (999_999, "0.999999")] {
            assert_eq!(seconds(Duration::from_micros(micros)), text);
        }
        assert_eq!(seconds(Duration::MAX), "99999999.999999");
    }

    #[tokio::test]
    async fn a_panic_costs_its_own_request_alone() {
        let response = catch_panic(async { std::panic::panic_any("as asked") }).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }

    // SERVE-7: what is no page of ours runs nothing; what has said it for itself is left alone.
    #[test]
    fn an_answer_is_no_page() {
        let mut headers = HeaderMap::new();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        guard(&mut headers);
        assert_eq!(headers.len(), 3);
        assert_eq!(headers[CACHE_CONTROL], "no-cache");
        assert_eq!(headers[X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert!(headers[CONTENT_SECURITY_POLICY].to_str().unwrap().ends_with("sandbox"));
    }

    // SERVE-4: the upstream's name stays, once.
    #[test]
    fn a_name_from_upstream_stays() {
        let mut response = StatusCode::OK.into_response();
        response.headers_mut().append(REQUEST_ID, HeaderValue::from_static("theirs"));
        response.headers_mut().append(REQUEST_ID, HeaderValue::from_static("again"));
        stamp(&mut response, HeaderValue::from_static("ours"), Duration::ZERO);
        let names: Vec<_> = response.headers().get_all(REQUEST_ID).iter().collect();
        assert_eq!(names, ["theirs"]);
    }
}
