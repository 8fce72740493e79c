//! Where readers begin and end.

use super::bench::{Got, delta, end, hub, read_all, read_from};
use countersign::contract::{EventId, EventType, Phase};
use countersign_runtime::store::EventLog;
use countersign_runtime::store::Keep;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::stream::{BadCursor, Hub, Mode, Start};
use proptest::prelude::*;
use std::sync::Arc;

fn from(mode: Mode, after: Option<&str>) -> Start {
    Start::From { mode, after: after.map(|id| id.parse().unwrap()) }
}

async fn a_finished_turn(hub: &Arc<Hub>, run: &str, deltas: usize) {
    let (_, writer) = hub.writer(run).open_turn(vec![delta("begin")]).await.unwrap();
    for at in 0..deltas {
        writer.write(vec![delta(&format!("piece {at}"))]).await.unwrap();
    }
    writer.close_turn(vec![end()]).await.unwrap();
}

// STREAM-3
#[tokio::test]
async fn every_mode_on_an_idle_session_ends_with_done() {
    let hub = hub(&Arc::new(MemoryLog::default()), "a");
    a_finished_turn(&hub, "s", 3).await;
    for (mode, expected) in
        [(Mode::None, vec![]), (Mode::Replay, vec![1, 2, 3, 4, 5]), (Mode::Hybrid, vec![1, 2, 3, 4, 5])]
    {
        let got = read_from(&hub, "s", from(mode, None)).await;
        assert_eq!((got.seqs(), got.done), (expected, true), "{mode:?}");
        assert!(got.events.iter().all(|event| event.meta.phase == Phase::Replay));
    }
    let got = read_from(&hub, "s", from(Mode::Hybrid, Some("1.3"))).await;
    assert_eq!(got.seqs(), [4, 5]);
    let empty = read_from(&hub, "nobody", from(Mode::Hybrid, None)).await;
    assert_eq!((empty.seqs(), empty.done), (vec![], true));
}

