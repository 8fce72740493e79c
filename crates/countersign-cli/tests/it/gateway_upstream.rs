//! A model's server behind the drop-in gateway: raw sockets, so that it can cut at any byte, send garbage, hang, drip
//! and compress. It keeps every request as it came, and sees when the other side goes away.

use crate::gateway_dialects::{Said, Wire};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the server does, one after the other.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// Waits until the test lets it go on, or the other side leaves.
    Gate(Gate),
    /// Says nothing more and keeps the connection.
    Hang,
    /// Ends the connection, politely for TCP and rudely for HTTP.
    Cut,
}

/// How the length of a body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Chunked,
    /// What is said is what comes.
    Length,
    /// More is said than comes.
    LongerBy(usize),
    /// The end of the connection is the end.
    Close,
}

/// An answer to the byte.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    /// What happens before the head is sent.
    pub before: Vec<Step>,
    pub steps: Vec<Step>,
    pub framing: Framing,
}

/// One answer.
#[derive(Debug, Clone)]
pub(crate) enum Script {
    /// In the dialect that was asked in, streamed if it was asked so.
    Said(Said),
    Raw(Raw),
}

impl From<Said> for Script {
    fn from(said: Said) -> Self {
        Self::Said(said)
    }
}

impl From<Raw> for Script {
    fn from(raw: Raw) -> Self {
        Self::Raw(raw)
    }
}

impl Raw {
    /// A body with its length.
    pub(crate) fn body(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, before: vec![], steps: vec![Step::Bytes(body.into())], framing: Framing::Length }
    }

    /// An event stream, piece by piece.
    pub(crate) fn stream(steps: impl IntoIterator<Item = Step>) -> Self {
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_owned())];
        Self { status: 200, headers, before: vec![], steps: steps.into_iter().collect(), framing: Framing::Chunked }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Nothing at all comes, not even a head.
    pub(crate) fn silence() -> Self {
        Self { before: vec![Step::Hang], ..Self::body(200, "") }
    }
}

/// A gate that a test opens.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<AtomicBool>);

impl Gate {
    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What was asked, and what became of the connection.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// When the other side left before the answer was over.
    pub left: Option<Instant>,
}

impl Asked {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// All values of a header.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// The server. It can go away and come back at the same place.
pub(crate) struct Upstream {
    pub port: u16,
    inside: Arc<Inside>,
}

#[derive(Default)]
pub(crate) struct Inside {
    scripts: Mutex<HashMap<String, (usize, Vec<Script>)>>,
    asked: Mutex<Vec<(String, Asked)>>,
    marks: AtomicUsize,
}

impl Upstream {
    pub(crate) fn start() -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(crate) fn at(listener: TcpListener) -> Self {
        let port = listener.local_addr().unwrap().port();
        let inside = Arc::new(Inside::default());
        let kept = Arc::clone(&inside);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let inside = Arc::clone(&kept);
                std::thread::spawn(move || inside.serve(stream));
            }
        });
        Self { port, inside }
    }

    /// One whose connections somebody else accepts.
    pub(crate) fn of(port: u16, inside: Arc<Inside>) -> Self {
        Self { port, inside }
    }

    pub(crate) fn openai(&self) -> String {
        format!("http://127.0.0.1:{}/oai/v1", self.port)
    }

    pub(crate) fn anthropic(&self) -> String {
        format!("http://127.0.0.1:{}/ant", self.port)
    }

    /// What is answered to requests whose header `x-mark` is the word that this gives: one after the other, the last
    /// forever.
    pub(crate) fn on<S: Into<Script>>(&self, scripts: impl IntoIterator<Item = S>) -> String {
        let mark = format!("mark-{}", self.inside.marks.fetch_add(1, Ordering::SeqCst));
        let scripts = scripts.into_iter().map(Into::into).collect();
        lock(&self.inside.scripts).insert(mark.clone(), (0, scripts));
        mark
    }

    /// Other answers under a mark that is there.
    pub(crate) fn again<S: Into<Script>>(&self, mark: &str, scripts: impl IntoIterator<Item = S>) {
        let scripts = scripts.into_iter().map(Into::into).collect();
        lock(&self.inside.scripts).insert(mark.to_owned(), (0, scripts));
    }

    /// What was asked under a mark.
    pub(crate) fn asked(&self, mark: &str) -> Vec<Asked> {
        lock(&self.inside.asked).iter().filter(|(known, _)| known == mark).map(|(_, asked)| asked.clone()).collect()
    }
}

impl Inside {
    fn serve(&self, mut stream: TcpStream) {
        stream.set_nodelay(true).unwrap();
        let mut wire = Vec::new();
        while let Some(asked) = take_request(&mut stream, &mut wire) {
            let (at, raw) = self.answer_to(asked);
            match play(&mut stream, &raw) {
                Some(Played::Whole) => {}
                Some(Played::Closed) => return,
                None => {
                    lock(&self.asked)[at].1.left = Some(Instant::now());
                    return;
                }
            }
        }
    }

    /// Notes a request; gives its number and what is answered.
    pub(crate) fn answer_to(&self, asked: Asked) -> (usize, Raw) {
        let mark = asked.all("x-mark").first().copied().unwrap_or_default().to_owned();
        let script = self.script(&mark);
        let raw = match script {
            Some(Script::Raw(raw)) => raw,
            Some(Script::Said(said)) => render(&said, &asked),
            None if asked.target.ends_with("/models") => Raw::body(200, MODELS),
            None => render(&Said::text("unmarked"), &asked),
        };
        let mut all = lock(&self.asked);
        all.push((mark, asked));
        (all.len() - 1, raw)
    }

