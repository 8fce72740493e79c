//! The real server as a drop-in gateway before a model that the test plays, and a client that sees every byte as it
//! comes.

use crate::gateway_dialects::{Heard, Past, Tool, Wire, user};
use crate::gateway_upstream::{Script, Upstream};
use crate::serve_world::{Answer, Server, folder};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// A gateway and its model.
pub(crate) struct World {
    pub server: Server,
    pub upstream: Arc<Upstream>,
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub wire: Wire,
    pub body: Value,
    pub headers: Vec<(&'static str, String)>,
}

impl Ask {
    /// About the weather, with all tools.
    pub(crate) fn new(wire: Wire, stream: bool) -> Self {
        Self::of(wire, stream, &[user(QUESTION)], &tools())
    }

    pub(crate) fn of(wire: Wire, stream: bool, past: &[Past], tools: &[Tool]) -> Self {
        Self { wire, body: wire.body(past, tools, stream), headers: vec![] }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn field(mut self, name: &str, value: Value) -> Self {
        self.body[name] = value;
        self
    }
}

impl World {
    /// One of a test's own.
    pub(crate) fn own(name: &str, args: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::before(&Arc::new(Upstream::start()), name, args, variables)
    }

    /// One before an upstream that is there already, or will be.
    pub(crate) fn before(upstream: &Arc<Upstream>, name: &str, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let (openai, anthropic) = (upstream.openai(), upstream.anthropic());
        let mut all = vec!["--upstream-openai", &openai, "--upstream-anthropic", &anthropic];
        all.extend(args);
        Self {
            server: Server::start(&folder(&format!("gateway-{name}")), &all, variables),
            upstream: Arc::clone(upstream),
        }
    }

    /// One with a file of settings.
    pub(crate) fn with_settings(
        upstream: &Arc<Upstream>,
        name: &str,
        settings: &str,
        variables: &[(&str, &str)],
    ) -> Self {
        let file = crate::run::scratch(&format!("gateway-{name}.toml"), settings);
        Self::before(upstream, name, &["--config", &file], variables)
    }

    /// One that all tests share that run at the moment; the last one ends it.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<World>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(world) = shared.upgrade() {
            return world;
        }
        let world = Arc::new(Self::own("shared", &[], &[]));
        *shared = Arc::downgrade(&world);
        world
    }

    /// Asks, and reads the answer as the dialect's client does.
    pub(crate) fn ask(&self, ask: &Ask, mark: &str) -> Heard {
        self.open(ask, mark).heard()
    }

    /// Asks under scripts of its own; gives the mark too.
    pub(crate) fn play<S: Into<Script>>(&self, ask: &Ask, scripts: impl IntoIterator<Item = S>) -> (Heard, String) {
        let mark = self.upstream.on(scripts);
        (self.ask(ask, &mark), mark)
    }

    pub(crate) fn open(&self, ask: &Ask, mark: &str) -> Live {
        self.open_bytes(ask.wire, ask.wire.path(), &ask.headers, mark, ask.body.to_string().as_bytes())
    }

