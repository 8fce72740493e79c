//! Requests that may bring tool calls: read, repaired, carried upstream, and their answers guarded.

use super::headers::{Door, Length, upstream};
use crate::config::ClaimsWanted;
use crate::serve::body;
use crate::serve::cookie;
use crate::serve::error::render_fault;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue, SET_COOKIE};
use axum::response::Response;
use bytes::Bytes;
use countersign::contract::Mode;
use countersign::policy::SuspiciousResults;
use countersign_runtime::gateway::asked::Asked;
use countersign_runtime::gateway::exchange::{self, Reply, ReplyBody};
use countersign_runtime::gateway::judging::ANYONE;
use countersign_runtime::gateway::reading::Claims;
use countersign_runtime::gateway::transport::Pieces;
use countersign_runtime::gateway::upstream::Api;
use countersign_runtime::gateway::wire::{Fault, Wire};
use countersign_runtime::metrics::Held;
use futures_util::Stream;
use memchr::memmem;
use serde_json::{Map, Value};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio_util::sync::WaitForCancellationFutureOwned;

/// `POST /v1/chat/completions`
pub(super) async fn chat(app: State<Arc<App>>, caller: Extension<Caller>, request: Request) -> Response {
    answer(app, caller, Wire::Chat, request).await
}

/// `POST /v1/responses`
pub(super) async fn responses(app: State<Arc<App>>, caller: Extension<Caller>, request: Request) -> Response {
    answer(app, caller, Wire::Responses, request).await
}

/// `POST /v1/messages`
pub(super) async fn messages(app: State<Arc<App>>, caller: Extension<Caller>, request: Request) -> Response {
    answer(app, caller, Wire::Messages, request).await
}

/// The dialect of a path in its plainest form, where it is one of these routes.
pub(super) fn wire(meaning: &str) -> Option<Wire> {
    match meaning {
        "/v1/chat/completions" => Some(Wire::Chat),
        "/v1/responses" => Some(Wire::Responses),
        "/v1/messages" => Some(Wire::Messages),
        _ => None,
    }
}

/// Answers in a dialect, whatever the path was written like.
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    wire: Wire,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = match body::read_after(&parts.headers, body, app.config.limits.body_size).await {
        Ok(bytes) => bytes,
        Err(error) => return render_fault(wire, &error.into_fault()),
    };
    let request = match prepare(&app, &caller, wire, &parts.headers, &parts.uri, bytes).await {
        Ok(request) => request,
        Err(fault) => return render_fault(wire, &fault),
    };
    match app.gateway_setup.gateway.exchange(request).await {
        Ok(reply) => build_response(&app, wire, reply),
        Err(fault) => render_fault(wire, &fault),
    }
}

/// The request as the gateway takes it.
async fn prepare(
    app: &App,
    caller: &Caller,
    wire: Wire,
    headers: &HeaderMap,
    uri: &Uri,
    bytes: Bytes,
) -> Result<exchange::Request, Fault> {
    let mut asked = Asked::read(wire, bytes)?;
    let context = context(headers)?;
    let api = if wire == Wire::Messages { Api::Anthropic } else { Api::OpenAi };
    let named = headers.get("countersign-upstream").and_then(|name| name.to_str().ok());
    let upstreams = app.gateway_setup.upstreams.choose(api, named, asked.model.as_deref())?;
    let mode = mode(app, caller, wire);
    if mode == Mode::Enforce {
        let findings = asked.repair();
        app.gateway_setup.gateway.note_repairs(&asked, &findings).await;
    }
    let who = caller.key_id.as_deref().unwrap_or(ANYONE).to_owned();
    let (mut answer, mut verdicts) = (None, Vec::new());
    if mode != Mode::Off {
        // Only a gateway that enforces changes what a request brings.
        let suspicious = match mode {
            Mode::Enforce => app.config.gateway.suspicious_results,
            _ => Some(SuspiciousResults::Pass),
        };
        (answer, verdicts) = app.gateway_setup.gateway.verify_results(&mut asked, &context, &who, suspicious).await;
    }
    let door = if app.keys.is_locked() { Door::Locked } else { Door::Open };
    Ok(exchange::Request {
        headers: upstreams.iter().map(|to| upstream(headers, to, door, Length::Dropped)).collect(),
        path: path(wire, uri),
        asked,
        upstreams,
        mode,
        context,
        caller: who,
        claims: claims(app, headers),
        answer,
        verdicts,
    })
}

/// The path behind the upstream's base, with the query.
fn path(wire: Wire, uri: &Uri) -> String {
    let path = match wire {
        Wire::Chat => "/chat/completions",
        Wire::Responses => "/responses",
        Wire::Messages => "/v1/messages",
    };
    uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
}

/// The mode of the key, else of the route, else of the gateway.
fn mode(app: &App, caller: &Caller, wire: Wire) -> Mode {
    let settings = &app.config.gateway;
    let by_key = caller.key_id.as_deref().and_then(|id| settings.keys.get(id));
    by_key.or_else(|| settings.routes.get(wire.name())).copied().unwrap_or(settings.mode)
}

