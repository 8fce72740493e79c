//! A full disk: nobody is shown an event that is not in the log, and the turn ends once there is room.

use super::{ALL, Figures, Outcome, ensure, holds, hub, notices, read};
use crate::streams::bench::{delta, end, options};
use countersign::contract::{EventType, StreamEvent};
use countersign_runtime::store::EventLog;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::stream::PlantedBug;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

// SERVE-3, STREAM-1, STREAM-2: T38
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_shows_nobody_a_phantom() {
    let Some(disk) = Disk::mount() else {
        // Past the test runner, which keeps what a passing test prints to itself.
        let told = "NOT TESTED: a full disk needs a tmpfs, and only root on Linux may mount one\n";
        std::io::stderr().write_all(told.as_bytes()).unwrap();
        return;
    };
    holds("disk full (from room to the terminal event)", scenario(&disk.0, None).await);
    notices(PlantedBug::SwallowedError, scenario(&disk.0, Some(PlantedBug::SwallowedError)).await);
}

/// A disk of 2 MiB.
struct Disk(PathBuf);

impl Disk {
    fn mount() -> Option<Self> {
        let path = tempfile::tempdir().unwrap().keep();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(&path).status();
        let disk = Self(path);
        mounted.is_ok_and(|status| status.success()).then_some(disk)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).stderr(Stdio::null()).status();
        let _ = std::fs::remove_dir(&self.0);
    }
}

async fn scenario(disk: &Path, bug: Option<PlantedBug>) -> Outcome {
    let ballast = disk.join("ballast");
    std::fs::write(&ballast, vec![1_u8; 1024 * 1024]).unwrap();
    let (data, since) = (disk.join("data"), Instant::now());
    let store = SqliteStore::open(&data).unwrap();
    let hub = hub(&(Arc::clone(&store) as Arc<dyn EventLog>), options("a"), bug);
    let (_, writer) = hub.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    let reading = tokio::spawn(read(hub.reader("s", ALL).await.unwrap(), Duration::from_secs(15)));
    let mut written = 0;
    // With the bug nothing ever fails.
    while written < 600 && writer.write(vec![delta(&format!("{written} {}", "x".repeat(5000)))]).await.is_ok() {
        written += 1;
    }
    // To the last byte, so that the terminal event does not fit either.
    fill(&ballast);
    while written < 600 && writer.write(vec![delta("small")]).await.is_ok() {
        written += 1;
    }
    let closing = tokio::spawn(async move { writer.close_turn(vec![end()]).await });
    tokio::time::sleep(Duration::from_millis(700)).await;
    let waited = !closing.is_finished();
    std::fs::remove_file(&ballast).unwrap();
    let room = Instant::now();
    let got = reading.await.unwrap();
    let took = room.elapsed();
    closing.abort();
    drop(hub);
    store.close();
    let store = SqliteStore::open(&data).unwrap();
    let entries = store.read("s", 0, 10_000).await.unwrap();
    let kept: Vec<_> = entries.iter().map(|entry| entry.id.seq).collect();
    store.close();
    std::fs::remove_dir_all(&data).unwrap();
    // By their words too: a number that was given out for nothing is given out again.
    let is_kept = |event: &StreamEvent| {
        let same = entries.iter().find(|entry| Some(entry.id) == event.id);
        same.is_some_and(|entry| without_meta(event) == serde_json::from_str::<Value>(&entry.body).unwrap())
    };
    let phantoms: Vec<_> = got.events.iter().filter(|event| !is_kept(event)).filter_map(|event| event.id).collect();
    ensure(phantoms.is_empty(), || format!("shown, and not in the log: {phantoms:?}"))?;
    ensure(kept == (1..=kept.len() as u64).collect::<Vec<_>>(), || "the log has holes".to_owned())?;
    let last = got.events.last().map(|event| event.event_type);
    ensure(got.done && last == Some(EventType::Completed), || format!("the stream ended with {last:?}"))?;
    assert!(waited, "the terminal event fitted on a full disk");
    assert!(written > 2 && written < 600, "{written} events fitted in {:?}", since.elapsed());
    Ok(Figures { rounds: 1, times: vec![took] })
}

/// An event as the log keeps it.
fn without_meta(event: &StreamEvent) -> Value {
    let mut value = serde_json::to_value(event).unwrap();
    value.as_object_mut().unwrap().remove("meta");
    value
}

/// Takes all the room there is.
fn fill(ballast: &Path) {
    let mut file = std::fs::File::options().append(true).open(ballast).unwrap();
    for size in [64 * 1024, 4096, 512, 1] {
        while file.write_all(&vec![1_u8; size]).is_ok() {}
    }
}
