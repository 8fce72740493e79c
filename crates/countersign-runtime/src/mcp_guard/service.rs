//! A service in the place of a program: lines go out as requests over HTTP, and come back from their answers and from
//! the stream that the service opens.

use super::answer::{INTERNAL_ERROR, error};
use super::headers::{SESSION, VERSION, describe, put};
use super::message::{Message, key};
use super::relay::Relay;
use super::upstream::{McpUpstream, media, read_body, told};
use crate::gateway::sse::Frames;
use futures_util::StreamExt;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// A service, and what was agreed with it.
#[derive(Clone)]
pub(super) struct Service {
    upstream: McpUpstream,
    agreed: Arc<Mutex<Agreed>>,
    lines: mpsc::Sender<Vec<u8>>,
    /// Knows the schemas of the tools.
    relay: Arc<Relay>,
}

/// What the greeting of the older era has settled.
#[derive(Default, Clone)]
struct Agreed {
    session: Option<String>,
    version: Option<String>,
}

impl Service {
    /// A service whose lines go here.
    pub(super) fn new(upstream: McpUpstream, relay: Relay, lines: mpsc::Sender<Vec<u8>>) -> Self {
        Self { upstream, agreed: Arc::default(), lines, relay: Arc::new(relay) }
    }

    /// Sends lines until there are none any more, then ends the session.
    pub(super) async fn run(self, mut written: mpsc::UnboundedReceiver<String>, sent: impl Fn()) {
        while let Some(line) = written.recv().await {
            sent();
            let Ok(message) = Message::read(line.as_bytes()) else { continue };
            let method = message.method().map(str::to_owned);
            let waits = message.id().is_none() || message.is_answer() || method.as_deref() == Some("initialize");
            let (service, exchange) = (self.clone(), self.clone().exchange(message));
            if waits {
                // In order: nothing is asked before the greeting is over, or before what was taken back is.
                exchange.await;
            } else {
                tokio::spawn(exchange);
            }
            if method.as_deref() == Some("notifications/initialized") {
                tokio::spawn(service.listen());
            }
        }
        if self.agreed().session.is_some() {
            let ending = self.upstream.send(Method::DELETE, self.headers(), None);
            // A service that keeps no sessions says so, or nothing.
            let _ = tokio::time::timeout(FAREWELL, ending).await;
        }
    }

    /// One message and all that is said to it.
    async fn exchange(self, message: Message) {
        let mut headers = self.headers();
        if message.version().is_some() {
            let name = message.param("name").and_then(Value::as_str).unwrap_or_default();
            describe(&message, self.relay.input_schema(name).as_ref(), &mut headers);
        }
        let answer = match self.upstream.send(Method::POST, headers, Some(message.text.clone())).await {
            Ok(response) => self.deliver(response, &message).await,
            Err(why) => Err(format!("the MCP server cannot be reached: {why}")),
        };
        let id = message.id().filter(|_| !message.is_answer());
        match (answer, id) {
            (Ok(()), _) => {}
            (Err(why), Some(id)) => self.give(error(Some(id), INTERNAL_ERROR, &why).into_bytes()).await,
            (Err(why), None) => tracing::warn!(why, "a message was not taken"),
        }
    }

