//! An item in a few sentences, for a message or a small page: what was asked, what is proposed, why a person decides.

use super::item::{About, Review};
use serde_json::Value;

/// An item in a few sentences. They hold words of users and models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What the user said last; empty where nobody knows.
    pub asked: String,
    /// The call with its arguments, the result, or the answer.
    pub proposed: String,
    /// Why a person decides; empty where nothing was written down.
    pub why: String,
}

impl Review {
    /// The item in a few sentences.
    pub fn summary(&self) -> Summary {
        let word = |pointer: &str| self.context.pointer(pointer).map(plain_text).unwrap_or_default();
        let asked = match self.about() {
            About::Answer => word("/question"),
            About::Call | About::Result => last_question(&self.context),
        };
        let proposed = match self.about() {
            About::Call => arguments(&self.call),
            About::Result => word("/result"),
            About::Answer => word("/answer"),
        };
        let why = match word("/explanation") {
            said if said.is_empty() => findings(&self.findings),
            said => said,
        };
        Summary { asked, proposed, why }
    }

    /// Whether something serious was found: a finding that says the item is wrong.
    pub fn is_serious(&self) -> bool {
        let found = self.findings.as_array().into_iter().flatten();
        found.filter_map(|finding| finding.get("severity")).any(|severity| severity == "error")
    }
}

/// What the user said last.
fn last_question(context: &Value) -> String {
    let messages = context.get("messages").and_then(Value::as_array).into_iter().flatten();
    let mut of_user = messages.filter(|message| message.get("role").is_some_and(|role| role == "user"));
    of_user.next_back().and_then(|message| message.get("content")).map(plain_text).unwrap_or_default()
}

/// The arguments, readable.
fn arguments(call: &Value) -> String {
    let arguments = call.get("arguments").unwrap_or(&Value::Null);
    let read = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let shown = read.as_ref().unwrap_or(arguments);
    serde_json::to_string_pretty(shown).unwrap_or_default()
}

/// A text as it is; the texts of a message in parts; other JSON as JSON.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) if parts.iter().any(|part| part.get("text").is_some()) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

fn findings(found: &Value) -> String {
    let messages = found.as_array().into_iter().flatten();
    let said: Vec<&str> = messages.filter_map(|finding| finding.get("evidence").and_then(Value::as_str)).collect();
    said.join("; ")
}
