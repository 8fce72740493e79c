//! What one check saw.

use serde::Serialize;

/// What one check saw.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    /// Of what.
    pub name: String,
    /// How it is.
    pub status: Verdict,
    /// What was seen.
    pub message: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Well.
    Ok,
    /// It works, and should be looked at.
    Warning,
    /// It does not work.
    Wrong,
}

impl Check {
    /// It is well.
    pub(super) fn ok(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), status: Verdict::Ok, message: message.into(), mend: None }
    }

    /// It works, and should be looked at.
    pub(super) fn warning(name: impl Into<String>, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name: name.into(), status: Verdict::Warning, message: message.into(), mend: Some(mend.into()) }
    }

    /// It does not work.
    pub(super) fn wrong(name: impl Into<String>, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name: name.into(), status: Verdict::Wrong, message: message.into(), mend: Some(mend.into()) }
    }
}
