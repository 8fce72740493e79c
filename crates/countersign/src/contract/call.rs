//! A tool call as the model made it, and the result that came back.

use serde::Serialize;
use serde_json::{Map, Value};

/// A call, before anything was checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall {
    /// The id that pairs the call with its result.
    pub id: Option<String>,
    /// The name as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: Arguments,
}

/// Arguments in the forms that models and providers send.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Arguments {
    /// Missing, null or an empty string: counts as no arguments.
    #[default]
    Absent,
    /// An object, as it should be.
    Object(Map<String, Value>),
    /// JSON in a string, well-formed or not.
    Text(String),
    /// Something else: an array, a number.
    Other(Value),
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Object(map) => Self::Object(map),
            Value::String(text) if text.trim().is_empty() => Self::Absent,
            Value::String(text) => Self::Text(text),
            other => Self::Other(other),
        }
    }
}

impl Serialize for Arguments {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => Map::new().serialize(out),
            Self::Object(map) => map.serialize(out),
            Self::Text(text) => text.serialize(out),
            Self::Other(value) => value.serialize(out),
        }
    }
}

/// What a tool returned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult {
    /// The call it says it belongs to.
    pub call_id: Option<String>,
    /// The tool it says it comes from.
    pub name: Option<String>,
    /// The content; a string that is JSON has been read as that JSON.
    pub content: Value,
    /// The runner marked it as an error.
    pub is_error: bool,
    /// The runner's seal over id, name, arguments and content, where it made one.
    pub seal: Option<String>,
}
