//! Why a model did not answer: who is at fault, whether trying again may help, and what a reader may know of it.

use thiserror::Error;

/// A model failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// Nobody is there.
    #[error("the model's address cannot be reached: {0}")]
    Unreachable(String),
    /// It said no.
    #[error("the model answered with status {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What it said, shortened.
        message: String,
        /// How long it asks to wait, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// It said nothing for too long.
    #[error("the model said nothing for {0} s")]
    Silent(u64),
    /// It broke off.
    #[error("the model's answer broke off: {0}")]
    Cut(String),
}

impl ModelError {
    /// The code on the wire.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "upstream_unreachable",
            Self::Status { .. } => "upstream_error",
            Self::Silent(_) => "upstream_timeout",
            Self::Cut(_) => "upstream_cut",
        }
    }

    /// Whether the same turn may succeed later.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 409 | 425 | 429 | 500..=599),
            _ => true,
        }
    }
}

/// The whole chain of causes, without the address: it may hold a key.
pub fn told(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    if causes.is_empty() { "the connection failed".to_owned() } else { causes.join(": ") }
}
