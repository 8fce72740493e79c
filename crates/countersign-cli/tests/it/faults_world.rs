//! What the fault tests on the real binary need: nodes that are killed and come back, a model that says what the test
//! wants, streams read as a strict client reads them, and figures for `docs/reliability.md`.

use crate::serve_world::bare;
use countersign::contract::EventId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// A process of the server, on a port and in a folder that stay the same when it comes back.
pub(crate) struct Node {
    pub address: String,
    folder: PathBuf,
    variables: Vec<(String, String)>,
    child: Option<Child>,
}

impl Node {
    /// Starts a node and waits until it is ready.
    pub(crate) async fn start(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let address = format!("127.0.0.1:{port}");
        let mut node = Self { address, folder: folder.to_owned(), variables, child: None };
        node.restart().await;
        node
    }

    /// Starts the node again after its end, and waits until it is ready; gives when it was.
    pub(crate) async fn restart(&mut self) -> Instant {
        let data = self.folder.join("data").display().to_string();
        let variables: Vec<_> = self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let log = File::options().create(true).append(true).open(self.log_file()).unwrap();
        let mut command = bare(&["serve", "--listen", &self.address, "--data-dir", &data], &variables);
        self.child = Some(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap());
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(answer) = try_ask(&self.address, "GET", "/readyz", "").await
                && answer.status == 200
            {
                return Instant::now();
            }
            let gone = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(gone.is_none() && Instant::now() < end, "it did not start ({gone:?}): {}", self.log());
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn log_file(&self) -> PathBuf {
        // Outside the folder: a full disk must not take the log of the test with it.
        let name = self.folder.file_name().unwrap().display();
        let name = format!("{name}.{}.log", self.address.replace(':', "-"));
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// kill -9.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// SIGTERM; gives its exit code once it has ended.
    pub(crate) async fn end(&mut self) -> Option<i32> {
        let mut child = self.child.take().unwrap();
        let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        tokio::task::spawn_blocking(move || child.wait().unwrap().code()).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Said {
        ask(&self.address, "GET", path, "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Said {
        ask(&self.address, "POST", path, &body.to_string()).await
    }

    /// A session; gives its path.
    pub(crate) async fn session(&self, tools: Value) -> String {
        let made = self.post("/v1/sessions", &json!({"agent": "concierge", "tools": tools})).await;
        assert_eq!(made.status, 201, "{made:?}");
        format!("/v1/sessions/{}", made.json()["session_id"].as_str().unwrap())
    }

    /// Says something in a session.
    pub(crate) async fn say(&self, session: &str, content: &str) -> EventStream {
        let body = json!({ "content": content }).to_string();
        EventStream::open(&self.address, "POST", &format!("{session}/messages"), None, &body).await
    }

    /// Reads a session's events.
    pub(crate) async fn events(&self, session: &str, after: Option<EventId>) -> EventStream {
        EventStream::open(&self.address, "GET", &format!("{session}/events"), after, "").await
    }

    /// The memory that it has in use now, in KiB.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// An answer that is not a stream.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub status: u16,
    pub body: String,
}

impl Said {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect(&self.body)
    }
}

async fn ask(address: &str, method: &str, path: &str, body: &str) -> Said {
    try_ask(address, method, path, body).await.unwrap_or_else(|| panic!("{method} {path} was not answered"))
}

/// Asks with HTTP/1.0, so that an answer is its bytes up to the end of the connection.
async fn try_ask(address: &str, method: &str, path: &str, body: &str) -> Option<Said> {
    let asking = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.write_all(request(address, method, path, None, body).as_bytes()).await.ok()?;
        let mut heard = String::new();
        stream.read_to_string(&mut heard).await.ok()?;
        let (head, body) = heard.split_once("\r\n\r\n")?;
        Some(Said { status: head.split(' ').nth(1)?.parse().ok()?, body: body.to_owned() })
    };
    timeout(Duration::from_secs(20), asking).await.ok().flatten()
}

pub(crate) fn request(host: &str, method: &str, path: &str, after: Option<EventId>, body: &str) -> String {
    let cursor = after.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
    let length = body.len();
    let kind = "content-type: application/json\r\n";
    format!("{method} {path} HTTP/1.0\r\nhost: {host}\r\n{cursor}{kind}content-length: {length}\r\n\r\n{body}")
}

/// An event as it came over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub id: Option<EventId>,
    pub kind: String,
    /// The JSON without its `meta`: what two readings must agree on to the byte.
    pub body: String,
    pub at: Instant,
}

impl Event {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&format!("{}}}", self.body)).expect(&self.body)
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self.kind.as_str(), "completed" | "failed" | "stopped" | "lost")
    }
}

/// A stream of events, read strictly.
pub(crate) struct EventStream {
    socket: TcpStream,
    bytes: Vec<u8>,
    pub status: u16,
    pub events: Vec<Event>,
    pub done: bool,
}

