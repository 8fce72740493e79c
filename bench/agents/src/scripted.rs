//! A model that says what its script says, and a service with two tools, in one process: so both read one clock.
//!
//! The last word of the question chooses the script, its number makes every call another one: `17` in `Look up alpha17
//! (reads)`. A call comes in deltas as models send them; the clock is read right before the last bytes are written, which
//! counts that write as the server's time too.

use crate::Fallible;
use crate::turn::head;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// When the model had said all of a call, and when its tool began.
#[derive(Default)]
pub struct Clock {
    spoken: Mutex<HashMap<String, Instant>>,
    started: Mutex<Vec<f64>>,
}

impl Clock {
    fn speak(&self, key: &str) {
        self.spoken.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), Instant::now());
    }

    fn start(&self, key: &str, at: Instant) {
        if let Some(spoken) = self.spoken.lock().unwrap_or_else(PoisonError::into_inner).remove(key) {
            self.started.lock().unwrap_or_else(PoisonError::into_inner).push((at - spoken).as_secs_f64());
        }
    }

    /// Seconds from the last byte to the start, for all calls since the last question.
    pub fn take(&self) -> Vec<f64> {
        std::mem::take(&mut *self.started.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Both, and the configuration for a server that uses them.
pub struct Scripted {
    pub clock: Arc<Clock>,
    pub configuration: String,
}

impl Scripted {
    pub async fn start() -> Fallible<Self> {
        let clock = Arc::new(Clock::default());
        let (model, service) = (TcpListener::bind("127.0.0.1:0").await?, TcpListener::bind("127.0.0.1:0").await?);
        let (upstream, base) = (model.local_addr()?, service.local_addr()?);
        let document = std::env::temp_dir().join(format!("countersign-bench-agents-{}.json", std::process::id()));
        std::fs::write(&document, openapi().to_string())?;
        let configuration = format!(
            "[upstream]\nopenai = \"http://{upstream}/v1\"\nmodel = \"scripted\"\n\n[openapi.svc]\ndocument = {:?}\nbase = \"http://{base}\"\n",
            document.display().to_string()
        );
        let (own, other) = (Arc::clone(&clock), Arc::clone(&clock));
        tokio::spawn(accept(model, move |socket| speak(socket, Arc::clone(&own))));
        tokio::spawn(accept(service, move |socket| serve(socket, Arc::clone(&other))));
        Ok(Self { clock, configuration })
    }
}

async fn accept<F: Future<Output = Fallible<()>> + Send + 'static>(
    listener: TcpListener,
    with: impl Fn(TcpStream) -> F,
) {
    while let Ok((socket, _)) = listener.accept().await {
        let _ = socket.set_nodelay(true);
        tokio::spawn(with(socket));
    }
}

/// The model.
async fn speak(socket: TcpStream, clock: Arc<Clock>) -> Fallible<()> {
    let mut socket = BufReader::with_capacity(64 * 1024, socket);
    loop {
        let head = head(&mut socket).await?;
        if head.first.is_empty() {
            return Ok(());
        }
        let mut body = vec![0; head.length.unwrap_or(0)];
        socket.read_exact(&mut body).await?;
        let answer = answer(&serde_json::from_slice(&body)?);
        socket
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            .await?;
        for delta in &answer.deltas {
            socket.write_all(chunk(&event(delta, Value::Null)).as_bytes()).await?;
        }
        let finish = if answer.key.is_some() { "tool_calls" } else { "stop" };
        socket.write_all(chunk(&event(&json!({}), json!(finish))).as_bytes()).await?;
        let last = chunk("data: [DONE]\n\n") + "0\r\n\r\n";
        if let Some(key) = &answer.key {
            clock.speak(key);
        }
        socket.write_all(last.as_bytes()).await?;
    }
}

/// What is said, and for which key a tool is called.
struct Answer {
    deltas: Vec<Value>,
    key: Option<String>,
}

fn answer(request: &Value) -> Answer {
    let messages = request.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let word = |message: &Value, name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (system, role) =
        (messages.first().map(|first| word(first, "content")), messages.last().map(|last| word(last, "role")));
    let asked = messages.iter().rev().find(|message| word(message, "role") == "user").map(|said| word(said, "content"));
    let (system, asked) = (system.unwrap_or_default(), asked.unwrap_or_default());
    let number: String = asked.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let said = |text: &str| Answer {
        deltas: text.split_inclusive(' ').map(|piece| json!({"content": piece})).collect(),
        key: None,
    };
    if system.contains("Make a plan") {
        let step = |at: usize, name: &str| {
            format!("Plan: look up {name}{number}\n#E{at} = svc__look[{{\"key\": \"{name}{number}\"}}]\n")
        };
        return said(&[step(1, "alpha"), step(2, "beta"), step(3, "gamma")].concat());
    }
    match asked.rsplit('(').next() {
        Some("reads)") if role.as_deref() == Some("user") => call("svc__look", &format!("alpha{number}")),
        Some("acts)") if role.as_deref() == Some("user") => call("svc__put", &format!("alpha{number}")),
        _ => said("It is done, and nothing else was found there."),
    }
}

fn call(name: &str, key: &str) -> Answer {
    let piece = |fields: Value| json!({"tool_calls": [fields]});
    let mut deltas = vec![piece(
        json!({"index": 0, "id": format!("call_{key}"), "type": "function", "function": {"name": name, "arguments": ""}}),
    )];
    for part in ["{\"k", "ey\":", " \"", key, "\"}"] {
        deltas.push(piece(json!({"index": 0, "function": {"arguments": part}})));
    }
    Answer { deltas, key: Some(key.to_owned()) }
}

fn event(delta: &Value, finish: Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!(
        "data: {}\n\n",
        json!({"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "scripted", "choices": [choice]})
    )
}

fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

/// The service: `GET /look?key=…` and `POST /put`. It looks at the clock as soon as a request is there.
async fn serve(socket: TcpStream, clock: Arc<Clock>) -> Fallible<()> {
    let mut socket = BufReader::with_capacity(16 * 1024, socket);
    loop {
        if tokio::io::AsyncBufReadExt::fill_buf(&mut socket).await?.is_empty() {
            return Ok(());
        }
        let at = Instant::now();
        let head = head(&mut socket).await?;
        let mut body = vec![0; head.length.unwrap_or(0)];
        socket.read_exact(&mut body).await?;
        let posted =
            serde_json::from_slice::<Value>(&body).ok().and_then(|body| Some(body.get("key")?.as_str()?.to_owned()));
        let asked = head.first.split("key=").nth(1).and_then(|rest| rest.split_whitespace().next()).map(str::to_owned);
        clock.start(&posted.or(asked).unwrap_or_default(), at);
        let answer = "{\"value\": \"found\"}";
        let text = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        socket.write_all(text.as_bytes()).await?;
    }
}

fn openapi() -> Value {
    let key = json!({"type": "string", "description": "The key."});
    let found = json!({"200": {"description": "What was found."}});
    json!({
        "openapi": "3.0.3",
        "info": {"title": "A service", "version": "1"},
        "paths": {
            "/look": {"get": {
                "operationId": "look", "summary": "Looks a key up.", "responses": found,
                "parameters": [{"name": "key", "in": "query", "required": true, "schema": key}],
            }},
            "/put": {"post": {
                "operationId": "put", "summary": "Keeps a key.", "responses": found,
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                    "type": "object", "properties": {"key": key}, "required": ["key"],
                }}}},
            }},
        },
    })
}
