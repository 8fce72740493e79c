//! Writers that die, sleep and come back.

use super::bench::{delta, end, hub, options, read_from};
use countersign::contract::EventType;
use countersign_runtime::store::EventLog;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::stream::{Hub, HubOptions, Mode, Start, WriteError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const REPLAY: Start = Start::From { mode: Mode::Hybrid, after: None };

// STREAM-2: a writer that is gone for good: `lost` within the lease and a second.
#[tokio::test(start_paused = true)]
async fn a_turn_whose_node_died_ends_as_lost_on_another() {
    let log = Arc::new(MemoryLog::default());
    let (dead, alive) = (hub(&log, "dead"), hub(&log, "alive"));
    let dying = tokio::spawn(Arc::clone(&dead).watch());
    let watch = tokio::spawn(Arc::clone(&alive).watch());
    let (_, writer) = dead.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(log.head("s").await.unwrap().open, "a node that beats is not dead");
    dying.abort();
    let since = Instant::now();
    let got = read_from(&alive, "s", REPLAY).await;
    assert!(since.elapsed() <= options("").lease + Duration::from_secs(1), "{:?}", since.elapsed());
    let last = got.events.last().unwrap();
    assert_eq!((last.event_type, last.id.unwrap().to_string().as_str()), (EventType::Lost, "2.2"));
    assert_eq!(writer.write(vec![delta("zombie")]).await, Err(WriteError::Fenced));
    assert_eq!(writer.close_turn(vec![end()]).await, Err(WriteError::Fenced));
    assert_eq!(read_from(&alive, "s", REPLAY).await.seqs(), [1, 2], "a zombie adds nothing");
    watch.abort();
}

// STREAM-2: the session goes on, also on the node that was given up.
#[tokio::test(start_paused = true)]
async fn a_session_takes_new_turns_after_it_was_lost() {
    let log = Arc::new(MemoryLog::default());
    let (one, two) = (hub(&log, "one"), hub(&log, "two"));
    let (_, writer) = one.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    let watch = tokio::spawn(Arc::clone(&two).watch());
    read_from(&two, "s", REPLAY).await;
    let (after, next) = one.writer("s").open_turn(vec![delta("again")]).await.unwrap();
    assert_eq!(after, 2);
    assert_eq!(writer.write(vec![delta("zombie")]).await, Err(WriteError::Fenced), "the old turn stays dead");
    next.close_turn(vec![end()]).await.unwrap();
    let got = read_from(&two, "s", REPLAY).await;
    let ids: Vec<_> = got.events.iter().map(|event| event.id.unwrap().to_string()).collect();
    assert_eq!(ids, ["1.1", "2.2", "3.3", "3.4"]);
    watch.abort();
}

// STREAM-2: with a log of its own, a process ends what the one before left open, before it takes a request.
#[tokio::test]
async fn a_process_that_is_alone_sweeps_at_its_start() {
    let log = Arc::new(MemoryLog::default());
    hub(&log, "before").writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    let now = Hub::new(Arc::clone(&log) as Arc<dyn EventLog>, None, HubOptions { alone: true, ..options("now") });
    assert_eq!(now.sweep_at_start().await.unwrap(), 1);
    let got = read_from(&now, "s", REPLAY).await;
    assert_eq!((got.seqs(), got.events.last().unwrap().event_type), (vec![1, 2], EventType::Lost));
}

// STREAM-3: a turn that is written on one node is read live on another; a second turn is refused there.
#[tokio::test(start_paused = true)]
async fn a_turn_of_one_node_is_read_live_on_another() {
    let log = Arc::new(MemoryLog::default());
    let (one, two) = (hub(&log, "one"), hub(&log, "two"));
    let beats = tokio::spawn(Arc::clone(&one).watch());
    let watch = tokio::spawn(Arc::clone(&two).watch());
    let (_, writer) = one.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    let reading = tokio::spawn({
        let two = Arc::clone(&two);
        async move { read_from(&two, "s", REPLAY).await }
    });
    for at in 0..20 {
        tokio::time::sleep(Duration::from_millis(37)).await;
        writer.write(vec![delta(&format!("{at}"))]).await.unwrap();
    }
    assert!(
        matches!(two.writer("s").open_turn(vec![delta("x")]).await, Err(WriteError::Elsewhere(owner)) if owner.node == "one")
    );
    assert!(matches!(one.writer("s").open_turn(vec![delta("x")]).await, Err(WriteError::Busy)));
    writer.close_turn(vec![end()]).await.unwrap();
    let got = reading.await.unwrap();
    assert_eq!((got.seqs(), got.done), ((1..=22).collect(), true));
    beats.abort();
    watch.abort();
}
