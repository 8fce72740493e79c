//! A client and a server over HTTP: each request of the client is one exchange, guarded on its way there and back.
//!
//! Status, headers and streams of the server are carried, sign-in challenges too. Of an event stream only the events
//! that change are written again. Requests of one session share their books; where there are no sessions, requests with
//! the same credential share what is known of the tools.

use super::answer::{INTERNAL_ERROR, error};
use super::headers::{SESSION, describe};
use super::message::Message;
use super::person::PersonCase;
use super::relay::{Outgoing, Queue, Relay, SessionBooks};
use super::settings::McpGuardSettings;
use super::upstream::{McpUpstream, media, read_body};
use crate::gateway::ledger::{Entry, Ledger};
use crate::gateway::people::People;
use crate::gateway::sse::{Frame, Frames};
use crate::gateway::upstream::is_hop;
use crate::store::StoreError;
use bytes::Bytes;
use countersign::resolve::PersonSaid;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A guard in front of one service.
pub struct HttpGuard {
    upstream: McpUpstream,
    settings: McpGuardSettings,
    people: Option<People>,
    ledger: Option<Ledger>,
    sessions: Mutex<HashMap<String, (SessionBooks, Instant)>>,
}

/// What a client gets.
pub struct GuardedResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: GuardedBody,
}

/// The body of an answer.
pub enum GuardedBody {
    /// At once.
    Whole(Bytes),
    /// Piece by piece.
    Stream(BoxStream<'static, Result<Bytes, std::io::Error>>),
}

impl HttpGuard {
    /// A guard in front of a service.
    pub fn new(upstream: McpUpstream, settings: McpGuardSettings) -> Self {
        Self { upstream, settings, people: None, ledger: None, sessions: Mutex::default() }
    }

    /// The same, where calls can be put before people.
    pub fn with_people(self, people: People) -> Self {
        Self { people: Some(people), ..self }
    }

    /// The same, where verdicts are written into the audit.
    pub fn with_ledger(self, ledger: Ledger) -> Self {
        Self { ledger: Some(ledger), ..self }
    }

    /// A message of a client.
    pub async fn post(&self, caller: &str, headers: HeaderMap, body: Bytes) -> GuardedResponse {
        let books = self.books(&headers);
        let queue = if self.people.is_some() { Queue::Present } else { Queue::Absent };
        let settings = McpGuardSettings { caller: caller.to_owned(), ..self.settings.clone() };
        let mut relay = Relay::in_session(settings, books.clone()).with_queue(queue);
        let mut waiting: Vec<Outgoing> = relay.from_client(&body);
        loop {
            if let Err(error) = self.record(relay.take_verdicts()).await {
                let why = format!("its verdict cannot be recorded: {error}");
                return refused(StatusCode::SERVICE_UNAVAILABLE, &body, &why);
            }
            for case in relay.take_cases() {
                waiting.push(self.ask_people(caller, &headers, &relay, &case).await);
            }
            let Some(next) = waiting.pop() else { break };
            let line = match next {
                Outgoing::ToClient(line) => return whole(StatusCode::OK, line),
                Outgoing::ToServer(line) => line,
            };
            let own = relay.is_listing();
            let sent = self.send(&relay, &headers, &body, line).await;
            match (sent, own) {
                (Ok(response), false) => return self.back(relay, &books, response).await,
                (Ok(response), true) => match answers(response).await {
                    Ok(lines) => waiting = lines.iter().flat_map(|line| relay.from_server(line)).collect(),
                    Err(why) => {
                        tracing::warn!(why, "the MCP server does not list its tools");
                        waiting = relay.give_up_listing();
                    }
                },
                (Err(_), true) => waiting = relay.give_up_listing(),
                (Err(why), false) => return unreachable(&body, &why),
            }
            if own && waiting.is_empty() && relay.is_listing() {
                waiting = relay.give_up_listing();
            }
        }
        GuardedResponse {
            status: StatusCode::ACCEPTED,
            headers: HeaderMap::new(),
            body: GuardedBody::Whole(Bytes::new()),
        }
    }

    /// Puts verdicts on record: those of released calls before the server sees the calls.
    async fn record(&self, verdicts: Vec<Entry>) -> Result<(), StoreError> {
        match &self.ledger {
            Some(ledger) if !verdicts.is_empty() => ledger.commit(verdicts).await,
            _ => Ok(()),
        }
    }

