//! Verdicts for the audit: what was called, what was said of it, and what became of it.

use super::calls::JudgedCall;
use super::settings::{McpGuardSettings, Verdicts};
use crate::gateway::ledger::Entry;
use crate::ids::new_ordered_id;
use crate::store::Kind;
use crate::stream::now_millis;
use serde_json::{Value, json};

/// A verdict for the audit; `None` where nobody keeps them.
pub(super) fn entry(settings: &McpGuardSettings, judged: &JudgedCall, fate: CallFate, policy: &str) -> Option<Entry> {
    let Verdicts::Kept(server) = &settings.verdicts else { return None };
    let id = new_ordered_id("ver", now_millis()).unwrap_or_default();
    let made = &judged.made;
    let status = match fate {
        CallFate::Held => REFUSED,
        CallFate::Waiting => WAITING,
        _ => judged.verdict.status.name(),
    };
    let body = json!({
        "verdict_id": id,
        "source": "mcp",
        "server": server,
        "caller": settings.caller,
        "call_id": made.id,
        "tool": made.name,
        "call": {"id": made.id, "name": made.name, "arguments": made.arguments},
        "status": status,
        "released": fate == CallFate::Released,
        "outcome": fate.name(),
        "verdict": judged.verdict,
        "policy_version": policy,
    });
    Some(Entry { kind: Kind::Verdict, id, answer: String::new(), status, body, request: None })
}

/// A verdict as a line of a log, with the time in it.
pub fn log_line(entry: &Entry) -> String {
    let mut line = json!({"at": jiff::Timestamp::from_millisecond(now_millis()).unwrap_or_default().to_string()});
    if let (Some(line), Value::Object(body)) = (line.as_object_mut(), &entry.body) {
        line.extend(body.clone());
    }
    line.to_string()
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallFate {
    /// It went to the server.
    Released,
    /// It was answered with what is wrong.
    Refused,
    /// A person is asked.
    Waiting,
    /// Its tool is held until a person has seen it.
    Held,
}

impl CallFate {
    fn name(self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Refused => "refused",
            Self::Waiting => "review",
            Self::Held => "held",
        }
    }
}

const REFUSED: &str = "rejected";
/// Whatever the checks say of it, nobody has approved it yet.
const WAITING: &str = "requires_review";
