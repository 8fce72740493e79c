//! The connections that read: a few, opened when they are needed, each used by one thread at a time.
//!
//! A read sees what was durable when it began, never a part of a transaction, and it never holds the writer up.

use super::{fault, schema};
use crate::store::StoreError;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// The connections.
#[derive(Debug)]
pub(super) struct Readers {
    file: PathBuf,
    /// None once the store is closed.
    idle: Mutex<Option<Vec<Connection>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(file: &Path) -> Self {
        let places = Arc::new(Semaphore::new(PLACES));
        Self { file: file.to_owned(), idle: Mutex::new(Some(Vec::new())), places }
    }

    /// Runs a read on a thread that may block.
    pub(super) async fn read<T, F>(readers: &Arc<Self>, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let end = Instant::now() + DEADLINE;
        let place = tokio::time::timeout_at(end.into(), Arc::clone(&readers.places).acquire_owned());
        let place = place.await.map_err(|_| late())?.map_err(|_| closed())?;
        let own = Arc::clone(readers);
        let reading = tokio::task::spawn_blocking(move || {
            let _place = place;
            let mut connection = own.take()?;
            // A query that goes on beyond the deadline is cut off by SQLite itself, and the place is free again.
            connection.progress_handler(STEPS, Some(move || Instant::now() >= end))?;
            let read = run(&connection);
            own.give_back(connection);
            read
        });
        let read = tokio::time::timeout_at(end.into(), reading).await.map_err(|_| late())?;
        read.map_err(|_| fault::away("a read was cut off"))?
    }

    /// No more reads; those that run end on connections of their own.
    pub(super) fn close(&self) {
        self.places.close();
        self.idle().take();
    }

    fn take(&self) -> Result<Connection, StoreError> {
        let idle = self.idle().as_mut().ok_or_else(closed)?.pop();
        idle.map_or_else(|| schema::reader(&self.file), Ok)
    }

    fn give_back(&self, connection: Connection) {
        if let Some(idle) = self.idle().as_mut() {
            idle.push(connection);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Option<Vec<Connection>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn late() -> StoreError {
    fault::away(format!("a read did not end within {} s", DEADLINE.as_secs()))
}

fn closed() -> StoreError {
    fault::away("it is closed")
}

/// So many reads at once.
const PLACES: usize = 4;
const DEADLINE: Duration = Duration::from_secs(10);
/// Virtual machine steps between two looks at the clock.
const STEPS: i32 = 10_000;
