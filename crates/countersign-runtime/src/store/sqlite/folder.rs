//! The folder that the store lives in: made if it is missing, for its owner's eyes only, and locked.

use super::fault;
use crate::store::StoreError;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whether this folder held a store before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Past {
    /// It did.
    HeldData,
    /// Nothing says so.
    Unknown,
}

/// A folder that no other process has. The lock goes with the value, and with the process however it ends.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
    past: Past,
}

impl Folder {
    /// Makes the folder if it is missing, and keeps the others out.
    pub(super) fn lock(dir: &Path) -> Result<Self, StoreError> {
        make(dir).map_err(|error| wrong("make the folder", dir, &error))?;
        let path = dir.join(LOCK);
        let lock = private(&path).map_err(|error| wrong("open", &path, &error))?;
        match patiently(&lock) {
            Ok(()) => {
                let past =
                    if lock.metadata().is_ok_and(|found| found.len() > 0) { Past::HeldData } else { Past::Unknown };
                Ok(Self { path: dir.to_owned(), lock, past })
            }
            Err(TryLockError::WouldBlock) => Err(fault::away(format!(
                "another process holds {}; stop it, or use another folder for the data",
                path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(wrong("lock", &path, &error)),
        }
    }

    /// Where the database is, or will be.
    pub(super) fn file(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Whether a store was opened here before.
    pub(super) fn past(&self) -> Past {
        self.past
    }

    /// Writes down that a store was opened here, so that an empty file is never taken for a new one. A full disk is no
    /// reason not to start: it is written another time.
    pub(super) fn remember(&self) {
        if self.past == Past::Unknown
            && let Err(error) = (&self.lock).write_all(HELD_DATA).and_then(|()| self.lock.sync_all())
        {
            tracing::debug!(%error, "the folder could not be marked");
        }
    }

    /// The database's file, made empty if it is missing: SQLite would let everybody read what it makes.
    pub(super) fn database(&self) -> Result<PathBuf, StoreError> {
        let path = self.file();
        private(&path).map_err(|error| wrong("open", &path, &error))?;
        // Its name in the folder must be as durable as what is written to it.
        File::open(&self.path)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| wrong("write the folder", &self.path, &error))?;
        Ok(path)
    }
}

/// Locks a file, for a moment also one that somebody has. A child that is just being started has its parent's files until it
/// becomes another program, and a server that has just been killed may not be quite gone.
fn patiently(lock: &File) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            tried => return tried,
        }
    }
    lock.try_lock()
}

fn make(dir: &Path) -> io::Result<()> {
    if fs::metadata(dir).is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// A file that only its owner may read, kept as it is where there is one.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn wrong(step: &str, path: &Path, error: &io::Error) -> StoreError {
    let cause = format!("cannot {step} {}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => fault::full(cause),
        _ => fault::broken(cause),
    }
}

/// How often a lock that somebody has is tried again.
const TRIES: usize = 20;
/// How long to wait in between.
const PAUSE: Duration = Duration::from_millis(10);
/// What the lock's file says once a store was opened beside it.
pub const HELD_DATA: &[u8] = b"countersign.db holds data\n";
/// The file that keeps other processes out.
pub const LOCK: &str = "countersign.lock";
/// The file that holds everything.
pub const DATABASE: &str = "countersign.db";