    /// What becomes of a call that needs a person.
    async fn ask_people(&self, caller: &str, headers: &HeaderMap, relay: &Relay, case: &PersonCase) -> Outgoing {
        let Some(people) = &self.people else { return relay.refuse(case, &case.waiting(&case.name())) };
        let conversation = format!("mcp {}", text(headers, SESSION).unwrap_or_default());
        match people.ask_about_call(caller, case.review(&conversation)).await.0 {
            PersonSaid::Approved(approval) => match case.proposal.approve(approval) {
                Some(cleared) => relay.approve(case, cleared.call()),
                None => relay.refuse(case, "The approval is for another call."),
            },
            PersonSaid::Rejected(why) => relay.refuse(case, &why),
            PersonSaid::Pending(id) => relay.refuse(case, &case.waiting(&id)),
            PersonSaid::Nobody => relay.refuse(case, &case.waiting(&case.name())),
        }
    }

    /// Anything but a message: a stream that is opened, a session that is ended.
    pub async fn other(&self, method: Method, headers: HeaderMap) -> GuardedResponse {
        let books = self.books(&headers);
        let relay = Relay::in_session(self.settings.clone(), books.clone());
        let ends = method == Method::DELETE;
        let answer = match self.upstream.send(method, carried(&headers), None).await {
            Ok(response) => self.back(relay, &books, response).await,
            Err(why) => unreachable(&[], &why),
        };
        if let Some(session) = text(&headers, SESSION).filter(|_| ends) {
            self.lock().remove(session);
        }
        answer
    }

    async fn send(&self, relay: &Relay, headers: &HeaderMap, asked: &[u8], line: String) -> Result<Response, String> {
        let mut headers = carried(headers);
        if line.as_bytes() != asked
            && let Ok(message) = Message::read(line.as_bytes())
            && message.version().is_some()
        {
            let name = message.param("name").and_then(serde_json::Value::as_str).unwrap_or_default();
            describe(&message, relay.input_schema(name).as_ref(), &mut headers);
        }
        self.upstream.send(Method::POST, headers, Some(line)).await
    }

    /// The answer of the server, as the client gets it.
    async fn back(&self, mut relay: Relay, books: &SessionBooks, response: Response) -> GuardedResponse {
        let status = response.status();
        let mut headers = carried(response.headers());
        if let Some(session) = text(&headers, SESSION) {
            // What the greeting has asked belongs to the session; tools may differ from one to the next.
            self.keep(session.to_owned(), books.in_new_session());
        }
        match media(&headers).as_str() {
            "text/event-stream" => {
                headers.remove(CONTENT_LENGTH);
                let pieces = response.bytes_stream();
                let cut = Cut { pieces: pieces.boxed(), frames: Frames::default(), relay, over: false };
                GuardedResponse { status, headers, body: GuardedBody::Stream(stream::unfold(cut, Cut::next).boxed()) }
            }
            "application/json" => match read_body(response).await {
                Ok(body) => {
                    let out = relay.from_server(&body).into_iter().find_map(|line| match line {
                        Outgoing::ToClient(line) => Some(Bytes::from(line)),
                        Outgoing::ToServer(_) => None,
                    });
                    match out {
                        Some(out) => GuardedResponse { status, headers, body: GuardedBody::Whole(out) },
                        None if body.trim_ascii().is_empty() => {
                            GuardedResponse { status, headers, body: GuardedBody::Whole(body) }
                        }
                        // Two readers could see two things in it.
                        None => unreachable(&[], "its answer is not one message"),
                    }
                }
                Err(why) => unreachable(&[], &why),
            },
            _ => match read_body(response).await {
                Ok(body) => GuardedResponse { status, headers, body: GuardedBody::Whole(body) },
                Err(why) => unreachable(&[], &why),
            },
        }
    }

    fn books(&self, headers: &HeaderMap) -> SessionBooks {
        if let Some(session) = text(headers, SESSION) {
            return self.keep(session.to_owned(), SessionBooks::default());
        }
        let credential = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
        let digest = Sha256::digest(credential).iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>();
        self.keep(format!("credential {digest}"), SessionBooks::default()).without_requests()
    }

