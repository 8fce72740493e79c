//! What a log shows: pages, heads, open runs, beats and listings.

use super::words::{all, append, entry, held, numbers, owner, run_with, strange_names, turn};
use countersign_runtime::store::{Append, Appended, EventLog, Head, OpenRun, READ_BYTES, RunInfo, TurnMark};
use std::sync::Arc;

type Log = Arc<dyn EventLog>;

pub(crate) async fn an_unknown_run_is_empty(log: Log) {
    let nothing = Head { epoch: 0, seq: 0, oldest: 1, open: false };
    assert_eq!(log.head("r").await.unwrap(), nothing);
    assert_eq!(log.heads(&["r".into(), "s".into()]).await.unwrap(), [nothing, nothing]);
    assert!(log.read("r", 0, 10).await.unwrap().is_empty());
    assert!(log.runs("", 10).await.unwrap().is_empty());
    assert!(log.open_runs().await.unwrap().is_empty());
    assert!(log.beats().await.unwrap().is_empty());
    // To look at a run does not make it.
    run_with(&*log, "s", 1).await;
    assert_eq!(log.runs("", 10).await.unwrap().len(), 1);
}

pub(crate) async fn pages_join_without_gap_or_overlap(log: Log) {
    run_with(&*log, "r", 25).await;
    run_with(&*log, "other", 25).await;
    for size in [1, 7, 25, 26] {
        let mut read = Vec::new();
        loop {
            let page = log.read("r", read.len() as u64, size).await.unwrap();
            assert!(page.len() <= size);
            if page.is_empty() {
                break;
            }
            read.extend(page);
        }
        assert_eq!(read, append("r", 1, 0, 25).entries, "pages of {size}");
    }
    assert_eq!(numbers(&log.read("r", 10, 3).await.unwrap()), [11, 12, 13]);
    assert!(log.read("r", 0, 0).await.unwrap().is_empty());
}

pub(crate) async fn a_cursor_past_the_head_gives_nothing(log: Log) {
    run_with(&*log, "r", 3).await;
    for after in [3, 4, 1_000, i64::MAX as u64, u64::MAX] {
        assert!(log.read("r", after, 10).await.unwrap().is_empty(), "after {after}");
    }
}

pub(crate) async fn a_page_is_bounded_in_bytes_but_never_empty(log: Log) {
    held(log.claim("r", &owner("a")).await.unwrap());
    let sizes = [READ_BYTES / 2, READ_BYTES / 2, 1, READ_BYTES + 1, READ_BYTES + 1, 1, 1];
    for (after, size) in (0..).zip(sizes) {
        let sent = Append { entries: vec![entry(1, after + 1, &"x".repeat(size))], ..append("r", 1, after, 0) };
        assert_eq!(log.append(sent).await.unwrap(), Appended::Done);
    }
    let mut after = 0;
    while after < 7 {
        let page = log.read("r", after, 100).await.unwrap();
        let bytes: usize = page.iter().map(|entry| entry.body.len()).sum();
        assert!(page.len() == 1 || bytes <= READ_BYTES, "{} events of {bytes} bytes after {after}", page.len());
        assert_eq!(page.first().map(|entry| entry.id.seq), Some(after + 1));
        after = page.last().unwrap().id.seq;
    }
}

pub(crate) async fn heads_come_in_the_order_asked(log: Log) {
    for (run, count) in [("a", 1), ("b", 2), ("c", 3)] {
        run_with(&*log, run, count).await;
    }
    let asked: Vec<Arc<str>> = ["c", "nobody", "a", "c", "b"].map(Arc::from).into();
    let seqs: Vec<_> =
        log.heads(&asked).await.unwrap().iter().map(|head| (head.epoch, head.seq, head.oldest)).collect();
    assert_eq!(seqs, [(1, 3, 1), (0, 0, 1), (1, 1, 1), (1, 3, 1), (1, 2, 1)]);
    assert!(log.heads(&[]).await.unwrap().is_empty());
    let many: Vec<Arc<str>> = (0..1_500).map(|number| Arc::from(if number % 2 == 0 { "a" } else { "b" })).collect();
    let heads = log.heads(&many).await.unwrap();
    assert!(heads.len() == 1_500 && heads.iter().zip(0..).all(|(head, number)| head.seq == 1 + number % 2));
}

pub(crate) async fn open_runs_name_their_writers(log: Log) {
    for run in ["a", "b", "c"] {
        run_with(&*log, run, 1).await;
    }
    for run in ["a", "c"] {
        assert_eq!(log.append(turn(run, 1, 1, TurnMark::Open)).await.unwrap(), Appended::Done);
    }
    log.seize("c", 1, &owner("b")).await.unwrap().unwrap();
    let mut open = log.open_runs().await.unwrap();
    open.sort_by(|one, two| one.run.cmp(&two.run));
    let expected = [("a", 1, "a"), ("c", 2, "b")];
    let expected = expected.map(|(run, epoch, by)| OpenRun { run: run.into(), epoch, owner: owner(by) });
    assert_eq!(open, expected);
    assert_eq!(log.append(turn("a", 1, 1, TurnMark::Close)).await.unwrap(), Appended::Done);
    assert_eq!(log.open_runs().await.unwrap().len(), 1);
}

