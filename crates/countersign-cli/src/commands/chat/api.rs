//! The server's HTTP API, as far as a conversation needs it.

use super::frames::{Frame, Frames};
use crate::failure::Failure;
use bytes::Bytes;
use countersign_runtime::http;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

/// A server, and the key for it.
pub(crate) struct Api {
    base: String,
    key: Option<String>,
    client: reqwest::Client,
}

/// Why a request gave nothing.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// No connection was made: nothing has arrived.
    Unreachable,
    /// The connection was lost in the middle.
    Lost(String),
    /// The server said no.
    Refused {
        /// With which status.
        status: u16,
        /// In which words.
        message: String,
    },
}

impl Trouble {
    /// Whether a later attempt may succeed.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable | Self::Lost(_) => true,
            Self::Refused { status, .. } => *status >= 500 || *status == 429,
        }
    }

    /// What is wrong, for people.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Unreachable => "the server cannot be reached".to_owned(),
            Self::Lost(reason) => format!("the connection was lost: {reason}"),
            Self::Refused { message, .. } => message.clone(),
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        let message = trouble.sentence();
        match trouble {
            Trouble::Refused { status: 401, .. } => {
                Self::with_help(message, "set COUNTERSIGN_KEY, or name the variable of your key with --key-env")
            }
            Trouble::Refused { .. } => Self::unusable(message),
            _ => Self::with_help(message, "start one with `countersign serve`, or name it with --url"),
        }
    }
}

pub(crate) type ApiResult<T> = Result<T, Trouble>;

