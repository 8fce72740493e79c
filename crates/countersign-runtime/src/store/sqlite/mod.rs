//! Everything in one file, `countersign.db`: the store that needs nothing to be installed, and the default.
//!
//! One thread writes, for all: it takes what is queued, makes one transaction of it, and answers nobody before the
//! transaction is on the disk. A small pool of connections reads. The folder is locked, because a second process would
//! have a second writer and a second opinion on who holds a run. It never answers before the disk has, never leaves a
//! part of a refused write behind, and never waits without an end.

/// What SQLite said, in the words of a store.
mod fault;
/// The folder, and the lock that keeps other processes out.
mod folder;
/// Connections and tables.
mod schema;
/// Damage to the files, noticed.
mod damage;
/// Where a run's events lie among the rows of all.
mod places;
/// Where the runs are, as the writer knows it.
mod standing;
/// The writer's connection: one transaction, whole or not at all.
mod write_connection;
/// The writer's queue and thread.
mod writer;
/// The connections that read.
mod readers;
/// Leases and beats.
mod lease;
/// Events written.
mod append;
/// Events forgotten.
mod forget;
/// The event log.
mod log;
/// The records.
mod records;
/// The flags.
mod flags;
/// A copy of the store while another process works on it.
mod snapshot;

pub use folder::{DATABASE, HELD_DATA, LOCK};
pub use snapshot::{check_database, copy_database};

use crate::store::StoreError;
use crate::store::stored_json::Unreadable;
use folder::Folder;
use readers::Readers;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use write_connection::WriteConnection;
use writer::{Haste, Writer};

/// The store.
#[derive(Debug)]
pub struct SqliteStore {
    writer: Writer,
    readers: Arc<Readers>,
    unreadable: Arc<Unreadable>,
    /// What was found to be damaged, in words for people.
    damage: Mutex<Vec<String>>,
    /// Held until the store is closed; released last.
    folder: Mutex<Option<Folder>>,
}

/// When a write is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Once the disk has it.
    #[default]
    Durable,
    /// Before the transaction is committed: a bug that the tests of durability plant and must notice.
    #[cfg(feature = "planted-bugs")]
    AckBeforeCommit,
}

impl SqliteStore {
    /// Opens the store in a folder, and makes both where there are none. Refused while another process has it open, and
    /// where a newer Countersign has written it.
    pub fn open(dir: &Path) -> Result<Arc<Self>, StoreError> {
        Self::open_durable(dir, Durability::Durable)
    }

    /// For the tests of durability alone.
    #[cfg(feature = "planted-bugs")]
    pub fn open_with(dir: &Path, durability: Durability) -> Result<Arc<Self>, StoreError> {
        Self::open_durable(dir, durability)
    }

    fn open_durable(dir: &Path, durability: Durability) -> Result<Arc<Self>, StoreError> {
        let folder = Folder::lock(dir)?;
        let mut found = damage::look(&folder.file(), folder.past())?;
        let file = folder.database()?;
        let database = prepare(&file).map_err(|error| fault::opening(&file, error, &found.sentences))?;
        found.check(&file)?;
        folder.remember();
        for sentence in &found.sentences {
            tracing::error!(sentence, "the store's files are damaged");
        }
        let readers = Arc::new(Readers::new(&file));
        let writer = Writer::start(database, durability)?;
        Ok(Arc::new(Self {
            writer,
            readers,
            unreadable: Arc::default(),
            damage: Mutex::new(found.sentences),
            folder: Mutex::new(Some(folder)),
        }))
    }

    /// What is damaged in its files, in words for people: found when it was opened, or met since.
    pub fn damage(&self) -> Vec<String> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps in mind that damage was met.
    fn noticing<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Broken { cause, .. }) = &done
            && cause.ends_with(fault::DAMAGED)
        {
            let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
            if damage.len() < MOST_DAMAGE && !damage.contains(cause) {
                tracing::error!(cause, "the store's files are damaged");
                damage.push(cause.clone());
            }
        }
        done
    }

    /// Writes what is queued, empties the write-ahead log into the file and lets go of the folder. Blocks for that long;
    /// what is asked afterwards is answered with `Away`. A store that is dropped does the same.
    pub fn close(&self) {
        self.readers.close();
        self.writer.close();
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Has the writer do something, and waits until it is durable.
    async fn through_writer<T, F>(&self, haste: Haste, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut WriteConnection) -> Result<T, StoreError> + Send + 'static,
    {
        let done = self.writer.write(haste, run).await;
        self.noticing(done)
    }

    /// Reads what is durable now.
    async fn through_reader<T, F>(&self, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let read = Readers::read(&self.readers, run).await;
        self.noticing(read)
    }
}

/// The writer's connection to tables of today, with nothing half done left in them.
fn prepare(file: &Path) -> Result<WriteConnection, StoreError> {
    let mut database = WriteConnection::open(file)?;
    database.connection().and_then(schema::migrate)?;
    forget::finish(&mut database)?;
    Ok(database)
}

/// So many kinds of damage are kept in mind.
const MOST_DAMAGE: usize = 16;

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}
