//! A full disk: an error that says so, no number without its event, reads as ever; and once there is room again the store
//! goes on by itself.

use crate::store_contract::words::{append, entry, held, owner, record};
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{
    Append, Appended, Applied, Change, Entry, EventLog, Flag, Flags, Kind, Records, Scope, StoreError,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

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
        let _ = Command::new("umount").arg("-l").arg(&self.0).stderr(std::process::Stdio::null()).status();
        let _ = std::fs::remove_dir(&self.0);
    }
}

// SERVE-3, SERVE-5, STREAM-1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_nothing_and_passes() {
    let Some(disk) = Disk::mount() else {
        not_tested();
        return;
    };
    let ballast = disk.0.join("ballast");
    std::fs::write(&ballast, vec![1_u8; 1024 * 1024]).unwrap();
    let store = SqliteStore::open(&disk.0.join("data")).unwrap();
    held(store.claim("r", &owner("a")).await.unwrap());
    let acknowledged = fill(&store).await;
    assert!(acknowledged > 10, "{acknowledged} fitted");
    // What was refused is refused again, and by every door; nothing of it is there.
    for _ in 0..5 {
        assert!(matches!(store.append(one(acknowledged)).await, Err(StoreError::Full { .. })));
    }
    assert!(matches!(store.probe().await, Err(StoreError::Full { .. })));
    let file = Change::Insert(record(Kind::File, "f", 1), Some(vec![7_u8; 512 * 1024].into()));
    assert!(matches!(store.apply(vec![file.clone()]).await, Err(StoreError::Full { .. })));
    assert_eq!(store.head("r").await.unwrap().seq, acknowledged);
    assert_eq!(read_all(&store).await, (0..acknowledged).flat_map(|after| one(after).entries).collect::<Vec<_>>());
    assert!(store.read("r", acknowledged, 10).await.unwrap().is_empty(), "a phantom");
    assert_eq!(store.get(Kind::File, "f").await.unwrap(), None);
    // Room again: the same append, the same store.
    std::fs::remove_file(&ballast).unwrap();
    assert_eq!(store.append(one(acknowledged)).await.unwrap(), Appended::Done);
    store.probe().await.unwrap();
    let flag = Flag { scope: Scope::All, raised: 1, cleared: 0, at: 1 };
    assert_eq!(store.merge(std::slice::from_ref(&flag)).await.unwrap(), [flag]);
    assert_eq!(store.apply(vec![file]).await.unwrap(), Applied::Done);
    check_after_reopening(store, &disk.0.join("data"), acknowledged + 1).await;
}

// One job that does not fit must not take the others of its group with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_does_not_fit_harms_no_other() {
    let Some(disk) = Disk::mount() else {
        not_tested();
        return;
    };
    let store = SqliteStore::open(&disk.0.join("data")).unwrap();
    held(store.claim("r", &owner("a")).await.unwrap());
    for after in 0..10 {
        let huge = Change::Insert(record(Kind::File, "huge", 1), Some(vec![7_u8; 4 * 1024 * 1024].into()));
        // The append waits for company, and the file is what comes.
        let (small, huge) = tokio::join!(store.append(one(after)), store.apply(vec![huge]));
        assert_eq!(small, Ok(Appended::Done));
        assert!(matches!(huge, Err(StoreError::Full { .. })), "{huge:?}");
    }
    assert_eq!(read_all(&store).await.len(), 10);
    assert_eq!(store.get(Kind::File, "huge").await.unwrap(), None);
}

/// Past the test runner, which keeps what a passing test prints to itself.
fn not_tested() {
    let told = "NOT TESTED: a full disk needs a tmpfs, and only root on Linux may mount one\n";
    std::io::stderr().write_all(told.as_bytes()).unwrap();
}

/// An event of some KiB.
fn one(after: u64) -> Append {
    let entries = vec![entry(1, after + 1, &format!("{after} {}", "x".repeat(5_000)))];
    Append { entries, ..append("r", 1, after, 0) }
}

/// Appends until there is no room; how many were acknowledged.
async fn fill(store: &Arc<SqliteStore>) -> u64 {
    for after in 0..10_000 {
        match store.append(one(after)).await {
            Ok(appended) => assert_eq!(appended, Appended::Done),
            Err(StoreError::Full { .. }) => return after,
            Err(other) => panic!("{other}"),
        }
    }
    panic!("a disk of 2 MiB took 50 MB");
}

async fn read_all(store: &Arc<SqliteStore>) -> Vec<Entry> {
    store.read("r", 0, 100_000).await.unwrap()
}

async fn check_after_reopening(store: Arc<SqliteStore>, folder: &Path, events: u64) {
    let before = read_all(&store).await;
    assert_eq!(before.len() as u64, events);
    store.close();
    let store = SqliteStore::open(folder).unwrap();
    assert_eq!(read_all(&store).await, before);
    assert_eq!(store.head("r").await.unwrap().seq, events);
}
