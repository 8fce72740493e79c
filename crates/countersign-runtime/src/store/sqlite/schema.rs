//! Connections and tables: what a connection is set to, and how an older file becomes one of today.
//!
//! A file of a newer version is never touched: it may hold what this version would lose.

use super::fault;
use crate::store::StoreError;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// The connection that writes.
pub(super) fn writer(file: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE | ALONE)?;
    connection.busy_timeout(BUSY)?;
    connection.execute_batch(WRITER)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// A connection that only reads.
pub(super) fn reader(file: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | ALONE)?;
    connection.busy_timeout(BUSY)?;
    connection.execute_batch(READER)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// Brings the tables to today's version, one step a transaction.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let version = check_version(connection)?;
    for (step, next) in MIGRATIONS.iter().zip(1_u32..).skip(version as usize) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", next)?;
        transaction.commit()?;
    }
    Ok(())
}

/// The version of a file's tables; one that is newer than what is known here is refused.
pub(super) fn check_version(connection: &Connection) -> Result<u32, StoreError> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version as usize > MIGRATIONS.len() {
        return Err(fault::broken(format!(
            "its file is of version {version}, and this Countersign knows up to {}: run the newer one, or use another \
             folder for the data",
            MIGRATIONS.len()
        )));
    }
    Ok(version)
}

/// A connection is used by one thread at a time, so SQLite need not lock it.
const ALONE: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

/// Nobody else writes, so this is only ever waited for while the file is recovered.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// More than there are in this folder.
const STATEMENTS: usize = 64;

/// `FULL`: a commit is on the disk before it returns. The log is emptied into the file at 1,000 pages (16 MiB), and cut
/// back to 64 MiB should a reader have kept it longer. Pages of 16 KiB take a quarter of the system calls of the usual 4 KiB;
/// a file that exists keeps its size.
const WRITER: &str = "
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA wal_autocheckpoint = 1000;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -8192;
    PRAGMA temp_store = MEMORY;
";

const READER: &str = "
    PRAGMA query_only = ON;
    PRAGMA cache_size = -2048;
    PRAGMA temp_store = MEMORY;
";

/// The steps, oldest first. A step that was ever released is never changed.
const MIGRATIONS: &[&str] = &["
    -- AUTOINCREMENT: events of a removed run are deleted piece by piece, so its number must never be another's.
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        epoch INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        oldest INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        open INTEGER NOT NULL,
        node TEXT NOT NULL,
        address TEXT NOT NULL,
        -- Where its newest events are; see places.rs.
        tail BLOB NOT NULL
    ) STRICT;
    CREATE INDEX open_runs ON runs (id) WHERE open = 1;
    CREATE TABLE events (
        place INTEGER PRIMARY KEY,
        run_id INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    -- Where the other events of a run are, up to and with the last one of each list.
    CREATE TABLE places (
        run_id INTEGER NOT NULL,
        last INTEGER NOT NULL,
        spans BLOB NOT NULL,
        PRIMARY KEY (run_id, last)
    ) STRICT, WITHOUT ROWID;
    -- Runs that are gone while some of their events are not yet.
    CREATE TABLE removals (run_id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE beats (node TEXT PRIMARY KEY, beat INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE records (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        parent TEXT NOT NULL,
        state TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        version INTEGER NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (kind, id)
    ) STRICT;
    CREATE INDEX records_by_time ON records (kind, created_at, id);
    CREATE INDEX records_by_parent ON records (kind, parent, created_at, id);
    CREATE INDEX records_by_state ON records (kind, state, created_at, id);
    CREATE TABLE record_bytes (
        number INTEGER PRIMARY KEY REFERENCES records (number) ON DELETE CASCADE,
        bytes BLOB NOT NULL
    ) STRICT;
    -- Counts use all 64 bits, so they are compared by us and not by SQL.
    CREATE TABLE flags (
        scope TEXT PRIMARY KEY,
        raised INTEGER NOT NULL,
        cleared INTEGER NOT NULL,
        at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE probes (only INTEGER PRIMARY KEY CHECK (only = 1), padding BLOB NOT NULL) STRICT;
"];

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-5
    #[test]
    fn a_newer_file_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("newer.db");
        std::fs::File::create(&file).unwrap();
        let mut connection = writer(&file).unwrap();
        migrate(&mut connection).unwrap();
        migrate(&mut connection).unwrap();
        connection.pragma_update(None, "user_version", 1_000).unwrap();
        let refused = migrate(&mut connection).unwrap_err().to_string();
        assert!(refused.contains("file is of version 1000") && refused.contains("another folder"), "{refused}");
    }

    #[test]
    fn a_commit_waits_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("full.db");
        std::fs::File::create(&file).unwrap();
        let connection = writer(&file).unwrap();
        let asked = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, String>(0));
        assert_eq!(asked("journal_mode").unwrap(), "wal");
        assert_eq!(connection.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0)).unwrap(), 2);
    }
}
