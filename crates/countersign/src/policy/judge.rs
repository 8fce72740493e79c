//! A second reader: a model of the operator's choice that is asked where words alone are not enough. Off unless the policy
//! names one.
//!
//! It may add a caution or a person and never releases what was refused. The core only reads here when to ask and what a
//! doubt does; the runtime knows how to reach the model.

use super::rules::Fault;
use serde::Deserialize;

/// The `[judge]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawJudge {
    /// The address of an OpenAI-compatible service, with its `/v1`.
    pub url: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The environment variable that holds its key; `COUNTERSIGN_JUDGE_KEY` where absent.
    pub key_env: Option<String>,
    /// Which calls it reads: `off`, `acting` (default: tools that change something) or `all`.
    pub calls: Option<JudgedCalls>,
    /// Whether it reads answers that rest on tool results (default: yes).
    pub answers: Option<bool>,
    /// What a doubt about a call does: `review` (default: a person decides on tools that act) or `caution`.
    pub doubt: Option<OnDoubt>,
    /// How long it may take for one reading, in milliseconds (default 5000).
    pub deadline_ms: Option<u64>,
    /// How many tokens its answer may have (default 400).
    pub max_tokens: Option<u64>,
    /// How many tokens all readings of a day may take together; no limit where absent.
    pub tokens_per_day: Option<u64>,
    /// How long a reading is kept for the same question, in seconds (default an hour).
    pub cache_s: Option<u64>,
}

/// Which calls a second reader reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum JudgedCalls {
    /// None.
    Off,
    /// Those of tools that change something, or of which nothing is known.
    #[default]
    Acting,
    /// All.
    All,
}

/// What a doubt about a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnDoubt {
    /// A person decides, on tools that act; advice on tools that only read.
    #[default]
    Review,
    /// The call goes on with a caution.
    Caution,
}

/// A second reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgePolicy {
    /// Its address, with `/v1`.
    pub url: String,
    /// The model.
    pub model: String,
    /// The environment variable of its key.
    pub key_env: String,
    /// Which calls it reads.
    pub calls: JudgedCalls,
    /// Whether it reads answers.
    pub answers: bool,
    /// What a doubt about a call does.
    pub doubt: OnDoubt,
    /// How long it may take.
    pub deadline_ms: u64,
    /// How many tokens its answer may have.
    pub max_tokens: u64,
    /// How many tokens all readings of a day may take.
    pub tokens_per_day: Option<u64>,
    /// How long a reading is kept.
    pub cache_s: u64,
}

impl RawJudge {
    /// The reader that the table names; none where there is no table.
    pub(super) fn read(self) -> Result<Option<JudgePolicy>, Fault> {
        let fault =
            |word: &str, message: &str, help: &str| (word.to_owned(), message.to_owned(), Some(help.to_owned()));
        let (url, model) = match (self.url, self.model) {
            (None, None) => return Ok(None),
            (Some(url), Some(model)) => (url, model),
            (Some(_), None) => return Err(fault("judge", "the judge has no model", "add `model = \"NAME\"`")),
            (None, Some(_)) => {
                return Err(fault("judge", "the judge has no address", "add `url = \"http://127.0.0.1:8000/v1\"`"));
            }
        };
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(fault(&url, "the judge's address is not usable", "begin with http:// or https://"));
        }
        let deadline_ms = self.deadline_ms.unwrap_or(DEADLINE_MS);
        if !(1..=MAX_DEADLINE_MS).contains(&deadline_ms) {
            let help = "a call waits that long; use a few seconds, a minute at most";
            return Err(fault("deadline_ms", "the judge's deadline is not within 1 and 60000 ms", help));
        }
        Ok(Some(JudgePolicy {
            url,
            model,
            key_env: self.key_env.unwrap_or_else(|| KEY_ENV.to_owned()),
            calls: self.calls.unwrap_or_default(),
            answers: self.answers.unwrap_or(true),
            doubt: self.doubt.unwrap_or_default(),
            deadline_ms,
            max_tokens: self.max_tokens.unwrap_or(MAX_TOKENS).max(1),
            tokens_per_day: self.tokens_per_day,
            cache_s: self.cache_s.unwrap_or(KEPT_S),
        }))
    }
}

/// The environment variable of the key where the policy names none.
const KEY_ENV: &str = "COUNTERSIGN_JUDGE_KEY";
const DEADLINE_MS: u64 = 5_000;
const MAX_DEADLINE_MS: u64 = 60_000;
const MAX_TOKENS: u64 = 400;
const KEPT_S: u64 = 3_600;

#[cfg(test)]
mod tests {
    use crate::policy::Policy;
    use crate::policy::judge::JudgedCalls;

    #[test]
    fn a_judge_is_named_whole_or_not_at_all() {
        // MEANING-3
        assert!(Policy::standard().judge.is_none(), "off by default");
        let policy = Policy::from_toml("[judge]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"small\"\n").unwrap();
        let judge = policy.judge.unwrap();
        assert_eq!((judge.calls, judge.answers, judge.deadline_ms), (JudgedCalls::Acting, true, 5_000));
        for (text, word) in [
            ("[judge]\nmodel = \"small\"\n", "url"),
            ("[judge]\nurl = \"http://127.0.0.1:1/v1\"\n", "model"),
            ("[judge]\nurl = \"localhost\"\nmodel = \"small\"\n", "http://"),
            ("[judge]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"small\"\ndeadline_ms = 0\n", "seconds"),
        ] {
            let error = Policy::from_toml(text).unwrap_err();
            assert!(error.help.clone().unwrap_or_default().contains(word), "{text}: {error:?}");
        }
    }
}
