//! Why tools cannot be set up: something that the operator wrote or gave cannot be used. It is said at the start.

use thiserror::Error;

/// What is wrong with the set-up of a source of tools, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SetupError(pub String);