pub(crate) async fn beats_rise_and_are_those_of_open_runs(log: Log) {
    for node in ["a", "a", "b"] {
        log.beat(&owner(node)).await.unwrap();
    }
    assert!(log.beats().await.unwrap().is_empty());
    run_with(&*log, "r", 1).await;
    run_with(&*log, "s", 1).await;
    held(log.claim("t", &owner("never-beat")).await.unwrap());
    for (run, after) in [("r", 1), ("s", 1), ("t", 0)] {
        assert_eq!(log.append(turn(run, 1, after, TurnMark::Open)).await.unwrap(), Appended::Done);
    }
    let sorted = |mut beats: Vec<(String, u64)>| {
        beats.sort();
        beats
    };
    let before = sorted(log.beats().await.unwrap());
    assert_eq!(before, [("a".to_owned(), 2), ("never-beat".to_owned(), 0)]);
    log.beat(&owner("a")).await.unwrap();
    assert_eq!(sorted(log.beats().await.unwrap()), [("a".to_owned(), 3), ("never-beat".to_owned(), 0)]);
}

pub(crate) async fn runs_are_listed_by_name_in_pages(log: Log) {
    let mut names: Vec<Arc<str>> = (0..10).map(|number| format!("run-{number:02}").into()).collect();
    names.extend(["Zulu", "alpha", "Ähre", "zz"].map(Arc::from));
    for (name, count) in names.iter().zip(1..) {
        run_with(&*log, name, count).await;
    }
    let counts: std::collections::BTreeMap<Arc<str>, u64> = names.iter().cloned().zip(1..).collect();
    // By bytes, not by anybody's alphabet.
    names.sort();
    let mut listed: Vec<RunInfo> = Vec::new();
    loop {
        let after = listed.last().map_or(Arc::from(""), |run| Arc::clone(&run.run));
        let page = log.runs(&after, 4).await.unwrap();
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 4);
        listed.extend(page);
    }
    assert_eq!(listed.iter().map(|run| Arc::clone(&run.run)).collect::<Vec<_>>(), names);
    for run in listed {
        let count = counts.get(&run.run).copied().unwrap();
        assert_eq!(run.head, Head { epoch: 1, seq: count, oldest: 1, open: false });
        let bytes: usize = append("r", 1, 0, count).entries.iter().map(|entry| entry.body.len()).sum();
        assert_eq!(run.bytes, bytes as u64);
    }
}

pub(crate) async fn strange_names_are_names(log: Log) {
    let mut names = strange_names();
    for (name, count) in names.iter().zip(1..) {
        let named = owner(name);
        assert_eq!(held(log.claim(name, &named).await.unwrap()).epoch, 1, "{name}");
        assert_eq!(log.append(append(name, 1, 0, count)).await.unwrap(), Appended::Done, "{name}");
        assert_eq!(log.append(turn(name, 1, count, TurnMark::Open)).await.unwrap(), Appended::Done, "{name}");
        log.beat(&named).await.unwrap();
    }
    for (name, count) in names.iter().zip(1..) {
        assert_eq!(all(&*log, name).await, append(name, 1, 0, count).entries, "{name}");
        assert_eq!(log.head(name).await.unwrap().seq, count, "{name}");
    }
    assert_eq!(log.beats().await.unwrap().len(), names.len());
    names.sort();
    let listed: Vec<_> = log.runs("", 1_000).await.unwrap().into_iter().map(|run| run.run).collect();
    assert_eq!(listed, names);
    for name in &names {
        log.remove(name).await.unwrap();
    }
    assert!(log.runs("", 1_000).await.unwrap().is_empty());
}

pub(crate) async fn a_large_body_comes_back(log: Log) {
    held(log.claim("r", &owner("a")).await.unwrap());
    let body = "大".repeat(1024 * 1024 / 3 + 1);
    let sent = Append { entries: vec![entry(1, 1, &body), entry(1, 2, "{}")], ..append("r", 1, 0, 0) };
    assert_eq!(log.append(sent.clone()).await.unwrap(), Appended::Done);
    assert_eq!(log.append(sent.clone()).await.unwrap(), Appended::Duplicate);
    assert!(all(&*log, "r").await == sent.entries, "a body of a MiB was changed");
}

pub(crate) async fn a_probe_passes(log: Log) {
    log.probe().await.unwrap();
    log.probe().await.unwrap();
    assert!(log.runs("", 10).await.unwrap().is_empty(), "a probe leaves no run");
    assert!(log.open_runs().await.unwrap().is_empty());
}