impl EventStream {
    pub(crate) async fn open(address: &str, method: &str, path: &str, after: Option<EventId>, body: &str) -> Self {
        let mut socket = TcpStream::connect(address).await.unwrap();
        socket.write_all(request(address, method, path, after, body).as_bytes()).await.unwrap();
        let mut stream = Self { socket, bytes: Vec::new(), status: 0, events: Vec::new(), done: false };
        let head = timeout(Duration::from_secs(20), stream.frame(b"\r\n\r\n")).await.expect("a head in time");
        stream.status = head.as_deref().and_then(|head| head.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        stream
    }

    /// The next piece up to a separator; none at the end of the connection.
    async fn frame(&mut self, separator: &[u8]) -> Option<String> {
        loop {
            if let Some(at) = self.bytes.windows(separator.len()).position(|window| window == separator) {
                let rest = self.bytes.split_off(at + separator.len());
                let mut frame = std::mem::replace(&mut self.bytes, rest);
                frame.truncate(at);
                return Some(String::from_utf8(frame).expect("frames are text"));
            }
            // An error is the end too: the other side was killed.
            if self.socket.read_buf(&mut self.bytes).await.unwrap_or(0) == 0 {
                return None;
            }
        }
    }

    /// The next event; none at the end of the stream or of the connection.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        while let Some(frame) = self.frame(b"\n\n").await {
            assert!(!self.done, "nothing follows [DONE]");
            if frame.starts_with(':') {
                continue;
            }
            let event = read_frame(&frame);
            self.done = event.is_none();
            if let Some(event) = event {
                self.events.push(event.clone());
                return Some(event);
            }
        }
        None
    }

    /// Reads until an event of this kind has come.
    pub(crate) async fn until(&mut self, kind: &str) -> Event {
        let reading = async {
            loop {
                let event = self.next().await.unwrap_or_else(|| panic!("the stream ended before {kind}"));
                if event.kind == kind {
                    return event;
                }
            }
        };
        timeout(Duration::from_secs(30), reading).await.unwrap_or_else(|_| panic!("no {kind} in 30 s"))
    }

    /// Reads to the end, however it comes, at most so long.
    pub(crate) async fn finish(&mut self, seconds: u64) -> &[Event] {
        let reading = async { while self.next().await.is_some() {} };
        timeout(Duration::from_secs(seconds), reading).await.expect("a stream ends");
        &self.events
    }
}

/// A frame as an event; none for `[DONE]`.
pub(crate) fn read_frame(frame: &str) -> Option<Event> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
    let data = field("data: ").expect(frame);
    if data == "[DONE]" {
        assert_eq!(frame, "data: [DONE]");
        return None;
    }
    let (body, _) = data.rsplit_once(",\"meta\":").expect(data);
    let event = Event {
        id: field("id: ").map(|id| id.parse().unwrap()),
        kind: field("event: ").expect(frame).to_owned(),
        body: body.to_owned(),
        at: Instant::now(),
    };
    assert_eq!(event.json()["id"].as_str(), event.id.map(|id| id.to_string()).as_deref(), "the SSE id is the event's");
    Some(event)
}

/// What is wrong with a session's whole log: holes, repeats, epochs that go back, turns without their one end.
pub(crate) fn wrong_with(log: &[Event]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (event, seq) in log.iter().zip(1..) {
        match event.id {
            Some(id) if id.seq == seq => {}
            other => wrong.push(format!("{other:?} stands where {seq} should")),
        }
    }
    let epochs: Vec<_> = log.iter().filter_map(|event| event.id).map(|id| id.epoch).collect();
    if !epochs.is_sorted() {
        wrong.push(format!("the epochs go back: {epochs:?}"));
    }
    let is_start = |event: &&Event| event.kind == "message" && event.json()["payload"]["role"] == "user";
    let (starts, ends) = (log.iter().filter(is_start).count(), log.iter().filter(|event| event.is_terminal()).count());
    if starts != ends {
        wrong.push(format!("{starts} turns have {ends} ends"));
    }
    wrong
}

/// What a reader was shown and the log does not have, or has otherwise.
pub(crate) fn lost_of(shown: &[Event], log: &[Event]) -> Vec<String> {
    let kept: BTreeMap<_, _> = log.iter().filter_map(|event| Some((event.id?, &event.body))).collect();
    let mut wrong = Vec::new();
    for event in shown {
        let Some(id) = event.id else { continue };
        match kept.get(&id) {
            Some(body) if **body == event.body => {}
            Some(_) => wrong.push(format!("{id} was shown with other words")),
            None => wrong.push(format!("{id} was shown and is not in the log")),
        }
    }
    wrong
}

