//! Two processes on PostgreSQL and Redis: one server to its users, whichever of the two they reach and whatever dies.

use crate::faults_world::{EventStream, Figures, Model, Node, lost_of, wrong_with};
use crate::serve_world::folder;
use crate::servers::{TestServer, own_postgres, own_redis};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

const LEASE: Duration = Duration::from_secs(2);

/// Two nodes and what they share.
struct Pair {
    one: Node,
    two: Node,
    postgres: TestServer,
    redis: TestServer,
    model: Model,
}

impl Pair {
    async fn start(name: &str) -> Self {
        let (postgres, redis) = tokio::task::spawn_blocking(|| (own_postgres(), own_redis())).await.unwrap();
        let model = Model::start().await;
        let (database, hot) = (postgres.url(), redis.url());
        let variables = [
            ("COUNTERSIGN_POSTGRES_URL", database.as_str()),
            ("COUNTERSIGN_REDIS_URL", hot.as_str()),
            ("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()),
            ("COUNTERSIGN_MODEL", "test"),
            ("COUNTERSIGN_LEASE", "2s"),
        ];
        let (here, there) = (folder(&format!("{name}-one")), folder(&format!("{name}-two")));
        let one = Node::start(&here, &variables).await;
        let two = Node::start(&there, &variables).await;
        Self { one, two, postgres, redis, model }
    }

    /// The whole log as the second node gives it.
    async fn log(&self, session: &str) -> EventStream {
        let mut log = self.two.events(session, None).await;
        log.finish(30).await;
        assert!(log.done);
        log
    }
}

// SERVE-5, STREAM-2, STREAM-3, STREAM-4, REVIEW-1, REVIEW-2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_are_one_server() {
    let mut pair = Pair::start("faults-nodes").await;
    a_turn_of_one_is_read_live_on_the_other(&pair).await;
    a_stop_on_one_stops_the_other(&pair).await;
    results_and_relays_are_handed_on(&pair).await;
    both_tell_the_same_figures(&pair, 1).await;
    a_call_of_one_is_decided_on_the_other(&pair).await;
    both_tell_the_same_figures(&pair, 4).await;
    a_turn_goes_on_without_redis(&mut pair).await;
    a_turn_goes_on_without_postgres(&mut pair).await;
    what_a_dead_node_left_is_ended_by_the_other(&mut pair).await;
}

async fn a_turn_of_one_is_read_live_on_the_other(pair: &Pair) {
    let mut figures = Figures::of("two nodes: read live on the other");
    let session = pair.one.session(json!([])).await;
    let mut own = pair.one.say(&session, "pieces 40 25").await;
    own.next().await.unwrap();
    let mut other = pair.two.events(&session, None).await;
    let second = pair.two.post(&format!("{session}/messages"), &json!({"content": "pieces 1 0"})).await;
    assert_eq!(second.status, 409, "a turn is running on the other node: {second:?}");
    tokio::join!(own.finish(30), other.finish(30));
    assert!(own.done && other.done);
    for (here, there) in own.events.iter().zip(&other.events).skip(3) {
        figures.time(there.at.saturating_duration_since(here.at));
    }
    figures.round();
    let bodies = |stream: &EventStream| stream.events.iter().map(|event| event.body.clone()).collect::<Vec<_>>();
    if bodies(&own) != bodies(&other) {
        figures.add(["the two readers saw different events".to_owned()]);
    }
    figures.add(wrong_with(&other.events));
    figures.finish();
}

async fn a_stop_on_one_stops_the_other(pair: &Pair) {
    let mut figures = Figures::of("two nodes: stop on the other");
    for _ in 0..3 {
        let session = pair.one.session(json!([])).await;
        let mut own = pair.one.say(&session, "hang").await;
        own.until("text_delta").await;
        let left = *pair.model.left.lock().unwrap();
        let since = Instant::now();
        assert_eq!(pair.two.post(&format!("{session}/stop"), &json!({})).await.status, 200);
        let end = own.until("stopped").await;
        own.finish(5).await;
        figures.round();
        figures.time(end.at - since);
        if end.at - since > Duration::from_secs(1) || !own.done {
            figures.add([format!("stopped after {:?}", end.at - since)]);
        }
        sleep(Duration::from_millis(200)).await;
        assert!(*pair.model.left.lock().unwrap() > left, "the upstream was left");
    }
    figures.finish();
}

