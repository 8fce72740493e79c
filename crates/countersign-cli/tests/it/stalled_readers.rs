//! Readers that stop reading: what each of them costs the server, on the routes of sessions and on the drop-in routes.

use crate::faults_world::{Model, Node, request};
use crate::serve_world::folder;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::sleep;

/// The first so many fill what the allocator keeps; what more of them add is what one costs.
const FIRST: usize = 24;
const ALL: usize = 96;
/// What docs/reliability.md promises for each, in KiB, and as much again for what the allocator keeps.
const EACH: u64 = 2 * 256;
/// The same for a client of the gateway: what came from upstream waits in up to four pieces of 64 KiB, the most that is read
/// at once, and a mebibyte of the answer's text is remembered for corrections.
const GATEWAY: u64 = 1024 + 4 * 64 + EACH;

/// A client with a small window that reads the beginning and then nothing.
async fn stall(node: &Node, asked: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    let mut stream = socket.connect(node.address.parse().unwrap()).await.unwrap();
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut head = [0; 512];
    assert!(stream.read(&mut head).await.unwrap() > 0);
    stream
}

/// What one more reader costs, in KiB, after everything was read a few times: pools and caches are filled by then.
async fn cost(node: &Node, asked: &str) -> u64 {
    for _ in 0..4 {
        let mut stream = TcpStream::connect(&node.address).await.unwrap();
        stream.write_all(asked.as_bytes()).await.unwrap();
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all).await;
        assert!(all.len() > 5_000_000, "{}", all.len());
    }
    let (mut held, mut first) = (Vec::new(), 0);
    while held.len() < ALL {
        held.push(stall(node, asked).await);
        if held.len() == FIRST {
            sleep(Duration::from_secs(3)).await;
            first = node.resident();
        }
    }
    sleep(Duration::from_secs(3)).await;
    node.resident().saturating_sub(first) / (ALL - FIRST) as u64
}

/// The least of a few looks: what else the process does in between, on a machine that is busy, only adds.
async fn least_cost(node: &Node, asked: &str, bound: u64) -> u64 {
    let mut least = cost(node, asked).await;
    for _ in 0..2 {
        if least > bound {
            least = least.min(cost(node, asked).await);
        }
    }
    least
}

// STREAM-5, SERVE-7: a page each, and no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_reader_of_a_session_costs_a_page() {
    let model = Model::start().await;
    let variables = [("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()), ("COUNTERSIGN_MODEL", "test")];
    let node = Node::start(&folder("stalled-session"), &variables).await;
    let session = node.session(json!([])).await;
    // 6 MB in answers of 20 KB: the closing message is one event, and an event is held whole.
    for _ in 0..150 {
        node.say(&session, "big 5 0").await.finish(60).await;
    }
    let asked = request(&node.address, "GET", &format!("{session}/events"), None, "");
    let each = least_cost(&node, &asked, EACH).await;
    println!("a stalled reader of a session costs {each} KiB");
    assert!(each <= EACH, "{each} KiB");
}

// STREAM-5, SERVE-7: the gateway holds what its connections hold, in and out, and never the answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_client_of_the_gateway_costs_its_buffers() {
    let model = Model::start().await;
    let variables = [("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()), ("COUNTERSIGN_MODEL", "test")];
    let node = Node::start(&folder("stalled-gateway"), &variables).await;
    let body = json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "big 1500 0"}]});
    let asked = request(&node.address, "POST", "/v1/chat/completions", None, &body.to_string());
    let each = least_cost(&node, &asked, GATEWAY).await;
    println!("a stalled client of the gateway costs {each} KiB");
    assert!(each <= GATEWAY, "{each} KiB");
}
