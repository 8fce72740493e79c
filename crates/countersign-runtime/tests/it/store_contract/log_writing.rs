//! Who may write a run, and what becomes of what they write.

use super::words::{all, append, entry, held, numbers, owner, run_with, turn};
use countersign::contract::EventType;
use countersign_runtime::store::{Append, Appended, Claimed, Entry, EventLog, Head, Lease, StoreError, TurnMark};
use std::collections::BTreeMap;
use std::sync::Arc;

type Log = Arc<dyn EventLog>;

pub(crate) async fn a_first_claim_makes_the_run(log: Log) {
    let claimed = log.claim("r", &owner("a")).await.unwrap();
    assert_eq!(claimed, Claimed::Held(Lease { epoch: 1, seq: 0, open: false }));
    assert_eq!(log.head("r").await.unwrap(), Head { epoch: 1, seq: 0, oldest: 1, open: false });
}

pub(crate) async fn a_claim_of_ones_own_keeps_the_epoch(log: Log) {
    run_with(&*log, "r", 3).await;
    let claimed = log.claim("r", &owner("a")).await.unwrap();
    assert_eq!(claimed, Claimed::Held(Lease { epoch: 1, seq: 3, open: false }));
    assert_eq!(log.append(turn("r", 1, 3, TurnMark::Open)).await.unwrap(), Appended::Done);
    let claimed = log.claim("r", &owner("a")).await.unwrap();
    assert_eq!(claimed, Claimed::Held(Lease { epoch: 1, seq: 3, open: true }));
    assert_eq!(log.append(append("r", 1, 3, 1)).await.unwrap(), Appended::Done);
}

pub(crate) async fn a_claim_of_an_idle_run_of_another_fences_it(log: Log) {
    run_with(&*log, "r", 3).await;
    let claimed = log.claim("r", &owner("b")).await.unwrap();
    assert_eq!(claimed, Claimed::Held(Lease { epoch: 2, seq: 3, open: false }));
    assert_eq!(log.append(append("r", 1, 3, 1)).await.unwrap(), Appended::Fenced { epoch: 2 });
    // The next epoch goes on with the next number.
    assert_eq!(log.append(append("r", 2, 3, 1)).await.unwrap(), Appended::Done);
    let ids: Vec<_> = all(&*log, "r").await.iter().map(|entry| entry.id.to_string()).collect();
    assert_eq!(ids, ["1.1", "1.2", "1.3", "2.4"]);
    // Back to the first: a third epoch, never the first one again.
    assert_eq!(held(log.claim("r", &owner("a")).await.unwrap()).epoch, 3);
}

pub(crate) async fn a_claim_of_anothers_open_turn_is_taken(log: Log) {
    run_with(&*log, "r", 1).await;
    assert_eq!(log.append(turn("r", 1, 1, TurnMark::Open)).await.unwrap(), Appended::Done);
    assert_eq!(log.claim("r", &owner("b")).await.unwrap(), Claimed::Taken(owner("a")));
    assert_eq!(log.head("r").await.unwrap().epoch, 1);
    assert_eq!(log.append(turn("r", 1, 1, TurnMark::Close)).await.unwrap(), Appended::Done);
    assert_eq!(held(log.claim("r", &owner("b")).await.unwrap()).epoch, 2);
}

pub(crate) async fn a_seizure_needs_the_epoch_that_was_seen(log: Log) {
    assert_eq!(log.seize("nowhere", 0, &owner("b")).await.unwrap(), None);
    assert_eq!(log.seize("nowhere", 1, &owner("b")).await.unwrap(), None);
    assert_eq!(log.head("nowhere").await.unwrap(), Head { oldest: 1, ..Head::default() });
    run_with(&*log, "r", 2).await;
    assert_eq!(log.seize("r", 2, &owner("b")).await.unwrap(), None);
    assert_eq!(log.seize("r", 0, &owner("b")).await.unwrap(), None);
    let lease = log.seize("r", 1, &owner("b")).await.unwrap();
    assert_eq!(lease, Some(Lease { epoch: 2, seq: 2, open: false }));
    // A second sweeper saw the same epoch and comes too late.
    assert_eq!(log.seize("r", 1, &owner("c")).await.unwrap(), None);
    assert_eq!(log.append(append("r", 1, 2, 1)).await.unwrap(), Appended::Fenced { epoch: 2 });
}

