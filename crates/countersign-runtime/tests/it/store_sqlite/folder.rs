//! The folder: made for its owner alone, opened by one process, and everything there again after a restart.

use crate::store_contract::words::{all, append, held, owner, record, run_with, turn};
use bytes::Bytes;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{
    Appended, Applied, Change, EventLog, Flag, Flags, Head, Keep, Kind, Records, Scope, StoreError, TurnMark,
};

#[cfg(unix)]
#[tokio::test]
async fn the_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("deep/data");
    let store = SqliteStore::open(&folder).unwrap();
    store.probe().await.unwrap();
    let mode = |name: &str| std::fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("."), 0o700);
    for name in ["countersign.db", "countersign.db-wal", "countersign.lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
}

#[tokio::test]
async fn a_second_opener_is_told_which_file_stands_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    let refused = SqliteStore::open(folder.path()).map(drop).unwrap_err();
    assert!(matches!(refused, StoreError::Away { .. }));
    let lock = folder.path().join("countersign.lock");
    assert!(refused.to_string().contains(lock.to_str().unwrap()), "{refused}");
    store.close();
    SqliteStore::open(folder.path()).unwrap();
}

#[tokio::test]
async fn what_is_no_database_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("countersign.db"), "this is a text file, not a database".repeat(100)).unwrap();
    let refused = SqliteStore::open(folder.path()).map(drop).unwrap_err();
    assert!(matches!(refused, StoreError::Broken { .. }), "{refused}");
    assert!(refused.to_string().contains(folder.path().join("countersign.db").to_str().unwrap()), "{refused}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let refused = SqliteStore::open(&file.path().join("data")).map(drop).unwrap_err().to_string();
    assert!(refused.contains(file.path().to_str().unwrap()), "{refused}");
}

// SERVE-5, STREAM-4: what was durable is there after a restart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_there_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    run_with(&*store, "r", 30).await;
    assert_eq!(store.append(turn("r", 1, 30, TurnMark::Open)).await.unwrap(), Appended::Done);
    store.trim("r", Keep { since: Some(1_011), bytes: None }).await.unwrap();
    run_with(&*store, "removed", 30).await;
    store.remove("removed").await.unwrap();
    store.beat(&owner("a")).await.unwrap();
    let flag = Flag { scope: Scope::Session("s".into()), raised: u64::MAX, cleared: 1 << 63, at: -1 };
    store.merge(std::slice::from_ref(&flag)).await.unwrap();
    let put = Change::Insert(record(Kind::File, "f", 1), Some(Bytes::from("bytes")));
    assert_eq!(store.apply(vec![put]).await.unwrap(), Applied::Done);
    let before = all(&*store, "r").await;
    drop(store);

    let store = SqliteStore::open(folder.path()).unwrap();
    assert_eq!(all(&*store, "r").await, before);
    assert_eq!(store.head("r").await.unwrap(), Head { epoch: 1, seq: 30, oldest: 11, open: true });
    assert_eq!(store.head("removed").await.unwrap().epoch, 0);
    assert_eq!(store.beats().await.unwrap(), [("a".to_owned(), 1)]);
    assert_eq!(store.merge(&[]).await.unwrap(), [flag]);
    assert_eq!(store.bytes(Kind::File, "f").await.unwrap(), Some(Bytes::from("bytes")));
    // A node that was restarted seizes what its earlier self left open.
    let lease = store.seize("r", 1, &owner("a2")).await.unwrap().unwrap();
    assert_eq!((lease.epoch, lease.seq, lease.open), (2, 30, true));
    assert_eq!(store.append(append("r", 2, 30, 1)).await.unwrap(), Appended::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_queued_is_written_before_the_store_closes() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    held(store.claim("r", &owner("a")).await.unwrap());
    let queued = {
        let store = std::sync::Arc::clone(&store);
        tokio::spawn(async move { store.append(append("r", 1, 0, 5)).await })
    };
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    store.close();
    store.close();
    let answer = queued.await.unwrap();
    assert!(matches!(store.append(append("r", 1, 5, 1)).await, Err(StoreError::Away { .. })));
    assert!(matches!(store.head("r").await, Err(StoreError::Away { .. })));
    let log = folder.path().join("countersign.db-wal");
    assert!(std::fs::metadata(log).map_or(0, |log| log.len()) == 0, "the write-ahead log was left");
    let store = SqliteStore::open(folder.path()).unwrap();
    match answer {
        Ok(appended) => assert_eq!((appended, store.head("r").await.unwrap().seq), (Appended::Done, 5)),
        Err(refused) => assert!(matches!(refused, StoreError::Away { .. }), "{refused}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_run_is_trimmed_and_removed_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    for run in ["r", "s"] {
        run_with(&*store, run, 9_000).await;
    }
    for after in [9_000, 9_001] {
        assert_eq!(store.append(append("s", 1, after, 1)).await.unwrap(), Appended::Done);
    }
    assert_eq!(store.trim("r", Keep { since: Some(1_000 + 6_001), bytes: None }).await.unwrap(), 6_001);
    assert_eq!(store.head("r").await.unwrap().oldest, 6_001);
    assert_eq!(all(&*store, "r").await, append("r", 1, 6_000, 3_000).entries);
    store.remove("s").await.unwrap();
    assert_eq!(store.runs("", 10).await.unwrap().len(), 1);
    drop(store);
    let database = rusqlite::Connection::open(folder.path().join("countersign.db")).unwrap();
    let count =
        |table: &str| database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
    assert_eq!((count("events").unwrap(), count("removals").unwrap()), (3_000, 0));
}

// A removal that was cut off is finished by the next process, and nobody inherits its events.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removal_that_was_cut_off_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    run_with(&*store, "r", 3_000).await;
    drop(store);
    let file = folder.path().join("countersign.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute_batch("INSERT INTO removals SELECT id FROM runs; DELETE FROM runs;").unwrap();
    drop(database);
    let store = SqliteStore::open(folder.path()).unwrap();
    held(store.claim("new", &owner("a")).await.unwrap());
    assert!(all(&*store, "new").await.is_empty());
    drop(store);
    let database = rusqlite::Connection::open(&file).unwrap();
    let left: i64 = database.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}
