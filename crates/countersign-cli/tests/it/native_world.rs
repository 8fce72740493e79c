//! Sessions on the real server with a model that the test plays, and a strict reader of event streams.

use crate::native_upstream::Upstream;
use crate::serve_world::{Answer, Server, folder};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// A server and its model.
pub(crate) struct World {
    pub server: Server,
    pub upstream: Arc<Upstream>,
}

impl World {
    /// One of a test's own, in a folder of its own.
    pub(crate) fn own(name: &str, args: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::again(&folder(name), &Arc::new(Upstream::start()), args, variables)
    }

    /// One over a folder that may have been used before.
    pub(crate) fn again(
        data: &std::path::Path,
        upstream: &Arc<Upstream>,
        args: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut all = vec!["--upstream-openai", &upstream.base];
        all.extend(args);
        Self { server: Server::start(data, &all, variables), upstream: Arc::clone(upstream) }
    }

    /// One that all tests share that run at the moment; the last one ends it.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<World>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(world) = shared.upgrade() {
            return world;
        }
        let world = Arc::new(Self::own("native-shared", &["--set", "sessions.heartbeat=300ms"], &[]));
        *shared = Arc::downgrade(&world);
        world
    }

    pub(crate) fn session(&self, body: Value) -> String {
        session_as(&self.server, &[], body)
    }

    /// Says something in a session; the answer is the turn.
    pub(crate) fn say(&self, session: &str, content: &str) -> Reader {
        self.say_with(session, json!({ "content": content }))
    }

    pub(crate) fn say_with(&self, session: &str, body: Value) -> Reader {
        Reader::open(&self.server, "POST", &format!("/v1/sessions/{session}/messages"), &[], &body.to_string())
    }

    /// Follows a session.
    pub(crate) fn events(&self, session: &str, query: &str) -> Reader {
        self.events_after(session, query, "")
    }

    /// Follows a session from a `Last-Event-ID`.
    pub(crate) fn events_after(&self, session: &str, query: &str, last: &str) -> Reader {
        let header = [("last-event-id", last)];
        let headers: &[(&str, &str)] = if last.is_empty() { &[] } else { &header };
        Reader::open(&self.server, "GET", &format!("/v1/sessions/{session}/events{query}"), headers, "")
    }

    /// All that a session's log holds.
    pub(crate) fn log(&self, session: &str) -> Vec<Event> {
        self.events(session, "?mode=replay").rest()
    }

    /// A whole turn with scripts; its events.
    pub(crate) fn turn(
        &self,
        session: &str,
        content: &str,
        scripts: Vec<crate::native_upstream::Script>,
    ) -> Vec<Event> {
        let mark = self.upstream.on(scripts);
        let events = self.say(session, &format!("{content} {mark}")).rest();
        check_turn(session, &events);
        events
    }

    pub(crate) fn result(&self, session: &str, call: &str, content: Value) -> Answer {
        let body = json!({"call_id": call, "content": content}).to_string();
        self.server.post(&format!("/v1/sessions/{session}/tool_results"), &body)
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.server.ask("DELETE", path, &[], "")
    }
}

/// Makes a session with headers.
pub(crate) fn session_as(server: &Server, headers: &[(&str, &str)], body: Value) -> String {
    let made = server.ask("POST", "/v1/sessions", headers, &body.to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    made.json()["session_id"].as_str().unwrap().to_owned()
}

/// An event as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub json: Value,
}

impl Event {
    pub(crate) fn kind(&self) -> &str {
        self.json["event_type"].as_str().unwrap()
    }

    /// The id, for an event that has one.
    pub(crate) fn id(&self) -> &str {
        self.json["id"].as_str().unwrap_or_default()
    }

    pub(crate) fn seq(&self) -> u64 {
        self.id().split_once('.').unwrap().1.parse().unwrap()
    }

    pub(crate) fn payload(&self, field: &str) -> &Value {
        &self.json["payload"][field]
    }

