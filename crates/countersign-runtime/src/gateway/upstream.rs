//! Where requests go: an address behind HTTP, or the demo model in the house.
//!
//! Status, headers and bytes come back as they are. Nothing is tried again that may have reached the upstream, unless
//! the operator asked for it: the client has retries of its own. Every wait has a deadline.

use super::circuit::Circuit;
use super::idle_timer::IdleTimer;
use super::transport::{OutBody, Pieces, Transport};
use super::wire::Fault;
use crate::models::{DemoBody, DemoModel, DemoRoute};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, Url};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// An upstream.
pub struct Upstream {
    /// Its name in settings and logs.
    pub name: String,
    /// Which API it speaks.
    pub api: Api,
    /// Its key, used where clients have keys of ours.
    pub key: Option<String>,
    /// How often a failed request is tried again: statuses that may pass, and failures to connect.
    pub retries: u32,
    /// Who is asked when this one fails.
    pub fallback: Option<String>,
    /// The models that go here; patterns with `*`.
    pub models: Vec<String>,
    place: Backend,
    /// Whether it can be reached.
    pub circuit: Circuit,
}

/// Which API an upstream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// OpenAI's: chat completions, responses and the rest.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

enum Backend {
    Web { transport: Transport, base: Url, timeouts: Timeouts },
    Demo(DemoModel),
}

/// How long to wait.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For the headers of an answer.
    pub first_byte: Duration,
    /// For the next piece of its body.
    pub silence: Duration,
}

/// What is sent.
pub struct Outgoing<'a> {
    /// The method.
    pub method: Method,
    /// The path behind the base, and the query: `/chat/completions?x=1`.
    pub path: &'a str,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body.
    pub body: OutBody,
}

/// What comes back.
pub struct Incoming {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Pieces,
}

impl Upstream {
    /// An address. `base` is everything before the path that a request names.
    pub fn web(name: &str, api: Api, transport: Transport, base: Url, timeouts: Timeouts) -> Self {
        Self::new(name, api, Backend::Web { transport, base, timeouts })
    }

    /// The demo model.
    pub fn demo(api: Api, model: DemoModel) -> Self {
        Self::new("demo", api, Backend::Demo(model))
    }

    fn new(name: &str, api: Api, place: Backend) -> Self {
        Self {
            name: name.to_owned(),
            api,
            key: None,
            retries: 0,
            fallback: None,
            models: Vec::new(),
            place,
            circuit: Circuit::default(),
        }
    }

    /// Whether this is the demo model.
    pub const fn is_demo(&self) -> bool {
        matches!(self.place, Backend::Demo(_))
    }

    /// Sends a request and gives what comes back, whatever its status.
    pub async fn send(&self, out: Outgoing<'_>) -> Result<Incoming, Fault> {
        match &self.place {
            Backend::Demo(model) => demo(model, &out),
            Backend::Web { transport, base, timeouts } => self.send_web(transport, base, *timeouts, out).await,
        }
    }

