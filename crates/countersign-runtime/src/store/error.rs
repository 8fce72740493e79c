//! Why a store could not do its work, in the three ways that call for different answers.

use thiserror::Error;

/// A store failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// It cannot be reached, or it does not answer: the same call may succeed later.
    #[error("the {store} store is unavailable: {cause}")]
    Away {
        /// Which store.
        store: &'static str,
        /// What it said.
        cause: String,
    },
    /// There is no room left: the same call succeeds once there is.
    #[error("the {store} store is full: {cause}; free some space")]
    Full {
        /// Which store.
        store: &'static str,
        /// What it said.
        cause: String,
    },
    /// What it holds cannot be read, or it refused what we sent: trying again does not help.
    #[error("the {store} store failed: {cause}")]
    Broken {
        /// Which store.
        store: &'static str,
        /// What it said.
        cause: String,
    },
}

impl StoreError {
    /// Whether the same call may succeed later.
    pub fn may_pass(&self) -> bool {
        !matches!(self, Self::Broken { .. })
    }
}
