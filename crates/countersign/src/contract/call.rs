//! A tool call as the model made it, and the result that came back.

use serde::Serialize;
use serde_json::{Map, Value};
use std::ops::Deref;
use std::sync::LazyLock;

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
    Object(Object),
    /// JSON in a string, well-formed or not.
    Text(String),
    /// Something else: an array, a number.
    Other(Value),
}

impl Arguments {
    /// The arguments of a tool that takes free text: one field that holds it.
    pub fn from_free_text(text: &str) -> Self {
        Self::Object(Map::from_iter([(FREE_TEXT.to_owned(), Value::String(text.to_owned()))]).into())
    }

    /// The free text, where the arguments are that and nothing else.
    pub fn free_text(&self) -> Option<&str> {
        match self {
            Self::Object(object) if object.len() == 1 => object.get(FREE_TEXT)?.as_str(),
            _ => None,
        }
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Object(map) => Self::Object(map.into()),
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
            Self::Object(object) => object.as_value().serialize(out),
            Self::Text(text) => text.serialize(out),
            Self::Other(value) => value.serialize(out),
        }
    }
}

/// A JSON object that is kept as a JSON value, because validators want the value and checks want the map: neither has
/// to copy it.
#[derive(Debug, Clone, PartialEq)]
pub struct Object(Value);

impl Object {
    /// The object as a value.
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The map itself.
    pub fn into_map(self) -> Map<String, Value> {
        match self.0 {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

impl Default for Object {
    fn default() -> Self {
        Map::new().into()
    }
}

impl From<Map<String, Value>> for Object {
    fn from(map: Map<String, Value>) -> Self {
        Self(Value::Object(map))
    }
}

impl Deref for Object {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        self.0.as_object().unwrap_or(&EMPTY)
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

/// The field that stands for the free text of a call.
pub const FREE_TEXT: &str = "input";
/// The longest name of a tool, in bytes: what is longer is no name.
pub const MAX_NAME: usize = 4096;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&EMPTY);
}

static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
