//! An OpenAPI document: JSON, or YAML where it is no JSON.

use serde_json::Value;
use std::path::Path;

/// Reads the document in a file.
pub fn read_document_file(file: &Path) -> Result<Value, String> {
    let size = std::fs::metadata(file).map_or(0, |file| file.len());
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes; a document has at most {MOST_BYTES}"));
    }
    read_document(&std::fs::read(file).map_err(|error| format!("it cannot be read: {error}"))?)
}

/// Reads a document.
pub fn read_document(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let text = text.trim_start_matches('\u{feff}');
    let document: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) if text.trim_start().starts_with(['{', '[']) => return Err(format!("it is not JSON: {error}")),
        Err(_) => serde_norway::from_str(text).map(plain).map_err(|error| format!("it is not YAML: {error}"))?,
    };
    let versioned = ["openapi", "swagger"].iter().any(|key| document.get(key).is_some_and(Value::is_string));
    match (versioned, document.get("paths").is_some_and(Value::is_object)) {
        (true, true) => Ok(document),
        (false, _) => Err("it is no OpenAPI document: it has neither `openapi` nor `swagger`".to_owned()),
        (true, false) => Err("it is no OpenAPI document: it has no `paths`".to_owned()),
    }
}

/// YAML as JSON. Keys may be numbers there (`200:`), so that it cannot be read as JSON at once.
fn plain(value: serde_norway::Value) -> Value {
    use serde_norway::Value as Yaml;
    match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(yes) => Value::Bool(yes),
        Yaml::Number(number) => serde_json::to_value(number).unwrap_or(Value::Null),
        Yaml::String(text) => Value::String(text),
        Yaml::Sequence(items) => items.into_iter().map(plain).collect(),
        Yaml::Mapping(map) => map.into_iter().map(|(key, value)| (key_text(key), plain(value))).collect(),
        Yaml::Tagged(tagged) => plain(tagged.value),
    }
}

fn key_text(key: serde_norway::Value) -> String {
    match plain(key) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// More than any real document has.
pub const MOST_BYTES: u64 = 32 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_yaml_are_read_and_anything_else_is_refused() {
        for (text, wrong) in [
            (r#"{"openapi": "3.0.0", "paths": {}}"#, ""),
            ("openapi: 3.1.0\npaths:\n  /pets:\n    get:\n      responses:\n        200: {description: ok}\n", ""),
            ("{\"openapi\": ", "not JSON"),
            ("a: [", "not YAML"),
            ("just words", "neither `openapi` nor `swagger`"),
            ("swagger: \"2.0\"\n", "no `paths`"),
        ] {
            match read_document(text.as_bytes()) {
                Ok(_) => assert_eq!(wrong, "", "{text}"),
                Err(said) => assert!(!wrong.is_empty() && said.contains(wrong), "{text}: {said}"),
            }
        }
    }
}
