//! Checks that several settings share: addresses, spans of time, words out of a few.

use super::quantity::{bytes, duration};
use std::borrow::Cow;
use std::time::Duration;

/// A setting that cannot be used.
#[derive(Debug)]
pub(crate) struct Invalid {
    /// Which: its place in the TOML, such as `mcp.fs.timeout`.
    pub path: SettingPath,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A setting's place in the TOML.
pub(super) type SettingPath = Cow<'static, str>;

/// A setting, or why it cannot be used.
pub(super) type Valid<T> = Result<T, Invalid>;

/// An http or https address, without a slash at its end.
pub(super) fn address(path: impl Into<SettingPath>, text: Option<String>) -> Valid<Option<String>> {
    let Some(text) = text else { return Ok(None) };
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.contains(char::is_whitespace) => {
            Ok(Some(text.trim_end_matches('/').to_owned()))
        }
        _ => Err(Invalid {
            path: path.into(),
            message: "it must be an http or https address".to_owned(),
            help: Some("such as http://127.0.0.1:8000/v1".to_owned()),
        }),
    }
}

pub(super) fn span(path: impl Into<SettingPath>, text: &str, least: Duration) -> Valid<Duration> {
    let path = path.into();
    match duration(text) {
        Err(message) => Err(Invalid { path, message, help: None }),
        Ok(found) if found < least => {
            Err(Invalid { path, message: format!("`{text}` is too short; at least {least:?}"), help: None })
        }
        Ok(found) => Ok(found),
    }
}

/// A number of bytes.
pub(super) fn size(path: impl Into<SettingPath>, text: &str) -> Valid<u64> {
    bytes(text).map_err(|message| Invalid { path: path.into(), message, help: None })
}

/// How often something is tried again: never without end.
pub(super) fn retries(asked: Option<u64>) -> u32 {
    u32::try_from(asked.unwrap_or(0).min(MOST_RETRIES)).unwrap_or(0)
}

pub(super) fn choice(path: impl Into<SettingPath>, seen: &str, choices: &str) -> Invalid {
    Invalid { path: path.into(), message: format!("`{seen}` must be {choices}"), help: None }
}

const MOST_RETRIES: u64 = 10;
/// The shortest time that makes sense for a wait.
pub(super) const MOMENT: Duration = Duration::from_millis(10);