    async fn send_web(
        &self,
        transport: &Transport,
        base: &Url,
        timeouts: Timeouts,
        out: Outgoing<'_>,
    ) -> Result<Incoming, Fault> {
        let target = target(base, out.path)?;
        let Outgoing { method, headers, mut body, .. } = out;
        let mut pause = FIRST_PAUSE;
        for attempt in 0.. {
            let again = match &body {
                OutBody::Bytes(bytes) => Some(bytes.clone()),
                OutBody::Stream(_) => None,
            };
            let sent = self.try_once(transport, (&method, base, &target), headers, body, timeouts).await;
            let Some(bytes) = again else { return sent.map_err(|failed| failed.fault) };
            body = OutBody::Bytes(bytes);
            let wait = match &sent {
                // Nothing was sent: trying again does no harm.
                Err(failed) if failed.unsent && attempt == 0 => Some(Duration::ZERO),
                Err(failed) if failed.unsent && attempt < self.retries => Some(pause),
                Ok(answer) if attempt < self.retries && may_pass(answer.status) => Some(asked_wait(answer, pause)),
                _ => None,
            };
            let Some(wait) = wait.filter(|wait| *wait <= LONGEST_PAUSE) else {
                return sent.map_err(|failed| failed.fault);
            };
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        Err(Fault::cut("no attempt was made"))
    }

    async fn try_once(
        &self,
        transport: &Transport,
        (method, base, target): (&Method, &Url, &str),
        headers: &HeaderMap,
        body: OutBody,
        timeouts: Timeouts,
    ) -> Result<Incoming, Failed> {
        let permit = self.circuit.admit().map_err(|wait| Failed { fault: self.away(wait), unsent: false })?;
        let mut headers = headers.clone();
        headers.insert(ACCEPT_ENCODING, IDENTITY);
        if matches!(body, OutBody::Bytes(_)) {
            // What is announced is what is sent: the length of known bytes is told by whoever sends them.
            headers.remove(CONTENT_LENGTH);
        }
        // In a place of its own: everything that waits for it would be as large, and is moved several times.
        let answer = Box::pin(transport.send(method, base, target, headers, body));
        match timeout(timeouts.first_byte, answer).await {
            Ok(Ok(answer)) => {
                permit.reached();
                let (parts, body) = answer.into_parts();
                Ok(Incoming { status: parts.status, headers: parts.headers, body: guarded(body, timeouts.silence) })
            }
            Ok(Err(failed)) => {
                permit.failed();
                Err(Failed { fault: self.unreachable(&failed.why), unsent: failed.unsent })
            }
            Err(_) => {
                permit.failed();
                let message =
                    format!("the upstream `{}` did not answer within {} s", self.name, timeouts.first_byte.as_secs());
                Err(Failed { fault: Fault::new(504, "upstream_timeout", message), unsent: false })
            }
        }
    }

    fn unreachable(&self, why: &str) -> Fault {
        let message = format!("the upstream `{}` cannot be reached: {why}", self.name);
        Fault::new(502, "upstream_unreachable", message)
    }

    fn away(&self, wait: Duration) -> Fault {
        let message = format!("the upstream `{}` has not been reachable for a while; try again shortly", self.name);
        let retry_after = Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        Fault { retry_after, ..Fault::new(503, "upstream_away", message) }
    }
}

struct Failed {
    fault: Fault,
    /// Whether it is certain that nothing was sent.
    unsent: bool,
}

/// Path and query on the server of the base. A path that climbs out of the base is refused.
fn target(base: &Url, path: &str) -> Result<String, Fault> {
    let folder = base.path().trim_end_matches('/');
    // Nearly every path is one of a few that need no second look.
    if path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_-".contains(&byte)) {
        return Ok(format!("{folder}{path}"));
    }
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
    let climbs = path.split(['/', '\\']).any(|part| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        part == ".." || part == "." || part.contains("%2f..") || part.contains("%5c..")
    });
    if climbs {
        return Err(Fault::new(400, "invalid_path", "the path must not climb"));
    }
    let mut url = base.clone();
    url.set_path(&format!("{folder}{path}"));
    url.set_query(query);
    Ok(url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path())))
}

/// A body that ends with an error when nothing comes for too long. What is there at once comes in one piece: every piece
/// is a write to the client.
struct Guarded {
    bytes: Option<Pieces>,
    /// What came right behind the last piece, where that was the end.
    end: Option<Option<Result<Bytes, String>>>,
    idle: IdleTimer,
    silence: Duration,
}

impl Guarded {
    fn gather(&mut self, first: Bytes, context: &mut Context<'_>) -> Bytes {
        let Some(bytes) = &mut self.bytes else { return first };
        let mut whole = BytesMut::new();
        while first.len().max(whole.len()) < ENOUGH {
            match bytes.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(more))) => {
                    if whole.is_empty() {
                        whole.reserve(ENOUGH / 4);
                        whole.extend_from_slice(&first);
                    }
                    whole.extend_from_slice(&more);
                }
                Poll::Ready(end) => {
                    self.end = Some(end);
                    break;
                }
                Poll::Pending => break,
            }
        }
        if whole.is_empty() { first } else { whole.freeze() }
    }
}

impl Stream for Guarded {
    type Item = Result<Bytes, String>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let end = self.end.take();
        let Some(bytes) = &mut self.bytes else { return Poll::Ready(None) };
        let next = match end.map_or_else(|| bytes.poll_next_unpin(context), Poll::Ready) {
            Poll::Ready(Some(Ok(piece))) => {
                self.idle.seen();
                return Poll::Ready(Some(Ok(self.gather(piece, context))));
            }
            Poll::Ready(end) => end,
            Poll::Pending => match self.idle.poll_over(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(()) => Some(Err(format!("nothing came for {} s", self.silence.as_secs()))),
            },
        };
        // Whatever it was, it was the last.
        self.bytes = None;
        Poll::Ready(next)
    }
}