/// What the client says of whom it acts for.
fn context(headers: &HeaderMap) -> Result<Map<String, Value>, Fault> {
    let Some(said) = headers.get("countersign-context") else { return Ok(Map::new()) };
    serde_json::from_slice(said.as_bytes()).map_err(|error| {
        let message = format!("the header `countersign-context` must be a JSON object: {error}");
        Fault::new(400, "invalid_request", message)
    })
}

fn claims(app: &App, headers: &HeaderMap) -> Claims {
    let asks = |value: &HeaderValue| value.to_str().unwrap_or_default().split(',').any(|word| word.trim() == "claims");
    let asked = headers.get_all("countersign").iter().any(asks);
    if asked || app.config.gateway.claims == ClaimsWanted::Always { Claims::Wanted } else { Claims::Unwanted }
}

fn build_response(app: &App, wire: Wire, reply: Reply) -> Response {
    let Reply { status, headers, body } = reply;
    let body = match body {
        ReplyBody::Whole(bytes) => Body::from(bytes),
        ReplyBody::Stream(pieces) => Body::from_stream(UntilTheEnd::new(app, wire, pieces)),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    tidy(response.headers_mut());
    response
}

/// The pieces, counted as open; where the server ends first, the client is told.
struct UntilTheEnd {
    pieces: Option<Pieces>,
    ending: Pin<Box<WaitForCancellationFutureOwned>>,
    wire: Wire,
    /// The number that the next event of a responses stream would have.
    number: u64,
    /// Held until the last piece has gone.
    _open: [Held; 2],
}

impl UntilTheEnd {
    fn new(app: &App, wire: Wire, pieces: Pieces) -> Self {
        let ending = Box::pin(app.gateway_setup.ending.clone().cancelled_owned());
        Self {
            pieces: Some(pieces),
            ending,
            wire,
            number: 0,
            _open: [app.gateway_setup.open.hold(), app.metrics.open_streams.hold()],
        }
    }
}

impl Stream for UntilTheEnd {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(pieces) = &mut self.pieces else { return Poll::Ready(None) };
        match pieces.as_mut().poll_next(context) {
            Poll::Ready(next) => {
                let said = next.as_ref().filter(|_| self.wire == Wire::Responses).and_then(|piece| piece.as_ref().ok());
                self.number = said.and_then(|piece| number_in(piece)).map_or(self.number, |last| last + 1);
                Poll::Ready(next.map(|piece| piece.map_err(std::io::Error::other)))
            }
            // Looked at only where there is nothing to send: most pieces come at once.
            Poll::Pending if self.ending.as_mut().poll(context).is_ready() => {
                self.pieces = None;
                let fault = Fault::new(503, "shutdown", "the server is ending; try again");
                Poll::Ready(Some(Ok(fault.event(self.wire, self.number))))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

/// The number of the last event in a piece of a responses stream: what follows it must count on from there.
fn number_in(piece: &[u8]) -> Option<u64> {
    let at = memmem::rfind(piece, NUMBER)? + NUMBER.len();
    let rest = piece.get(at..)?.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

/// Headers that would speak for the upstream where only we can.
pub(super) fn tidy(headers: &mut HeaderMap) {
    let foreign: Vec<_> = headers
        .keys()
        .filter(|name| name.as_str().starts_with("access-control-") || FOREIGN.contains(&name.as_str()))
        .cloned()
        .collect();
    for name in foreign {
        headers.remove(name);
    }
    if headers.get_all(SET_COOKIE).iter().any(cookie::is_set_by) {
        let kept: Vec<_> =
            headers.get_all(SET_COOKIE).iter().filter(|value| !cookie::is_set_by(value)).cloned().collect();
        headers.remove(SET_COOKIE);
        for value in kept {
            headers.append(SET_COOKIE, value);
        }
    }
    let stream = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if stream {
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        headers.entry("x-accel-buffering").or_insert(HeaderValue::from_static("no"));
    }
}

/// An upstream's word about its own address would be taken for ours, and what a browser may do with an answer of ours is
/// for us to say.
const FOREIGN: &[&str] = &[
    "alt-svc",
    "strict-transport-security",
    "content-security-policy",
    "clear-site-data",
    "refresh",
    "service-worker-allowed",
];
const NUMBER: &[u8] = b"\"sequence_number\":";

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1, SERVE-6: the upstream's own cookies stay, ours is not for it to set, and it speaks for no page of ours.
    #[test]
    fn an_upstream_cannot_speak_for_us() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("set-cookie", "a=1"),
            ("set-cookie", "countersign_console=ZXZpbA; Path=/"),
            ("set-cookie", "b=2"),
            ("content-security-policy", "default-src *"),
            ("clear-site-data", "\"*\""),
            ("x-strange", "1"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        tidy(&mut headers);
        let left: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        assert_eq!(left.len(), 3, "{left:?}");
        for pair in [("set-cookie", "a=1"), ("set-cookie", "b=2"), ("x-strange", "1")] {
            assert!(left.contains(&pair), "{left:?}");
        }
    }
}
