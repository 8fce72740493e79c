//! Damage to the files is noticed at the start: said in words, set aside, and never taken for emptiness.

use crate::store_contract::words::record;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{Applied, Change, Kind, Query, Records};
use std::fs;
use std::path::{Path, PathBuf};

const SESSIONS: usize = 30;

fn file(folder: &Path) -> PathBuf {
    folder.join("countersign.db")
}

fn log(folder: &Path) -> PathBuf {
    folder.join("countersign.db-wal")
}

/// A folder as a process that was killed leaves it: everything in the write-ahead log.
async fn killed() -> tempfile::TempDir {
    let (living, dead) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SqliteStore::open(living.path()).unwrap();
    for number in 0..SESSIONS {
        let change = Change::Insert(record(Kind::Session, &format!("s{number:02}"), 1), None);
        assert_eq!(store.apply(vec![change]).await.unwrap(), Applied::Done);
    }
    for name in ["countersign.db", "countersign.db-wal", "countersign.lock"] {
        fs::copy(living.path().join(name), dead.path().join(name)).unwrap();
    }
    dead
}

async fn sessions(store: &SqliteStore) -> usize {
    store.list(Kind::Session, Query::default()).await.unwrap().len()
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 0x10;
    fs::write(file, bytes).unwrap();
}

fn set_aside(folder: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.to_string_lossy().contains(".damaged-")).collect()
}

// SERVE-3, SERVE-5: the look-alike first: a kill alone damages nothing, and nothing is said.
#[tokio::test]
async fn a_kill_is_no_damage() {
    let folder = killed().await;
    let store = SqliteStore::open(folder.path()).unwrap();
    assert_eq!((sessions(&store).await, store.damage().len()), (SESSIONS, 0), "{:?}", store.damage());
    store.close();
    assert_eq!(fs::metadata(log(folder.path())).map_or(0, |found| found.len()), 0, "a clean end empties the log");
    let again = SqliteStore::open(folder.path()).unwrap();
    assert_eq!((sessions(&again).await, again.damage().len()), (SESSIONS, 0), "{:?}", again.damage());
    assert!(set_aside(folder.path()).is_empty());
}

// SERVE-3, SERVE-5: one flipped byte anywhere in the log, in a head, in a page, in a checksum, is never silent.
#[tokio::test]
async fn a_flipped_byte_in_the_log_is_noticed() {
    let whole = fs::metadata(log(killed().await.path())).unwrap().len() as usize;
    let frame = 24 + 16_384;
    let frames = (whole - 32) / frame;
    let mut places = vec![0, 9, 25];
    for at in [1, frames / 2, frames - 2] {
        let begin = 32 + at * frame;
        // The page's number, the salts, the checksums, the page itself.
        places.extend([begin + 2, begin + 9, begin + 17, begin + 21, begin + 24 + 5_000]);
    }
    for place in places {
        let folder = killed().await;
        flip(&log(folder.path()), place);
        let before = fs::read(log(folder.path())).unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let (left, said) = (sessions(&store).await, store.damage().join("; "));
        assert!(left < SESSIONS, "byte {place} changed nothing");
        // In the last transaction it may be the death of the process as well.
        assert!(
            said.contains("-wal is damaged") || said.contains("-wal cannot be read"),
            "byte {place}, {left} left: {said:?}"
        );
        let kept = set_aside(folder.path());
        assert_eq!(kept.len(), 2, "{kept:?}");
        let copy = kept.iter().find(|path| path.to_string_lossy().contains("-wal.")).unwrap();
        assert_eq!(fs::read(copy).unwrap(), before, "as it was found");
        store.close();
        // Said once: what is left is a store like any other.
        let again = SqliteStore::open(folder.path()).unwrap();
        assert_eq!((sessions(&again).await, again.damage().len()), (left, 0), "{:?}", again.damage());
        assert_eq!(set_aside(folder.path()).len(), 2);
    }
}