    fn script(&self, mark: &str) -> Option<Script> {
        let mut scripts = lock(&self.scripts);
        let (next, all) = scripts.get_mut(mark)?;
        let script = all[(*next).min(all.len() - 1)].clone();
        *next += 1;
        Some(script)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn render(said: &Said, asked: &Asked) -> Raw {
    let wire = Wire::of_path(&asked.target);
    let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    if body["stream"] == true {
        return Raw::stream(wire.frames(said, &body).into_iter().map(|frame| Step::Bytes(frame.into_bytes())));
    }
    Raw::body(200, wire.whole(said, &body).to_string())
}

enum Played {
    Whole,
    Closed,
}

/// Plays an answer; none when the other side left before its end.
fn play(stream: &mut TcpStream, raw: &Raw) -> Option<Played> {
    for step in &raw.before {
        if !step.wait(stream)? {
            return Some(Played::Closed);
        }
    }
    stream.write_all(head(raw).as_bytes()).ok()?;
    for step in &raw.steps {
        if let Step::Bytes(bytes) = step {
            say(stream, raw.framing, bytes)?;
        } else if !step.wait(stream)? {
            return Some(Played::Closed);
        }
    }
    match raw.framing {
        Framing::Chunked => stream.write_all(b"0\r\n\r\n").ok()?,
        Framing::Length => {}
        Framing::LongerBy(_) | Framing::Close => {
            let _ = stream.shutdown(Shutdown::Both);
            return Some(Played::Closed);
        }
    }
    Some(Played::Whole)
}

impl Step {
    /// Whether it goes on; none when the other side left.
    fn wait(&self, stream: &mut TcpStream) -> Option<bool> {
        let began = Instant::now();
        match self {
            Self::Bytes(_) => Some(true),
            Self::Cut => {
                let _ = stream.shutdown(Shutdown::Both);
                Some(false)
            }
            Self::Pause(pause) => stays(stream, || began.elapsed() >= *pause).then_some(true),
            Self::Gate(gate) => stays(stream, || gate.0.load(Ordering::SeqCst)).then_some(true),
            Self::Hang => stays(stream, || false).then_some(true),
        }
    }
}

fn head(raw: &Raw) -> String {
    let length: usize = raw.steps.iter().map(|step| if let Step::Bytes(bytes) = step { bytes.len() } else { 0 }).sum();
    let mut head = format!("HTTP/1.1 {} Said\r\n", raw.status);
    for (name, value) in &raw.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match raw.framing {
        Framing::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
        Framing::Length => head.push_str(&format!("content-length: {length}\r\n")),
        Framing::LongerBy(more) => head.push_str(&format!("content-length: {}\r\n", length + more)),
        Framing::Close => head.push_str("connection: close\r\n"),
    }
    head + "\r\n"
}

fn say(stream: &mut TcpStream, framing: Framing, bytes: &[u8]) -> Option<()> {
    if bytes.is_empty() {
        return Some(());
    }
    if framing == Framing::Chunked {
        let chunk = [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
        return stream.write_all(&chunk).ok();
    }
    stream.write_all(bytes).ok()
}

/// Waits for something, at most a minute; false when the other side has left.
fn stays(stream: &mut TcpStream, holds: impl Fn() -> bool) -> bool {
    stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    let mut stayed = false;
    for _ in 0..6000 {
        if holds() {
            stayed = true;
            break;
        }
        match stream.peek(&mut [0; 1]) {
            Ok(0) => break,
            Err(error) if !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                break;
            }
            _ => {}
        }
    }
    let _ = stream.set_read_timeout(None);
    stayed
}

fn take_request(stream: &mut TcpStream, wire: &mut Vec<u8>) -> Option<Asked> {
    let mut piece = [0; 65536];
    loop {
        if let Some(end) = wire.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&wire[..end]).into_owned();
            let mut lines = head.split("\r\n");
            let target = lines.next()?.split(' ').nth(1)?.to_owned();
            let pair =
                |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
            let headers: Vec<(String, String)> = lines.filter_map(pair).collect();
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let length = length.map_or(0, |(_, value)| value.parse::<usize>().unwrap());
            if wire.len() >= end + 4 + length {
                let body = wire[end + 4..end + 4 + length].to_vec();
                wire.drain(..end + 4 + length);
                return Some(Asked { target, headers, body, left: None });
            }
        }
        match stream.read(&mut piece) {
            Ok(read) if read > 0 => wire.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
}

/// A gzip member around bytes, stored: what a server sends that compresses badly. One block for each piece, so that a
/// reader can have them one by one.
pub(crate) fn gzip(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut parts = vec![vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]];
    let whole = pieces.concat();
    for piece in pieces.iter().flat_map(|piece| piece.chunks(60_000)) {
        let length = u16::try_from(piece.len()).unwrap();
        parts.push([&[0][..], &length.to_le_bytes(), &(!length).to_le_bytes(), piece].concat());
    }
    let last: [&[u8]; 3] = [&[1, 0, 0, 0xff, 0xff], &crc32(&whole).to_le_bytes(), &(whole.len() as u32).to_le_bytes()];
    parts.push(last.concat());
    parts
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

/// The list of models, with what only this server says.
pub(crate) const MODELS: &str = r#"{"object":"list","data":[{"id":"mock-1","object":"model","x_odd":[1.0,2e3]}]}"#;
