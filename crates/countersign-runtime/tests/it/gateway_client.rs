//! Connections to an upstream: kept, given up, and read as far as one read brings.

use bytes::Bytes;
use countersign_runtime::gateway::client::{Client, Version};
use countersign_runtime::gateway::transport::{OutBody, Transport};
use countersign_runtime::gateway::upstream::{Api, Incoming, Outgoing, Timeouts, Upstream};
use countersign_runtime::http::connector;
use futures_util::StreamExt;
use reqwest::{Method, Url, header::HeaderMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A server that gives the same bytes to every request, and counts its connections.
struct Served {
    address: String,
    connections: Arc<AtomicUsize>,
    /// Connections whose other side has left.
    left: Arc<AtomicUsize>,
}

async fn serve(answer: &'static [u8], requests_each: usize) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/base", listener.local_addr().unwrap());
    let (connections, left) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let served = Served { address, connections: Arc::clone(&connections), left: Arc::clone(&left) };
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            connections.fetch_add(1, Ordering::SeqCst);
            let left = Arc::clone(&left);
            tokio::spawn(async move {
                talk(socket, answer, requests_each).await;
                left.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    served
}

async fn talk(mut socket: TcpStream, answer: &[u8], requests: usize) {
    for _ in 0..requests {
        let mut asked = Vec::new();
        while !asked.ends_with(b"{}") {
            if !socket.read_buf(&mut asked).await.is_ok_and(|length| length > 0) {
                return;
            }
        }
        socket.write_all(answer).await.unwrap();
    }
}

fn upstream(address: &str) -> Upstream {
    let base = Url::parse(address).unwrap();
    let origin = base.origin().ascii_serialization().parse().unwrap();
    let client = Client::new(connector(&["http/1.1"]).unwrap(), origin, Version::Chosen).unwrap();
    let timeouts = Timeouts { first_byte: Duration::from_secs(10), silence: Duration::from_secs(10) };
    Upstream::web("test", Api::OpenAi, Transport::Direct(Box::new(client)), base, timeouts)
}

async fn ask(upstream: &Upstream) -> Incoming {
    let (headers, body) = (HeaderMap::new(), OutBody::Bytes(Bytes::from_static(b"{}")));
    let sent = upstream.send(Outgoing { method: Method::POST, path: "/x", headers: &headers, body }).await;
    sent.unwrap_or_else(|fault| panic!("{fault:?}"))
}

async fn pieces(incoming: Incoming) -> Vec<Bytes> {
    incoming.body.map(Result::unwrap).collect().await
}

const WHOLE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
const EMPTY: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
const CHUNKS: &[u8] =
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n";

// SERVE-6: what one read brought is one piece, however many chunks it was.
#[tokio::test]
async fn what_one_read_brings_is_one_piece() {
    let served = serve(CHUNKS, 9).await;
    let upstream = upstream(&served.address);
    for _ in 0..3 {
        assert_eq!(pieces(ask(&upstream).await).await, ["onetwothree"]);
    }
    assert_eq!(served.connections.load(Ordering::SeqCst), 1);
}

// SERVE-6: a connection whose answer was read is used again, one that the upstream closed is not.
#[tokio::test]
async fn a_connection_is_used_again_while_it_is_open() {
    for answer in [WHOLE, EMPTY] {
        let kept = serve(answer, 9).await;
        let upstream = upstream(&kept.address);
        for _ in 0..3 {
            drop(pieces(ask(&upstream).await).await);
        }
        assert_eq!(kept.connections.load(Ordering::SeqCst), 1);
    }
    let closing = serve(WHOLE, 1).await;
    let upstream = upstream(&closing.address);
    for asked in 1..4 {
        assert_eq!(pieces(ask(&upstream).await).await, ["{}"]);
        while closing.left.load(Ordering::SeqCst) < asked {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(closing.connections.load(Ordering::SeqCst), 3);
}

// SERVE-6: whoever stops reading an answer ends its connection.
#[tokio::test]
async fn an_answer_that_nobody_reads_on_ends_its_connection() {
    let served = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}", 9).await;
    let upstream = upstream(&served.address);
    let mut incoming = ask(&upstream).await;
    assert_eq!(incoming.body.next().await.unwrap().unwrap(), "{}");
    drop(incoming);
    while served.left.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(ask(&upstream).await);
    assert_eq!(served.connections.load(Ordering::SeqCst), 2);
}
