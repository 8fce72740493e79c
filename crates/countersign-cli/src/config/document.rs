//! An OpenAPI document: JSON, or YAML where it is no JSON.

use countersign_runtime::ask::document;
use serde_json::Value;
use std::path::Path;

/// Reads the document in a file.
pub(super) fn read_document_file(file: &Path) -> Result<Value, String> {
    let size = std::fs::metadata(file).map_or(0, |file| file.len());
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes; a document has at most {MOST_BYTES}"));
    }
    read_document(&std::fs::read(file).map_err(|error| format!("it cannot be read: {error}"))?)
}

/// Reads a document.
pub(crate) fn read_document(bytes: &[u8]) -> Result<Value, String> {
    let document = document(bytes)?;
    let versioned = ["openapi", "swagger"].iter().any(|key| document.get(key).is_some_and(Value::is_string));
    match (versioned, document.get("paths").is_some_and(Value::is_object)) {
        (true, true) => Ok(document),
        (false, _) => Err("it is no OpenAPI document: it has neither `openapi` nor `swagger`".to_owned()),
        (true, false) => Err("it is no OpenAPI document: it has no `paths`".to_owned()),
    }
}

/// More than any real document has.
pub(crate) const MOST_BYTES: u64 = 32 << 20;

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