pub(crate) async fn a_seized_turn_stays_open(log: Log) {
    run_with(&*log, "r", 1).await;
    assert_eq!(log.append(turn("r", 1, 1, TurnMark::Open)).await.unwrap(), Appended::Done);
    let lease = log.seize("r", 1, &owner("b")).await.unwrap();
    assert_eq!(lease, Some(Lease { epoch: 2, seq: 1, open: true }));
    assert_eq!(log.claim("r", &owner("a")).await.unwrap(), Claimed::Taken(owner("b")));
    let lost = Append { turn: TurnMark::Close, ..append("r", 2, 1, 1) };
    assert_eq!(log.append(lost).await.unwrap(), Appended::Done);
    assert_eq!(log.head("r").await.unwrap(), Head { epoch: 2, seq: 2, oldest: 1, open: false });
}

pub(crate) async fn a_run_that_nobody_claimed_cannot_be_written(log: Log) {
    assert_eq!(log.append(append("r", 1, 0, 1)).await.unwrap(), Appended::Fenced { epoch: 0 });
    assert_eq!(log.append(turn("r", 0, 0, TurnMark::Open)).await.unwrap(), Appended::Fenced { epoch: 0 });
    assert_eq!(log.head("r").await.unwrap(), Head { oldest: 1, ..Head::default() });
    assert!(log.runs("", 10).await.unwrap().is_empty());
}

