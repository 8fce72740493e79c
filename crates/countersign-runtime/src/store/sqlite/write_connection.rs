//! The writer's connection: one transaction at a time, whole or not at all.
//!
//! Whatever goes wrong, the next transaction begins on a connection without an open one and without a memory of what was
//! undone; where SQLite cannot even roll back, the connection is replaced.

use super::standing::Standings;
use super::{fault, schema};
use crate::store::StoreError;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The connection, and what is known of the runs.
#[derive(Debug)]
pub(super) struct WriteConnection {
    file: PathBuf,
    /// None only after it had to be given up and the file could not be opened again yet.
    connection: Option<Connection>,
    pub(super) standings: Standings,
    /// When the write-ahead log was emptied last.
    emptied: Instant,
}

impl WriteConnection {
    pub(super) fn open(file: &Path) -> Result<Self, StoreError> {
        let connection = Some(schema::writer(file)?);
        Ok(Self { file: file.to_owned(), connection, standings: Standings::default(), emptied: Instant::now() })
    }

    /// The connection; reopened where it was given up.
    pub(super) fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        if self.connection.is_none() {
            self.connection = Some(schema::writer(&self.file)?);
        }
        self.connection.as_mut().ok_or_else(gone)
    }

    /// The connection and the runs, for a step inside a transaction.
    pub(super) fn parts(&mut self) -> Result<(&Connection, &mut Standings), StoreError> {
        Ok((self.connection.as_ref().ok_or_else(gone)?, &mut self.standings))
    }

    /// Does something in a transaction; durable when it returns, undone where it failed.
    pub(super) fn transact<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = self.begin().and_then(|()| work(self)).and_then(|value| self.commit().map(|()| value));
        if done.is_err() {
            self.undo();
        }
        done
    }

    /// Empties the write-ahead log into the file where that was not done for a while: what is in the file cannot be lost
    /// with the log. Readers are not waited for; with one at work the rest is done another time.
    pub(super) fn empty_log(&mut self) {
        if self.emptied.elapsed() < EMPTY_EVERY {
            return;
        }
        self.emptied = Instant::now();
        let emptied = self.connection().and_then(|connection| {
            connection.busy_timeout(Duration::ZERO)?;
            let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            connection.busy_timeout(schema::BUSY)?;
            Ok(emptied?)
        });
        if let Err(error) = emptied {
            tracing::debug!(%error, "the write-ahead log was not emptied");
        }
    }

    /// Empties the write-ahead log into the file. The file is whole without it, so a failure does not matter.
    pub(super) fn tidy(&mut self) {
        let emptied = self
            .connection()
            .and_then(|connection| Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?));
        if let Err(error) = emptied {
            tracing::debug!(%error, "the write-ahead log was left as it is");
        }
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        self.connection()?.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let (connection, standings) = self.parts()?;
        standings.write(connection)?;
        connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }

    /// SQLite has rolled back by itself after some failures and not after others.
    fn undo(&mut self) {
        self.standings.forget();
        let Some(connection) = &self.connection else { return };
        let clean = connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok();
        if !clean || !connection.is_autocommit() {
            self.connection = None;
        }
    }
}

/// How long what was written may be in the log alone.
const EMPTY_EVERY: Duration = Duration::from_secs(10);

fn gone() -> StoreError {
    fault::away("its connection was lost; it is opened again with the next write")
}
