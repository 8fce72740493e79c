//! An HTTP service on loopback that keeps what it was asked, and answers as a test wants.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) line: String,
    pub(super) head: String,
    pub(super) body: String,
}

/// What is answered: bytes as they are, then the connection is closed.
pub(super) type Answer = Vec<u8>;

pub(super) struct Service {
    pub(super) base: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Service {
    pub(super) async fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (asked, answer) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let kept = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&kept)));
            }
        });
        Self { base, asked, task }
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn last(&self) -> Asked {
        self.asked().pop().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve<A: Fn(&Asked) -> Answer>(mut stream: TcpStream, answer: Arc<A>, kept: Arc<Mutex<Vec<Asked>>>) {
    let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
    let asked = loop {
        let read = stream.read(&mut piece).await.unwrap_or(0);
        heard.extend_from_slice(piece.get(..read).unwrap());
        let text = String::from_utf8_lossy(&heard).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert!(read > 0, "{text}");
            continue;
        };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        if body.len() >= length.unwrap_or(0) {
            let (line, head) = head.split_once("\r\n").unwrap();
            break Asked { line: line.to_owned(), head: head.to_lowercase(), body: body.to_owned() };
        }
    };
    let bytes = answer(&asked);
    kept.lock().unwrap().push(asked);
    // Whoever asked may have gone.
    let _ = stream.write_all(&bytes).await;
    let _ = stream.shutdown().await;
}

/// A whole answer.
pub(super) fn answer(status: u16, media: &str, body: &str) -> Answer {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {media}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    format!("{head}{body}").into_bytes()
}