    /// The books of a name; these where there are none yet.
    fn keep(&self, name: String, books: SessionBooks) -> SessionBooks {
        let (mut sessions, now) = (self.lock(), Instant::now());
        if sessions.len() >= MOST_SESSIONS {
            sessions.retain(|_, (_, used)| now.duration_since(*used) < IDLE);
        }
        if sessions.len() >= MOST_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, (_, used))| *used).map(|(name, _)| name.clone());
            oldest.and_then(|name| sessions.remove(&name));
        }
        let kept = sessions.entry(name).or_insert((books, now));
        kept.1 = now;
        kept.0.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, (SessionBooks, Instant)>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event stream on its way to a client.
struct Cut {
    pieces: BoxStream<'static, Result<Bytes, reqwest::Error>>,
    frames: Frames,
    relay: Relay,
    over: bool,
}

impl Cut {
    async fn next(mut self) -> Option<(Result<Bytes, std::io::Error>, Self)> {
        let mut found = Vec::new();
        while !self.over {
            match self.pieces.next().await {
                Some(Ok(piece)) => {
                    if self.frames.push(piece, &mut found).is_err() {
                        self.over = true;
                        return Some((Err(std::io::Error::other("an event is too long")), self));
                    }
                }
                Some(Err(error)) => {
                    self.over = true;
                    return Some((Err(std::io::Error::other(error.without_url())), self));
                }
                None => {
                    self.over = true;
                    found.extend(self.frames.rest());
                }
            }
            if !found.is_empty() {
                let out: Vec<u8> = found.iter().flat_map(|frame| self.guard(frame).to_vec()).collect();
                return Some((Ok(Bytes::from(out)), self));
            }
        }
        None
    }

    /// A frame as the client gets it.
    fn guard(&mut self, frame: &Frame) -> Bytes {
        let Some(data) = frame.data().filter(|data| !data.trim_ascii().is_empty()) else { return frame.raw.clone() };
        let out = self.relay.from_server(&data).into_iter().find_map(|line| match line {
            Outgoing::ToClient(line) => Some(line),
            Outgoing::ToServer(_) => None,
        });
        match out {
            Some(line) if line.as_bytes() == data.as_ref() => frame.raw.clone(),
            Some(line) => frame.with_data(&line).raw,
            None => Bytes::new(),
        }
    }
}

/// The messages of a whole answer.
pub(super) async fn answers(response: Response) -> Result<Vec<Vec<u8>>, String> {
    if !response.status().is_success() {
        return Err(format!("it answered {}", response.status()));
    }
    let events = media(response.headers()) == "text/event-stream";
    let body = tokio::time::timeout(PATIENCE, read_body(response)).await;
    let body = body.map_err(|_| "it took too long".to_owned())??;
    if !events {
        return Ok(vec![body.to_vec()]);
    }
    let (mut frames, mut found) = (Frames::default(), Vec::new());
    frames.push(body, &mut found).map_err(|_| "an event is too long".to_owned())?;
    found.extend(frames.rest());
    Ok(found.iter().filter_map(Frame::data).map(|data| data.to_vec()).collect())
}

/// The headers that go on to the other side.
fn carried(headers: &HeaderMap) -> HeaderMap {
    let mut out = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let ours = name.as_str().starts_with("countersign") || NOT_CARRIED.contains(&name.as_str());
        if !is_hop(name) && !ours && *name != ACCEPT_ENCODING && *name != CONTENT_LENGTH {
            out.append(name, value.clone());
        }
    }
    out
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn whole(status: StatusCode, line: String) -> GuardedResponse {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    GuardedResponse { status, headers, body: GuardedBody::Whole(line.into()) }
}

/// The server cannot be reached: an error that a client understands, under the id of its request.
fn unreachable(asked: &[u8], why: &str) -> GuardedResponse {
    refused(StatusCode::BAD_GATEWAY, asked, &format!("the MCP server cannot be reached: {why}"))
}

fn refused(status: StatusCode, asked: &[u8], why: &str) -> GuardedResponse {
    let asked = Message::read(asked).ok();
    whole(status, error(asked.as_ref().and_then(Message::id), INTERNAL_ERROR, why))
}

/// What belongs to one connection or to a page of ours.
const NOT_CARRIED: &[&str] = &["host", "expect", "cookie", "origin"];
/// How long a list of tools may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// So many sessions are known at once.
const MOST_SESSIONS: usize = 10_000;
const IDLE: Duration = Duration::from_secs(60 * 60);
