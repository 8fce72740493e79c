//! Digests by which arguments and tool definitions are known again.

use super::{RawSchema, ToolSpec};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The digest of a tool's definition, as the model and whoever approves a call of it saw it.
pub fn tool_digest(tool: Option<&ToolSpec>) -> String {
    let Some(tool) = tool else { return String::new() };
    let schema = |raw: &Option<RawSchema>| raw.as_ref().and_then(|raw| serde_json::from_str(raw.0.get()).ok());
    let (input, output): (Option<Value>, Option<Value>) = (schema(&tool.input), schema(&tool.output));
    arguments_digest(&json!({"name": tool.name, "description": tool.description, "input": input, "output": output}))
}

/// The digest of arguments, whatever the order of their keys.
pub fn arguments_digest(arguments: &Value) -> String {
    hex(&Sha256::digest(sort_keys(arguments).to_string().as_bytes()))
}

/// The value with the keys of every object in order.
pub fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            pairs.sort_by(|one, two| one.0.cmp(two.0));
            Value::Object(pairs.into_iter().map(|(key, value)| (key.clone(), sort_keys(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sort_keys).collect()),
        other => other.clone(),
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}
