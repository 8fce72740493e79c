//! A connection of a client, and one answer read from it: HTTP/1.1, by length, in chunks, or to the end.
//!
//! It measures when the first byte of the body came. It follows nothing and retries nothing.

use crate::Fallible;
use crate::cases::Case;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub struct Connection {
    socket: TcpStream,
    read: Vec<u8>,
    at: usize,
}

/// What came back.
pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
    /// Until the first byte of the body.
    pub first_byte: Duration,
    pub whole: Duration,
    /// The body ended as HTTP says it must.
    pub is_complete: bool,
    /// The connection may be used again.
    pub is_reusable: bool,
}

impl Connection {
    /// Connects from any of several loopback addresses, so that their ports suffice.
    pub async fn open(target: &str, from: u64) -> Fallible<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(format!("127.0.0.{}:0", 2 + from % 8).parse()?)?;
        let socket = socket.connect(target.parse()?).await?;
        socket.set_nodelay(true)?;
        Ok(Self { socket, read: Vec::new(), at: 0 })
    }

    /// Sends a request, and reads its answer as far as it comes. The error is that no head came at all.
    pub async fn ask(&mut self, request: &[u8]) -> Fallible<Reply> {
        let begun = Instant::now();
        self.socket.write_all(request).await?;
        let status: u16 = self.line().await?.split(' ').nth(1).ok_or("not HTTP")?.parse()?;
        let (mut length, mut is_chunked, mut is_reusable) = (None, false, true);
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            match line.split_once(':').map(|(name, value)| (name, value.trim())) {
                None => break,
                Some(("content-length", value)) => length = Some(value.parse::<usize>()?),
                Some(("transfer-encoding", "chunked")) => is_chunked = true,
                Some(("connection", "close")) => is_reusable = false,
                Some(_) => {}
            }
        }
        is_reusable &= is_chunked || length.is_some();
        let mut body = Body { bytes: Vec::new(), begun, first_byte: None };
        let is_complete = self.body(&mut body, length, is_chunked).await.is_ok();
        let whole = begun.elapsed();
        let first_byte = body.first_byte.unwrap_or(whole);
        Ok(Reply { status, body: body.bytes, first_byte, whole, is_complete, is_reusable: is_reusable && is_complete })
    }

    async fn body(&mut self, body: &mut Body, length: Option<usize>, is_chunked: bool) -> Fallible<()> {
        if is_chunked {
            loop {
                let size = usize::from_str_radix(self.line().await?.trim(), 16)?;
                self.take(size, body).await?;
                self.line().await?;
                if size == 0 {
                    return Ok(());
                }
            }
        }
        if let Some(length) = length {
            return self.take(length, body).await;
        }
        // To the end of the connection.
        let _ = self.take(usize::MAX, body).await;
        Ok(())
    }

    async fn line(&mut self) -> Fallible<String> {
        let mut line = Vec::new();
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.read[self.at..]) {
                line.extend(&self.read[self.at..self.at + end]);
                self.at += end + 1;
                return Ok(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned());
            }
            line.extend(&self.read[self.at..]);
            self.fill().await?;
        }
    }

    async fn take(&mut self, mut size: usize, body: &mut Body) -> Fallible<()> {
        while size > 0 {
            if self.at == self.read.len() {
                self.fill().await?;
            }
            let taken = size.min(self.read.len() - self.at);
            body.first_byte.get_or_insert_with(|| body.begun.elapsed());
            body.bytes.extend(&self.read[self.at..self.at + taken]);
            self.at += taken;
            size -= taken;
        }
        Ok(())
    }

    /// Reads more; all that was read before has been taken.
    async fn fill(&mut self) -> Fallible<()> {
        self.read.clear();
        self.at = 0;
        // Waiting must not cost ten thousand buffers: room is made when there is something to read.
        tokio::time::timeout(PATIENCE, self.socket.readable()).await??;
        self.read.reserve(2048);
        match self.socket.read_buf(&mut self.read).await? {
            0 => Err("the connection was closed".into()),
            _ => Ok(()),
        }
    }
}

struct Body {
    bytes: Vec<u8>,
    begun: Instant,
    first_byte: Option<Duration>,
}

/// The bytes of a request of a case, with more headers. `:path-prefix: P` and `:model-prefix: M` among these are none: they
/// come before the path and before the model's name, for those who want it so.
pub fn request(case: &Case, number: u64, headers: &[&str]) -> Vec<u8> {
    let prefix = |name: &str| headers.iter().find_map(|header| header.strip_prefix(name)).unwrap_or_default();
    let mut body = case.request.with(number);
    let model = prefix(":model-prefix: ");
    if !model.is_empty() {
        body = String::from_utf8_lossy(&body).replacen("bench-", &format!("{model}bench-"), 1).into_bytes();
    }
    let mut head = format!("POST {}{} HTTP/1.1\r\n{HEADERS}", prefix(":path-prefix: "), case.path);
    if case.path == "/v1/messages" {
        head.push_str("x-api-key: sk-bench\r\nanthropic-version: 2023-06-01\r\n");
    }
    for header in headers.iter().filter(|header| !header.starts_with(':')) {
        head.push_str(header);
        head.push_str("\r\n");
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    let mut bytes = head.into_bytes();
    bytes.extend(body);
    bytes
}

const HEADERS: &str = "host: bench\r\ncontent-type: application/json\r\naccept: application/json\r\nuser-agent: bench\r\n\
    authorization: Bearer sk-bench\r\n";
/// No answer takes longer than this between two reads.
const PATIENCE: Duration = Duration::from_secs(120);
