//! The real server on a free port, a plain HTTP client that hides nothing, and a place that takes what the server sends.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A running server. It is killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub address: String,
    log: Arc<Mutex<String>>,
}

/// An answer, as it came over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// The value of a header that must be there once.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found: Vec<&str> = self.headers.iter().filter(|(key, _)| key == name).map(|(_, v)| v.as_str()).collect();
        assert_eq!(found.len(), 1, "{name} in {:?}", self.headers);
        found[0]
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(key, _)| key == name)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect(&self.body)
    }

    /// The code of an error, after a look at its form.
    pub(crate) fn error(&self) -> String {
        let body = self.json();
        let fields = body["error"].as_object().expect(&self.body);
        for key in ["message", "type", "code", "param"] {
            assert!(fields.contains_key(key), "{key} in {}", self.body);
        }
        fields["code"].as_str().unwrap().to_owned()
    }
}

/// A folder of one test, empty.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A command without the caller's environment.
pub(crate) fn bare(args: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(args).env_clear().env("HOME", env!("CARGO_TARGET_TMPDIR")).envs(variables.iter().copied());
    command
}

impl Server {
    /// Starts one with its data in a folder.
    pub(crate) fn start(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let data = folder.display().to_string();
        let mut all = vec!["serve", "--listen", "127.0.0.1:0", "--data-dir", &data];
        all.extend(args);
        let mut child = bare(&all, variables).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let log = Arc::new(Mutex::new(String::new()));
        let mut address = None;
        let mut line = String::new();
        while address.is_none() {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "it did not start: {}", log.lock().unwrap());
            let said = line.trim().strip_prefix("countersign: listening on http");
            address = said.and_then(|rest| rest.trim_start_matches('s').strip_prefix("://")).map(str::to_owned);
            log.lock().unwrap().push_str(&line);
        }
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|read| read > 0) {
                kept.lock().unwrap().push_str(&line);
                line.clear();
            }
        });
        Self { child, address: address.unwrap(), log }
    }

    /// What it said on standard error so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &[("content-type", "application/json")], body)
    }

    /// Asks on a connection of its own.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head.push_str(&format!("host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || method == "POST" {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        self.say(format!("{head}\r\n{body}").as_bytes())
    }

    /// Sends bytes and reads to the end.
    pub(crate) fn say(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).unwrap();
        read(&String::from_utf8(heard).unwrap())
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// The ids of the processes that it has started.
    #[cfg(target_os = "linux")]
    pub(crate) fn children(&self) -> Vec<String> {
        let own = self.child.id();
        let tasks = std::fs::read_dir(format!("/proc/{own}/task")).unwrap();
        let children = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        children.flat_map(|ids| ids.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// Waits for the end of one that was told to.
    pub(crate) fn end_already(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Asks it to end, and waits.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.signal("TERM");
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").expect(text);
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    Answer { status, headers: lines.filter_map(pair).collect(), body: body.to_owned() }
}

/// Tries until something holds, at most so long.
pub(crate) fn within(seconds: u64, what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(seconds);
    while !holds() {
        assert!(Instant::now() < end, "{what}: not within {seconds} s");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Takes every request that comes, answers 200, and keeps what it got.
pub(crate) struct Receiver {
    pub address: String,
    got: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let got = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&got);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || take(stream, &kept));
            }
        });
        Self { address, got }
    }

    /// What came so far, lossily as text, one request each.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.got.lock().unwrap().iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }
}

fn take(mut stream: TcpStream, kept: &Mutex<Vec<Vec<u8>>>) {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let whole = String::from_utf8_lossy(&bytes).into_owned();
        let head = whole.split("\r\n\r\n").next().unwrap_or_default().to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if whole.contains("\r\n\r\n") && bytes.len() >= head.len() + 4 + length.unwrap_or(0) {
            break;
        }
        match stream.read(&mut piece) {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    kept.lock().unwrap().push(bytes);
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
}
