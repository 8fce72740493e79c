//! The forms of JSON that places want.

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
