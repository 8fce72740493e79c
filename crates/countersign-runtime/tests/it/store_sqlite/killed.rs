//! kill -9 at any moment: every event that was acknowledged is there, once, in its place, byte for byte.
//!
//! The test runs itself as a child that appends and says on a pipe what was acknowledged, and kills it. The same rounds
//! with the planted bug (an answer before the commit) must find a loss. `COUNTERSIGN_KILL_ROUNDS` raises the rounds.

use crate::store_contract::words::owner;
use countersign::contract::{EventId, EventType};
use countersign_runtime::store::sqlite::{Durability, SqliteStore};
use countersign_runtime::store::{Append, Appended, Claimed, Entry, EventLog, TurnMark};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "COUNTERSIGN_TEST_KILLED_FOLDER";
const EARLY: &str = "COUNTERSIGN_TEST_ACK_BEFORE_COMMIT";
const RUNS: [&str; 4] = ["one", "two", "three", "four"];

// STREAM-1, SERVE-5; T37
#[test]
fn every_acknowledged_event_survives_kill_9() {
    let rounds = std::env::var("COUNTERSIGN_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(6);
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = BTreeMap::new();
    for round in 0..rounds {
        kill_once(folder.path(), Durability::Durable, &mut acknowledged);
        let wrong = violations(folder.path(), &acknowledged);
        assert!(wrong.is_empty(), "after {} rounds: {wrong:#?}", round + 1);
    }
    let events: u64 = acknowledged.values().sum();
    assert!(events > rounds * 4, "only {events} events were acknowledged in {rounds} rounds");
}

// The planted bug: without it, the test above might be one that cannot fail.
#[test]
fn an_answer_before_the_commit_is_noticed() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let mut acknowledged = BTreeMap::new();
        kill_once(folder.path(), Durability::AckBeforeCommit, &mut acknowledged);
        if !violations(folder.path(), &acknowledged).is_empty() {
            return;
        }
    }
    panic!("20 kills, and no acknowledged event was lost");
}

/// Starts the child, kills it some time after its first word, and notes the newest number that each run was told.
fn kill_once(folder: &Path, durability: Durability, acknowledged: &mut BTreeMap<String, u64>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "store_sqlite::killed::the_child_appends_until_it_is_killed", "--nocapture"]);
    command.env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::inherit());
    if durability == Durability::AckBeforeCommit {
        command.env(EARLY, "1");
    }
    let mut child = command.spawn().unwrap();
    let mut pipe = BufReader::new(child.stdout.take().unwrap());
    let mut killed = false;
    let mut line = String::new();
    // A line without its end was cut by the kill: nobody has read it.
    while pipe.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
        if let Some((run, seq)) = line.trim_end().strip_prefix("acknowledged ").and_then(|rest| rest.split_once(' ')) {
            let newest = acknowledged.entry(run.to_owned()).or_default();
            *newest = seq.parse::<u64>().unwrap().max(*newest);
            if !killed {
                killed = true;
                std::thread::sleep(Duration::from_micros(u64::from(getrandom::u32().unwrap() % 150_000)));
                child.kill().unwrap();
            }
        }
        line.clear();
    }
    assert!(killed && !child.wait().unwrap().success(), "the child ended by itself");
}

/// What is not as it was promised.
fn violations(folder: &Path, acknowledged: &BTreeMap<String, u64>) -> Vec<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(folder).unwrap();
        let mut wrong = Vec::new();
        for (run, newest) in acknowledged {
            let head = store.head(run).await.unwrap();
            if head.seq < *newest {
                wrong.push(format!("{run}: {newest} was acknowledged, the log ends at {}", head.seq));
            }
            let mut read: Vec<Entry> = Vec::new();
            loop {
                let page = store.read(run, read.len() as u64, 1_000).await.unwrap();
                if page.is_empty() {
                    break;
                }
                read.extend(page);
            }
            let expected = (1..=head.seq).zip(&read).map(|(seq, entry)| event(run, entry.id.epoch, seq));
            if read.len() as u64 != head.seq || !expected.eq(read.iter().cloned()) {
                wrong.push(format!("{run}: {} events are not the {} that were written", read.len(), head.seq));
            }
        }
        wrong
    })
}

/// An event that can be told from its place.
fn event(run: &str, epoch: u32, seq: u64) -> Entry {
    let kind = if seq.is_multiple_of(7) { EventType::Verdict } else { EventType::TextDelta };
    let body = format!(r#"{{"run":"{run}","seq":{seq},"text":"{}"}}"#, "é".repeat(seq as usize % 400));
    Entry { id: EventId { epoch, seq }, kind, at: seq.cast_signed(), body: body.into() }
}

/// The child. Without its folder it is no test at all.
#[test]
fn the_child_appends_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let durability = match std::env::var_os(EARLY) {
        Some(_) => Durability::AckBeforeCommit,
        None => Durability::Durable,
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open_with(Path::new(&folder), durability).unwrap();
        let writers: Vec<_> = RUNS.iter().map(|run| tokio::spawn(write(Arc::clone(&store), run))).collect();
        for writer in writers {
            writer.await.unwrap();
        }
    });
}

async fn write(store: Arc<SqliteStore>, run: &'static str) {
    let Claimed::Held(lease) = store.claim(run, &owner(&std::process::id().to_string())).await.unwrap() else {
        panic!("{run} is taken");
    };
    let mut after = lease.seq;
    loop {
        let count = 1 + after % 3;
        let entries = (after + 1..=after + count).map(|seq| event(run, lease.epoch, seq)).collect();
        let append = Append { run: run.into(), epoch: lease.epoch, after, entries, turn: TurnMark::Keep };
        assert_eq!(store.append(append).await.unwrap(), Appended::Done);
        after += count;
        // One write a line, so that lines are whole or not there.
        let line = format!("acknowledged {run} {after}\n");
        let mut pipe = std::io::stdout().lock();
        pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()).unwrap();
    }
}
