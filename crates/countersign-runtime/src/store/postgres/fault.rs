//! What the server's errors mean for the caller: try later, make room, or give up.

use crate::store::StoreError;
use tokio_postgres::error::SqlState;

/// Sorts an error of the driver.
pub(super) fn meaning(error: &tokio_postgres::Error) -> StoreError {
    let Some(answer) = error.as_db_error() else {
        // What is not the server's word is the connection's, but for values that could not be sent or read.
        let cause = with_source(error);
        let ours = cause.starts_with("error serializing") || cause.starts_with("error deserializing");
        return if ours { broken(cause) } else { away(cause) };
    };
    let cause = answer.message().to_owned();
    match answer.code() {
        code if *code == SqlState::DISK_FULL => StoreError::Full { store: NAME, cause },
        code if COLLISIONS.contains(code) => away(COLLISION),
        code if PASSING.contains(code) => away(cause),
        code if PASSING_CLASSES.iter().any(|class| code.code().starts_with(class)) => away(cause),
        _ => broken(cause),
    }
}

/// It may work later.
pub(super) fn away(cause: impl Into<String>) -> StoreError {
    StoreError::Away { store: NAME, cause: cause.into() }
}

/// It will not.
pub(super) fn broken(cause: impl Into<String>) -> StoreError {
    StoreError::Broken { store: NAME, cause: cause.into() }
}

/// Whether two transactions met, this one was undone, and the same work may be tried again at once.
pub(super) fn is_collision(error: &StoreError) -> bool {
    matches!(error, StoreError::Away { cause, .. } if cause == COLLISION)
}

fn with_source(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Shutting down, starting up, a statement that took too long, a server that only reads.
const PASSING: [SqlState; 7] = [
    SqlState::ADMIN_SHUTDOWN,
    SqlState::CRASH_SHUTDOWN,
    SqlState::CANNOT_CONNECT_NOW,
    SqlState::QUERY_CANCELED,
    SqlState::LOCK_NOT_AVAILABLE,
    SqlState::READ_ONLY_SQL_TRANSACTION,
    SqlState::IO_ERROR,
];

const COLLISIONS: [SqlState; 2] = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
const COLLISION: &str = "two transactions met, and this one was undone";

/// Connection trouble, and too little of something.
const PASSING_CLASSES: [&str; 2] = ["08", "53"];

const NAME: &str = "PostgreSQL";
