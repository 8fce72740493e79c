//! One JSON-RPC message: its text, and what it says.
//!
//! The text is what is passed on. Where two readers could see two messages in it (a key twice, what JSON does not have,
//! bytes that are no text), the text is written again so that everybody sees the one that was judged.

use crate::gateway::json::{Read, read, rewrite, without_repeats};
use serde_json::Value;

/// A message.
#[derive(Debug, Clone)]
pub(super) struct Message {
    /// As it is passed on.
    pub text: String,
    /// What it says.
    pub value: Value,
}

/// Why a line is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is no JSON.
    Garbage,
    /// It is a list of messages, which MCP has not had since 2025-06-18.
    Batch,
    /// It holds nothing.
    Empty,
}

impl Message {
    /// Reads a line.
    pub(super) fn read(line: &[u8]) -> Result<Self, Unreadable> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_ascii().is_empty() {
            return Err(Unreadable::Empty);
        }
        let Some(Read { value, repeats, odd }) = read(text) else { return Err(Unreadable::Garbage) };
        match &value {
            Value::Object(_) => {}
            Value::Array(_) => return Err(Unreadable::Batch),
            _ => return Err(Unreadable::Garbage),
        }
        let text = match (odd, repeats) {
            (true, _) => value.to_string(),
            (_, true) => without_repeats(text),
            _ => text.to_owned(),
        };
        Ok(Self { text, value })
    }

    /// The method of a request or a notification.
    pub(super) fn method(&self) -> Option<&str> {
        self.value.get("method")?.as_str()
    }

    /// The id of a request or an answer.
    pub(super) fn id(&self) -> Option<&Value> {
        self.value.get("id").filter(|id| id.is_string() || id.is_number())
    }

    /// Whether it answers a request.
    pub(super) fn is_answer(&self) -> bool {
        self.method().is_none() && (self.value.get("result").is_some() || self.value.get("error").is_some())
    }

    /// A parameter.
    pub(super) fn param(&self, name: &str) -> Option<&Value> {
        self.value.get("params")?.get(name)
    }

    /// The version of the protocol that a request names itself: only those of the era without `initialize` do.
    pub(super) fn version(&self) -> Option<&str> {
        self.param("_meta")?.get(PROTOCOL_VERSION)?.as_str()
    }

    /// The same message with another value; every byte that need not change stays.
    pub(super) fn changed(&self, value: &Value) -> String {
        rewrite(&self.text, &self.value, value)
    }
}

/// The name of an id in our books; some servers write a number as text.
pub(super) fn key(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// What every request of the newer era says of itself.
pub(super) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// What a client of the newer era can do.
pub(super) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// What every key of the protocol itself begins with.
pub(super) const PROTOCOL: &str = "io.modelcontextprotocol/";

#[cfg(test)]
mod tests {
    use super::*;

    // MCP-1: what needs no change keeps its bytes, and what two readers read differently does not.
    #[test]
    fn a_message_keeps_its_bytes_unless_it_has_two_meanings() {
        let same = |text: &str| assert_eq!(Message::read(text.as_bytes()).unwrap().text, text);
        same(
            r#"{ "jsonrpc":"2.0", "id":1, "method":"x/y", "params":{"n":1.10,"big":123456789012345678901234567890} }"#,
        );
        same("{\"method\":\"a\",\"text\":\"Gr\u{fc}\u{df}e \\u4f60\"}\r");
        let twice = br#"{"id":1,"method":"ping","method":"tools/call","params":{"name":"a","name":"b"}}"#;
        let read = Message::read(twice).unwrap();
        assert_eq!((read.method(), read.param("name").and_then(Value::as_str)), (Some("tools/call"), Some("b")));
        assert!(!read.text.contains("ping") && !read.text.contains("\"a\""), "{}", read.text);
        assert_eq!(Message::read(b"[]").unwrap_err(), Unreadable::Batch);
        assert_eq!(Message::read(b"starting ...").unwrap_err(), Unreadable::Garbage);
        assert_eq!(Message::read(b"7").unwrap_err(), Unreadable::Garbage);
        assert_eq!(Message::read(b" \r").unwrap_err(), Unreadable::Empty);
    }
}
