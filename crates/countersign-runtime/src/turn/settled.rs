//! A call that is over, and what the model is told of it.

use super::verdicts::{JudgedCall, made};
use countersign::resolve::RefusalKind;
use serde_json::Value;

/// A call that is over, with what the model is told of it.
#[derive(Debug, Clone)]
pub(super) struct Settled {
    /// The call's id.
    pub call_id: String,
    /// The call as the model made it.
    pub call: Value,
    /// What the model is told.
    pub told: String,
    /// Why it was refused.
    pub refused: Option<RefusalKind>,
    /// What came back, where it was run.
    pub result: Option<Seen>,
}

/// What came back from a tool.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// The tool.
    pub name: String,
    /// With what it was run.
    pub arguments: Value,
    /// What it gave.
    pub content: Value,
    /// Whether it failed.
    pub is_error: bool,
    /// Whether it looks wrong.
    pub is_suspicious: bool,
}

/// A value in words.
pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A call that was not run, with what the model is told.
pub(super) fn settle_unrun(judged: &JudgedCall, refused: Option<RefusalKind>, told: String) -> Settled {
    Settled { call_id: judged.own.call_id.clone(), call: made(judged), told, refused, result: None }
}

/// A call that was run, with what the model is told.
pub(super) fn settle_seen(judged: &JudgedCall, seen: Seen, told: String) -> Settled {
    let (call_id, call) = (judged.own.call_id.clone(), made(judged));
    Settled { call_id, call, told, refused: None, result: Some(seen) }
}
