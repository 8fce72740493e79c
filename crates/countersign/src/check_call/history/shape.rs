//! Where calls and results stand in a message, in the three shapes that providers use.

use serde_json::{Map, Value, json};

/// The shape that a call came in, and that its result must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `tool_calls` of an assistant message, answered by a `tool` message.
    Chat,
    /// A `tool_use` block, answered by a `tool_result` block of a user message.
    Block,
    /// A `function_call` item, answered by a `function_call_output` item.
    Item,
    /// A `custom_tool_call` item, answered by a `custom_tool_call_output` item.
    CustomItem,
}

/// What a message is to the pairing of calls and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// May hold calls.
    Assistant,
    /// May hold `tool_result` blocks; ends what was waiting.
    User,
    /// A result by itself.
    Result,
    /// A call by itself.
    Call(Shape),
    /// A reference to an item that the provider keeps: a call may be there.
    Reference,
    /// Another item of a responses conversation, such as reasoning.
    Item,
}

impl Part {
    /// What a message is. What cannot be told counts as a user's.
    pub(super) fn of(message: &Value) -> Self {
        let text = |key: &str| message.get(key).and_then(Value::as_str);
        match (text("type"), text("role")) {
            (Some("function_call"), _) => Self::Call(Shape::Item),
            (Some("custom_tool_call"), _) => Self::Call(Shape::CustomItem),
            (Some("function_call_output" | "custom_tool_call_output"), _) => Self::Result,
            (Some("item_reference"), _) => Self::Reference,
            (_, Some("assistant" | "model")) => Self::Assistant,
            (_, Some("tool")) => Self::Result,
            (Some(_), None) => Self::Item,
            _ => Self::User,
        }
    }
}

impl Shape {
    /// The key of a call's id.
    pub(super) fn id_key(self) -> &'static str {
        match self {
            Self::Chat | Self::Block => "id",
            Self::Item | Self::CustomItem => "call_id",
        }
    }

    /// Whether calls stand beside the messages and not inside one.
    pub(super) fn is_item(self) -> bool {
        matches!(self, Self::Item | Self::CustomItem)
    }

    /// The result of a call that has none. The words never change: prompt caches live on them.
    pub(super) fn missing_result(self, id: &str) -> Value {
        match self {
            Self::Chat => json!({"role": "tool", "tool_call_id": id, "content": MISSING}),
            Self::Block => json!({"type": "tool_result", "tool_use_id": id, "content": MISSING, "is_error": true}),
            Self::Item => json!({"type": "function_call_output", "call_id": id, "output": MISSING}),
            Self::CustomItem => json!({"type": "custom_tool_call_output", "call_id": id, "output": MISSING}),
        }
    }
}

/// The calls inside an assistant message, each with its place under the message.
pub(super) fn calls_in(message: &mut Value) -> Vec<(Shape, String, &mut Map<String, Value>)> {
    let Some(message) = message.as_object_mut() else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in message.iter_mut() {
        let Value::Array(entries) = value else { continue };
        for (at, entry) in entries.iter_mut().enumerate() {
            let is_use = entry.get("type").and_then(Value::as_str) == Some("tool_use");
            let shape = match key.as_str() {
                "tool_calls" => Shape::Chat,
                "content" if is_use => Shape::Block,
                _ => continue,
            };
            found.extend(entry.as_object_mut().map(|entry| (shape, format!("/{key}/{at}"), entry)));
        }
    }
    found
}

/// Whether a content block is a tool's result.
pub(super) fn is_result_block(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("tool_result")
}

/// The id of a call or result, where it has one that says something.
pub(super) fn id_of<'a>(entry: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| entry.get(*key)?.as_str()).filter(|id| !id.trim().is_empty())
}

/// The key of a result's id, as it is there or as its shape asks.
pub(super) fn result_key(result: &Value) -> &'static str {
    let kind = result.get("type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "tool_result" => "tool_use_id",
        "function_call_output" | "custom_tool_call_output" => "call_id",
        _ => "tool_call_id",
    }
}

/// Arguments that providers refuse, put right; `None` where they are fine or are free text.
///
/// Nothing (missing, null, blank) is an empty object. An object where a string is due is written as one, and the other
/// way round. What is not a JSON object is kept, word for word, under `raw_arguments`: a provider or chat template that
/// reads old arguments as an object can then do so, and the model still sees what it wrote.
pub(super) fn mended_arguments(shape: Shape, entry: &Map<String, Value>) -> Option<Value> {
    let given = match shape {
        Shape::Chat => entry.get("function")?.as_object()?.get("arguments"),
        Shape::Block => entry.get("input"),
        Shape::Item => entry.get("arguments"),
        Shape::CustomItem => return None,
    };
    let given = given.unwrap_or(&Value::Null);
    let read = match given {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| given.clone()),
        other => other.clone(),
    };
    // In a block the object itself is due, elsewhere its text.
    if read.is_object() && given.is_object() == (shape == Shape::Block) {
        return None;
    }
    let object = match read {
        Value::Null => Value::Object(Map::new()),
        Value::Object(map) => Value::Object(map),
        other => json!({"raw_arguments": other}),
    };
    Some(if shape == Shape::Block { object } else { Value::String(object.to_string()) })
}

/// Puts arguments in their place.
pub(super) fn put_arguments(shape: Shape, entry: &mut Map<String, Value>, arguments: Value) {
    match shape {
        Shape::Chat => {
            if let Some(function) = entry.get_mut("function").and_then(Value::as_object_mut) {
                function.insert("arguments".into(), arguments);
            }
        }
        Shape::Block => drop(entry.insert("input".into(), arguments)),
        Shape::Item | Shape::CustomItem => drop(entry.insert("arguments".into(), arguments)),
    }
}

const MISSING: &str = "Error: no result was recorded for this call. It may not have run.";