fn guarded(bytes: Pieces, silence: Duration) -> Pieces {
    Box::pin(Guarded { bytes: Some(bytes), end: None, idle: IdleTimer::new(silence), silence })
}

/// Reads a body to its end.
pub async fn collect(mut body: Pieces, limit: usize, until: Option<Instant>) -> Result<Bytes, Fault> {
    let mut whole: Vec<Bytes> = Vec::new();
    let mut length = 0;
    loop {
        let next = match until {
            Some(until) => tokio::time::timeout_at(until, body.next()).await,
            None => Ok(body.next().await),
        };
        match next {
            Err(_) => return Err(Fault::new(504, "upstream_timeout", "the upstream's answer took too long")),
            Ok(Some(Err(why))) => return Err(Fault::cut(&why)),
            Ok(None) if whole.len() == 1 => return Ok(whole.pop().unwrap_or_default()),
            Ok(None) => return Ok(whole.concat().into()),
            Ok(Some(Ok(piece))) => {
                length += piece.len();
                if length > limit {
                    let message = format!("the upstream's answer is larger than {limit} bytes");
                    return Err(Fault::new(502, "upstream_too_large", message));
                }
                whole.push(piece);
            }
        }
    }
}

/// The demo model as an upstream.
fn demo(model: &DemoModel, out: &Outgoing<'_>) -> Result<Incoming, Fault> {
    let path = out.path.split('?').next().unwrap_or_default();
    let route = match (path.trim_end_matches('/'), &out.method) {
        ("/chat/completions", &Method::POST) => DemoRoute::Chat,
        ("/responses", &Method::POST) => DemoRoute::Responses,
        ("/v1/messages", &Method::POST) => DemoRoute::Messages,
        ("/models" | "/v1/models", &Method::GET) => DemoRoute::Models,
        _ => {
            let message = "the demo model has no such route; set --upstream-openai or --upstream-anthropic";
            return Err(Fault::new(404, "not_found", message));
        }
    };
    let OutBody::Bytes(body) = &out.body else {
        return Err(Fault::new(400, "invalid_request", "the demo model takes whole bodies"));
    };
    let answer = model.answer(route, body);
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    let body: Pieces = match answer.body {
        DemoBody::Whole(bytes) => Box::pin(stream::once(async move { Ok(bytes) })),
        DemoBody::Stream(pieces) => Box::pin(pieces.map(Ok)),
    };
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    Ok(Incoming { status, headers, body })
}

/// Whether the same request may succeed later.
fn may_pass(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 425 | 429 | 500..=599)
}

/// How long the upstream asks to wait, else the pause.
fn asked_wait(answer: &Incoming, pause: Duration) -> Duration {
    let number = |name: &str| answer.headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"));
    seconds.filter(|seconds| (0.0..3600.0).contains(seconds)).map_or(pause, Duration::from_secs_f64)
}

/// Headers that belong to one connection and not to the request.
pub fn is_hop(name: &HeaderName) -> bool {
    HOP.contains(&name.as_str())
}

const HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
const IDENTITY: HeaderValue = HeaderValue::from_static("identity");
/// So many bytes are a piece, whatever comes behind them.
const ENOUGH: usize = 32 * 1024;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// An upstream that asks for more is left to the client.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-6: query and path go upstream as they came, and nowhere else.
    #[test]
    fn paths_stay_under_the_base() {
        let base = Url::parse("http://h:1/base/v1").unwrap();
        for (path, expected) in [
            ("/x/y?a=1&b=%20", "/base/v1/x/y?a=1&b=%20"),
            ("/chat/completions", "/base/v1/chat/completions"),
            ("/a//b c/é", "/base/v1/a//b%20c/%C3%A9"),
            ("/a?q=\"x y\"", "/base/v1/a?q=%22x%20y%22"),
        ] {
            assert_eq!(target(&base, path).unwrap(), expected);
        }
        assert_eq!(target(&Url::parse("http://h").unwrap(), "/x").unwrap(), "/x");
        for path in ["/../x", "/a/%2e%2e/x", "/a/%2E./x", "/a/..", "/./x"] {
            assert!(target(&base, path).is_err(), "{path}");
        }
    }
}
