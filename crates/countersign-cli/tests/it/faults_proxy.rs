//! The network between a client and the real binary, through a proxy in this process that does harm: it cuts at a byte,
//! passes one byte at a time, delays, or stops reading and stays open.

use crate::faults_world::{Event, EventStream, Figures, Model, Node, read_frame, request, rounds, wrong_with};
use crate::serve_world::folder;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// What the proxy does to what the server says.
#[derive(Debug, Clone, Copy)]
enum Harm {
    /// The connection breaks after so many bytes.
    CutAfter(usize),
    /// One byte at a time.
    ByteWise,
    /// Everything comes later.
    Delay(Duration),
    /// The head of the answer is read, then nothing more; nothing is closed.
    HalfOpen,
}

struct Proxy {
    address: String,
}

impl Proxy {
    async fn start(server: &str, harm: Harm) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = server.to_owned();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server.clone(), harm));
            }
        });
        Self { address }
    }
}

async fn pass(client: TcpStream, server: String, harm: Harm) -> Option<()> {
    let server = TcpStream::connect(server).await.ok()?;
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut passed = 0;
    let mut buffer = vec![0; 4096];
    loop {
        let room = match harm {
            Harm::CutAfter(bytes) => buffer.len().min(bytes - passed),
            _ => buffer.len(),
        };
        if room == 0 {
            return None;
        }
        let read = from_server.read(&mut buffer[..room]).await.ok().filter(|read| *read > 0)?;
        passed += read;
        match harm {
            Harm::ByteWise => {
                for byte in &buffer[..read] {
                    to_client.write_all(std::slice::from_ref(byte)).await.ok()?;
                    tokio::task::yield_now().await;
                }
            }
            Harm::Delay(time) => {
                sleep(time).await;
                to_client.write_all(&buffer[..read]).await.ok()?;
            }
            Harm::HalfOpen => std::future::pending::<()>().await,
            Harm::CutAfter(_) => to_client.write_all(&buffer[..read]).await.ok()?,
        }
    }
}

async fn a_node(name: &str) -> (Node, Model) {
    let model = Model::start().await;
    let variables = [("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()), ("COUNTERSIGN_MODEL", "test")];
    (Node::start(&folder(name), &variables).await, model)
}

/// The whole frames that came before a connection broke, however it did.
async fn cut_reading(address: &str, host: &str, path: &str) -> Vec<Event> {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(request(host, "GET", path, None, "").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    while socket.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {}
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some((_, body)) = text.split_once("\r\n\r\n") else { return Vec::new() };
    let whole = body.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
    whole.split("\n\n").filter(|frame| !frame.is_empty()).filter_map(read_frame).collect()
}

// STREAM-3: T31
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_cut_anywhere_misses_nothing() {
    let mut figures = Figures::of("client cut through a proxy, the real binary");
    let (node, _model) = a_node("faults-proxy-cut").await;
    let session = node.session(json!([])).await;
    node.say(&session, "pieces 6 40").await.finish(20).await;
    let mut reference = node.events(&session, None).await;
    let reference: Vec<_> = reference.finish(20).await.iter().map(|event| event.body.clone()).collect();
    let path = format!("{session}/events");
    // Every so many bytes; every single one with COUNTERSIGN_FAULT_ROUNDS=1 and more.
    let step = if rounds(0) == 0 { 23 } else { 1 };
    let mut cut = 1;
    loop {
        let proxy = Proxy::start(&node.address, Harm::CutAfter(cut)).await;
        let before = cut_reading(&proxy.address, &node.address, &path).await;
        let last = before.last().and_then(|event| event.id);
        let since = Instant::now();
        let mut rest = node.events(&session, last).await;
        let after = rest.finish(20).await;
        figures.time(since.elapsed());
        figures.round();
        let together: Vec<_> = before.iter().chain(after).map(|event| event.body.clone()).collect();
        if together != reference {
            figures.add([format!(
                "cut after {cut} bytes: {} and {} of {}",
                before.len(),
                after.len(),
                reference.len()
            )]);
        }
        if before.len() == reference.len() {
            break;
        }
        cut += step;
    }
    figures.finish();
}

// STREAM-2, STREAM-3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_are_slow_or_gone_harm_nobody() {
    let mut figures = Figures::of("slow and half-open clients, the real binary (p50, p99: of the others' events)");
    let (node, _model) = a_node("faults-proxy-slow").await;
    let long = node.session(json!([])).await;
    for _ in 0..24 {
        node.say(&long, "big 50 0").await.finish(60).await;
    }
    let quiet = latencies(&node).await;
    let before = node.resident();
    let half_open = Proxy::start(&node.address, Harm::HalfOpen).await;
    let late = Proxy::start(&node.address, Harm::Delay(Duration::from_millis(100))).await;
    let bytewise = Proxy::start(&node.address, Harm::ByteWise).await;
    let mut held = Vec::new();
    for at in 0..40 {
        let address = if at % 4 == 0 { &late.address } else { &half_open.address };
        let mut socket = TcpStream::connect(address).await.unwrap();
        let asked = request(&node.address, "GET", &format!("{long}/events"), None, "");
        socket.write_all(asked.as_bytes()).await.unwrap();
        held.push(socket);
    }
    sleep(Duration::from_secs(2)).await;
    let busy = latencies(&node).await;
    let grown = node.resident().saturating_sub(before);
    let at = |times: &[Duration], share: usize| times[times.len() * share / 100];
    let (p99, was) = (at(&busy, 99), at(&quiet, 99));
    println!("40 slow clients on 10 MiB: {grown} KiB more; the others' p99 {was:?} -> {p99:?}");
    busy.iter().for_each(|time| figures.time(*time));
    held.iter().for_each(|_| figures.round());
    // One page and one buffer each, and what the allocator keeps for later; all of the log for all of them would be 400 MiB.
    if grown > 160 * 1024 {
        figures.add([format!("40 slow clients cost {grown} KiB")]);
    }
    if p99 > was * 5 + Duration::from_millis(100) {
        figures.add([format!("the others' p99 went from {was:?} to {p99:?}")]);
    }
    let session = node.session(json!([])).await;
    node.say(&session, "pieces 4 40").await.finish(20).await;
    let mut slowly = EventStream::open(&bytewise.address, "GET", &format!("{session}/events"), None, "").await;
    if slowly.status == 200 {
        figures.add(wrong_with(slowly.finish(20).await));
        assert!(slowly.done);
    } else {
        figures.add([format!("byte by byte: status {}", slowly.status)]);
    }
    figures.finish();
}

/// How long after the first of several readers the last one has an event, over a turn.
async fn latencies(node: &Node) -> Vec<Duration> {
    let session = node.session(json!([])).await;
    let mut own = node.say(&session, "pieces 40 35").await;
    own.next().await.unwrap();
    let mut others = Vec::new();
    for _ in 0..5 {
        let mut stream = node.events(&session, None).await;
        others.push(tokio::spawn(async move {
            stream.finish(60).await;
            stream.events
        }));
    }
    own.finish(60).await;
    let mut times = Vec::new();
    for other in others {
        for event in other.await.unwrap() {
            let same = own.events.iter().find(|mine| mine.id == event.id).unwrap();
            // What was replayed to it came later because it came later.
            if same.at > own.events[0].at + Duration::from_millis(300) {
                times.push(event.at.max(same.at) - event.at.min(same.at));
            }
        }
    }
    times.sort();
    assert!(times.len() > 50, "{} events", times.len());
    times
}