pub(crate) async fn events_are_written_and_read_back_byte_for_byte(log: Log) {
    held(log.claim("r", &owner("a")).await.unwrap());
    let bodies =
        ["{}", r#"{"a": "é \u0000 \n", "b":1.50}"#, "not even JSON", "", "🦀\u{7f}\u{200b}", "  padded  ", "''\"\\"];
    let whole = |kinds: &mut dyn Iterator<Item = &EventType>| -> Vec<Entry> {
        let kinds = kinds.zip(bodies.iter().cycle()).zip(1..);
        kinds.map(|((kind, body), seq)| Entry { kind: *kind, at: -5 + seq as i64, ..entry(1, seq, body) }).collect()
    };
    let entries = whole(&mut EventType::ALL.iter());
    let sent = Append { entries: entries.clone(), ..append("r", 1, 0, 0) };
    assert_eq!(log.append(sent).await.unwrap(), Appended::Done);
    assert_eq!(all(&*log, "r").await, entries);
}

pub(crate) async fn what_is_there_already_is_a_duplicate(log: Log) {
    run_with(&*log, "r", 5).await;
    assert_eq!(log.append(append("r", 1, 0, 5)).await.unwrap(), Appended::Duplicate);
    assert_eq!(log.append(append("r", 1, 2, 2)).await.unwrap(), Appended::Duplicate);
    assert_eq!(log.append(append("r", 1, 4, 1)).await.unwrap(), Appended::Duplicate);
    assert_eq!(numbers(&all(&*log, "r").await), [1, 2, 3, 4, 5]);
    // One that opened or closed the turn is a duplicate too, and does nothing the second time.
    let opening = Append { turn: TurnMark::Open, ..append("r", 1, 5, 1) };
    assert_eq!(log.append(opening.clone()).await.unwrap(), Appended::Done);
    assert_eq!(log.append(opening.clone()).await.unwrap(), Appended::Duplicate);
    let closing = Append { turn: TurnMark::Close, ..append("r", 1, 6, 1) };
    assert_eq!(log.append(closing.clone()).await.unwrap(), Appended::Done);
    assert_eq!(log.append(closing).await.unwrap(), Appended::Duplicate);
    assert_eq!(log.append(opening).await.unwrap(), Appended::Duplicate);
    assert_eq!(log.head("r").await.unwrap(), Head { epoch: 1, seq: 7, oldest: 1, open: false });
}

pub(crate) async fn a_duplicate_differs_in_nothing(log: Log) {
    run_with(&*log, "r", 3).await;
    let with = |change: &dyn Fn(&mut Entry)| {
        let mut changed = append("r", 1, 1, 1);
        changed.entries.iter_mut().for_each(change);
        changed
    };
    for other in [
        with(&|entry| entry.body = "{}".into()),
        with(&|entry| entry.at += 1),
        with(&|entry| entry.kind = EventType::Message),
        // Part is there, the rest is new.
        append("r", 1, 2, 2),
    ] {
        assert_eq!(log.append(other).await.unwrap(), Appended::Gap { head: 3 });
    }
    assert_eq!(all(&*log, "r").await, append("r", 1, 0, 3).entries);
}

pub(crate) async fn an_append_elsewhere_than_at_the_end_is_a_gap(log: Log) {
    held(log.claim("r", &owner("a")).await.unwrap());
    assert_eq!(log.append(append("r", 1, 1, 1)).await.unwrap(), Appended::Gap { head: 0 });
    assert_eq!(log.append(append("r", 1, 0, 3)).await.unwrap(), Appended::Done);
    for after in [4, 1_000, u64::from(u32::MAX) * 1_000] {
        assert_eq!(log.append(append("r", 1, after, 1)).await.unwrap(), Appended::Gap { head: 3 });
    }
    assert_eq!(log.append(turn("r", 1, 2, TurnMark::Open)).await.unwrap(), Appended::Gap { head: 3 });
    assert_eq!(log.append(turn("r", 1, 4, TurnMark::Close)).await.unwrap(), Appended::Gap { head: 3 });
    assert_eq!(numbers(&all(&*log, "r").await), [1, 2, 3]);
}

pub(crate) async fn a_refused_append_leaves_nothing(log: Log) {
    run_with(&*log, "r", 2).await;
    assert_eq!(log.append(turn("r", 1, 2, TurnMark::Open)).await.unwrap(), Appended::Done);
    let (head, entries) = (log.head("r").await.unwrap(), all(&*log, "r").await);
    let bytes: u64 = log.runs("", 10).await.unwrap().iter().map(|run| run.bytes).sum();
    let busy = Append { turn: TurnMark::Open, ..append("r", 1, 2, 50) };
    assert_eq!(log.append(busy).await.unwrap(), Appended::Busy);
    assert_eq!(log.append(append("r", 1, 1, 50)).await.unwrap(), Appended::Gap { head: 2 });
    let fenced = Append { turn: TurnMark::Close, ..append("r", 9, 2, 50) };
    assert_eq!(log.append(fenced).await.unwrap(), Appended::Fenced { epoch: 1 });
    assert_eq!((log.head("r").await.unwrap(), all(&*log, "r").await), (head, entries));
    assert_eq!(log.runs("", 10).await.unwrap().iter().map(|run| run.bytes).sum::<u64>(), bytes);
}

pub(crate) async fn the_questions_come_in_their_order(log: Log) {
    run_with(&*log, "r", 2).await;
    let opening = Append { turn: TurnMark::Open, ..append("r", 1, 2, 1) };
    assert_eq!(log.append(opening.clone()).await.unwrap(), Appended::Done);
    // Epoch before the rest: a duplicate under an older epoch is fenced, and so is a gap.
    log.seize("r", 1, &owner("b")).await.unwrap();
    assert_eq!(log.append(opening).await.unwrap(), Appended::Fenced { epoch: 2 });
    assert_eq!(log.append(append("r", 1, 77, 1)).await.unwrap(), Appended::Fenced { epoch: 2 });
    assert_eq!(log.append(append("r", 3, 3, 1)).await.unwrap(), Appended::Fenced { epoch: 2 });
    // The end before the turn.
    assert_eq!(log.append(turn("r", 2, 1, TurnMark::Open)).await.unwrap(), Appended::Gap { head: 3 });
    assert_eq!(log.append(turn("r", 2, 3, TurnMark::Open)).await.unwrap(), Appended::Busy);
}

pub(crate) async fn a_second_turn_is_busy(log: Log) {
    held(log.claim("r", &owner("a")).await.unwrap());
    let open = |after| Append { turn: TurnMark::Open, ..append("r", 1, after, 1) };
    assert_eq!(log.append(open(0)).await.unwrap(), Appended::Done);
    assert_eq!(log.append(open(1)).await.unwrap(), Appended::Busy);
    assert_eq!(log.append(append("r", 1, 1, 1)).await.unwrap(), Appended::Done);
    let close = Append { turn: TurnMark::Close, ..append("r", 1, 2, 1) };
    assert_eq!(log.append(close).await.unwrap(), Appended::Done);
    assert_eq!(log.append(open(3)).await.unwrap(), Appended::Done);
    assert!(log.head("r").await.unwrap().open);
}

pub(crate) async fn a_turn_opens_and_closes_without_events(log: Log) {
    held(log.claim("r", &owner("a")).await.unwrap());
    assert_eq!(log.append(turn("r", 1, 0, TurnMark::Open)).await.unwrap(), Appended::Done);
    assert_eq!(log.append(turn("r", 1, 0, TurnMark::Open)).await.unwrap(), Appended::Busy);
    assert_eq!(log.head("r").await.unwrap(), Head { epoch: 1, seq: 0, oldest: 1, open: true });
    assert_eq!(log.append(turn("r", 1, 0, TurnMark::Close)).await.unwrap(), Appended::Done);
    assert_eq!(log.append(turn("r", 1, 0, TurnMark::Close)).await.unwrap(), Appended::Done);
    assert!(!log.head("r").await.unwrap().open);
}

pub(crate) async fn events_that_are_not_dense_are_refused(log: Log) {
    run_with(&*log, "r", 2).await;
    let with = |entries: &[(u32, u64)]| {
        let entries = entries.iter().map(|(epoch, seq)| entry(*epoch, *seq, "{}")).collect();
        Append { entries, ..append("r", 1, 2, 0) }
    };
    for hole in [with(&[(1, 3), (1, 5)]), with(&[(1, 4)]), with(&[(1, 3), (1, 3)]), with(&[(2, 3)]), with(&[(1, 0)])] {
        let refused = log.append(hole).await;
        assert!(matches!(refused, Err(StoreError::Broken { .. })), "{refused:?}");
    }
    assert_eq!(numbers(&all(&*log, "r").await), [1, 2]);
    assert_eq!(log.append(append("r", 1, 2, 1)).await.unwrap(), Appended::Done);
}

pub(crate) async fn of_sixteen_writers_one_wins_each_number(log: Log) {
    held(log.claim("r", &owner("a")).await.unwrap());
    let writers: Vec<_> = (0..16).map(|writer| tokio::spawn(win(Arc::clone(&log), writer, 10))).collect();
    let mut won = BTreeMap::new();
    for writer in writers {
        for (seq, body) in writer.await.unwrap() {
            assert_eq!(won.insert(seq, body), None, "two writers were told that {seq} is theirs");
        }
    }
    let kept: BTreeMap<u64, String> =
        all(&*log, "r").await.into_iter().map(|entry| (entry.id.seq, entry.body.to_string())).collect();
    assert_eq!(kept, won);
    assert_eq!(kept.keys().copied().collect::<Vec<_>>(), (1..=160).collect::<Vec<_>>());
}

/// Writes where the log ends until it has won so often; what it wrote.
async fn win(log: Log, writer: usize, times: usize) -> Vec<(u64, String)> {
    let mut won = Vec::new();
    let mut head = 0;
    while won.len() < times {
        let body = format!("{writer} at {}", head + 1);
        let sent = Append { entries: vec![entry(1, head + 1, &body)], ..append("r", 1, head, 0) };
        match log.append(sent).await.unwrap() {
            Appended::Done => won.push((head + 1, body)),
            Appended::Gap { head: end } => head = end,
            other => panic!("{other:?}"),
        }
        if let Some((seq, _)) = won.last().filter(|(seq, _)| *seq > head) {
            head = *seq;
        }
    }
    won
}

pub(crate) async fn of_sixteen_claimers_one_opens_the_turn(log: Log) {
    let claimer = |name: usize| {
        let log = Arc::clone(&log);
        async move {
            match log.claim("r", &owner(&format!("node-{name}"))).await.unwrap() {
                Claimed::Held(lease) => {
                    let opening = Append { turn: TurnMark::Open, ..append("r", lease.epoch, 0, 1) };
                    Some((lease.epoch, log.append(opening).await.unwrap()))
                }
                Claimed::Taken(_) => None,
            }
        }
    };
    let mut epochs = BTreeMap::new();
    for task in (0..16).map(|name| tokio::spawn(claimer(name))).collect::<Vec<_>>() {
        if let Some((epoch, appended)) = task.await.unwrap() {
            assert_eq!(epochs.insert(epoch, appended), None, "epoch {epoch} was given twice");
        }
    }
    let done: Vec<_> = epochs.iter().filter(|(_, appended)| **appended == Appended::Done).collect();
    assert_eq!(done.len(), 1, "{epochs:?}");
    // Epochs are dense, and the one that opened is the last.
    assert_eq!(epochs.keys().copied().collect::<Vec<_>>(), (1..=epochs.len() as u32).collect::<Vec<_>>());
    assert_eq!(epochs.last_key_value().map(|(_, appended)| appended.clone()), Some(Appended::Done));
    assert_eq!(log.head("r").await.unwrap().seq, 1);
}

pub(crate) async fn sixteen_runs_are_written_at_once(log: Log) {
    let write = |name: usize| {
        let log = Arc::clone(&log);
        async move {
            let run = format!("run-{name}");
            held(log.claim(&run, &owner("a")).await.unwrap());
            for after in 0..20 {
                assert_eq!(log.append(append(&run, 1, after, 1)).await.unwrap(), Appended::Done);
                // Durable before visible, and visible once it is acknowledged.
                assert_eq!(log.head(&run).await.unwrap().seq, after + 1);
            }
            assert_eq!(all(&*log, &run).await, append(&run, 1, 0, 20).entries);
        }
    };
    for task in (0..16).map(|name| tokio::spawn(write(name))).collect::<Vec<_>>() {
        task.await.unwrap();
    }
}
