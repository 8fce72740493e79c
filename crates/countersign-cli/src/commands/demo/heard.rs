//! What came back, read as a client of the chat dialect reads it.

use serde::Serialize;
use serde_json::Value;

/// An answer.
#[derive(Debug, Default, Serialize)]
pub(super) struct Heard {
    /// Its words.
    pub text: String,
    /// Its calls.
    pub calls: Vec<Call>,
    /// How it ended, where it did.
    pub finish_reason: Option<String>,
    /// The error that it ended with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// The claims that are marked in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Value>,
}

/// A call, its arguments as they were written.
#[derive(Debug, Default, Serialize)]
pub(super) struct Call {
    /// The tool.
    pub name: String,
    /// The arguments.
    pub arguments: String,
}

impl Heard {
    /// Reads a whole answer.
    pub(super) fn whole(body: &str) -> Self {
        let mut heard = Self::default();
        heard.take(&serde_json::from_str(body).unwrap_or_default(), "message");
        heard
    }

    /// Reads a stream, whatever its end.
    pub(super) fn streamed(body: &str) -> Self {
        let mut heard = Self::default();
        for data in body.lines().filter_map(|line| line.strip_prefix("data: ")) {
            heard.take(&serde_json::from_str(data).unwrap_or_default(), "delta");
        }
        heard
    }

    fn take(&mut self, value: &Value, part: &str) {
        let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        self.error = self.error.take().or_else(|| value.get("error").cloned());
        self.claims = self.claims.take().or_else(|| value.pointer("/countersign/claims").cloned());
        let Some(choice) = value.pointer("/choices/0") else { return };
        self.finish_reason = self.finish_reason.take().or_else(|| text(choice, "/finish_reason"));
        self.text.push_str(&text(choice, &format!("/{part}/content")).unwrap_or_default());
        let calls = choice.pointer(&format!("/{part}/tool_calls")).and_then(Value::as_array);
        for (at, call) in calls.into_iter().flatten().enumerate() {
            let index = call.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
            let index = index.unwrap_or(at).min(MOST_CALLS);
            while self.calls.len() <= index {
                self.calls.push(Call::default());
            }
            if let Some(known) = self.calls.get_mut(index) {
                known.name.push_str(&text(call, "/function/name").unwrap_or_default());
                known.arguments.push_str(&text(call, "/function/arguments").unwrap_or_default());
            }
        }
    }
}

/// The demo model makes fewer.
const MOST_CALLS: usize = 8;
