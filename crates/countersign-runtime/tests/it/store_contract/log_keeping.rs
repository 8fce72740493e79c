//! What a log forgets, and what it never does.

use super::words::{all, append, entry, held, numbers, owner, run_with, turn};
use countersign_runtime::store::{Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, TurnMark};
use std::sync::Arc;

type Log = Arc<dyn EventLog>;

fn since(at: i64) -> Keep {
    Keep { since: Some(at), bytes: None }
}

fn bytes(limit: u64) -> Keep {
    Keep { since: None, bytes: Some(limit) }
}

/// A run with bodies of these sizes, each written ten milliseconds after the one before, from 1,000 on.
async fn sized(log: &dyn EventLog, run: &str, sizes: &[usize]) {
    held(log.claim(run, &owner("a")).await.unwrap());
    let entries = sizes
        .iter()
        .zip(1..)
        .map(|(size, seq)| Entry { at: 990 + 10 * seq as i64, ..entry(1, seq, &"é".repeat(*size)) });
    let sent = Append { entries: entries.collect(), ..append(run, 1, 0, 0) };
    assert_eq!(log.append(sent).await.unwrap(), Appended::Done);
}

pub(crate) async fn a_trim_by_age_keeps_what_is_younger(log: Log) {
    sized(&*log, "r", &[1, 1, 1, 1]).await;
    assert_eq!(log.trim("r", since(1_000)).await.unwrap(), 1);
    assert_eq!(log.trim("r", since(1_020)).await.unwrap(), 3);
    assert_eq!(numbers(&all(&*log, "r").await), [3, 4]);
    assert_eq!(log.head("r").await.unwrap(), Head { epoch: 1, seq: 4, oldest: 3, open: false });
    // Once more is no harm, and an older limit brings nothing back.
    assert_eq!(log.trim("r", since(1_020)).await.unwrap(), 3);
    assert_eq!(log.trim("r", since(0)).await.unwrap(), 3);
    assert_eq!(log.trim("r", since(1_031)).await.unwrap(), 5);
    assert_eq!(log.trim("unknown", since(1_020)).await.unwrap(), 1);
}

pub(crate) async fn a_trim_by_age_ends_at_the_first_that_is_kept(log: Log) {
    // A clock that was set back: what follows the first young event stays, however old it says it is.
    held(log.claim("r", &owner("a")).await.unwrap());
    let times = [10, 50, 20, 60];
    let entries = times.iter().zip(1..).map(|(at, seq)| Entry { at: *at, ..entry(1, seq, "{}") }).collect();
    assert_eq!(log.append(Append { entries, ..append("r", 1, 0, 0) }).await.unwrap(), Appended::Done);
    assert_eq!(log.trim("r", since(40)).await.unwrap(), 2);
    assert_eq!(numbers(&all(&*log, "r").await), [2, 3, 4]);
}

pub(crate) async fn a_trim_by_size_keeps_the_newest_that_fit(log: Log) {
    // Bytes, not characters: these are of 20, 40, 60 and 80.
    sized(&*log, "r", &[10, 20, 30, 40]).await;
    assert_eq!(log.trim("r", bytes(200)).await.unwrap(), 1);
    assert_eq!(log.trim("r", bytes(199)).await.unwrap(), 2);
    assert_eq!(log.trim("r", bytes(140)).await.unwrap(), 3);
    assert_eq!(log.runs("", 1).await.unwrap().first().map(|run| run.bytes), Some(140));
    assert_eq!(log.trim("r", bytes(79)).await.unwrap(), 5);
    assert_eq!(log.runs("", 1).await.unwrap().first().map(|run| run.bytes), Some(0));
}

pub(crate) async fn a_trim_of_both_takes_the_stricter(log: Log) {
    sized(&*log, "r", &[10, 10, 10, 10]).await;
    assert_eq!(log.trim("r", Keep { since: Some(1_010), bytes: Some(40) }).await.unwrap(), 3);
    assert_eq!(log.trim("r", Keep { since: Some(1_030), bytes: Some(40) }).await.unwrap(), 4);
    assert_eq!(numbers(&all(&*log, "r").await), [4]);
}

pub(crate) async fn a_trim_without_limits_keeps_all(log: Log) {
    run_with(&*log, "r", 3).await;
    assert_eq!(log.trim("r", Keep::default()).await.unwrap(), 1);
    assert_eq!(numbers(&all(&*log, "r").await), [1, 2, 3]);
}

