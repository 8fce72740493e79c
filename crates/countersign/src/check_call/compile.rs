//! A tool's schema, made ready: dialect chosen, habits of other dialects folded, objects closed, compiled.

use super::close::close;
use crate::contract::RawSchema;
use crate::policy::Limits;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value, json};

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    /// What the tool declared, with foreign type names folded.
    pub source: Value,
    /// The compiled form; `None` where it cannot be compiled.
    pub validator: Option<Validator>,
    /// Why it cannot be compiled.
    pub fault: Option<String>,
}

/// Compiles a schema. A tool without one takes no arguments.
pub fn compile(raw: Option<&RawSchema>, limits: &Limits) -> Schema {
    let mut source = match raw.map(|raw| raw.0.get()) {
        None => json!({"type": "object", "properties": {}}),
        Some(text) if text.len() > limits.schema_bytes => {
            let fault = format!("the schema has {} bytes; the limit is {}", text.len(), limits.schema_bytes);
            return Schema { source: Value::Null, validator: None, fault: Some(fault) };
        }
        Some(text) => match serde_json::from_str(text) {
            Ok(source) => source,
            Err(error) => return Schema { source: Value::Null, validator: None, fault: Some(error.to_string()) },
        },
    };
    fold_types(&mut source);
    let draft = draft_of(&source);
    let closed = close(&source, draft);
    let options = jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS))
        .offline();
    match options.build(&closed) {
        Ok(validator) => Schema { source, validator: Some(validator), fault: None },
        Err(error) => Schema { source, validator: None, fault: Some(error.to_string()) },
    }
}

/// The dialect that a schema declares; 2020-12 where it declares none that we know.
fn draft_of(schema: &Value) -> Draft {
    let declared = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    match declared {
        d if d.contains("draft-07") => Draft::Draft7,
        d if d.contains("draft-06") => Draft::Draft6,
        d if d.contains("draft-04") => Draft::Draft4,
        d if d.contains("2019-09") => Draft::Draft201909,
        _ => Draft::Draft202012,
    }
}

/// Type names of other languages and `nullable`, as JSON Schema says them. Explicit stack: schemas are hostile too.
fn fold_types(schema: &mut Value) {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) => {
                fold_type(map);
                open.extend(
                    map.iter_mut().filter(|(key, _)| !DATA_KEYS.contains(&key.as_str())).map(|(_, value)| value),
                );
            }
            Value::Array(list) => open.extend(list.iter_mut()),
            _ => {}
        }
    }
}

fn fold_type(map: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = map.get("type") {
        let folded = match kind.as_str() {
            "dict" | "map" | "Object" => Some("object"),
            "float" | "double" | "Number" => Some("number"),
            "int" | "long" | "Integer" => Some("integer"),
            "str" | "String" => Some("string"),
            "bool" | "Boolean" => Some("boolean"),
            "list" | "tuple" | "set" | "Array" => Some("array"),
            "any" | "Any" => None,
            _ => return nullable(map),
        };
        match folded {
            Some(folded) => map.insert("type".into(), folded.into()),
            None => map.shift_remove("type"),
        };
    }
    nullable(map);
}

fn nullable(map: &mut Map<String, Value>) {
    if map.get("required").is_some_and(Value::is_boolean) {
        map.shift_remove("required");
    }
    if map.get("nullable") == Some(&Value::Bool(true))
        && let Some(Value::String(kind)) = map.get("type").cloned()
    {
        map.insert("type".into(), json!([kind, "null"]));
    }
}

/// Keywords whose values are data, not schemas.
const DATA_KEYS: &[&str] = &["enum", "const", "default", "examples", "example"];
const BACKTRACKS: usize = 100_000;
