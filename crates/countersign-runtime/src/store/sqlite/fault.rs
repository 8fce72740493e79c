//! What SQLite said, in the words of a store: no room, away for a while, or broken.

use crate::store::StoreError;
use rusqlite::{ErrorCode, ffi};
use std::path::Path;

/// The store's name in its errors.
pub(super) const NAME: &str = "SQLite";

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let cause = error.to_string();
        let Some(code) = error.sqlite_error() else { return broken(cause) };
        match code.code {
            ErrorCode::DiskFull => full(cause),
            ErrorCode::SystemIoFailure if NO_ROOM.contains(&code.extended_code) => full(cause),
            ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::OutOfMemory
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OperationInterrupted => away(cause),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => broken(format!("{cause}{DAMAGED}")),
            _ => broken(cause),
        }
    }
}

pub(super) fn away(cause: impl Into<String>) -> StoreError {
    StoreError::Away { store: NAME, cause: cause.into() }
}

pub(super) fn full(cause: impl Into<String>) -> StoreError {
    StoreError::Full { store: NAME, cause: cause.into() }
}

pub(super) fn broken(cause: impl Into<String>) -> StoreError {
    StoreError::Broken { store: NAME, cause: cause.into() }
}

/// The same, of a file that could not be opened: whoever reads it must know which.
pub(super) fn opening(file: &Path, error: StoreError, found: &[String]) -> StoreError {
    let found: String = found.iter().map(|sentence| format!("; {sentence}")).collect();
    let advice = match &error {
        StoreError::Broken { cause, .. } if cause.ends_with(DAMAGED) => {
            ". Restore it from a copy, or move all `countersign.*` files of this folder away to start empty"
        }
        _ => "",
    };
    let told = |cause: String| format!("{cause} (while {} was opened){found}{advice}", file.display());
    match error {
        StoreError::Away { store, cause } => StoreError::Away { store, cause: told(cause) },
        StoreError::Full { store, cause } => StoreError::Full { store, cause: told(cause) },
        StoreError::Broken { store, cause } => StoreError::Broken { store, cause: told(cause) },
    }
}

/// A number for a column. Only what was never written is above the greatest of them, so the greatest does for it.
pub(super) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What the cause of an error ends with where the file itself is damaged.
pub(super) const DAMAGED: &str = ": the file is damaged";
/// A write that failed for another reason than `ENOSPC` mostly is a quota, and the shared memory beside the file cannot
/// be made larger on a full disk.
const NO_ROOM: [i32; 2] = [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_SHMSIZE];
