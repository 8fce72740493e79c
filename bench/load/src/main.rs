//! Many open streams against a real server, all on this machine.
//!
//! `countersign-bench-load BINARY turns|tabs STREAMS SECONDS`: starts the server on a free port with its default store in a
//! new folder, and a model that says a word every half second. With `turns` every stream is a session with a turn of its
//! own; with `tabs` a hundred readers share each session. A word carries the time at which the model said it, so a reader
//! knows how late it is. The server's processor time and memory are read from /proc.

use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Fallible<()> {
    let args: Vec<String> = std::env::args().collect();
    let [_, binary, shape, streams, seconds] = args.as_slice() else {
        eprintln!("countersign-bench-load BINARY turns|tabs STREAMS SECONDS");
        std::process::exit(2);
    };
    let (streams, seconds): (usize, u64) = (streams.parse()?, seconds.parse()?);
    let load = Arc::new(Load::new());
    let model = TcpListener::bind("127.0.0.1:0").await?;
    let upstream = format!("http://{}/v1", model.local_addr()?);
    tokio::spawn(speak(model, Arc::clone(&load)));
    let folder = std::env::temp_dir().join(format!("countersign-load-{}", std::process::id()));
    let (server, address) = start(binary, &upstream, &folder)?;
    let per_session = if shape == "tabs" { 100 } else { 1 };
    open(&load, &address, streams, per_session).await?;
    println!("{} streams open after {:.1} s", load.open.load(Ordering::Relaxed), load.begun.elapsed().as_secs_f64());
    measure(&load, &server, seconds).await?;
    drop(server);
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}

/// What all parts share.
struct Load {
    begun: Instant,
    open: AtomicU64,
    events: AtomicU64,
    errors: AtomicU64,
    measuring: AtomicBool,
    /// How late each word was, in buckets of a millisecond; the last one is for later.
    late: Vec<AtomicU64>,
}

impl Load {
    fn new() -> Self {
        let late = (0..=LATEST).map(|_| AtomicU64::new(0)).collect();
        let (open, events, errors) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        Self { begun: Instant::now(), open, events, errors, measuring: AtomicBool::new(false), late }
    }

    fn micros(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    /// Takes a word that was said at a time.
    fn heard(&self, said: u64) {
        if self.measuring.load(Ordering::Relaxed) {
            let late = (self.micros().saturating_sub(said) / 1000).min(LATEST as u64);
            self.late[late as usize].fetch_add(1, Ordering::Relaxed);
            self.events.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn quantile(&self, share: f64) -> usize {
        let all: u64 = self.late.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        let mut left = (all as f64 * share) as u64;
        for (millis, count) in self.late.iter().enumerate() {
            let count = count.load(Ordering::Relaxed);
            if count > left {
                return millis;
            }
            left -= count;
        }
        LATEST
    }
}

/// The server, killed when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(binary: &str, upstream: &str, folder: &std::path::Path) -> Fallible<(Server, String)> {
    let mut child = Command::new(binary)
        .args(["serve", "--listen", "127.0.0.1:0", "--upstream-openai", upstream, "--model", "load", "--data-dir"])
        .arg(folder)
        .args(["--log-level", "error", "--set", "limits.connections=50000"])
        .stderr(Stdio::piped())
        .spawn()?;
    let mut lines = std::io::BufReader::new(child.stderr.take().ok_or("no stderr")?);
    let mut line = String::new();
    while std::io::BufRead::read_line(&mut lines, &mut line)? > 0 {
        if let Some(address) = line.trim().strip_prefix("countersign: listening on http://") {
            let address = address.to_owned();
            std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::stderr()));
            return Ok((Server(child), address));
        }
        line.clear();
    }
    Err("the server did not start".into())
}

/// The model: a word every half second, to everybody, forever.
async fn speak(listener: TcpListener, load: Arc<Load>) {
    while let Ok((socket, _)) = listener.accept().await {
        let load = Arc::clone(&load);
        tokio::spawn(async move {
            let _ = socket.set_nodelay(true);
            let _ = talk(socket, &load).await;
        });
    }
}

async fn talk(socket: TcpStream, load: &Load) -> Fallible<()> {
    let (read, mut write) = socket.into_split();
    let mut reader = BufReader::with_capacity(2048, read);
    head(&mut reader).await?;
    drop(reader);
    write.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n").await?;
    // Everybody at another moment of the half second, as in life.
    tokio::time::sleep(Duration::from_micros(load.micros() % 500_000)).await;
    let mut every = tokio::time::interval(Duration::from_millis(500));
    loop {
        every.tick().await;
        let said = load.micros();
        let data = format!("data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"load\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"word t={said};\"}},\"finish_reason\":null}}]}}\n\n");
        write.write_all(format!("{:x}\r\n{data}\r\n", data.len()).as_bytes()).await?;
    }
}