    pub(crate) fn open_bytes(
        &self,
        wire: Wire,
        path: &str,
        headers: &[(&'static str, String)],
        mark: &str,
        body: &[u8],
    ) -> Live {
        let mut tcp = self.server.connect();
        let mut head = format!("POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.server.address);
        head.push_str(&format!("content-type: application/json\r\nx-mark: {mark}\r\n"));
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        // A server that refuses early may close before it has read everything.
        let _ = tcp.write_all(&[head.as_bytes(), body].concat());
        Live { wire, tcp, came: Vec::new(), head: None, body: Vec::new(), end: None, opened: Instant::now() }
    }

    /// What is recorded of a verdict.
    pub(crate) fn verdict(&self, id: &str) -> Value {
        let answer = self.server.get(&format!("/v1/verdicts/{id}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    /// Everything recorded of one answer's calls, oldest first.
    pub(crate) fn attempts(&self, verdict: &str) -> Vec<Value> {
        let answer = self.verdict(verdict)["answer_id"].clone();
        let listed = self.server.get("/v1/verdicts?limit=1000").json();
        let mut found: Vec<Value> = listed["verdicts"].as_array().expect("verdicts").clone();
        found.retain(|record| record["answer_id"] == answer);
        found.sort_by_key(|record| record["attempt"].as_u64());
        found
    }

    pub(crate) fn decide(&self, review: &str, body: Value) -> Answer {
        self.server.post(&format!("/v1/reviews/{review}/decision"), &body.to_string())
    }

    /// The pending item that holds a word, once it is there.
    pub(crate) fn review(&self, word: &str) -> Value {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let listed = self.server.get("/v1/reviews?state=pending").json();
            let found: Vec<&Value> = listed["reviews"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|item| item["call"].to_string().contains(word))
                .collect();
            assert!(found.len() < 2, "a retry made a second item: {found:?}");
            if let Some(item) = found.first() {
                return (*item).clone();
            }
            assert!(Instant::now() < end, "no review for {word}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// An answer that is being read.
pub(crate) struct Live {
    wire: Wire,
    tcp: TcpStream,
    /// What came and is not decoded yet.
    came: Vec<u8>,
    head: Option<(u16, Vec<(String, String)>)>,
    /// The body so far.
    pub body: Vec<u8>,
    end: Option<End>,
    opened: Instant,
}

/// How a body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As HTTP has it.
    Clean,
    /// The connection was gone first.
    Cut,
}

impl Live {
    /// The status and the headers.
    pub(crate) fn head(&mut self) -> (u16, Vec<(String, String)>) {
        while self.head.is_none() {
            self.decode_head();
            assert!(self.head.is_some() || self.more(), "the connection ended before the head did");
        }
        self.head.clone().unwrap()
    }

    fn decode_head(&mut self) {
        let Some(end) = self.came.windows(4).position(|window| window == b"\r\n\r\n") else { return };
        let text = String::from_utf8(self.came.drain(..end + 4).collect()).unwrap();
        let mut lines = text.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let pair =
            |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
        self.head = Some((status, lines.filter_map(pair).collect()));
    }

    fn more(&mut self) -> bool {
        assert!(self.opened.elapsed() < LONGEST, "the answer takes too long; so far {}", self.text());
        let mut piece = [0; 65536];
        let read = self.tcp.read(&mut piece).unwrap_or(0);
        self.came.extend_from_slice(&piece[..read]);
        read > 0
    }

    /// Reads what is there; false at the end.
    pub(crate) fn step(&mut self) -> bool {
        let (_, headers) = self.head();
        let value = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        if self.end.is_some() {
            return false;
        }
        let known = self.body.len();
        if let Some(length) = value("content-length") {
            self.body.append(&mut self.came);
            if self.body.len() >= length.parse().unwrap() {
                self.end = Some(End::Clean);
            }
        } else {
            self.decode_chunks();
        }
        if self.end.is_none() && self.body.len() == known && !self.more() {
            self.end = Some(End::Cut);
        }
        self.end.is_none()
    }

    fn decode_chunks(&mut self) {
        while let Some(line) = self.came.windows(2).position(|window| window == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&self.came[..line]).unwrap(), 16).unwrap();
            if self.came.len() < line + 2 + size + 2 {
                return;
            }
            let chunk: Vec<u8> = self.came.drain(..line + 2 + size + 2).collect();
            self.body.extend_from_slice(&chunk[line + 2..line + 2 + size]);
            if size == 0 {
                self.end = Some(End::Clean);
                return;
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Reads until the body holds something.
    pub(crate) fn until(&mut self, what: &str) {
        while !self.text().contains(what) {
            assert!(self.step(), "no {what:?} in {}", self.text());
        }
    }

    /// Reads to the end.
    pub(crate) fn rest(&mut self) -> End {
        while self.step() {}
        self.end.unwrap()
    }

    /// Reads to the end as the dialect's client does.
    pub(crate) fn heard(mut self) -> Heard {
        let end = self.rest();
        let (status, headers) = self.head();
        assert_eq!(end, End::Clean, "{status} {headers:?} {}", self.text());
        let raw = String::from_utf8(std::mem::take(&mut self.body)).expect("an answer is text");
        let mut heard = Heard { status, headers, raw, ..Heard::default() };
        if heard.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            self.wire.read_stream(&mut heard);
        } else {
            self.wire.read_whole(&mut heard);
        }
        heard
    }

    /// Goes away.
    pub(crate) fn leave(self) {
        let _ = self.tcp.shutdown(Shutdown::Both);
    }
}

const LONGEST: Duration = Duration::from_secs(30);

pub(crate) const QUESTION: &str = "What is the weather in Paris for 10 days, and is there a flight from BER to CDG?";

/// The tools of most requests.
pub(crate) fn tools() -> Vec<Tool> {
    vec![weather(), flights()]
}

pub(crate) fn weather() -> Tool {
    let schema = json!({"type": "object", "required": ["city"], "additionalProperties": false, "properties": {
        "city": {"type": "string", "description": "The city's name."},
        "days": {"type": "integer", "minimum": 1, "maximum": 16},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}});
    Tool { name: "get_weather", description: "Get the weather of a city.", schema }
}

pub(crate) fn flights() -> Tool {
    let schema = json!({"type": "object", "required": ["origin", "destination"], "additionalProperties": false,
        "properties": {"origin": {"type": "string"}, "destination": {"type": "string"}}});
    Tool { name: "search_flights", description: "Search flights between airports.", schema }
}

/// A tool whose work cannot be undone.
pub(crate) fn delete() -> Tool {
    let schema = json!({"type": "object", "required": ["path"], "additionalProperties": false, "properties": {
        "path": {"type": "string"}, "recursive": {"type": "boolean"}}});
    Tool { name: "delete_file", description: "Delete a file for good. This cannot be undone.", schema }
}

pub(crate) fn read_file() -> Tool {
    let schema = json!({"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}});
    Tool { name: "read_file", description: "Read a file.", schema }
}

pub(crate) fn pay() -> Tool {
    let schema = json!({"type": "object", "required": ["account_id", "amount"], "additionalProperties": false,
        "properties": {"account_id": {"type": "string"}, "amount": {"type": "number"}}});
    Tool { name: "send_payment", description: "Send money to an account. This cannot be undone.", schema }
}

/// Arguments that nothing is wrong with.
pub(crate) fn good() -> Value {
    json!({"city": "Paris", "days": 10})
}

/// Arguments that no engine can put right: what is missing is not known.
pub(crate) fn bad() -> Value {
    json!({"days": 10})
}
