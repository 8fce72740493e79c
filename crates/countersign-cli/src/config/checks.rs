//! Checks that several settings share: addresses, spans of time, words out of a few.

use super::quantity::duration;
use std::time::Duration;

/// A setting that cannot be used.
#[derive(Debug)]
pub struct Invalid {
    /// Which.
    pub path: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A setting, or why it cannot be used.
pub type Valid<T> = Result<T, Invalid>;

/// An http or https address, without a slash at its end.
pub(super) fn address(path: &'static str, text: Option<String>) -> Valid<Option<String>> {
    let Some(text) = text else { return Ok(None) };
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.contains(char::is_whitespace) => {
            Ok(Some(text.trim_end_matches('/').to_owned()))
        }
        _ => Err(Invalid {
            path,
            message: "it must be an http or https address".to_owned(),
            help: Some("such as http://127.0.0.1:8000/v1".to_owned()),
        }),
    }
}

pub(super) fn span(path: &'static str, text: &str, least: Duration) -> Valid<Duration> {
    let found = duration(text).map_err(|message| Invalid { path, message, help: None })?;
    if found < least {
        let message = format!("`{text}` is too short; at least {least:?}");
        return Err(Invalid { path, message, help: None });
    }
    Ok(found)
}

/// How often something is tried again: never without end.
pub(super) fn retries(asked: Option<u64>) -> u32 {
    u32::try_from(asked.unwrap_or(0).min(MOST_RETRIES)).unwrap_or(0)
}

pub(super) fn choice(path: &'static str, seen: &str, choices: &str) -> Invalid {
    Invalid { path, message: format!("`{seen}` must be {choices}"), help: None }
}

const MOST_RETRIES: u64 = 10;
/// The shortest time that makes sense for a wait.
pub(super) const MOMENT: Duration = Duration::from_millis(10);