/// Opens the streams, a few hundred a second.
async fn open(load: &Arc<Load>, address: &str, streams: usize, per_session: usize) -> Fallible<()> {
    let mut making = tokio::task::JoinSet::new();
    let mut sessions = Vec::new();
    for _ in 0..streams / per_session {
        let address = address.to_owned();
        making.spawn(async move { session(&address).await });
        if making.len() >= 32 {
            sessions.extend(making.join_next().await.transpose()?.transpose()?);
        }
    }
    while let Some(made) = making.join_next().await {
        sessions.push(made??);
    }
    eprintln!("{} sessions after {:.1} s", sessions.len(), load.begun.elapsed().as_secs_f64());
    let gate = Arc::new(tokio::sync::Semaphore::new(64));
    let mut opening = Vec::new();
    for id in sessions {
        for at in 0..per_session {
            let (load, gate, address, id) = (Arc::clone(load), Arc::clone(&gate), address.to_owned(), id.clone());
            let permit = gate.acquire_owned().await?;
            let opened = Arc::new(tokio::sync::Notify::new());
            opening.push(Arc::clone(&opened));
            tokio::spawn(async move {
                let path = format!("/v1/sessions/{id}");
                let request = if at == 0 {
                    let body = "{\"content\": \"talk to me\"}";
                    format!("POST {path}/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
                } else {
                    format!("GET {path}/events?mode=none HTTP/1.1\r\nhost: x\r\n\r\n")
                };
                if let Err(error) = follow(&address, &request, &load, permit, opened).await {
                    if load.errors.fetch_add(1, Ordering::Relaxed) < 5 {
                        eprintln!("a stream ended: {error}");
                    }
                }
            });
            if at == 0 && per_session > 1 {
                // The turn is open before its other readers come.
                opening.pop().ok_or("no stream")?.notified().await;
            }
        }
    }
    // The gate is free again when the last one has its headers.
    let _all = gate.acquire_many(64).await?;
    Ok(())
}

/// Reads a stream to its end, and hears every word in it.
async fn follow(
    address: &str,
    request: &str,
    load: &Load,
    permit: tokio::sync::OwnedSemaphorePermit,
    opened: Arc<tokio::sync::Notify>,
) -> Fallible<()> {
    let mut socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    socket.write_all(request.as_bytes()).await?;
    let mut reader = BufReader::with_capacity(1024, socket);
    let status = head(&mut reader).await?;
    if !status.contains(" 200 ") {
        return Err(status.into());
    }
    load.open.fetch_add(1, Ordering::Relaxed);
    opened.notify_one();
    drop(permit);
    let mut line = Vec::new();
    while reader.read_until(b';', &mut line).await? > 0 {
        let text = String::from_utf8_lossy(&line);
        // A word is in its delta only: in nothing else is `t=` followed by digits and a semicolon.
        if let Some((_, said)) = text.rsplit_once("t=")
            && let Ok(said) = said.trim_end_matches(';').parse()
        {
            load.heard(said);
        }
        line.clear();
    }
    Err("the server closed it".into())
}

async fn session(address: &str) -> Fallible<String> {
    let mut socket = TcpStream::connect(address).await?;
    let body = "{\"agent\":\"react\"}";
    let request = format!("POST /v1/sessions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    socket.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await?;
    let id = answer.split_once("\"session_id\":\"").and_then(|(_, rest)| rest.split_once('"'));
    Ok(id.ok_or("no session")?.0.to_owned())
}

/// Reads a head; gives its first line.
async fn head(reader: &mut (impl AsyncBufReadExt + Unpin)) -> Fallible<String> {
    let mut first = String::new();
    reader.read_line(&mut first).await?;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).await? == 0 || line == "\r\n" {
            return Ok(first);
        }
    }
}

async fn measure(load: &Load, server: &Server, seconds: u64) -> Fallible<()> {
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = cpu(server.0.id())?;
    let begun = Instant::now();
    load.measuring.store(true, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    load.measuring.store(false, Ordering::Relaxed);
    let took = begun.elapsed().as_secs_f64();
    let cores = (cpu(server.0.id())? - before) / took;
    let events = load.events.load(Ordering::Relaxed);
    load.errors.store(load.errors.load(Ordering::Relaxed) + 1_000_000, Ordering::Relaxed);
    println!("words heard {events} ({:.0} a second), streams that ended {}", events as f64 / took, load.errors.load(Ordering::Relaxed) - 1_000_000);
    println!("late: p50 {} ms, p99 {} ms, p99.9 {} ms, worst {} ms", load.quantile(0.5), load.quantile(0.99), load.quantile(0.999), load.quantile(0.999_999_9));
    println!("server: {cores:.2} cores, {} MiB", memory(server.0.id())? / 1024);
    Ok(())
}

/// Seconds of processor time.
fn cpu(pid: u32) -> Fallible<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit_once(')').ok_or("no stat")?.1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// Resident memory in KiB.
fn memory(pid: u32) -> Fallible<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let fields: HashMap<&str, &str> = status.lines().filter_map(|line| line.split_once(':')).collect();
    Ok(fields["VmRSS"].split_whitespace().next().ok_or("no memory")?.parse()?)
}

/// Words that are later than so many milliseconds are counted together.
const LATEST: usize = 60_000;
