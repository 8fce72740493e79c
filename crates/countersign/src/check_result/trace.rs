//! What happened before an answer: the calls that were made, and what came back.

use serde_json::Value;

/// What happened before the answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trace<'a> {
    /// The calls that were made.
    pub calls: &'a [Done<'a>],
    /// The names of the tools that the model could have called; `None` where nothing is known about them.
    pub tools: Option<&'a [&'a str]>,
}

/// One call and what came back.
#[derive(Debug, Clone, Copy)]
pub struct Done<'a> {
    /// The tool.
    pub name: &'a str,
    /// What it was called with.
    pub arguments: &'a Value,
    /// What it returned.
    pub content: &'a Value,
    /// Whether that is marked as an error.
    pub is_error: bool,
    /// Whether the call was made for this answer, and not for an earlier one.
    pub fresh: bool,
}
