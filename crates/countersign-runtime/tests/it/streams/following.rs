//! Readers that follow a run from turn to turn: the same laws as for one turn (order, once, reset), and an end.

use super::bench::{Got, delta, end, hub, options, read_all, read_from};
use countersign::contract::{EventId, EventType, Phase};
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::store::{EventLog, Keep};
use countersign_runtime::stream::{BadCursor, FollowFrom, Hub, HubOptions, Mode, Reader, Start};
use futures_util::FutureExt;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;

const ALL: Start = Start::Following { from: FollowFrom::After(None) };
const NOW: Start = Start::Following { from: FollowFrom::Now };

async fn turn(hub: &Arc<Hub>, deltas: usize) {
    let (_, writer) = hub.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    for at in 0..deltas {
        writer.write(vec![delta(&format!("piece {at}"))]).await.unwrap();
    }
    writer.close_turn(vec![end()]).await.unwrap();
}

/// What is written between turns: a message between agents, news of a claim.
async fn aside(hub: &Arc<Hub>) {
    hub.writer("s").write(vec![delta("aside")]).await.unwrap();
}

async fn replay(hub: &Arc<Hub>) -> Got {
    read_from(hub, "s", Start::From { mode: Mode::Replay, after: None }).await
}

/// Takes what is there already.
fn drain(reader: &mut Reader, got: &mut Got) {
    while let Some(Some(frames)) = reader.next().now_or_never() {
        got.take(&frames.bytes);
    }
}

// STREAM-3: it stays between turns, sees what is written outside of them, and ends with the hub.
#[tokio::test]
async fn a_follower_stays_from_turn_to_turn() {
    let hub = hub(&Arc::new(MemoryLog::default()), "a");
    turn(&hub, 1).await;
    let all = tokio::spawn(read_all(hub.reader("s", ALL).await.unwrap()));
    let now = tokio::spawn(read_all(hub.reader("s", NOW).await.unwrap()));
    let mut waiting = hub.reader("s", ALL).await.unwrap();
    let mut got = Got::default();
    drain(&mut waiting, &mut got);
    assert_eq!((got.seqs(), got.done), (vec![1, 2, 3], false), "an idle run is no end");
    turn(&hub, 2).await;
    aside(&hub).await;
    turn(&hub, 0).await;
    drain(&mut waiting, &mut got);
    assert_eq!(got.seqs(), (1..=10).collect::<Vec<_>>());
    hub.close();
    let (all, now) = (all.await.unwrap(), now.await.unwrap());
    assert_eq!((all.seqs(), all.done), ((1..=10).collect(), true));
    assert_eq!((now.seqs(), now.done), ((4..=10).collect(), true));
    for (got, live) in [(&all, 3), (&now, 0)] {
        let phases: Vec<Phase> = got.events.iter().map(|event| event.meta.phase).collect();
        let (before, after) = phases.split_at(live);
        assert!(before.iter().all(|phase| *phase == Phase::Replay), "{phases:?}");
        assert!(after.iter().all(|phase| *phase == Phase::Live), "{phases:?}");
    }
    assert!(read_from(&hub, "s", ALL).await.done, "who comes after the end gets what is there, and the end");
}

// STREAM-3: a follower gives signs of life, and a run that is removed ends it without a false alarm.
#[tokio::test(start_paused = true)]
async fn a_removed_run_ends_its_followers() {
    for turns in [0, 2] {
        let hub = hub(&Arc::new(MemoryLog::default()), "a");
        for _ in 0..turns {
            turn(&hub, 1).await;
        }
        let mut reader = hub.reader("s", ALL).await.unwrap();
        let mut got = Got::default();
        drain(&mut reader, &mut got);
        let beat = reader.next().await.unwrap();
        assert_eq!((&beat.bytes[..], beat.end), (&b": heartbeat\n\n"[..], false));
        let reading = tokio::spawn(read_all(reader));
        tokio::task::yield_now().await;
        hub.remove("s").await.unwrap();
        let rest = reading.await.unwrap();
        assert_eq!((rest.events, rest.done), (vec![], true), "after {turns} turns");
    }
}