    pub(crate) fn word(&self, field: &str) -> String {
        self.payload(field).as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn is_terminal(&self) -> bool {
        ["completed", "failed", "stopped", "lost"].contains(&self.kind())
    }

    /// Without what may differ between two readings.
    pub(crate) fn content(&self) -> Value {
        let mut json = self.json.clone();
        json.as_object_mut().unwrap().remove("meta");
        json
    }
}

/// The kinds of events, in order, each run of deltas once.
pub(crate) fn kinds(events: &[Event]) -> Vec<&str> {
    let mut kinds: Vec<&str> = events.iter().map(Event::kind).collect();
    kinds.dedup_by(|one, two| one == two && *one == "text_delta");
    kinds
}

/// The words of all deltas.
pub(crate) fn words(events: &[Event]) -> String {
    events.iter().filter(|event| event.kind() == "text_delta").map(|event| event.word("content")).collect()
}

pub(crate) fn contents(events: &[Event]) -> Vec<Value> {
    events.iter().map(Event::content).collect()
}

/// The event of a kind that must be there once.
pub(crate) fn one<'e>(events: &'e [Event], kind: &str) -> &'e Event {
    let found: Vec<_> = events.iter().filter(|event| event.kind() == kind).collect();
    assert_eq!(found.len(), 1, "{kind} in {:?}", kinds(events));
    found[0]
}

/// What holds for the events of every turn: dense ids, one terminal, and it is the last; an error before a failure.
pub(crate) fn check_turn(session: &str, events: &[Event]) {
    let seqs: Vec<u64> = events.iter().map(Event::seq).collect();
    let dense: Vec<u64> = (seqs[0]..).take(seqs.len()).collect();
    assert_eq!(seqs, dense);
    assert!(events.iter().all(|event| event.json["session_id"] == session));
    let ends: Vec<usize> = (0..events.len()).filter(|at| events[*at].is_terminal()).collect();
    assert_eq!(ends, [events.len() - 1], "{:?}", kinds(events));
    let failed = events[events.len() - 1].kind() == "failed";
    assert_eq!(failed, events.len() > 1 && events[events.len() - 2].kind() == "error", "{:?}", kinds(events));
}

/// A stream that is being read. It takes nothing that a browser would not.
pub(crate) struct Reader {
    tcp: TcpStream,
    pub status: u16,
    pub head: String,
    /// What came and is not decoded yet.
    wire: Vec<u8>,
    /// What is decoded and not yet a whole frame.
    text: Vec<u8>,
    /// All that was decoded.
    pub bytes: Vec<u8>,
    pub heartbeats: usize,
    pub done: bool,
    ended: bool,
    opened: Instant,
}

impl Reader {
    pub(crate) fn open(server: &Server, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let mut tcp = server.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", server.address);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        tcp.write_all(head.as_bytes()).unwrap();
        let mut reader = Self {
            tcp,
            status: 0,
            head: String::new(),
            wire: Vec::new(),
            text: Vec::new(),
            bytes: Vec::new(),
            heartbeats: 0,
            done: false,
            ended: false,
            opened: Instant::now(),
        };
        reader.take_head();
        reader
    }

    fn take_head(&mut self) {
        loop {
            if let Some(end) = self.wire.windows(4).position(|window| window == b"\r\n\r\n") {
                self.head = String::from_utf8(self.wire.drain(..end + 4).collect()).unwrap().to_ascii_lowercase();
                self.status = self.head.split(' ').nth(1).unwrap().parse().unwrap();
                break;
            }
            assert!(self.more(), "the connection ended before the head did");
        }
        if self.status == 200 {
            assert!(self.head.contains("content-type: text/event-stream"), "{}", self.head);
            assert!(self.head.contains("cache-control: no-cache"), "{}", self.head);
            assert!(self.head.contains("transfer-encoding: chunked"), "{}", self.head);
        }
    }

    fn more(&mut self) -> bool {
        assert!(self.opened.elapsed() < LONGEST, "a stream ends, and heartbeats are no end");
        let mut piece = [0; 65536];
        let read = self.tcp.read(&mut piece).expect("a stream gives a sign of life");
        self.wire.extend_from_slice(&piece[..read]);
        read > 0
    }