    async fn deliver(&self, response: Response, message: &Message) -> Result<(), String> {
        let status = response.status();
        if let Some(session) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.agreed().session = Some(session.to_owned());
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(());
        }
        if status.is_success() && media(response.headers()) == "text/event-stream" {
            return self.follow(response, message.id()).await;
        }
        let body = read_body(response).await?;
        match Message::read(&body) {
            Ok(answer) if answer.is_answer() => {
                self.learn(message, &answer);
                self.give(body.to_vec()).await;
                Ok(())
            }
            _ if status.is_success() && message.id().is_none() => Ok(()),
            _ => Err(refused(status)),
        }
    }

    /// Follows a stream until what was asked is answered; one that breaks off before is taken up again where it can be.
    async fn follow(&self, response: Response, id: Option<&Value>) -> Result<(), String> {
        let (mut response, mut place) = (response, Place::default());
        for _ in 0..MOST_RESUMED {
            if self.read_events(response, id, &mut place).await {
                return Ok(());
            }
            let Some(last) = place.last.clone() else { break };
            tokio::time::sleep(place.retry.unwrap_or(RETRY)).await;
            let mut headers = self.headers();
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            put(&mut headers, "last-event-id", &last);
            response = self.upstream.send(Method::GET, headers, None).await?;
            if !response.status().is_success() {
                return Err(refused(response.status()));
            }
        }
        match id {
            Some(_) => Err("the MCP server closed its stream before it answered".to_owned()),
            None => Ok(()),
        }
    }

    /// Reads a stream to its end; says whether the answer was in it.
    async fn read_events(&self, response: Response, id: Option<&Value>, place: &mut Place) -> bool {
        let (mut frames, mut found, mut pieces) = (Frames::default(), Vec::new(), response.bytes_stream());
        let mut answered = false;
        loop {
            let piece = pieces.next().await;
            let over = !matches!(piece, Some(Ok(_)));
            match piece {
                Some(Ok(piece)) => {
                    if frames.push(piece, &mut found).is_err() {
                        return answered;
                    }
                }
                Some(Err(error)) => tracing::warn!(why = told(error), "a stream of the MCP server broke off"),
                None => found = frames.rest().into_iter().collect(),
            }
            for frame in std::mem::take(&mut found) {
                place.note(&frame.raw);
                let Some(data) = frame.data().filter(|data| !data.trim_ascii().is_empty()) else { continue };
                if let (Some(id), Ok(message)) = (id, Message::read(&data)) {
                    answered |= message.is_answer() && message.id().map(key) == Some(key(id));
                }
                self.give(data.to_vec()).await;
            }
            if over {
                return answered;
            }
        }
    }

    /// The stream on which a service of the older era speaks unasked. One that has none says so.
    async fn listen(self) {
        let mut place = Place::default();
        loop {
            let mut headers = self.headers();
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            if let Some(last) = &place.last {
                put(&mut headers, "last-event-id", last);
            }
            match self.upstream.send(Method::GET, headers, None).await {
                Ok(response) if response.status().is_success() && media(response.headers()) == "text/event-stream" => {
                    self.read_events(response, None, &mut place).await;
                }
                _ => return,
            }
            if self.lines.is_closed() {
                return;
            }
            tokio::time::sleep(place.retry.unwrap_or(RETRY)).await;
        }
    }

    fn learn(&self, request: &Message, answer: &Message) {
        if request.method() == Some("initialize") {
            let version = answer.value.pointer("/result/protocolVersion").and_then(Value::as_str);
            self.agreed().version = version.map(str::to_owned);
        }
    }

    fn headers(&self) -> HeaderMap {
        let (mut headers, agreed) = (HeaderMap::new(), self.agreed().clone());
        if let Some(session) = agreed.session {
            put(&mut headers, SESSION, &session);
        }
        if let Some(version) = agreed.version {
            put(&mut headers, VERSION, &version);
        }
        headers
    }

    /// Hands a message on, as one line.
    async fn give(&self, mut message: Vec<u8>) {
        // In JSON a line end stands between values only.
        message.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        let _ = self.lines.send(message).await;
    }

    fn agreed(&self) -> MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far a stream was read.
#[derive(Default)]
struct Place {
    last: Option<String>,
    retry: Option<Duration>,
}

impl Place {
    fn note(&mut self, frame: &[u8]) {
        for line in String::from_utf8_lossy(frame).lines() {
            if let Some(id) = line.strip_prefix("id:") {
                self.last = Some(id.trim().to_owned());
            }
            if let Some(millis) = line.strip_prefix("retry:").and_then(|text| text.trim().parse().ok()) {
                self.retry = Some(Duration::from_millis(millis).min(LONGEST_RETRY));
            }
        }
    }
}

fn refused(status: StatusCode) -> String {
    let help = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "; give it a credential with --header-env Authorization=VARIABLE"
        }
        StatusCode::NOT_FOUND => "; is the address right, and does the session still exist?",
        _ => "",
    };
    format!("the MCP server answered {status}{help}")
}

const FAREWELL: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);
/// How often a stream is taken up again for one answer.
const MOST_RESUMED: usize = 20;