// STREAM-3: another node removes the run; the follower here notices by itself.
#[tokio::test(start_paused = true)]
async fn a_run_that_another_node_removes_ends_its_followers() {
    let log = Arc::new(MemoryLog::default());
    let (here, there) = (hub(&log, "a"), hub(&log, "b"));
    turn(&here, 1).await;
    let reader = here.reader("s", ALL).await.unwrap();
    there.remove("s").await.unwrap();
    let began = tokio::time::Instant::now();
    let got = read_all(reader).await;
    assert!(got.done && began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

// STREAM-3: cursors that cannot be served are told so, as ever; what is written later comes after the reset.
#[tokio::test]
async fn a_follower_with_a_bad_cursor_is_told() {
    let log = Arc::new(MemoryLog::default());
    let hub = hub(&log, "a");
    turn(&hub, 2).await;
    let after = |id: &str| Start::Following { from: FollowFrom::After(Some(id.parse().unwrap())) };
    let mut readers = Vec::new();
    for cursor in ["1.99", "7.2", "0.2"] {
        readers.push(hub.reader("s", after(cursor)).await.unwrap());
    }
    turn(&hub, 0).await;
    hub.close();
    for reader in readers {
        let got = read_all(reader).await;
        assert_eq!((got.events[0].event_type, got.events[0].id), (EventType::Reset, None));
        assert_eq!((got.seqs(), got.done), ((1..=6).collect(), true));
    }
    log.trim("s", Keep { bytes: Some(0), since: None }).await.unwrap();
    turn(&hub, 0).await;
    let gone = hub.reader("s", after("1.2")).await.err();
    assert!(matches!(gone, Some(BadCursor::Trimmed { .. })), "{gone:?}");
}

// STREAM-3: while a turn runs at the end, its terminal event comes before [DONE].
#[tokio::test]
async fn what_was_written_comes_before_the_end() {
    for round in 0..200 {
        let hub = hub(&Arc::new(MemoryLog::default()), "a");
        let reading = tokio::spawn(read_all(hub.reader("s", ALL).await.unwrap()));
        for _ in 0..round % 4 {
            tokio::task::yield_now().await;
        }
        turn(&hub, round % 6).await;
        aside(&hub).await;
        hub.close();
        let got = reading.await.unwrap();
        assert_eq!((got.seqs().len(), got.done), (round % 6 + 3, true), "round {round}");
    }
}

// STREAM-3: subscribe while turns are written, hundreds of times, on threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_that_comes_while_turns_are_written_misses_nothing() {
    for round in 0..200 {
        let hub = hub(&Arc::new(MemoryLog::default()), "a");
        let writer = tokio::spawn({
            let hub = Arc::clone(&hub);
            async move {
                for at in 0..4 {
                    turn(&hub, (round + at) % 3).await;
                    aside(&hub).await;
                }
            }
        });
        for _ in 0..round % 9 {
            tokio::task::yield_now().await;
        }
        let reading = tokio::spawn(read_all(hub.reader("s", ALL).await.unwrap()));
        writer.await.unwrap();
        hub.close();
        let got = reading.await.unwrap();
        assert_eq!((got.seqs(), got.done), (replay(&hub).await.seqs(), true), "round {round}");
    }
}

#[derive(Debug, Clone)]
enum Deed {
    Turn(usize),
    Aside,
    /// The connection breaks after so many bytes of what it was sent.
    Cut(usize),
    Read,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => (0usize..4).prop_map(Deed::Turn),
        2 => Just(Deed::Aside),
        2 => (0usize..3000).prop_map(Deed::Cut),
        3 => Just(Deed::Read),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    // STREAM-3: whatever is written and wherever it is cut, what a follower got together is the log, once and in order.
    #[test]
    fn the_pieces_of_a_followed_run_are_the_whole(deeds in proptest::collection::vec(deed(), 0..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let quiet = HubOptions { heartbeat: Duration::from_secs(600), alone: true, ..options("a") };
            let hub = Hub::new(Arc::new(MemoryLog::default()) as Arc<dyn EventLog>, None, quiet);
            let mut events = Vec::new();
            let mut last: Option<EventId> = None;
            let mut reader = hub.reader("s", ALL).await.unwrap();
            let mut sent = Vec::new();
            for deed in deeds {
                match deed {
                    Deed::Turn(deltas) => turn(&hub, deltas).await,
                    Deed::Aside => aside(&hub).await,
                    Deed::Read => {
                        while let Some(Some(frames)) = reader.next().now_or_never() {
                            sent.extend_from_slice(&frames.bytes);
                        }
                    }
                    Deed::Cut(at) => {
                        sent.truncate(at);
                        take(&mut sent, &mut last, &mut events);
                        reader = hub.reader("s", Start::Following { from: FollowFrom::After(last) }).await.unwrap();
                    }
                }
            }
            hub.close();
            while let Some(frames) = reader.next().await {
                sent.extend_from_slice(&frames.bytes);
            }
            prop_assert!(sent.ends_with(b"data: [DONE]\n\n"));
            take(&mut sent, &mut last, &mut events);
            let contents = |events: &[countersign::contract::StreamEvent]| -> Vec<_> {
                events.iter().map(|event| (event.id, event.event_type, event.payload.clone())).collect()
            };
            prop_assert_eq!(contents(&events), contents(&replay(&hub).await.events));
            Ok(())
        })?;
    }
}

/// A client keeps whole frames and forgets a torn one. On one connection no replay follows what is live.
fn take(sent: &mut Vec<u8>, last: &mut Option<EventId>, events: &mut Vec<countersign::contract::StreamEvent>) {
    let whole = sent.windows(2).rposition(|pair| pair == b"\n\n").map_or(0, |at| at + 2);
    sent.truncate(whole);
    let mut got = Got::default();
    got.take(sent);
    let mut later = got.events.iter().skip_while(|event| event.meta.phase == Phase::Replay);
    assert!(later.all(|event| event.meta.phase == Phase::Live), "no replay follows live");
    *last = got.events.last().and_then(|event| event.id).or(*last);
    events.extend(got.events);
    sent.clear();
}
