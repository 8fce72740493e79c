//! What a check costs over HTTP: `/v1/check` of the real server beside a bare axum echo of the same body, in one run.
//!
//! Both servers are processes of their own, driven over the same number of keep-alive loopback connections, in turns, so
//! that what else the machine does hits both. The promise: at least 0.6 of the echo's requests a second.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench that cannot run fails, and prints what it saw")]

use axum::Router;
use axum::routing::post;
use axum::serve::ListenerExt;
use bytes::Bytes;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if std::env::args().any(|arg| arg == "--echo") {
        runtime.block_on(echo());
        return ExitCode::SUCCESS;
    }
    let connections = number("--connections").unwrap_or(16);
    let rounds = number("--rounds").unwrap_or(21);
    let body = body();
    let (echo_server, echo_at) = start(Command::new(std::env::current_exe().unwrap()).arg("--echo"));
    let (our_server, ours_at) = start(
        Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir", ":memory:"])
            .env_remove("COUNTERSIGN_API_KEYS"),
    );
    println!("body {} bytes, {connections} connections, {rounds} rounds of {ROUND:?} each", body.len());
    let mut ratios = Vec::new();
    for round in 0..=rounds {
        let (echo, echo_cost) = measure(&echo_server, || runtime.block_on(drive(&echo_at, &body, connections)));
        let (ours, our_cost) = measure(&our_server, || runtime.block_on(drive(&ours_at, &body, connections)));
        // The first round warms both up.
        if round > 0 {
            println!(
                "echo {echo:>8.0}/s {echo_cost:>5.1} µs   check {ours:>8.0}/s {our_cost:>5.1} µs   {:.2}",
                ours / echo
            );
            ratios.push(ours / echo);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
    println!("check / echo, median {median:.2} (promise: at least 0.60)");
    ExitCode::from(u8::from(median < 0.6))
}

/// The echo: what the framework alone costs.
async fn echo() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // On standard error and in the words of the server, so that one reader understands both.
    #[expect(clippy::print_stderr, reason = "the parent reads it")]
    {
        eprintln!("countersign: listening on http://{}", listener.local_addr().unwrap());
    }
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = Router::new().route("/v1/check", post(|body: Bytes| async { body }));
    axum::serve(listener, router).await.unwrap();
}

/// A server that is killed with us.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(command: &mut Command) -> (Running, String) {
    let mut child = command.stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next().unwrap().unwrap();
        if let Some(address) = line.strip_prefix("countersign: listening on http://") {
            break address.to_owned();
        }
    };
    std::thread::spawn(move || lines.for_each(drop));
    (Running(child), address)
}

/// Requests a second, and the processor time that the server spent on each, in microseconds.
fn measure(server: &Running, run: impl FnOnce() -> f64) -> (f64, f64) {
    let before = server.processor_time();
    let rate = run();
    let spent = server.processor_time() - before;
    (rate, spent * 1e6 / (rate * ROUND.as_secs_f64()))
}

impl Running {
    /// Seconds in user and kernel, in steps of a hundredth; zero where the system does not say.
    fn processor_time(&self) -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        let fields = text.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
        fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
    }
}

/// Requests a second over some connections, each with one request on its way.
async fn drive(address: &str, body: &str, connections: usize) -> f64 {
    let request = format!(
        "POST /v1/check HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let end = Instant::now() + ROUND;
    let began = Instant::now();
    let clients: Vec<_> =
        (0..connections).map(|_| tokio::spawn(client(address.to_owned(), request.clone().into_bytes(), end))).collect();
    let mut count = 0;
    for client in clients {
        count += client.await.unwrap();
    }
    f64::from(count) / began.elapsed().as_secs_f64()
}

async fn client(address: String, request: Vec<u8>, end: Instant) -> u32 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut heard = vec![0; 16 * 1024];
    let mut count = 0;
    while Instant::now() < end {
        stream.write_all(&request).await.unwrap();
        let mut filled = 0;
        loop {
            let read = stream.read(heard.get_mut(filled..).unwrap()).await.unwrap();
            assert!(read > 0, "the server closed the connection");
            filled += read;
            if is_whole(heard.get(..filled).unwrap()) {
                break;
            }
        }
        assert!(heard.starts_with(b"HTTP/1.1 200"));
        count += 1;
    }
    count
}

/// Whether an answer has arrived with its body.
fn is_whole(heard: &[u8]) -> bool {
    let Some(head) = heard.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let text = std::str::from_utf8(heard.get(..head).unwrap()).unwrap();
    let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    heard.len() >= head + 4 + length.unwrap().parse::<usize>().unwrap()
}

/// A request of one kilobyte with one tool.
fn body() -> String {
    let tool = json!({
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city on a day, from the national service, with the wind and the chance of rain.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "The name of the city, such as Oslo"},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14, "description": "How many days ahead"},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                    "language": {"type": "string", "enum": ["en", "zh", "no"], "description": "The language of the answer"}
                },
                "required": ["city"],
                "additionalProperties": false
            }
        }
    });
    let message =
        "What will the weather be like in Oslo over the next 3 days? Please answer in degrees celsius, in English.";
    json!({
        "id": "bench-1",
        "tools": [tool],
        "messages": [{"role": "user", "content": message}],
        "call": {"id": "call_1", "name": "get_weather", "arguments": {"city": "Oslo", "days": 3, "unit": "celsius", "language": "en"}}
    })
    .to_string()
}

fn number(name: &str) -> Option<usize> {
    std::env::args().skip_while(|arg| arg != name).nth(1)?.parse().ok()
}

/// Short, so that both meet the same weather.
const ROUND: Duration = Duration::from_millis(700);
