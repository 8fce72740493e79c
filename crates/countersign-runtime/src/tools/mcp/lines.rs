//! What a program writes, line by line, with an end to every line.
//!
//! A line that is no message is dropped. A line that is too long is dropped too; where it was the answer to a request, an
//! error goes in its place, so that nobody waits for it. A program that writes nothing but such lines is given up.

use regex::bytes::Regex;
use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// The messages in what a program writes.
pub(super) struct Lines<R> {
    inner: R,
    /// Said when there is nothing more to read.
    ended: CancellationToken,
    chunk: Box<[u8]>,
    /// What waits to be read, and how much of it was.
    ready: Vec<u8>,
    given: usize,
    line: Line,
    /// How much was dropped since the last message.
    wasted: usize,
}

/// What is known of the line that is being read.
#[derive(Default)]
struct Line {
    length: usize,
    fate: Fate,
    head: Vec<u8>,
    tail: Vec<u8>,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Fate {
    /// Nothing but blanks so far.
    #[default]
    Open,
    Message,
    Garbage,
    TooLong,
}

impl<R> Lines<R> {
    pub(super) fn new(inner: R, ended: CancellationToken) -> Self {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Self { inner, ended, chunk, ready: Vec::new(), given: 0, line: Line::default(), wasted: 0 }
    }

    /// Takes some bytes of the program in.
    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let end = memchr::memchr(b'\n', bytes);
            let (piece, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.piece(piece);
            bytes = rest;
            if end.is_some() {
                self.end_of_line();
                bytes = bytes.get(1..).unwrap_or_default();
            }
            if self.wasted > MOST_WASTED {
                return Err(io::Error::other("it wrote too much that is no message"));
            }
        }
        Ok(())
    }

    fn piece(&mut self, piece: &[u8]) {
        self.line.length += piece.len();
        if self.line.fate == Fate::Open {
            let first = piece.iter().find(|byte| !byte.is_ascii_whitespace() && !BYTE_ORDER_MARK.contains(byte));
            match first {
                Some(b'{' | b'[') => self.line.fate = Fate::Message,
                Some(_) => self.line.fate = Fate::Garbage,
                None => {}
            }
        }
        if self.line.fate == Fate::Message && self.line.length > LONGEST {
            self.line.fate = Fate::TooLong;
        }
        match self.line.fate {
            Fate::Open => {}
            Fate::Message => {
                let room = EDGE.saturating_sub(self.line.head.len()).min(piece.len());
                self.line.head.extend_from_slice(piece.get(..room).unwrap_or_default());
                self.ready.extend_from_slice(piece);
            }
            Fate::Garbage | Fate::TooLong => {
                self.wasted += piece.len();
                self.line.tail.extend_from_slice(piece.get(piece.len().saturating_sub(EDGE)..).unwrap_or_default());
                let spare = self.line.tail.len().saturating_sub(EDGE);
                self.line.tail.drain(..spare);
            }
        }
    }

    fn end_of_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        match line.fate {
            Fate::Open => {}
            Fate::Message => {
                self.ready.push(b'\n');
                self.wasted = 0;
            }
            Fate::Garbage => tracing::debug!(bytes = line.length, "an MCP server wrote a line that is no message"),
            Fate::TooLong => {
                tracing::warn!(bytes = line.length, "an MCP server wrote a message that is too long; it is left out");
                // The beginning went on already: as long as it is, the reader drops it at this end of the line.
                self.ready.push(b'\n');
                if let Some(id) = read_answered_id(&line.head, &line.tail) {
                    self.ready.extend_from_slice(in_its_place(id).as_bytes());
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            let waiting = this.ready.get(this.given..).unwrap_or_default();
            if !waiting.is_empty() {
                let some = waiting.get(..waiting.len().min(buffer.remaining())).unwrap_or_default();
                buffer.put_slice(some);
                this.given += some.len();
                return Poll::Ready(Ok(()));
            }
            this.ready.clear();
            this.given = 0;
            let mut chunk = std::mem::take(&mut this.chunk);
            let mut read = ReadBuf::new(&mut chunk);
            let polled = Pin::new(&mut this.inner).poll_read(context, &mut read);
            let taken = match polled {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Ok(())) if read.filled().is_empty() => Poll::Ready(Ok(false)),
                Poll::Ready(Ok(())) => Poll::Ready(this.take(read.filled()).map(|()| true)),
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            };
            this.chunk = chunk;
            match taken {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(true)) => {}
                Poll::Ready(Ok(false)) => {
                    this.ended.cancel();
                    return Poll::Ready(Ok(()));
                }
                Poll::Ready(Err(error)) => {
                    this.ended.cancel();
                    return Poll::Ready(Err(error));
                }
            }
        }
    }
}