async fn results_and_relays_are_handed_on(pair: &Pair) {
    let look = json!({"type": "function", "function": {"name": "look_up", "description": "Looks a word up.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}});
    let session = pair.one.session(json!([look])).await;
    let mut own = pair.one.say(&session, "tool look_up {\"word\": \"fence\"}").await;
    let call = own.until("tool_call").await.json()["payload"]["call_id"].as_str().unwrap().to_owned();
    let relay = json!({"from": "a", "to": "b", "content": "Sales rose by 12%."});
    let relayed = pair.two.post(&format!("{session}/relay"), &relay).await;
    assert_eq!(relayed.status, 200, "{relayed:?}");
    assert_eq!(relayed.json()["needs_verify"], true);
    let result = json!({"call_id": call, "content": {"meaning": "a barrier"}});
    let brought = pair.two.post(&format!("{session}/tool_results"), &result).await;
    assert_eq!(brought.status, 200, "{brought:?}");
    own.finish(20).await;
    let kinds: Vec<_> = own.events.iter().map(|event| event.kind.as_str()).collect();
    assert!(own.done && kinds.contains(&"tool_result") && kinds.last() == Some(&"completed"), "{kinds:?}");
    let log = pair.log(&session).await;
    assert_eq!((wrong_with(&log.events), lost_of(&own.events, &log.events)), (vec![], vec![]));
}

/// What one node has recorded is counted by both, whichever of them looked before.
async fn both_tell_the_same_figures(pair: &Pair, calls: u64) {
    let (here, there) = (pair.one.get("/v1/stats").await.json(), pair.two.get("/v1/stats").await.json());
    assert_eq!(here["calls"], json!(calls), "{here}");
    for name in ["calls", "verdicts", "by_tool", "by_code", "results", "answers", "outcomes", "turns"] {
        assert_eq!(here[name], there[name], "{name}");
    }
}

/// What waits on one node is listed and decided on the other, once; the turn goes on where it is.
async fn a_call_of_one_is_decided_on_the_other(pair: &Pair) {
    let mut figures = Figures::of("two nodes: decided on the other");
    let delete = json!({"type": "function", "function": {"name": "delete_record", "description": "Deletes a record for good.",
        "parameters": {"type": "object", "properties": {"record_id": {"type": "string"}}, "required": ["record_id"]}}});
    for decision in ["approve", "reject", "approve"] {
        let session = pair.one.session(json!([delete])).await;
        let mut own = pair.one.say(&session, "tool delete_record {\"record_id\": \"rec_17\"}").await;
        let waiting = own.until("review_required").await.json()["payload"]["review_id"].as_str().unwrap().to_owned();
        let listed = pair.two.get("/v1/reviews?state=pending").await.json();
        assert!(listed.to_string().contains(&waiting), "{listed}");
        let path = format!("/v1/reviews/{waiting}/decision");
        let (since, decided) =
            (Instant::now(), json!({"decision": decision, "reason": "as agreed", "reviewer": "eve"}));
        let (here, there) = tokio::join!(pair.one.post(&path, &decided), pair.two.post(&path, &decided));
        let mut statuses = [here.status, there.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "decided once: {here:?} {there:?}");
        let next = own.until(if decision == "approve" { "tool_call" } else { "warning" }).await;
        figures.round();
        figures.time(next.at - since);
        if next.at - since > Duration::from_secs(2) {
            figures.add([format!("it went on after {:?}", next.at - since)]);
        }
        if decision == "approve" {
            let call = next.json()["payload"]["call_id"].as_str().unwrap().to_owned();
            let result = json!({"call_id": call, "content": {"deleted": "rec_17"}});
            assert_eq!(pair.two.post(&format!("{session}/tool_results"), &result).await.status, 200);
        }
        own.finish(20).await;
        assert_eq!(own.events.last().map(|event| event.kind.as_str()), Some("completed"));
        let log = pair.log(&session).await;
        figures.add(wrong_with(&log.events).into_iter().chain(lost_of(&own.events, &log.events)));
    }
    figures.finish();
}

async fn a_turn_goes_on_without_redis(pair: &mut Pair) {
    let mut figures = Figures::of("two nodes: Redis flushed, then killed");
    let session = pair.one.session(json!([])).await;
    let mut own = pair.one.say(&session, "pieces 60 20").await;
    own.until("text_delta").await;
    let mut other = pair.two.events(&session, None).await;
    other.until("text_delta").await;
    flush(&pair.redis).await;
    other.until("text_delta").await;
    pair.redis.kill();
    let since = Instant::now();
    tokio::join!(own.finish(30), other.finish(30));
    figures.round();
    let end = own.events.last().unwrap().clone();
    figures.time(end.at - since);
    if end.kind != "completed" || !own.done || !other.done {
        figures.add([format!("it ended as {}", end.kind)]);
    }
    // Stop works without it, on both nodes.
    let mut hanging = pair.one.say(&session, "hang").await;
    hanging.until("text_delta").await;
    let since = Instant::now();
    assert_eq!(pair.two.post(&format!("{session}/stop"), &json!({})).await.status, 200);
    let stopped = hanging.until("stopped").await;
    if stopped.at - since > Duration::from_secs(4) {
        figures.add([format!("without Redis a stop took {:?}", stopped.at - since)]);
    }
    pair.redis.restart();
    let log = pair.log(&session).await;
    figures.add(wrong_with(&log.events));
    figures.add(lost_of(&own.events, &log.events).into_iter().chain(lost_of(&other.events, &log.events)));
    figures.finish();
}

/// FLUSHALL: everything that Redis had is gone, and it goes on as if nothing were.
async fn flush(redis: &TestServer) {
    let url = redis.url();
    let address = url.trim_start_matches("redis://").trim_end_matches("/0");
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(b"FLUSHALL\r\n").await.unwrap();
    let mut answer = [0; 5];
    socket.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"+OK\r\n");
}

async fn a_turn_goes_on_without_postgres(pair: &mut Pair) {
    let mut figures = Figures::of("two nodes: PostgreSQL killed and restarted");
    let session = pair.one.session(json!([])).await;
    let mut own = pair.one.say(&session, "pieces 150 20").await;
    own.until("text_delta").await;
    let mut other = pair.two.events(&session, None).await;
    other.next().await.unwrap();
    pair.postgres.kill();
    let since = Instant::now();
    let before = own.events.len();
    own.until("text_delta").await;
    println!("the first event without PostgreSQL after {:?}", since.elapsed());
    let reading = tokio::spawn(async move {
        tokio::join!(own.finish(30), other.finish(30));
        (own, other)
    });
    sleep(Duration::from_millis(1500)).await;
    tokio::task::block_in_place(|| pair.postgres.restart());
    println!("PostgreSQL was unavailable for {:?}", since.elapsed());
    let (own, other) = reading.await.unwrap();
    figures.round();
    figures.time(own.events.last().unwrap().at - since);
    let (mine, theirs) = (&own.events, &other.events);
    if mine.last().unwrap().kind != "completed" || mine.len() == before || !own.done || !other.done {
        figures.add([format!("the owner's turn ended as {:?}", mine.iter().rev().take(2).collect::<Vec<_>>())]);
    }
    let log = pair.log(&session).await;
    figures.add(wrong_with(&log.events));
    figures.add(lost_of(mine, &log.events).into_iter().chain(lost_of(theirs, &log.events)));
    if log.events.len() != mine.len() || theirs.len() != mine.len() {
        figures.add([format!("{} events, {} and {} were shown", log.events.len(), mine.len(), theirs.len())]);
    }
    figures.finish();
}

async fn what_a_dead_node_left_is_ended_by_the_other(pair: &mut Pair) {
    let mut figures = Figures::of("two nodes: one killed -9");
    let sessions = [pair.one.session(json!([])).await, pair.one.session(json!([])).await];
    let mut own = pair.one.say(&sessions[0], "pieces 500 10").await;
    let mut hanging = pair.one.say(&sessions[1], "hang").await;
    own.until("text_delta").await;
    hanging.until("text_delta").await;
    let mut other = pair.two.events(&sessions[0], None).await;
    other.until("text_delta").await;
    sleep(Duration::from_millis(500)).await;
    pair.one.kill();
    let since = Instant::now();
    own.finish(10).await;
    for (session, shown) in sessions.iter().zip([&own.events, &hanging.events]) {
        let mut log = pair.two.events(session, None).await;
        log.finish(20).await;
        let end = log.events.last().unwrap().clone();
        figures.round();
        figures.time(end.at - since);
        if end.kind != "lost" || end.at - since > LEASE + Duration::from_secs(1) || !log.done {
            figures.add([format!("{} after {:?}", end.kind, end.at - since)]);
        }
        figures.add(wrong_with(&log.events));
        figures.add(lost_of(shown, &log.events));
    }
    other.finish(5).await;
    assert!(other.done && other.events.last().unwrap().kind == "lost");
    // The session goes on, on the node that lives and on the one that comes back.
    let mut next = pair.two.say(&sessions[0], "pieces 2 0").await;
    assert_eq!(next.finish(20).await.last().unwrap().kind, "completed");
    pair.one.restart().await;
    let mut again = pair.one.say(&sessions[0], "pieces 2 0").await;
    assert_eq!(again.finish(20).await.last().unwrap().kind, "completed");
    figures.add(wrong_with(&pair.log(&sessions[0]).await.events));
    figures.finish();
}
