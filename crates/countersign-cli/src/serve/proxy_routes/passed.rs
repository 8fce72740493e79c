//! Everything else under `/v1`: carried to its upstream and back as it is, whatever it holds.
//!
//! A path is read as leniently as any upstream may read it before it is decided what it is: what means a guarded route is
//! guarded, what means one of ours is not carried, and what can mean several things is refused.

use super::guarded;
use super::headers::{Door, Length, upstream, uses_operators_key};
use super::unread::prepare_body;
use crate::serve::error::{ApiError, is_messages, render_fault};
use crate::serve::keys::{Caller, Scope};
use crate::serve::paths::{first_segment, meaning};
use crate::serve::state::App;
use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, HeaderValue};
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use countersign_runtime::gateway::transport::OutBody;
use countersign_runtime::gateway::upstream::{Api, Incoming, Outgoing, Upstream, is_hop};
use countersign_runtime::gateway::wire::{Fault, Wire};
use futures_util::StreamExt;
use std::sync::Arc;

/// `GET /v1/models`: of the OpenAI upstream, else of the only one there is.
pub(super) async fn models(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let choose = |api| app.gateway_setup.upstreams.choose(api, None, None);
    match choose(Api::OpenAi).or_else(|_| choose(Api::Anthropic)) {
        Ok(found) => carry(&app, &caller, "/v1/models", found, request).await,
        Err(fault) => render_fault(Wire::Chat, &fault),
    }
}

/// What no route of ours takes.
pub(crate) async fn elsewhere(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let path = request.uri().path();
    let Some(meaning) = meaning(path) else { return unclear(&request) };
    if first_segment(&meaning).is_none_or(|first| OURS.contains(&first)) {
        return nowhere(&request);
    }
    if let Some(wire) = guarded::wire(&meaning).filter(|_| request.method() == Method::POST) {
        return match check_scope(&caller, Scope::Engine, path) {
            Ok(()) => guarded::answer(State(app), Extension(caller), wire, request).await,
            Err(error) => error.on(&meaning),
        };
    }
    if behind_slashes(path).is_none() {
        return nowhere(&request);
    }
    let api = if is_messages(&meaning) { Api::Anthropic } else { Api::OpenAi };
    let named = request.headers().get("countersign-upstream").and_then(|name| name.to_str().ok());
    match app.gateway_setup.upstreams.choose(api, named, None) {
        // The demo model has our own routes and no other.
        Ok(found) if found.first().is_some_and(|first| first.is_demo()) => match find_taken(path) {
            Some(methods) => wrong_method(&request, methods),
            None => nowhere(&request),
        },
        Ok(found) => carry(&app, &caller, &meaning, found, request).await,
        Err(fault) => render_fault(wire(&meaning), &fault),
    }
}

fn wire(path: &str) -> Wire {
    if is_messages(path) { Wire::Messages } else { Wire::Chat }
}

/// A path that two servers may read differently.
fn unclear(request: &Request) -> Response {
    let path = request.uri().path();
    if !path.starts_with("/v1") {
        return nowhere(request);
    }
    let message = "the path has `.` or `..` segments, or escapes that are none: write it without them";
    ApiError::bad_request(message, None).with_code("invalid_path").on(path)
}

fn nowhere(request: &Request) -> Response {
    ApiError::not_found(format!("there is no {} {}", request.method(), request.uri().path())).into_response()
}

/// The methods of a route of ours.
fn find_taken(path: &str) -> Option<&'static str> {
    match path {
        "/v1/chat/completions" | "/v1/responses" | "/v1/messages" => Some("POST"),
        "/v1/models" => Some("GET,HEAD"),
        _ => None,
    }
}

fn wrong_method(request: &Request, methods: &'static str) -> Response {
    let path = request.uri().path();
    let message = format!("{path} does not take {}; see the header `allow`", request.method());
    let mut response = ApiError::method_not_allowed(message).on(path);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}

