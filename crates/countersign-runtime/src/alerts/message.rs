//! An alert on its way out, without secrets.

use super::AlertKind;
use super::letter::Letter;
use jiff::Timestamp;
use serde_json::json;

/// An alert on its way out, without secrets.
#[derive(Debug, Clone)]
pub(super) struct Message {
    /// What it is about.
    pub kind: AlertKind,
    /// Whom it concerns.
    pub subject: String,
    /// What happened.
    pub text: String,
    /// How often it was raised and not said since the last time.
    pub suppressed: u64,
}

impl Message {
    /// The message for people.
    pub(super) fn letter(&self) -> Letter {
        let again = match self.suppressed {
            0 => String::new(),
            more => format!(" ({more} more like this since the last message)"),
        };
        let title = format!("[countersign] {} {}", self.kind.name(), self.subject);
        Letter {
            text: format!("{title}: {}{again}", self.text),
            title,
            fields: json!({
                "source": "countersign",
                "kind": self.kind.name(),
                "subject": self.subject,
                "text": self.text,
                "suppressed": self.suppressed,
                "at": Timestamp::now().to_string(),
            }),
        }
    }
}
