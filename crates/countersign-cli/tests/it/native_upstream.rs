//! A model's server that says what a test wants: in pieces, with errors, cut anywhere, or silent. It keeps what it was
//! asked, and sees when the other side goes away.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the model does, one after the other.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Says a chunk.
    Chunk(Value),
    /// Says bytes as they are.
    Raw(Vec<u8>),
    /// Waits.
    Pause(u64),
    /// Waits until the test lets it go on, or the other side leaves.
    Gate(Gate),
    /// Says nothing more and keeps the connection.
    Hang,
    /// Breaks the connection off.
    Cut,
    /// Answers with a status instead of a stream.
    Status(u16, String),
}

/// A gate that a test opens.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<AtomicBool>);

impl Gate {
    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// One answer.
pub(crate) type Script = Vec<Step>;

/// A chunk of text.
pub(crate) fn piece(text: &str) -> Step {
    Step::Chunk(json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

/// The finish marker.
pub(crate) fn finish(reason: &str) -> Step {
    Step::Chunk(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

/// An answer of words, in so many pieces.
pub(crate) fn text(pieces: &[&str]) -> Script {
    pieces.iter().map(|text| piece(text)).chain([finish("stop")]).collect()
}

/// Part of a call.
pub(crate) fn call_part(index: usize, id: Option<&str>, name: Option<&str>, arguments: &str) -> Step {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if let Some(id) = id {
        call["id"] = json!(id);
    }
    if let Some(name) = name {
        call["function"]["name"] = json!(name);
    }
    Step::Chunk(json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
}

/// An answer of calls, each in two pieces: `(id, name, arguments)`.
pub(crate) fn calls(all: &[(&str, &str, Value)]) -> Script {
    let mut script = Vec::new();
    for (index, (id, name, arguments)) in all.iter().enumerate() {
        let arguments = arguments.to_string();
        let (first, second) = arguments.split_at(arguments.len() / 2);
        script.push(call_part(index, Some(id), Some(name), first));
        script.push(call_part(index, None, None, second));
    }
    script.push(finish("tool_calls"));
    script
}

/// What was asked, and what became of the connection.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub body: Value,
    /// When the other side left before the answer was over.
    pub left: Option<Instant>,
}

impl Asked {
    /// All words of messages with a role.
    pub(crate) fn words(&self, role: &str) -> Vec<String> {
        let messages = self.body["messages"].as_array().unwrap().iter();
        messages.filter(|message| message["role"] == role).map(|message| message["content"].to_string()).collect()
    }
}

/// The server.
pub(crate) struct Upstream {
    pub base: String,
    inside: Arc<Inside>,
}

#[derive(Default)]
struct Inside {
    scripts: Mutex<HashMap<String, (usize, Vec<Script>)>>,
    asked: Mutex<Vec<(String, Asked)>>,
    marks: AtomicUsize,
}

impl Upstream {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let inside = Arc::new(Inside::default());
        let kept = Arc::clone(&inside);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let inside = Arc::clone(&kept);
                std::thread::spawn(move || inside.serve(stream));
            }
        });
        Self { base, inside }
    }

    /// What is answered to messages that hold the mark that this gives: one script after the other, the last forever.
    pub(crate) fn on(&self, scripts: Vec<Script>) -> String {
        let mark = format!("mark{}end", self.inside.marks.fetch_add(1, Ordering::SeqCst));
        self.inside.scripts.lock().unwrap().insert(mark.clone(), (0, scripts));
        mark
    }

    /// What was asked under a mark.
    pub(crate) fn asked(&self, mark: &str) -> Vec<Asked> {
        let asked = self.inside.asked.lock().unwrap();
        asked.iter().filter(|(known, _)| known == mark).map(|(_, asked)| asked.clone()).collect()
    }
}

impl Inside {
    fn serve(&self, mut stream: TcpStream) {
        let Some((head, body)) = take_request(&mut stream) else { return };
        if head.starts_with("GET") {
            let body = json!({"data": [{"id": "mock-1"}]}).to_string();
            return answer(&mut stream, 200, &body);
        }
        let body: Value = serde_json::from_str(&body).unwrap();
        let (mark, script) = self.script(&body.to_string());
        let at = {
            let mut asked = self.asked.lock().unwrap();
            asked.push((mark, Asked { body, left: None }));
            asked.len() - 1
        };
        if !play(&mut stream, &script) {
            self.asked.lock().unwrap()[at].1.left = Some(Instant::now());
        }
    }

    /// The script of the mark that stands last: the marks before it are of earlier turns.
    fn script(&self, body: &str) -> (String, Script) {
        let mut scripts = self.scripts.lock().unwrap();
        let last = scripts.keys().filter_map(|mark| Some((body.rfind(mark.as_str())?, mark.clone()))).max();
        let Some((_, mark)) = last else { return (String::new(), text(&["unmarked"])) };
        let (next, all) = scripts.get_mut(&mark).unwrap();
        let script = all[(*next).min(all.len() - 1)].clone();
        *next += 1;
        (mark, script)
    }
}

/// Plays a script; says whether the other side stayed to its end.
fn play(stream: &mut TcpStream, script: &[Step]) -> bool {
    if let Some(Step::Status(status, body)) = script.first() {
        answer(stream, *status, body);
        return true;
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    if stream.write_all(head.as_bytes()).is_err() {
        return false;
    }
    for step in script {
        let stayed = match step {
            Step::Chunk(chunk) => say(stream, format!("data: {chunk}\n\n").as_bytes()),
            Step::Raw(bytes) => say(stream, bytes),
            Step::Pause(millis) => {
                let until = Instant::now() + Duration::from_millis(*millis);
                wait(stream, || Instant::now() >= until)
            }
            Step::Gate(gate) => wait(stream, || gate.0.load(Ordering::SeqCst)),
            Step::Hang => wait(stream, || false),
            Step::Cut | Step::Status(..) => return true,
        };
        if !stayed {
            return false;
        }
    }
    say(stream, b"data: [DONE]\n\n") && stream.write_all(b"0\r\n\r\n").is_ok()
}

fn say(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    let chunk = [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    stream.write_all(&chunk).is_ok()
}

/// Waits for something, at most a minute; false when the other side has left.
fn wait(stream: &mut TcpStream, holds: impl Fn() -> bool) -> bool {
    stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    for _ in 0..6000 {
        if holds() {
            return true;
        }
        match stream.read(&mut [0; 16]) {
            Ok(0) => return false,
            Err(error) if !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                return false;
            }
            _ => {}
        }
    }
    false
}

fn answer(stream: &mut TcpStream, status: u16, body: &str) {
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn take_request(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let mut piece = [0; 65536];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            let length = length.unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let body = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
                return Some((head.to_uppercase(), body));
            }
        }
        match stream.read(&mut piece) {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
}
