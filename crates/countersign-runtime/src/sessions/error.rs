//! Why something could not be done with a session.

use crate::store::StoreError;
use crate::stream::WriteError;
use thiserror::Error;

/// What went wrong, in the ways that a caller can act on.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SessionError {
    /// There is no such thing, or none that the caller may know of.
    #[error("there is no {what} {id:?} here")]
    Missing {
        /// What was asked for.
        what: &'static str,
        /// Which.
        id: String,
    },
    /// It belongs to another session.
    #[error("this {what} belongs to another session")]
    Foreign {
        /// What was asked for.
        what: &'static str,
    },
    /// What was sent cannot be used.
    #[error("{message}")]
    Unusable {
        /// Which field.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// Somebody else changed it at the same time.
    #[error("this {what} was changed at the same time; read it and try again")]
    Changed {
        /// What.
        what: &'static str,
    },
    /// The log could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The server is ending.
    #[error("the server is shutting down; try again")]
    Ending,
    /// The system has no randomness for a new name.
    #[error("no new name can be made: {0}")]
    Names(String),
}

impl SessionError {
    /// Something that is not there.
    pub fn missing(what: &'static str, id: &str) -> Self {
        Self::Missing { what, id: id.to_owned() }
    }
}

impl From<getrandom::Error> for SessionError {
    fn from(error: getrandom::Error) -> Self {
        Self::Names(error.to_string())
    }
}