    /// Decodes one chunk of the transfer; false at the end.
    fn decode(&mut self) -> bool {
        loop {
            let line = self.wire.windows(2).position(|window| window == b"\r\n");
            if let Some(line) = line {
                let size = usize::from_str_radix(std::str::from_utf8(&self.wire[..line]).unwrap(), 16).unwrap();
                if self.wire.len() >= line + 2 + size + 2 {
                    let chunk: Vec<u8> = self.wire.drain(..line + 2 + size + 2).collect();
                    self.text.extend_from_slice(&chunk[line + 2..line + 2 + size]);
                    self.bytes.extend_from_slice(&chunk[line + 2..line + 2 + size]);
                    return size > 0;
                }
            }
            assert!(self.more(), "the stream was cut, not ended");
        }
    }

    /// The next event; none after the end.
    pub(crate) fn next(&mut self) -> Option<Event> {
        assert_eq!(self.status, 200, "{}", self.head);
        while !self.ended {
            if let Some(end) = self.text.windows(2).position(|window| window == b"\n\n") {
                let frame: Vec<u8> = self.text.drain(..end + 2).collect();
                let frame = String::from_utf8(frame).expect("a frame is text");
                if let Some(event) = self.frame(frame.trim_end_matches('\n')) {
                    return Some(event);
                }
            } else if !self.decode() {
                assert!(self.done && self.text.is_empty(), "a stream ends with [DONE]");
                self.ended = true;
            }
        }
        None
    }

    fn frame(&mut self, frame: &str) -> Option<Event> {
        assert!(!self.done, "nothing follows [DONE]: {frame}");
        if frame.starts_with(':') {
            self.heartbeats += 1;
            return None;
        }
        if frame == "data: [DONE]" {
            self.done = true;
            return None;
        }
        let mut lines: Vec<&str> = frame.lines().collect();
        let json: Value = serde_json::from_str(lines.pop().unwrap().strip_prefix("data: ").expect(frame)).unwrap();
        let mut expected = vec![format!("event: {}", json["event_type"].as_str().unwrap_or("review"))];
        if let Some(id) = json["id"].as_str() {
            expected.insert(0, format!("id: {id}"));
        }
        assert_eq!(lines, expected, "{frame}");
        Some(Event { json })
    }

    /// Reads up to an event of a kind, that one included.
    pub(crate) fn until(&mut self, kind: &str) -> Vec<Event> {
        let mut events = Vec::new();
        while events.last().is_none_or(|event: &Event| event.kind() != kind) {
            let next = self.next();
            events.push(next.unwrap_or_else(|| panic!("no {kind} in {:?}", kinds(&events))));
        }
        events
    }

    /// Reads to the end.
    pub(crate) fn rest(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// Reads to the end, which must come in time.
    pub(crate) fn rest_within(&mut self, limit: Duration) -> Vec<Event> {
        let began = Instant::now();
        let events = self.rest();
        assert!(began.elapsed() < limit, "the end took {:?}", began.elapsed());
        events
    }

    /// Reads so many bytes of the body and breaks off.
    pub(crate) fn cut_after(mut self, count: usize) -> Vec<u8> {
        while self.bytes.len() < count && self.decode() {}
        let _ = self.tcp.shutdown(Shutdown::Both);
        self.bytes.truncate(count);
        self.bytes
    }

    /// The whole answer where it is no stream.
    pub(crate) fn refusal(mut self) -> (u16, Value) {
        while self.more() {}
        let text = String::from_utf8(self.wire.clone()).unwrap();
        (self.status, serde_json::from_str(&text).expect(&text))
    }
}

/// How long a test reads a stream.
const LONGEST: Duration = Duration::from_secs(30);

/// A tool that only looks.
pub(crate) fn weather() -> Value {
    json!({"type": "function", "function": {
        "name": "get_weather", "description": "Get the weather of a city.",
        "parameters": {"type": "object", "required": ["city"], "additionalProperties": false, "properties": {
            "city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 10}}},
    }})
}

/// A tool whose work cannot be undone.
pub(crate) fn delete() -> Value {
    json!({"type": "function", "function": {
        "name": "delete_record", "description": "Delete a record for good.",
        "parameters": {"type": "object", "required": ["record_id"], "additionalProperties": false, "properties": {
            "record_id": {"type": "string", "pattern": "^rec_[0-9]+$"}}},
    }})
}
