//! Words that must not be shown, taken out of log lines and alerts.
//!
//! The engine's own rule keeps the first characters of a secret, because its reader must know which one was meant; a log
//! has many readers, so here nothing is kept. Some innocent words are hidden too: in a log that is the cheaper mistake.

use countersign::check_call::secrets;
use regex::Regex;
use std::sync::LazyLock;

/// Hides secrets by their shape, and those that it was told.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Vec<String>,
}

impl Redactor {
    /// A redactor that also hides these very words.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        Self { known: known.into_iter().filter(|word| word.len() >= SHORTEST).collect() }
    }

    /// The text without its secrets.
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for word in &self.known {
            if text.contains(word.as_str()) {
                text = text.replace(word.as_str(), HIDDEN);
            }
        }
        let Some(rules) = RULES.as_ref() else { return HIDDEN.to_owned() };
        for (rule, instead) in rules {
            if rule.is_match(&text) {
                text = rule.replace_all(&text, *instead).into_owned();
            }
        }
        secrets::redact(&text).into_owned()
    }
}

/// The text without what looks like a secret.
pub fn redact(text: &str) -> String {
    Redactor::default().redact(text)
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&RULES);
}

/// `None` where a pattern does not compile, which a test rules out: then nothing is shown at all.
static RULES: LazyLock<Option<Vec<(Regex, &'static str)>>> =
    LazyLock::new(|| PATTERNS.iter().map(|(pattern, instead)| Some((Regex::new(pattern).ok()?, *instead))).collect());

const PATTERNS: &[(&str, &str)] = &[
    // A field or header that is called a secret, up to the end of its value.
    (
        r#"(?i)((?:authorization|api[_-]?keys?|countersign-key|secret|password|passwd|token|cookie)\\?["']?\s*[:=]\s*\\?["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&}\]\\]{3,}"#,
        "${1}***",
    ),
    (r"(?i)\b(bearer)\s+[a-z0-9._~+/=-]{4,}", "${1} ***"),
    // Keys by their beginning.
    (r"\b(sk-|cs_|pk-|rk_|gh[opsu]_|xox[a-z]-)[A-Za-z0-9_-]{6,}", "${1}***"),
    // A login in an address.
    (r#"(://)[^/\s"'@]+@"#, "${1}***@"),
    // Webhooks carry their key in the path.
    (r#"(hooks\.slack\.com/services/|/bot/v2/hook/)[^\s"']+"#, "${1}***"),
    // The query of an address.
    (r#"([a-z]+://[^\s"'?#]*)\?[^\s"']+"#, "${1}?***"),
];

const HIDDEN: &str = "***";
/// Shorter words would hide half the text.
const SHORTEST: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-4: no log line shows a secret.
    #[test]
    fn secrets_are_hidden_whole() {
        for (text, hidden) in [
            ("Authorization: Bearer abc.def-ghi", "abc.def-ghi"),
            (r#"{"authorization":"Basic dXNlcjpwYXNz"}"#, "dXNlcjpwYXNz"),
            (r#"{\"x-api-key\": \"hunter2hunter2\"}"#, "hunter2hunter2"),
            ("x-api-key=hunter2", "hunter2"),
            ("sent bearer eyJtoken", "eyJtoken"),
            ("the key sk-proj-12345678 was refused", "12345678"),
            ("made cs_0a1b2c3d4e5f", "0a1b2c3d4e5f"),
            ("postgres://app:pw@db/main", "pw"),
            ("redis://:topsecret@cache:6379/0", "topsecret"),
            ("GET https://hooks.example.com/x?access_token=abcdef&b=2", "abcdef"),
            ("https://hooks.slack.com/services/T0/B0/abcdefgh", "abcdefgh"),
            ("https://open.feishu.cn/open-apis/bot/v2/hook/0000-1111", "0000-1111"),
            ("AKIAQ3EGRZ7T5UJ2K4LM", "Q3EGRZ7T5UJ2K4LM"),
        ] {
            let shown = redact(text);
            assert!(!shown.contains(hidden), "{text} became {shown}");
        }
    }

    #[test]
    fn told_words_are_hidden_and_plain_text_stays() {
        let redactor = Redactor::new(["alpha-key".to_owned(), "no".to_owned()]);
        assert_eq!(redactor.redact("wrong key alpha-key from 127.0.0.1"), "wrong key *** from 127.0.0.1");
        let plain = "listening on http://127.0.0.1:7420, 3 tokens a second, no keys";
        assert_eq!(redact(plain), plain);
    }
}
