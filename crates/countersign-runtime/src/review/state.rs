//! What became of an item.

use serde::{Deserialize, Serialize};

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// It waits.
    Pending,
    /// Somebody said yes.
    Approved,
    /// Somebody said yes to other arguments.
    Edited,
    /// Somebody said no.
    Rejected,
    /// Nobody said anything in time, which is a no.
    Expired,
}

impl ReviewState {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }

    /// Whether the call may run.
    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Approved | Self::Edited)
    }
}