/// The request that a message answers, by its first and its last bytes.
fn read_answered_id(head: &[u8], tail: &[u8]) -> Option<u64> {
    let number = |pattern: &Regex, text: &[u8]| {
        let digits = pattern.captures(text)?.name("id")?.as_bytes().to_vec();
        String::from_utf8(digits).ok()?.parse().ok()
    };
    number(&AT_THE_HEAD, head).or_else(|| number(&AT_THE_TAIL, tail).filter(|_| ANSWERS.is_match(head)))
}

fn in_its_place(id: u64) -> String {
    let message = format!("the answer was longer than {LONGEST} bytes and was left out; ask for less");
    format!("{}\n", serde_json::json!({"jsonrpc": "2.0", "id": id, "error": {"code": TOO_LONG, "message": message}}))
}

fn pattern(words: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "the patterns are these three, and each test reads them")]
    Regex::new(words).unwrap()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&AT_THE_HEAD);
    LazyLock::force(&AT_THE_TAIL);
    LazyLock::force(&ANSWERS);
}

static AT_THE_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(?P<id>\d{1,18})\s*,(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"(?:result|error)"\s*:"#,
    )
});
static AT_THE_TAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"[}\]"]\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?,\s*"id"\s*:\s*(?P<id>\d{1,18})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$"#,
    )
});
static ANSWERS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:"#));

/// How long a message may be.
pub(super) const LONGEST: usize = 8 * 1024 * 1024;
/// The code of the error in the place of a message that was too long.
pub(super) const TOO_LONG: i32 = -32_090;
/// How much may be dropped between two messages.
const MOST_WASTED: usize = 256 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;
/// So much of the beginning and of the end of a long line is looked at.
const EDGE: usize = 512;
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn read(given: &[u8]) -> String {
        let mut lines = Lines::new(given, CancellationToken::new());
        let mut text = String::new();
        lines.read_to_string(&mut text).await.unwrap();
        assert!(lines.ended.is_cancelled());
        text
    }

    #[tokio::test]
    async fn messages_go_through_and_garbage_does_not() {
        let given = b"starting up...\n{\"a\":1}\n\n  \r\n\x00\xff\xfe\nnull\n \xef\xbb\xbf{\"b\":2}\r\n{\"c\"";
        assert_eq!(read(given).await, "{\"a\":1}\n \u{feff}{\"b\":2}\r\n{\"c\"");
    }

    // STREAM-6
    #[tokio::test]
    async fn a_message_that_is_too_long_becomes_an_error_for_its_request() {
        let long = "x".repeat(LONGEST);
        for (line, id) in [
            (format!(r#"{{"jsonrpc":"2.0","id":5,"result":{{"text":"{long}"}}}}"#), Some(5)),
            (format!(r#"{{"result":{{"text":"{long}"}},"jsonrpc":"2.0","id":7}}"#), Some(7)),
            (format!(r#"{{"jsonrpc": "2.0", "result": {{"text": "{long}"}}, "id": 8}}"#), Some(8)),
            (format!(r#"{{"method":"x","params":{{"text":"{long}"}},"jsonrpc":"2.0","id":7}}"#), None),
            (format!(r#"{{"result":{{"text":"{long}\",\"id\":7}}"}}"#), None),
        ] {
            let given = format!("{line}\n{{\"next\":1}}\n");
            let text = read(given.as_bytes()).await;
            let lines: Vec<&str> = text.lines().collect();
            let answers: Vec<&&str> = lines.iter().filter(|line| line.contains(&TOO_LONG.to_string())).collect();
            match id {
                Some(id) => assert!(answers.len() == 1 && answers[0].contains(&format!("\"id\":{id}")), "{answers:?}"),
                None => assert!(answers.is_empty(), "{answers:?}"),
            }
            assert_eq!(lines.last(), Some(&"{\"next\":1}"));
            assert!(lines[0].len() <= LONGEST);
        }
    }

    // STREAM-6
    #[tokio::test]
    async fn a_program_that_never_ends_its_line_is_given_up() {
        let mut lines = Lines::new(tokio::io::repeat(b'{'), CancellationToken::new());
        let mut sink = vec![0; 1 << 20];
        let mut total = 0;
        let error = loop {
            match lines.read(&mut sink).await {
                Ok(read) => total += read,
                Err(error) => break error,
            }
        };
        assert!(total <= LONGEST + CHUNK && lines.ready.capacity() < 4 * CHUNK, "{total}");
        assert!(error.to_string().contains("no message"), "{error}");
    }
}
