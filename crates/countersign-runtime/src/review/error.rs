//! Why a step of the queue was not taken.

use super::state::ReviewState;
use crate::store::StoreError;
use thiserror::Error;

/// Why a step was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReviewError {
    /// There is no such item.
    #[error("there is no review {0:?}")]
    Missing(String),
    /// It was decided already, or it is too late.
    #[error("this review is {} already", .0.name())]
    Over(ReviewState),
    /// Somebody else has it.
    #[error("this review is reserved by {0:?}")]
    Reserved(String),
    /// Two people acted at the same time, and the other was first.
    #[error("this review was changed at the same time; look at it again")]
    Raced,
    /// It cannot be said about this item.
    #[error("{0}")]
    Unfit(String),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system has no randomness for a new name.
    #[error("no new name can be made: {0}")]
    Names(String),
}
