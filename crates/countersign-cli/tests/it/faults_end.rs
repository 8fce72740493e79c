//! SIGTERM with a thousand open streams, and a clock that jumps, on the real binary.

use crate::faults_world::{Figures, Model, Node, wrong_with};
use crate::serve_world::folder;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::time::sleep;

const TURNS: usize = 50;
const READERS: usize = 19;

// STREAM-2, SERVE-4; T36
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_streams_are_ended_before_the_process_is() {
    let mut figures = Figures::of("SIGTERM with 1,000 streams, the real binary");
    let model = Model::start().await;
    let variables = [
        ("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()),
        ("COUNTERSIGN_MODEL", "test"),
        ("COUNTERSIGN_SHUTDOWN_GRACE", "1s"),
    ];
    let mut node = Node::start(&folder("faults-end"), &variables).await;
    let (mut sessions, mut readers) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let session = node.session(json!([])).await;
        let mut own = node.say(&session, "hang").await;
        own.until("text_delta").await;
        let mut streams = vec![own];
        for _ in 0..READERS {
            streams.push(node.events(&session, None).await);
        }
        for mut stream in streams {
            readers.push(tokio::spawn(async move {
                stream.finish(60).await;
                stream
            }));
        }
        sessions.push(session);
    }
    assert_eq!(readers.len(), 1000);
    let since = Instant::now();
    let code = node.end().await;
    let gone = since.elapsed();
    for reader in readers {
        let stream = reader.await.unwrap();
        figures.round();
        let end = stream.events.last().unwrap();
        figures.time(end.at - since);
        let reason = end.json()["payload"]["reason"].clone();
        if end.kind != "stopped" || reason != "shutdown" || !stream.done {
            figures.add([format!("a reader was left with {} ({reason}), [DONE]: {}", end.kind, stream.done)]);
        }
    }
    println!("exit {code:?} after {gone:?}");
    assert_eq!(code, Some(0), "{}", node.log());
    node.restart().await;
    for session in sessions.iter().step_by(10) {
        let mut log = node.events(session, None).await;
        figures.add(wrong_with(log.finish(20).await));
        assert_eq!(log.events.last().unwrap().kind, "stopped");
    }
    let mut next = node.say(&sessions[0], "pieces 2 0").await;
    assert_eq!(next.finish(20).await.last().unwrap().kind, "completed", "the session goes on");
    figures.finish();
}

// STREAM-1, STREAM-2; T39
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_jumps_changes_nothing_but_timestamps() {
    let mut figures = Figures::of("clock ±1 h, the real binary");
    let model = Model::start().await;
    let folder = folder("faults-clock");
    let clock = folder.join("clock");
    std::fs::write(&clock, "+0").unwrap();
    let places = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let library = places.iter().map(|place| Path::new(place).join("faketime/libfaketime.so.1")).find(|at| at.exists());
    let library = library.expect("libfaketime is missing; run tools/test-servers, or install the package faketime");
    let (library, file) = (library.display().to_string(), clock.display().to_string());
    let variables = [
        ("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()),
        ("COUNTERSIGN_MODEL", "test"),
        ("LD_PRELOAD", library.as_str()),
        ("FAKETIME_TIMESTAMP_FILE", file.as_str()),
        ("FAKETIME_NO_CACHE", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ("DONT_FAKE_MONOTONIC", "1"),
    ];
    let node = Node::start(&folder, &variables).await;
    let session = node.session(json!([])).await;
    let mut hours = std::collections::BTreeSet::new();
    for jump in ["+3600", "-3600"] {
        let mut own = node.say(&session, "pieces 30 40").await;
        own.until("text_delta").await;
        let mut other = node.events(&session, None).await;
        let since = Instant::now();
        std::fs::write(&clock, jump).unwrap();
        tokio::join!(own.finish(20), other.finish(20));
        figures.round();
        figures.time(own.events.last().unwrap().at - since);
        if own.events.last().unwrap().kind != "completed" || !own.done || !other.done {
            figures.add([format!("after {jump} s it ended with {}", own.events.last().unwrap().kind)]);
        }
        figures.add(wrong_with(&other.events));
        let stamp = |event: &crate::faults_world::Event| {
            event.json()["timestamp"].as_str().unwrap().split(':').next().unwrap().to_owned()
        };
        hours.extend(other.events.iter().map(stamp));
    }
    assert!(hours.len() >= 2, "the clock did not jump: {hours:?}");
    sleep(Duration::from_millis(10)).await;
    figures.finish();
}
