//! A session made, and a turn in it: said, read to its end, and checked.

use crate::Fallible;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// What a turn was seen to do.
#[derive(Debug, Default, Clone)]
pub struct Turn {
    /// How it ended.
    pub ending: String,
    pub events: usize,
    pub tool_results: usize,
    /// What went wrong with its stream, where something did.
    pub broken: Option<String>,
    /// Warnings by their codes.
    pub warnings: Vec<String>,
}

/// A connection to the server, used again and again.
pub struct Line {
    socket: BufReader<TcpStream>,
}

impl Line {
    pub async fn open(address: &str) -> Fallible<Self> {
        let socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        Ok(Self { socket: BufReader::with_capacity(16 * 1024, socket) })
    }

    /// Makes a session; gives its id.
    pub async fn session(&mut self, wish: &Value) -> Fallible<String> {
        let answer = self.post("/v1/sessions", wish).await?;
        Ok(answer.get("session_id").and_then(Value::as_str).ok_or_else(|| answer.to_string())?.to_owned())
    }

    async fn post(&mut self, path: &str, body: &Value) -> Fallible<Value> {
        self.send(path, body).await?;
        let head = self.head().await?;
        let mut bytes = vec![0; head.length.ok_or("no content-length")?];
        self.socket.read_exact(&mut bytes).await?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// Says something, and reads the turn to its end. A tool of the client's is answered with what it was called with.
    pub async fn say(&mut self, other: &mut Option<Self>, session: &str, words: &str) -> Fallible<Turn> {
        self.send(&format!("/v1/sessions/{session}/messages"), &json!({"content": words})).await?;
        let head = self.head().await?;
        if !head.first.contains(" 200 ") || head.length.is_some() {
            return Err(format!("a turn was refused: {}", head.first.trim()).into());
        }
        let mut turn = Turn::default();
        let (mut is_done, mut rest) = (false, Vec::new());
        while let Some(chunk) = self.chunk().await? {
            rest.extend_from_slice(&chunk);
            let Some(last) = rest.iter().rposition(|byte| *byte == b'\n') else { continue };
            let whole: Vec<u8> = rest.drain(..=last).collect();
            for line in String::from_utf8_lossy(&whole).lines() {
                let Some(data) = line.strip_prefix("data:").map(str::trim) else { continue };
                if is_done {
                    turn.broken = Some(format!("after [DONE]: {data}"));
                }
                is_done = data == "[DONE]";
                if !is_done && let Some(call) = turn.take(data)? {
                    let Some(other) = other else { return Err("a call for the client, and nobody to run it".into()) };
                    let told = other.post(&format!("/v1/sessions/{session}/tool_results"), &call).await?;
                    if told.get("accepted").is_none() {
                        turn.broken = Some(told.to_string());
                    }
                }
            }
        }
        if !is_done || turn.ending.is_empty() {
            turn.broken = Some(format!("[DONE]: {is_done}, ending: {:?}", turn.ending));
        }
        Ok(turn)
    }

    async fn send(&mut self, path: &str, body: &Value) -> Fallible<()> {
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.socket.write_all((head + &body).as_bytes()).await?;
        Ok(())
    }

    async fn head(&mut self) -> Fallible<Head> {
        head(&mut self.socket).await
    }

    /// The next piece of a chunked body; none at its end.
    async fn chunk(&mut self) -> Fallible<Option<Vec<u8>>> {
        let mut line = String::new();
        if self.socket.read_line(&mut line).await? == 0 {
            return Err("the server closed the stream in the middle".into());
        }
        let size = usize::from_str_radix(line.trim(), 16)?;
        let mut bytes = vec![0; size + 2];
        self.socket.read_exact(&mut bytes).await?;
        bytes.truncate(size);
        Ok((size > 0).then_some(bytes))
    }
}

impl Turn {
    /// Takes an event; gives the result of a call where the client must bring one.
    fn take(&mut self, data: &str) -> Fallible<Option<Value>> {
        self.events += 1;
        let event: Value = serde_json::from_str(data)?;
        let word = |place: &str| event.pointer(place).and_then(Value::as_str).unwrap_or_default();
        if !self.ending.is_empty() {
            self.broken = Some(format!("{} after the end", word("/event_type")));
        }
        match word("/event_type") {
            ending @ ("completed" | "failed" | "stopped" | "lost") => self.ending = ending.to_owned(),
            "tool_result" => self.tool_results += 1,
            "warning" => self.warnings.push(word("/payload/code").to_owned()),
            "error" => self.warnings.push(format!("error {}", word("/payload/message"))),
            "tool_call" if word("/payload/run_by") == "client" => {
                let arguments = event.pointer("/payload/arguments").cloned().unwrap_or_default();
                return Ok(Some(json!({"call_id": word("/payload/call_id"), "content": arguments})));
            }
            _ => {}
        }
        Ok(None)
    }
}

/// The head of a message.
pub struct Head {
    pub first: String,
    pub length: Option<usize>,
}

/// Reads a head; its first line is empty where the other side has gone.
pub async fn head(reader: &mut (impl AsyncBufReadExt + Unpin)) -> Fallible<Head> {
    let mut head = Head { first: String::new(), length: None };
    reader.read_line(&mut head.first).await?;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).await? == 0 || line == "\r\n" {
            return Ok(head);
        }
        let lower = line.to_ascii_lowercase();
        if let Some(length) = lower.strip_prefix("content-length:") {
            head.length = Some(length.trim().parse()?);
        }
    }
}