// SERVE-5: the last transaction may have been cut by the death of the process; it is said all the same.
#[tokio::test]
async fn a_last_transaction_that_cannot_be_read_is_said() {
    let folder = killed().await;
    let length = fs::metadata(log(folder.path())).unwrap().len() as usize;
    flip(&log(folder.path()), length - 100);
    let store = SqliteStore::open(folder.path()).unwrap();
    assert!(store.damage().join("; ").contains("last transaction"), "{:?}", store.damage());
    // Half a frame at the end is what a kill leaves, and no damage.
    let folder = killed().await;
    let bytes = fs::read(log(folder.path())).unwrap();
    fs::write(log(folder.path()), &bytes[..bytes.len() - 8_000]).unwrap();
    assert!(SqliteStore::open(folder.path()).unwrap().damage().is_empty());
}

// SERVE-5: an empty file is not a new store where there was one.
#[tokio::test]
async fn an_empty_file_is_not_taken_for_a_new_store() {
    let folder = killed().await;
    fs::write(file(folder.path()), b"").unwrap();
    let refused = SqliteStore::open(folder.path()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("write-ahead log holds data"), "{refused}");
    let closed = killed().await;
    SqliteStore::open(closed.path()).unwrap().close();
    fs::write(file(closed.path()), b"").unwrap();
    let refused = SqliteStore::open(closed.path()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("is empty, though it held data before"), "{refused}");
    assert_eq!(fs::metadata(file(closed.path())).unwrap().len(), 0, "nothing was written");
    // One that somebody took away is started over, and said.
    fs::remove_file(file(closed.path())).unwrap();
    let store = SqliteStore::open(closed.path()).unwrap();
    assert!(store.damage().join("; ").contains("is missing"), "{:?}", store.damage());
    // The look-alike: a new folder, and one whose first start died at once.
    let fresh = tempfile::tempdir().unwrap();
    fs::write(file(fresh.path()), b"").unwrap();
    assert!(SqliteStore::open(fresh.path()).unwrap().damage().is_empty());
}

// SERVE-5: a file that was cut, or whose pages are damaged, is said; one without its beginning is refused.
#[tokio::test]
async fn a_damaged_main_file_is_noticed() {
    let closed = async || {
        let folder = killed().await;
        let store = SqliteStore::open(folder.path()).unwrap();
        for number in 0..200 {
            let body = serde_json::json!({ "text": "x".repeat(2_000) });
            let record = countersign_runtime::store::Record { body, ..record(Kind::Note, &format!("n{number}"), 1) };
            assert_eq!(store.apply(vec![Change::Insert(record, None)]).await.unwrap(), Applied::Done);
        }
        store.close();
        folder
    };
    let cut = closed().await;
    let bytes = fs::read(file(cut.path())).unwrap();
    fs::write(file(cut.path()), &bytes[..bytes.len() / 2 / 16_384 * 16_384]).unwrap();
    match SqliteStore::open(cut.path()) {
        Ok(store) => assert!(store.damage().join("; ").contains("cut short"), "{:?}", store.damage()),
        Err(error) => assert!(error.to_string().contains("cut short"), "{error}"),
    }
    assert_eq!(set_aside(cut.path()).len(), 1);
    let holes = closed().await;
    let mut bytes = fs::read(file(holes.path())).unwrap();
    let pages = bytes.len() / 16_384;
    for page in (pages / 2)..(pages / 2 + 6) {
        bytes[page * 16_384..page * 16_384 + 200].fill(0xA5);
    }
    fs::write(file(holes.path()), &bytes).unwrap();
    match SqliteStore::open(holes.path()) {
        Ok(store) => assert!(store.damage().join("; ").contains("is damaged"), "{:?}", store.damage()),
        Err(error) => assert!(error.to_string().contains("damaged"), "{error}"),
    }
    let headless = closed().await;
    flip(&file(headless.path()), 3);
    let refused = SqliteStore::open(headless.path()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("does not begin as a database"), "{refused}");
}