// STREAM-3: several turns in one replay have one terminal each and one [DONE].
#[tokio::test]
async fn several_turns_replay_in_one_stream() {
    let hub = hub(&Arc::new(MemoryLog::default()), "a");
    a_finished_turn(&hub, "s", 1).await;
    a_finished_turn(&hub, "s", 1).await;
    let got = read_from(&hub, "s", from(Mode::Hybrid, None)).await;
    assert_eq!(got.seqs(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(got.events.iter().filter(|event| event.event_type.is_terminal()).count(), 2);
}

// STREAM-2, STREAM-3: T32
#[tokio::test]
async fn a_running_turn_is_followed_to_its_end_by_every_tab() {
    let hub = hub(&Arc::new(MemoryLog::default()), "a");
    a_finished_turn(&hub, "s", 1).await;
    let (after, writer) = hub.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    let own = hub.reader("s", Start::OwnTurn { after }).await.unwrap();
    let tabs: Vec<_> =
        [Mode::Hybrid, Mode::Hybrid, Mode::None, Mode::Replay].into_iter().map(|mode| from(mode, None)).collect();
    let mut readers = vec![own];
    for start in tabs {
        readers.push(hub.reader("s", start).await.unwrap());
    }
    let reading: Vec<_> = readers.into_iter().map(|reader| tokio::spawn(read_all(reader))).collect();
    for at in 0..5 {
        writer.write(vec![delta(&format!("piece {at}"))]).await.unwrap();
    }
    writer.close_turn(vec![end()]).await.unwrap();
    let mut got: Vec<Got> = Vec::new();
    for task in reading {
        got.push(task.await.unwrap());
    }
    let whole: Vec<u64> = (1..=10).collect();
    assert_eq!(got[0].seqs(), whole[3..], "the posting reader sees its own turn");
    assert!(got[0].events.iter().all(|event| event.meta.phase == Phase::Live));
    assert_eq!(got[1].seqs(), whole);
    assert_eq!(got[1].bytes, got[2].bytes, "two tabs see the same");
    assert_eq!(got[3].seqs(), whole[4..], "none: only what comes later");
    assert_eq!(got[4].seqs(), whole[..4], "replay: only what exists");
    for got in &got {
        let live = got.events.iter().position(|event| event.meta.phase == Phase::Live).unwrap_or(got.events.len());
        assert!(got.events[live..].iter().all(|event| event.meta.phase == Phase::Live), "no replay follows live");
    }
}

// STREAM-3
#[tokio::test]
async fn a_cursor_that_means_nothing_gets_a_reset_and_everything() {
    let log = Arc::new(MemoryLog::default());
    let hub = hub(&log, "a");
    a_finished_turn(&hub, "s", 2).await;
    for (cursor, reason) in [("1.99", "past_head"), ("7.2", "unknown_epoch"), ("0.2", "unknown_epoch")] {
        let got = read_from(&hub, "s", from(Mode::Hybrid, Some(cursor))).await;
        let reset = &got.events[0];
        assert_eq!((reset.event_type, reset.id), (EventType::Reset, None), "{cursor}");
        assert_eq!(reset.payload.fields["reason"], reason);
        assert_eq!((&reset.payload.fields["oldest"], &reset.payload.fields["newest"]), (&"1.1".into(), &"1.4".into()));
        assert_eq!((got.seqs(), got.done), (vec![1, 2, 3, 4], true));
    }
    log.trim("s", Keep { bytes: Some(0), since: None }).await.unwrap();
    a_finished_turn(&hub, "s", 0).await;
    let gone = hub.reader("s", from(Mode::Hybrid, Some("1.2"))).await.err();
    assert_eq!(gone, Some(BadCursor::Trimmed { oldest: Some(EventId { epoch: 1, seq: 5 }) }));
    assert_eq!(
        read_from(&hub, "s", from(Mode::Hybrid, Some("1.4"))).await.seqs(),
        [5, 6],
        "nothing is missing after it"
    );
}

// STREAM-3: subscribe at append and at close, thousands of times.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_comes_while_something_is_written_misses_nothing() {
    for round in 0..300 {
        let hub = hub(&Arc::new(MemoryLog::default()), "a");
        let (_, writer) = hub.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
        let writer = tokio::spawn(async move {
            for at in 0..round % 7 {
                writer.write(vec![delta(&format!("{at}"))]).await.unwrap();
            }
            writer.close_turn(vec![end()]).await.unwrap();
        });
        for _ in 0..round % 5 {
            tokio::task::yield_now().await;
        }
        let got = read_from(&hub, "s", from(Mode::Hybrid, None)).await;
        writer.await.unwrap();
        let whole: Vec<u64> = (1..=2 + round % 7).collect();
        assert_eq!((got.seqs(), got.done), (whole, true), "round {round}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    // STREAM-3: cut anywhere, as often as you like; what was got together is the reference.
    #[test]
    fn the_pieces_of_a_cut_stream_are_the_whole(cuts in proptest::collection::vec(0usize..4000, 0..6), deltas in 0usize..12) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let hub = hub(&Arc::new(MemoryLog::default()), "a");
            a_finished_turn(&hub, "s", deltas).await;
            let reference = read_from(&hub, "s", from(Mode::Replay, None)).await;
            let mut events = Vec::new();
            let mut last: Option<EventId> = None;
            for cut in cuts.into_iter().chain([usize::MAX]) {
                let mut reader = hub.reader("s", Start::From { mode: Mode::Hybrid, after: last }).await.unwrap();
                let mut bytes = Vec::new();
                while let Some(frames) = reader.next().await {
                    bytes.extend_from_slice(&frames.bytes);
                }
                bytes.truncate(cut);
                // A client keeps whole frames and forgets a torn one.
                let whole = bytes.windows(2).rposition(|pair| pair == b"\n\n").map_or(0, |at| at + 2);
                let mut got = Got::default();
                got.take(&bytes[..whole]);
                last = got.events.last().and_then(|event| event.id).or(last);
                events.extend(got.events);
            }
            prop_assert_eq!(&events, &reference.events);
            Ok(())
        })?;
    }
}
