//! What the embedded store makes of a disk: durable appends beside a plain file with the same groups, and replay.
//!
//! `cargo bench -p countersign-runtime --bench append` writes 300-byte events of 64 runs, eight at a time, so that 512
//! events make a group, through the store and through a file that is appended to and synced once a group (`fdatasync`).
//! The two take turns in one run, on one disk (`TMPDIR` says which). Then it reads a run of 100,000 events in pages.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    missing_docs,
    reason = "a benchmark ends at the first surprise"
)]

use countersign::contract::{EventId, EventType};
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{Append, Appended, Claimed, Entry, EventLog, Owner, TurnMark};
use futures_util::future::join_all;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (mut store, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        plain.push(runtime.block_on(plain_file(folder.path())));
        store.push(runtime.block_on(embedded(folder.path())));
    }
    let ratio = median(plain.iter().zip(&store).map(|(plain, store)| plain / store).collect());
    let (store, plain) = (median(store), median(plain));
    println!("durable appends, {RUNS} runs, {EVENT} B, {BATCH} events each: median of {ROUNDS} rounds");
    println!("  plain file + fdatasync  {plain:>9.0} events/s");
    println!("  SQLite                  {store:>9.0} events/s   {ratio:.2}x slower");
    for page in [1_000, 5_000] {
        let folder = tempfile::tempdir().unwrap();
        println!("  replay in pages of {page}  {:>9.0} events/s", runtime.block_on(replay(folder.path(), page)));
    }
    let folder = tempfile::tempdir().unwrap();
    let (half, most) = runtime.block_on(paced(folder.path()));
    println!("  2,000 events/s paced: durable after {half:?} (p50), {most:?} (p99)");
}

