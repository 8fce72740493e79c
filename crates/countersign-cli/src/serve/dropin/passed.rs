//! Everything else under `/v1`: carried to its upstream and back as it is, whatever it holds.

use super::headers::{Door, Length, upstream};
use crate::serve::error::{ApiError, is_messages, refused};
use crate::serve::state::App;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::header::{ALLOW, HeaderValue};
use axum::response::{IntoResponse, Response};
use countersign_runtime::gateway::upstream::{Api, Incoming, OutBody, Outgoing, Upstream, is_hop};
use countersign_runtime::gateway::wire::{Fault, Wire};
use futures_util::StreamExt;
use std::sync::Arc;

/// `GET /v1/models`: of the OpenAI upstream, else of the only one there is.
pub async fn models(State(app): State<Arc<App>>, request: Request) -> Response {
    let choose = |api| app.counter.upstreams.choose(api, None, None);
    match choose(Api::OpenAi).or_else(|_| choose(Api::Anthropic)) {
        Ok(found) => carry(&app, found, request).await,
        Err(fault) => refused(Wire::Chat, &fault),
    }
}

/// What no route of ours takes.
pub async fn elsewhere(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path();
    if !path.starts_with("/v1/") {
        return nowhere(&request);
    }
    let api = if is_messages(path) { Api::Anthropic } else { Api::OpenAi };
    let named = request.headers().get("countersign-upstream").and_then(|name| name.to_str().ok());
    match app.counter.upstreams.choose(api, named, None) {
        // The demo model has our own routes and no other.
        Ok(found) if found.first().is_some_and(|first| first.is_demo()) => match taken(path) {
            Some(methods) => wrong_method(&request, methods),
            None => nowhere(&request),
        },
        Ok(found) => carry(&app, found, request).await,
        Err(fault) => refused(wire(path), &fault),
    }
}

fn wire(path: &str) -> Wire {
    if is_messages(path) { Wire::Messages } else { Wire::Chat }
}

fn nowhere(request: &Request) -> Response {
    ApiError::not_found(format!("there is no {} {}", request.method(), request.uri().path())).into_response()
}

/// The methods of a route of ours.
fn taken(path: &str) -> Option<&'static str> {
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

async fn carry(app: &App, found: Vec<Arc<Upstream>>, request: Request) -> Response {
    let wire = wire(request.uri().path());
    let Some(to) = found.into_iter().next() else {
        return refused(wire, &Fault::new(404, "no_upstream", "there is no upstream"));
    };
    let door = if app.keys.is_locked() { Door::Locked } else { Door::Open };
    let headers = upstream(request.headers(), &to, door, Length::Kept);
    let method = request.method().clone();
    let path = behind_base(to.api, request.uri().path_and_query().map_or("/", |whole| whole.as_str()));
    let body = if matches!(method, Method::GET | Method::HEAD) {
        OutBody::Bytes(bytes::Bytes::new())
    } else {
        OutBody::Stream(reqwest::Body::wrap_stream(request.into_body().into_data_stream()))
    };
    match to.send(Outgoing { method, path, headers, body }).await {
        Ok(incoming) => back(incoming),
        Err(fault) => refused(wire, &fault),
    }
}

/// An OpenAI base ends in `/v1`, an Anthropic one before it.
fn behind_base(api: Api, path: &str) -> String {
    match api {
        Api::OpenAi => path.strip_prefix("/v1").unwrap_or(path).to_owned(),
        Api::Anthropic => path.to_owned(),
    }
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