impl Api {
    /// A server at an address.
    pub(crate) fn new(base: &str, key: Option<String>) -> Result<Self, Failure> {
        let base = base.trim_end_matches('/').to_owned();
        let mut client = http::client().connect_timeout(CONNECT);
        if LOOPBACK.iter().any(|start| base.starts_with(start)) {
            // What runs on this machine is not asked for elsewhere.
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(Self { base, key, client })
    }

    /// What leads another command to the same server, with a blank before it; nothing for the usual place.
    pub(super) fn server_option(&self) -> String {
        if self.base == USUAL { String::new() } else { format!(" --server {}", self.base) }
    }

    /// Whether a server of ours answers.
    pub(super) async fn is_alive(&self) -> bool {
        let ask = self.client.get(format!("{}/livez", self.base)).timeout(GLANCE).send();
        match ask.await {
            Ok(answer) => answer.text().await.is_ok_and(|text| text.contains("alive")),
            Err(_) => false,
        }
    }

    /// Makes a session; gives its id.
    pub(super) async fn create(&self, agent: &str, user: Option<&str>, model: Option<&str>) -> ApiResult<String> {
        let wish = json!({"agent": agent, "user": user, "model": model});
        let made = self.ask(Method::POST, "/v1/sessions", Some(&wish)).await?;
        Ok(made.get("session_id").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// Looks at a session.
    pub(super) async fn look(&self, session: &str) -> ApiResult<Value> {
        self.ask(Method::GET, &path(session, ""), None).await
    }

    /// What belongs to a session: `notes` or `materials`.
    pub(super) async fn things(&self, session: &str, kind: &str) -> ApiResult<Vec<Value>> {
        let found = self.ask(Method::GET, &path(session, &format!("/{kind}")), None).await?;
        Ok(found.get(kind).and_then(Value::as_array).cloned().unwrap_or_default())
    }

    /// Says something; gives the stream of the turn.
    pub(super) async fn say(&self, session: &str, content: &str, files: &[String]) -> ApiResult<Events> {
        let said = json!({"content": content, "files": files});
        let request = self.request(Method::POST, &path(session, "/messages")).json(&said);
        Ok(Events::new(send(request, ANSWER).await?))
    }

    /// Reads what came after an event, and follows the running turn to its end.
    pub(super) async fn events(&self, session: &str, after: Option<&str>) -> ApiResult<Events> {
        let request = self.request(Method::GET, &path(session, "/events?mode=hybrid"));
        let request = match after {
            Some(id) => request.header("last-event-id", id),
            None => request,
        };
        Ok(Events::new(send(request, ANSWER).await?))
    }

    /// Stops what runs in a session.
    pub(super) async fn stop(&self, session: &str) -> ApiResult<Value> {
        self.ask(Method::POST, &path(session, "/stop"), None).await
    }

    /// Lets a session run again.
    pub(super) async fn clear(&self, session: &str) -> ApiResult<Value> {
        self.ask(Method::DELETE, &path(session, "/stop"), None).await
    }

    /// Looks at something that waits for a person.
    pub(super) async fn review(&self, review: &str) -> ApiResult<Value> {
        self.ask(Method::GET, &format!("/v1/reviews/{}", encode(review)), None).await
    }

    /// Decides on something that waits for a person.
    pub(crate) async fn decide(&self, review: &str, decision: &Value) -> ApiResult<Value> {
        self.ask(Method::POST, &format!("/v1/reviews/{}/decision", encode(review)), Some(decision)).await
    }

    /// Follows what waits for people: every item that waits, and then every change.
    pub(crate) async fn follow_reviews(&self) -> ApiResult<Events> {
        Ok(Events::new(send(self.request(Method::GET, "/v1/reviews/events"), ANSWER).await?))
    }

    /// Brings a file; gives what the server knows of it.
    pub(super) async fn upload(&self, session: &str, file: &Path, bytes: Vec<u8>) -> ApiResult<Value> {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name: String = name.chars().filter(|c| !c.is_control() && *c != '"' && *c != '\\').collect();
        let mut body = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: application/octet-stream\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(&bytes);
        body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
        let request = self.request(Method::POST, &path(session, "/files"));
        let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}")).body(body);
        body_of(send(request, UPLOAD).await?).await
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> ApiResult<Value> {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        body_of(send(request, ANSWER).await?).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base));
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }
}

/// Sends a request and waits for the head of the answer.
async fn send(request: RequestBuilder, patience: Duration) -> ApiResult<Response> {
    let answer = match tokio::time::timeout(patience, request.send()).await {
        Err(_) => return Err(Trouble::Lost("no answer came in time".to_owned())),
        Ok(Err(error)) if error.is_connect() => return Err(Trouble::Unreachable),
        Ok(Err(error)) => return Err(Trouble::Lost(error.without_url().to_string())),
        Ok(Ok(answer)) => answer,
    };
    let status = answer.status().as_u16();
    if answer.status().is_success() {
        return Ok(answer);
    }
    let body: Value = body_of(answer).await.unwrap_or_default();
    let message = body.pointer("/error/message").and_then(Value::as_str);
    let message = message.map_or_else(|| format!("the server answered {status}"), str::to_owned);
    Err(Trouble::Refused { status, message })
}

async fn body_of(answer: Response) -> ApiResult<Value> {
    let lost = |reason: String| Trouble::Lost(reason);
    let bytes = tokio::time::timeout(ANSWER, answer.bytes()).await;
    let bytes = bytes.map_err(|_| lost("the answer did not end".to_owned()))?;
    let bytes = bytes.map_err(|error| lost(error.without_url().to_string()))?;
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

/// The events of a stream.
pub(crate) struct Events {
    body: BoxStream<'static, reqwest::Result<Bytes>>,
    frames: Frames,
    ready: VecDeque<Frame>,
}

impl Events {
    fn new(answer: Response) -> Self {
        Self { body: answer.bytes_stream().boxed(), frames: Frames::default(), ready: VecDeque::new() }
    }

    /// The next frame, or why there is none. It may be dropped at its await without a loss.
    pub(crate) async fn next(&mut self) -> Result<Frame, String> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(frame);
            }
            match tokio::time::timeout(SILENCE, self.body.next()).await {
                Err(_) => return Err("the server says nothing any more".to_owned()),
                Ok(None) => return Err("the stream broke off".to_owned()),
                Ok(Some(Err(error))) => return Err(error.without_url().to_string()),
                Ok(Some(Ok(bytes))) => self.ready.extend(self.frames.push(&bytes)?),
            }
        }
    }
}

fn path(session: &str, rest: &str) -> String {
    format!("/v1/sessions/{}{rest}", encode(session))
}

/// A part of a path, so that no id can point elsewhere.
fn encode(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Where a server is when nobody says otherwise.
pub(super) const USUAL: &str = "http://127.0.0.1:7420";
const LOOPBACK: &[&str] = &["http://127.", "http://localhost", "http://[::1]"];
/// It is in no file: a file that held it would be cut there, which harms nobody but its owner.
const BOUNDARY: &str = "countersign-8f14e45fceea167a5a36dedd4bea2543";
const CONNECT: Duration = Duration::from_secs(5);
/// How long a server may take to say that it is there.
const GLANCE: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(30);
const UPLOAD: Duration = Duration::from_secs(120);
/// Streams carry a sign of life every 15 seconds.
const SILENCE: Duration = Duration::from_secs(45);
