//! Results and answers that were examined, for the audit: what they say, and what the checks said of them.
//!
//! One shape for hosted turns and the gateway. Of a long text the beginning is kept, and nothing that looks like a
//! secret; the whole result stands in the log of its session. A record is only made here: who makes it writes it, with
//! what is written anyway or behind the answers, so that no one waits for the audit.

use crate::ids::new_ordered_id;
use crate::store::{Kind, Record};
use crate::stream::now_millis;
use countersign::check_call::secrets::redact;
use countersign::contract::VerificationReport;
use countersign::conversation::success::succeeded;
use countersign::inspect::AnswerReport;
use serde_json::{Value, json};

/// A result that was examined.
#[derive(Debug, Clone, Copy)]
pub struct Examination<'a> {
    /// Its name in the audit.
    pub id: &'a str,
    /// Where it came up.
    pub examined_in: ExaminedIn<'a>,
    /// The call that it answers.
    pub call_id: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// What came back.
    pub content: &'a Value,
    /// Whether the tool failed.
    pub is_error: bool,
    /// What the checks say.
    pub report: &'a VerificationReport,
    /// By which policy.
    pub policy_version: &'a str,
    /// With which key the caller came; `None` where there are none.
    pub key: Option<&'a str>,
}

/// Where a result or an answer came up.
#[derive(Debug, Clone, Copy)]
pub enum ExaminedIn<'a> {
    /// In a hosted session.
    Session(&'a str),
    /// In a request to the gateway that led to an answer.
    Answer(&'a str),
}

impl Examination<'_> {
    /// The record of it.
    pub fn record(&self) -> Record {
        let now = now_millis();
        let (field, parent) = self.examined_in.parent();
        let id = self.id.to_owned();
        let body = json!({
            "verdict_id": id,
            "kind": "result",
            field: parent,
            "call_id": self.call_id,
            "tool": self.tool,
            "status": self.status(),
            "result": keep_content(self.content),
            "verification": self.report,
            "policy_version": self.policy_version,
            "key": self.key,
        });
        Record {
            kind: Kind::Examination,
            id,
            parent: parent.to_owned(),
            state: self.status().to_owned(),
            created_at: now,
            version: 1,
            body,
        }
    }

    /// How the result stands: `suspicious`, `error` where it tells of a failure, `trusted`.
    pub fn status(&self) -> &'static str {
        match self {
            Self { report, .. } if report.is_suspicious => "suspicious",
            _ if !succeeded(self.content, self.is_error) => "error",
            _ => "trusted",
        }
    }
}

impl<'a> ExaminedIn<'a> {
    /// The field that names it, and its name.
    fn parent(self) -> (&'static str, &'a str) {
        match self {
            Self::Session(id) => ("session_id", id),
            Self::Answer(id) => ("answer_id", id),
        }
    }
}

/// An answer that was examined.
#[derive(Debug, Clone, Copy)]
pub struct AnswerExamination<'a> {
    /// Where it came up.
    pub examined_in: ExaminedIn<'a>,
    /// The answer.
    pub response: &'a str,
    /// What the checks say.
    pub report: &'a AnswerReport,
    /// By which policy.
    pub policy_version: &'a str,
    /// With which key the caller came; `None` where there are none.
    pub key: Option<&'a str>,
}

impl AnswerExamination<'_> {
    /// The record of it.
    pub fn record(&self) -> Record {
        let now = now_millis();
        let (field, parent) = self.examined_in.parent();
        let id = new_examination_id();
        let status = self.report.status.name();
        let body = json!({
            "verdict_id": id,
            "kind": "answer",
            field: parent,
            "call_id": null,
            "tool": "",
            "status": status,
            "response": keep_content(&Value::String(self.response.to_owned())),
            "assessment": self.report,
            "policy_version": self.policy_version,
            "key": self.key,
        });
        let (parent, state) = (parent.to_owned(), status.to_owned());
        Record { kind: Kind::Examination, id, parent, state, created_at: now, version: 1, body }
    }
}

/// A name for what is examined. Without randomness there is none, and the store refuses a second record without a name.
pub fn new_examination_id() -> String {
    new_ordered_id("res", now_millis()).unwrap_or_default()
}

/// What is kept of a result: itself without secrets, or the beginning of its text where it is long.
pub(crate) fn keep_content(content: &Value) -> Value {
    let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    if text.len() > MOST {
        let begin = text.get(..text.floor_char_boundary(MOST)).unwrap_or_default();
        return Value::String(format!("{}…", redact(begin)));
    }
    hide_secrets(content)
}

/// The value with its secrets cut, wherever they stand. The text is short, so it is not deep.
fn hide_secrets(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(hide_secrets).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), hide_secrets(value))).collect())
        }
        other => other.clone(),
    }
}

/// So much of a result is kept, in bytes.
const MOST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    // RESULT-5, SERVE-4
    #[test]
    fn a_record_is_short_and_holds_no_secret() {
        let secret = "sk-proj-Zx81kdmQp02LmVw7YtRb4NcHs6JgEa3U";
        let kept_of = |content: &Value| keep_content(content).to_string();
        assert!(!kept_of(&json!({"a": [{"b": format!("the key is {secret}")}]})).contains(secret));
        let long = kept_of(&json!(format!("{secret} {}", "价".repeat(MOST))));
        assert!(!long.contains(secret) && long.len() <= MOST + 64, "{}", long.len());
        assert_eq!(
            keep_content(&json!({"a": 1, "b": ["x"]})),
            json!({"a": 1, "b": ["x"]}),
            "what is short stays as it is"
        );
    }
}