/// A model that does what the last user message says: `pieces N MS` says so many pieces so far apart, `big N MS` the same
/// with 4 KiB each, `tool NAME ARGUMENTS` calls a tool and then answers, `hang` says one piece and no more.
pub(crate) struct Model {
    pub base: String,
    /// How many answers were broken off by the other side.
    pub left: Arc<Mutex<usize>>,
}

impl Model {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let left = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&left);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let counted = Arc::clone(&counted);
                tokio::spawn(async move {
                    if answer(socket).await.is_none() {
                        *counted.lock().unwrap() += 1;
                    }
                });
            }
        });
        Self { base, left }
    }
}

async fn answer(mut socket: TcpStream) -> Option<()> {
    let _ = socket.set_nodelay(true);
    let asked = read_request(&mut socket).await?;
    socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n").await.ok()?;
    let messages = asked["messages"].as_array()?;
    let last = messages.last()?;
    let user = messages.iter().rev().find(|message| message["role"] == "user")?["content"].as_str()?.to_owned();
    let mut words = user.splitn(3, ' ');
    let (what, first, second) = (words.next()?, words.next().unwrap_or(""), words.next().unwrap_or(""));
    let finish = match what {
        "tool" if last["role"] != "tool" => {
            let call = json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": first, "arguments": second}});
            chunk(&mut socket, &json!({"tool_calls": [call]}), Value::Null).await?;
            "tool_calls"
        }
        "tool" => {
            chunk(&mut socket, &json!({"content": "The tool answered."}), Value::Null).await?;
            "stop"
        }
        "hang" => {
            chunk(&mut socket, &json!({"content": "One moment."}), Value::Null).await?;
            // Until the other side goes away.
            let mut rest = [0; 64];
            while socket.read(&mut rest).await.ok()? > 0 {}
            return None;
        }
        _ => {
            let (count, pause): (usize, u64) = (first.parse().ok()?, second.parse().ok()?);
            let filling = if what == "big" { "x".repeat(4096) } else { String::new() };
            for at in 0..count {
                chunk(&mut socket, &json!({"content": format!("piece {at} {filling}")}), Value::Null).await?;
                if pause > 0 {
                    sleep(Duration::from_millis(pause)).await;
                }
            }
            "stop"
        }
    };
    chunk(&mut socket, &json!({}), json!(finish)).await?;
    socket.write_all(b"data: [DONE]\n\n").await.ok()?;
    socket.shutdown().await.ok()
}

async fn chunk(socket: &mut TcpStream, delta: &Value, finish: Value) -> Option<()> {
    let chunk = json!({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    socket.write_all(format!("data: {chunk}\n\n").as_bytes()).await.ok()
}

async fn read_request(socket: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..at]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if bytes.len() >= at + 4 + length.unwrap_or(0) {
                return serde_json::from_slice(&bytes[at + 4..]).ok();
            }
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// What a fault came to, for the table in `docs/reliability.md`.
pub(crate) struct Figures {
    fault: &'static str,
    rounds: usize,
    violations: Vec<String>,
    times: Vec<Duration>,
}

impl Figures {
    pub(crate) fn of(fault: &'static str) -> Self {
        Self { fault, rounds: 0, violations: Vec::new(), times: Vec::new() }
    }

    pub(crate) fn round(&mut self) {
        self.rounds += 1;
    }

    /// A time from the fault to the terminal event.
    pub(crate) fn time(&mut self, time: Duration) {
        self.times.push(time);
    }

    pub(crate) fn add(&mut self, wrong: impl IntoIterator<Item = String>) {
        self.violations.extend(wrong);
    }

    /// Prints the row that `bench/reliability/run` gathers, and fails where something was violated.
    pub(crate) fn finish(mut self) {
        self.times.sort();
        let millis = |share: usize| {
            let at = (self.times.len() * share / 100).min(self.times.len().saturating_sub(1));
            self.times.get(at).map_or("-".to_owned(), |time| format!("{:.0}", time.as_secs_f64() * 1000.0))
        };
        let (rounds, wrong) = (self.rounds, self.violations.len());
        let all: Vec<_> = self.times.iter().map(|time| time.as_millis().to_string()).collect();
        println!("FAULT | {} | {rounds} | {wrong} | {} | {} | {}", self.fault, millis(50), millis(99), all.join(" "));
        assert!(self.violations.is_empty(), "{}: {:#?}", self.fault, self.violations);
    }
}

/// How many rounds to go: few in the test suite, many with `COUNTERSIGN_FAULT_ROUNDS`.
pub(crate) fn rounds(few: usize) -> usize {
    std::env::var("COUNTERSIGN_FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(few)
}

/// Chance that can be repeated: `COUNTERSIGN_FAULT_SEED` gives the seed.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new() -> Self {
        let given = std::env::var("COUNTERSIGN_FAULT_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| u64::from(std::process::id()));
        println!("seed {seed}");
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
