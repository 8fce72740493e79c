//! Where alerts go, and the form that each place wants.

use super::AlertKind;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::fmt;

/// A place that takes alerts.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Its form.
    pub kind: TargetKind,
    /// Its address. Part of it is a secret.
    pub url: String,
}

impl fmt::Debug for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ***", self.kind.name())
    }
}

/// The form of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetKind {
    /// A Feishu or Lark bot.
    Feishu,
    /// A Slack webhook.
    Slack,
    /// Anything that takes JSON.
    Webhook,
}

impl TargetKind {
    /// The word in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Feishu => "feishu",
            Self::Slack => "slack",
            Self::Webhook => "webhook",
        }
    }

    /// The one with this word.
    pub fn from_name(word: &str) -> Option<Self> {
        [Self::Feishu, Self::Slack, Self::Webhook].into_iter().find(|kind| kind.name() == word.to_ascii_lowercase())
    }

    /// The form that an address suggests.
    pub fn of_url(url: &str) -> Self {
        let host = url.split("://").nth(1).and_then(|rest| rest.split(['/', ':', '?']).next()).unwrap_or_default();
        let under = |domain: &str| host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
        if under("feishu.cn") || under("larksuite.com") {
            Self::Feishu
        } else if under("slack.com") {
            Self::Slack
        } else {
            Self::Webhook
        }
    }
}

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
    /// The body that a place wants.
    pub(super) fn body(&self, kind: TargetKind) -> Value {
        match kind {
            TargetKind::Feishu => json!({"msg_type": "text", "content": {"text": self.sentence()}}),
            TargetKind::Slack => json!({"text": self.sentence()}),
            TargetKind::Webhook => json!({
                "source": "countersign",
                "kind": self.kind.name(),
                "subject": self.subject,
                "text": self.text,
                "suppressed": self.suppressed,
                "at": Timestamp::now().to_string(),
            }),
        }
    }

    fn sentence(&self) -> String {
        let again = match self.suppressed {
            0 => String::new(),
            more => format!(" ({more} more like this since the last message)"),
        };
        format!("[countersign] {} {}: {}{again}", self.kind.name(), self.subject, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-2
    #[test]
    fn the_form_is_told_from_the_address() {
        for (url, kind) in [
            ("https://open.feishu.cn/open-apis/bot/v2/hook/x", TargetKind::Feishu),
            ("https://open.larksuite.com/x", TargetKind::Feishu),
            ("https://hooks.slack.com/services/T/B/x", TargetKind::Slack),
            ("https://notslack.com/x", TargetKind::Webhook),
            ("http://127.0.0.1:9/feishu.cn", TargetKind::Webhook),
        ] {
            assert_eq!(TargetKind::of_url(url), kind, "{url}");
        }
    }
}