/// Appends of all runs at once through the store.
async fn embedded(folder: &Path) -> f64 {
    let store = SqliteStore::open(folder).unwrap();
    let leases: Vec<u32> = claim_all(&store).await;
    let begun = Instant::now();
    let writers = (0..RUNS).zip(leases).map(|(run, epoch)| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for batch in 0..BATCHES {
                let append = events(run, epoch, batch * BATCH, BATCH);
                assert_eq!(store.append(append).await.unwrap(), Appended::Done);
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let elapsed = begun.elapsed();
    store.close();
    per_second(RUNS * BATCHES * BATCH, elapsed)
}

/// The same through a thread that writes what is queued to a file, and syncs it before it answers.
async fn plain_file(folder: &Path) -> f64 {
    let (queue, jobs) = mpsc::sync_channel::<(Append, oneshot::Sender<()>)>(1_024);
    let mut file = File::create(folder.join("plain")).unwrap();
    let writer = std::thread::spawn(move || group_commit(jobs, &mut file));
    let begun = Instant::now();
    let writers = (0..RUNS).map(|run| {
        let queue = queue.clone();
        tokio::spawn(async move {
            for batch in 0..BATCHES {
                let (reply, answer) = oneshot::channel();
                queue.send((events(run, 1, batch * BATCH, BATCH), reply)).unwrap();
                answer.await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let elapsed = begun.elapsed();
    drop(queue);
    writer.join().unwrap();
    per_second(RUNS * BATCHES * BATCH, elapsed)
}

/// Groups as the store makes them: everything queued, written with 512 events or after 5 ms.
fn group_commit(jobs: mpsc::Receiver<(Append, oneshot::Sender<()>)>, file: &mut File) {
    let mut bytes = Vec::new();
    while let Ok((append, reply)) = jobs.recv() {
        let since = Instant::now();
        let mut replies = vec![reply];
        let mut count = append.entries.len();
        bytes.clear();
        frame(&mut bytes, &append);
        while count < 512 {
            let left = Duration::from_millis(5).saturating_sub(since.elapsed());
            let Ok((append, reply)) = jobs.recv_timeout(left) else { break };
            count += append.entries.len();
            frame(&mut bytes, &append);
            replies.push(reply);
        }
        file.write_all(&bytes).unwrap();
        file.sync_data().unwrap();
        replies.into_iter().for_each(|reply| reply.send(()).unwrap());
    }
}

fn frame(bytes: &mut Vec<u8>, append: &Append) {
    for entry in &append.entries {
        bytes.extend((entry.body.len() as u32).to_le_bytes());
        bytes.extend(append.run.as_bytes());
        bytes.extend(entry.id.seq.to_le_bytes());
        bytes.extend(entry.at.to_le_bytes());
        bytes.extend(entry.body.as_bytes());
    }
}

/// A run of 100,000 events among others, read from the beginning.
async fn replay(folder: &Path, page: usize) -> f64 {
    let store = SqliteStore::open(folder).unwrap();
    claim_all(&store).await;
    // Two runs take turns with eight events each.
    let turns: Vec<_> = (0..REPLAYED / BATCH).flat_map(|batch| [(0, batch), (1, batch)]).collect();
    for group in turns.chunks(512 / BATCH as usize) {
        let appends = group.iter().map(|(run, batch)| store.append(events(*run, 1, batch * BATCH, BATCH)));
        assert!(join_all(appends).await.into_iter().all(|appended| appended == Ok(Appended::Done)));
    }
    let begun = Instant::now();
    let mut after = 0;
    loop {
        let read = store.read(&name(0), after, page).await.unwrap();
        assert!(read.first().is_none_or(|first| first.id.seq == after + 1));
        let Some(last) = read.last() else { break };
        after = last.id.seq;
    }
    assert_eq!(after, REPLAYED);
    per_second(REPLAYED, begun.elapsed())
}

/// One event at a time at an even pace: how long until each is durable.
async fn paced(folder: &Path) -> (Duration, Duration) {
    let store = SqliteStore::open(folder).unwrap();
    let leases = claim_all(&store).await;
    let writers = (0..RUNS).zip(leases).map(|(run, epoch)| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_micros(1_000_000 * RUNS / 2_000));
            let mut waits = Vec::new();
            for seq in 0..60 {
                tick.tick().await;
                let begun = Instant::now();
                assert_eq!(store.append(events(run, epoch, seq, 1)).await.unwrap(), Appended::Done);
                waits.push(begun.elapsed());
            }
            waits
        })
    });
    let mut waits = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        waits.extend(writer.await.unwrap());
    }
    waits.sort();
    (*waits.get(waits.len() / 2).unwrap(), *waits.get(waits.len() * 99 / 100).unwrap())
}

async fn claim_all(store: &SqliteStore) -> Vec<u32> {
    let owner = Owner { node: "bench".into(), address: String::new() };
    let mut epochs = Vec::new();
    for run in 0..RUNS {
        match store.claim(&name(run), &owner).await.unwrap() {
            Claimed::Held(lease) => epochs.push(lease.epoch),
            Claimed::Taken(by) => panic!("taken by {by:?}"),
        }
    }
    epochs
}

fn events(run: u64, epoch: u32, after: u64, count: u64) -> Append {
    let body: Arc<str> = format!("{run:064}{:>width$}", after, width = EVENT - 64).into();
    let entries = (after + 1..=after + count).map(|seq| Entry {
        id: EventId { epoch, seq },
        kind: EventType::TextDelta,
        at: 1_700_000_000_000 + seq.cast_signed(),
        body: Arc::clone(&body),
    });
    Append { run: name(run).into(), epoch, after, entries: entries.collect(), turn: TurnMark::Keep }
}

fn name(run: u64) -> String {
    format!("session-{run:016x}")
}

fn per_second(events: u64, elapsed: Duration) -> f64 {
    events as f64 / elapsed.as_secs_f64()
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    *rates.get(rates.len() / 2).unwrap()
}

const ROUNDS: usize = 9;
const RUNS: u64 = 64;
const BATCH: u64 = 8;
const BATCHES: u64 = 300;
const EVENT: usize = 300;
const REPLAYED: u64 = 100_000;
