//! How a turn ends: one terminal event, and before it an error where there was one.

use crate::models::ModelError;
use crate::review::ReviewError;
use crate::sessions::SessionError;
use crate::store::StoreError;
use crate::stream::{Draft, WriteError};
use countersign::contract::{ContentType, EventType};
use serde_json::json;

/// How a turn ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It is done.
    Completed,
    /// It failed.
    Failed {
        /// In a word.
        code: &'static str,
        /// For people; no secrets.
        message: String,
        /// Whether the same message may succeed later.
        retryable: bool,
    },
    /// It was stopped.
    Stopped {
        /// By what: `stop` or `shutdown`.
        reason: &'static str,
    },
    /// Another node has taken the session over and ended the turn: there is nothing to write.
    Fenced,
}

/// Who wants to know how turns go: counters, alerts.
pub trait TurnWatcher: Send + Sync {
    /// A turn has ended.
    fn turn_ended(&self, session: &str, ending: &Ending);

    /// A call was judged.
    fn call_judged(&self, status: countersign::contract::Status);

    /// How long judging a call took.
    fn judging_took(&self, _took: std::time::Duration) {}
}

impl Ending {
    /// A fault of ours.
    pub fn internal(error: &dyn std::fmt::Display) -> Self {
        Self::Failed { code: "internal_error", message: error.to_string(), retryable: true }
    }

    /// The word of its terminal event.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed { .. } => "failed",
            Self::Stopped { .. } => "stopped",
            Self::Fenced => "lost",
        }
    }

    /// Its events: an error first, where there was one.
    pub fn drafts(&self) -> Vec<Draft> {
        let event = |kind, content, fields| Draft::new(kind, "countersign", content, fields);
        match self {
            Self::Completed => vec![event(EventType::Completed, ContentType::Json, json!({"status": "completed"}))],
            Self::Failed { code, message, retryable } => {
                let error = json!({"code": code, "message": message, "retryable": retryable});
                let failed = json!({"status": "failed", "reason": code});
                vec![
                    event(EventType::Error, ContentType::Error, error),
                    event(EventType::Failed, ContentType::Json, failed),
                ]
            }
            Self::Stopped { reason } => {
                vec![event(EventType::Stopped, ContentType::Json, json!({"status": "stopped", "reason": reason}))]
            }
            Self::Fenced => Vec::new(),
        }
    }
}

impl From<ModelError> for Ending {
    fn from(error: ModelError) -> Self {
        Self::Failed { code: error.code(), message: error.to_string(), retryable: error.may_pass() }
    }
}

impl From<StoreError> for Ending {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Full { .. } => "store_full",
            StoreError::Away { .. } => "store_away",
            StoreError::Broken { .. } => "store_failed",
        };
        Self::Failed { code, message: error.to_string(), retryable: error.may_pass() }
    }
}

impl From<SessionError> for Ending {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Store(error) => error.into(),
            SessionError::Write(error) => error.into(),
            other => Self::internal(&other),
        }
    }
}

impl From<ReviewError> for Ending {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Store(error) => error.into(),
            other => Self::Failed { code: "review_failed", message: other.to_string(), retryable: true },
        }
    }
}

impl From<WriteError> for Ending {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => error.into(),
            WriteError::Fenced | WriteError::Elsewhere(_) | WriteError::Busy => Self::Fenced,
        }
    }
}
