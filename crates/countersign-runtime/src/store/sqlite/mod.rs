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
/// Where a run's events lie among the rows of all.
mod places;
/// Where the runs stand, as the writer knows it.
mod standing;
/// The writer's connection: one transaction, whole or not at all.
mod desk;
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

use crate::store::StoreError;
use crate::store::stored_json::Unreadable;
use desk::Desk;
use folder::Folder;
use readers::Readers;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use writer::{Haste, Writer};

/// The store.
#[derive(Debug)]
pub struct SqliteStore {
    writer: Writer,
    readers: Arc<Readers>,
    unreadable: Arc<Unreadable>,
    /// Held until the store is closed; released last.
    folder: Mutex<Option<Folder>>,
}

/// When a write is answered. Anything but the first is a planted bug: the tests of durability must see it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Once the disk has it.
    #[default]
    Durable,
    /// Before the transaction is committed. No configuration leads here.
    AckBeforeCommit,
}

impl SqliteStore {
    /// Opens the store in a folder, and makes both where there are none. Refused while another process has it open, and
    /// where a newer Countersign has written it.
    pub fn open(dir: &Path) -> Result<Arc<Self>, StoreError> {
        Self::open_with(dir, Durability::Durable)
    }

    /// For the tests of durability alone.
    #[doc(hidden)]
    pub fn open_with(dir: &Path, durability: Durability) -> Result<Arc<Self>, StoreError> {
        let folder = Folder::lock(dir)?;
        let file = folder.database()?;
        let desk = prepare(&file).map_err(|error| fault::opening(&file, error))?;
        let readers = Arc::new(Readers::new(&file));
        let writer = Writer::start(desk, durability)?;
        Ok(Arc::new(Self { writer, readers, unreadable: Arc::default(), folder: Mutex::new(Some(folder)) }))
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
        F: FnMut(&mut Desk) -> Result<T, StoreError> + Send + 'static,
    {
        self.writer.write(haste, run).await
    }

    /// Reads what is durable now.
    async fn through_reader<T, F>(&self, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        Readers::read(&self.readers, run).await
    }
}

/// The writer's connection to tables of today, with nothing half done left in them.
fn prepare(file: &Path) -> Result<Desk, StoreError> {
    let mut desk = Desk::open(file)?;
    desk.connection().and_then(schema::migrate)?;
    forget::finish(&mut desk)?;
    Ok(desk)
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}
