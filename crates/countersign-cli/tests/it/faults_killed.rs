//! kill -9 in the middle of turns, again and again, on the real binary with each store: what a reader was shown is there,
//! once, in its place, to the byte; and `lost` comes within 10 s of `/readyz`.

use crate::faults_world::{Chance, Event, Figures, Model, Node, lost_of, rounds, wrong_with};
use crate::serve_world::folder;
use crate::servers::{shared_postgres, shared_redis};
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

const SESSIONS: usize = 4;

// STREAM-1, STREAM-2, SERVE-5; T37
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_with_sqlite_loses_nothing_that_was_shown() {
    let model = Model::start().await;
    let variables = [("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()), ("COUNTERSIGN_MODEL", "test")];
    let node = Node::start(&folder("faults-killed-sqlite"), &variables).await;
    kill_again_and_again(Figures::of("kill -9, SQLite"), node, rounds(4)).await;
}

// STREAM-1, STREAM-2, SERVE-5; T37
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_with_postgres_and_redis_loses_nothing_that_was_shown() {
    let model = Model::start().await;
    let urls = tokio::task::spawn_blocking(|| (shared_postgres().url(), shared_redis().url())).await.unwrap();
    let variables = [
        ("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()),
        ("COUNTERSIGN_MODEL", "test"),
        ("COUNTERSIGN_POSTGRES_URL", urls.0.as_str()),
        ("COUNTERSIGN_REDIS_URL", urls.1.as_str()),
        ("COUNTERSIGN_LEASE", "2s"),
    ];
    let node = Node::start(&folder("faults-killed-shared"), &variables).await;
    kill_again_and_again(Figures::of("kill -9, PostgreSQL and Redis"), node, rounds(3)).await;
}

async fn kill_again_and_again(mut figures: Figures, mut node: Node, rounds: usize) {
    let mut chance = Chance::new();
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(node.session(json!([])).await);
    }
    // All that any reader was ever shown, by session.
    let mut shown: Vec<Vec<Event>> = vec![Vec::new(); SESSIONS];
    for _ in 0..rounds {
        let mut readers = Vec::new();
        for session in &sessions {
            let mut stream = node.say(session, "pieces 100000 2").await;
            readers.push(tokio::spawn(async move {
                stream.finish(60).await;
                stream.events
            }));
        }
        sleep(Duration::from_millis(100 + chance.below(700))).await;
        node.kill();
        for (reader, shown) in readers.into_iter().zip(&mut shown) {
            shown.extend(reader.await.unwrap());
        }
        let ready = node.restart().await;
        figures.round();
        for (session, shown) in sessions.iter().zip(&shown) {
            let mut stream = node.events(session, None).await;
            let log = stream.finish(30).await;
            let end = log.last().unwrap();
            let took = end.at.saturating_duration_since(ready);
            figures.time(took);
            if end.kind != "lost" || took > Duration::from_secs(10) {
                figures.add([format!("{session} ended with {} after {took:?}", end.kind)]);
            }
            figures.add(wrong_with(log));
            figures.add(lost_of(shown, log));
        }
    }
    let events: usize = shown.iter().map(Vec::len).sum();
    println!("{events} events were shown before the kills");
    assert!(events > rounds * SESSIONS * 2, "only {events} events were shown in {rounds} rounds");
    let mut next = node.say(&sessions[0], "pieces 2 0").await;
    assert_eq!(next.finish(20).await.last().unwrap().kind, "completed", "the session goes on");
    figures.finish();
}
