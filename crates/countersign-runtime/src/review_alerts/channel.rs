//! Who is told of what, and when.

use super::quiet_hours::QuietHours;
use crate::alerts::Target;
use crate::review::Review;
use countersign::policy::pattern::Pattern;
use std::time::Duration;

/// People who are told of what waits.
#[derive(Debug, Clone)]
pub struct Channel {
    /// What it is called, in the audit and in links: letters, digits, `-` and `_`.
    pub name: String,
    /// Where messages go.
    pub target: Target,
    /// Items of which tools; all where there are none.
    pub tools: Vec<Pattern>,
    /// When.
    pub moment: Moment,
    /// How long to wait for more items before a message is sent.
    pub batch: Duration,
    /// When not.
    pub quiet: Option<QuietHours>,
    /// Tools whose items are told in quiet hours too.
    pub urgent: Vec<Pattern>,
    /// How much of an item is told.
    pub show: Show,
}

/// When an item is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// As soon as it waits.
    AtOnce,
    /// When it has only so long left and nobody has decided.
    BeforeExpiry(Duration),
}

/// How much of an item is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// What was asked, the call and why it waits.
    Call,
    /// The name of the tool alone.
    Tool,
}

impl Channel {
    /// Whether it is told of an item at all.
    pub(super) fn wants(&self, review: &Review) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|tool| tool.matches(&review.tool))
    }

    /// Whether an item is told in quiet hours too: by its tool, or because something serious was found.
    pub(super) fn is_urgent(&self, review: &Review) -> bool {
        review.is_serious() || self.urgent.iter().any(|tool| tool.matches(&review.tool))
    }

    /// From when on an item is told, in milliseconds since 1970.
    pub(super) fn due_at(&self, review: &Review) -> i64 {
        match self.moment {
            Moment::AtOnce => 0,
            Moment::BeforeExpiry(left) => {
                review.expires_at_ms.saturating_sub(i64::try_from(left.as_millis()).unwrap_or(i64::MAX / 2))
            }
        }
    }
}