pub(crate) async fn the_head_survives_a_trim_of_everything(log: Log) {
    run_with(&*log, "r", 3).await;
    assert_eq!(log.append(turn("r", 1, 3, TurnMark::Open)).await.unwrap(), Appended::Done);
    assert_eq!(log.trim("r", bytes(0)).await.unwrap(), 4);
    assert!(all(&*log, "r").await.is_empty());
    assert_eq!(log.head("r").await.unwrap(), Head { epoch: 1, seq: 3, oldest: 4, open: true });
    assert_eq!(log.heads(&["r".into()]).await.unwrap(), [Head { epoch: 1, seq: 3, oldest: 4, open: true }]);
    let claimed = log.claim("r", &owner("a")).await.unwrap();
    assert_eq!(claimed, Claimed::Held(Lease { epoch: 1, seq: 3, open: true }));
    // The numbers never start over.
    assert_eq!(log.append(append("r", 1, 0, 1)).await.unwrap(), Appended::Gap { head: 3 });
    assert_eq!(log.append(append("r", 1, 3, 2)).await.unwrap(), Appended::Done);
    assert_eq!(log.head("r").await.unwrap(), Head { epoch: 1, seq: 5, oldest: 4, open: true });
    assert_eq!(numbers(&all(&*log, "r").await), [4, 5]);
}

pub(crate) async fn a_trimmed_event_is_no_duplicate(log: Log) {
    run_with(&*log, "r", 3).await;
    log.trim("r", since(1_003)).await.unwrap();
    assert_eq!(log.append(append("r", 1, 0, 3)).await.unwrap(), Appended::Gap { head: 3 });
    assert_eq!(log.append(append("r", 1, 1, 1)).await.unwrap(), Appended::Gap { head: 3 });
    assert_eq!(log.append(append("r", 1, 2, 1)).await.unwrap(), Appended::Duplicate);
}

pub(crate) async fn a_trimmed_run_goes_on(log: Log) {
    run_with(&*log, "r", 100).await;
    assert_eq!(log.trim("r", since(1_051)).await.unwrap(), 51);
    assert_eq!(log.append(append("r", 1, 100, 100)).await.unwrap(), Appended::Done);
    assert_eq!(numbers(&log.read("r", 0, 10).await.unwrap()), (51..=60).collect::<Vec<_>>());
    assert_eq!(numbers(&log.read("r", 55, 5).await.unwrap()), (56..=60).collect::<Vec<_>>());
    assert_eq!(numbers(&all(&*log, "r").await), (51..=200).collect::<Vec<_>>());
    assert_eq!(log.trim("r", since(1_151)).await.unwrap(), 151);
    assert_eq!(numbers(&all(&*log, "r").await), (151..=200).collect::<Vec<_>>());
}

pub(crate) async fn a_removed_run_is_unknown(log: Log) {
    run_with(&*log, "r", 3).await;
    assert_eq!(log.append(turn("r", 1, 3, TurnMark::Open)).await.unwrap(), Appended::Done);
    log.remove("r").await.unwrap();
    log.remove("r").await.unwrap();
    log.remove("never was").await.unwrap();
    assert_eq!(log.head("r").await.unwrap(), Head { oldest: 1, ..Head::default() });
    assert!(all(&*log, "r").await.is_empty());
    assert!(log.runs("", 10).await.unwrap().is_empty() && log.open_runs().await.unwrap().is_empty());
    // Its old writer is fenced until it claims again, and finds nothing of what was.
    assert_eq!(log.append(append("r", 1, 3, 1)).await.unwrap(), Appended::Fenced { epoch: 0 });
    let claimed = log.claim("r", &owner("b")).await.unwrap();
    assert_eq!(claimed, Claimed::Held(Lease { epoch: 1, seq: 0, open: false }));
    assert_eq!(log.append(append("r", 1, 0, 1)).await.unwrap(), Appended::Done);
    assert_eq!(numbers(&all(&*log, "r").await), [1]);
}

pub(crate) async fn a_removal_touches_no_other_run(log: Log) {
    for run in ["r", "r2", "R", "r:x"] {
        run_with(&*log, run, 3).await;
    }
    log.remove("r").await.unwrap();
    let left: Vec<_> =
        log.runs("", 10).await.unwrap().into_iter().map(|run| (run.run.to_string(), run.head.seq)).collect();
    assert_eq!(left, [("R".to_owned(), 3), ("r2".to_owned(), 3), ("r:x".to_owned(), 3)]);
    assert_eq!(numbers(&all(&*log, "r2").await), [1, 2, 3]);
}