async fn carry(app: &App, caller: &Caller, meaning: &str, found: Vec<Arc<Upstream>>, request: Request) -> Response {
    let wire = wire(meaning);
    let Some(to) = found.into_iter().next() else {
        return render_fault(wire, &Fault::new(404, "no_upstream", "there is no upstream"));
    };
    let carried = match prepare(app, caller, meaning, &to, request).await {
        Ok(carried) => carried,
        Err(error) => return error.on(meaning),
    };
    let Carried { method, path, headers, body } = carried;
    match to.send(Outgoing { method, path: &path, headers: &headers, body }).await {
        Ok(incoming) => back(incoming),
        Err(fault) => render_fault(wire, &fault),
    }
}

/// What goes upstream.
struct Carried {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: OutBody,
}

/// The request as it goes upstream, where the caller may send it there.
async fn prepare(
    app: &App,
    caller: &Caller,
    meaning: &str,
    to: &Upstream,
    request: Request,
) -> Result<Carried, ApiError> {
    let scope =
        if uses_operators_key(request.headers(), to) { scope(request.method(), meaning) } else { Scope::Engine };
    check_scope(caller, scope, request.uri().path())?;
    let door = if app.keys.is_locked() { Door::Locked } else { Door::Open };
    let method = request.method().clone();
    // A body says nothing on these, and servers that do not expect one take it for the next request: neither it nor its
    // length goes on.
    let bare = matches!(method, Method::GET | Method::HEAD);
    let length = if bare { Length::Dropped } else { Length::Kept };
    let headers = upstream(request.headers(), to, door, length);
    let path = behind_base(to.api, request.uri().path_and_query().map_or("/", |whole| whole.as_str()));
    let body =
        if bare { OutBody::Bytes(bytes::Bytes::new()) } else { prepare_body(app, caller, meaning, request).await? };
    Ok(Carried { method, path, headers, body })
}

/// What a key must open to reach a route with the operator's key: what a client of models needs is the engine's, the rest
/// (files, fine-tuning, administration, what other keys have stored) is for keys that were made for it.
fn scope(method: &Method, meaning: &str) -> Scope {
    let of_models = meaning == "/v1/models" || meaning.starts_with("/v1/models/");
    match *method {
        Method::GET | Method::HEAD if of_models => Scope::Engine,
        Method::POST if ANSWERED_AT_ONCE.contains(&meaning) => Scope::Engine,
        _ => Scope::Upstream,
    }
}

fn check_scope(caller: &Caller, scope: Scope, path: &str) -> Result<(), ApiError> {
    if caller.may(scope) { Ok(()) } else { Err(ApiError::out_of_scope(path, scope.name())) }
}

/// An OpenAI base ends in `/v1`, an Anthropic one before it.
fn behind_base(api: Api, path: &str) -> String {
    let rest = behind_slashes(path).unwrap_or_default();
    match api {
        Api::OpenAi => format!("/{rest}"),
        Api::Anthropic => format!("/v1/{rest}"),
    }
}

/// What follows `/v1/`, as it was written.
fn behind_slashes(path: &str) -> Option<&str> {
    path.trim_start_matches('/').strip_prefix("v1/")
}

fn back(incoming: Incoming) -> Response {
    let Incoming { status, mut headers, body } = incoming;
    let hops: Vec<_> = headers.keys().filter(|name| is_hop(name)).cloned().collect();
    for name in hops {
        headers.remove(name);
    }
    let mut response = Response::new(Body::from_stream(body.map(|piece| piece.map_err(std::io::Error::other))));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    super::guarded::tidy(response.headers_mut());
    response
}

/// The beginnings of our own routes: whatever stands below them is ours, or nobody's.
const OURS: &[&str] = &[
    "check", "verify", "score", "claims", "parse", "step", "explain", "sessions", "stop", "reviews", "verdicts",
    "policy", "stats",
];
/// Routes that answer what they are asked and keep nothing.
const ANSWERED_AT_ONCE: &[&str] = &[
    "/v1/embeddings",
    "/v1/completions",
    "/v1/moderations",
    "/v1/messages/count_tokens",
    "/v1/responses/input_tokens",
];
