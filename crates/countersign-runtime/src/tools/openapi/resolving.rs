//! Schemas of a document, made whole: references are followed inside the document, and never out of it.
//!
//! A schema that contains itself, or more than a tool needs, ends in one that takes anything. What version 3.0 of OpenAPI
//! says in its own way is said as JSON Schema says it.

use serde_json::{Map, Value, json};

/// A schema without references.
pub(super) fn schema(document: &Value, given: &Value) -> Value {
    let mut budget = MOST_NODES;
    whole(document, given, &mut Vec::new(), &mut budget)
}

/// What a value stands for: itself, or what its local `$ref` leads to.
pub(super) fn followed<'d>(document: &'d Value, mut value: &'d Value) -> &'d Value {
    for _ in 0..MOST_STEPS {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return value };
        match local(document, reference) {
            Some(next) => value = next,
            None => break,
        }
    }
    &Value::Null
}

fn local<'d>(document: &'d Value, reference: &str) -> Option<&'d Value> {
    let pointer = reference.strip_prefix('#')?;
    // A reference is part of an address, so that it may be percent-encoded.
    if pointer.contains('%') { document.pointer(&decode(pointer)) } else { document.pointer(pointer) }
}

fn decode(text: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn whole<'d>(document: &'d Value, given: &'d Value, path: &mut Vec<&'d str>, budget: &mut usize) -> Value {
    if *budget == 0 || path.len() > DEEPEST {
        return json!({});
    }
    *budget -= 1;
    match given {
        Value::Object(fields) => match fields.get("$ref").and_then(Value::as_str) {
            Some(reference) => referred(document, fields, reference, path, budget),
            None => plain(document, fields, path, budget),
        },
        Value::Array(items) => items.iter().map(|item| whole(document, item, path, budget)).collect(),
        other => other.clone(),
    }
}

fn referred<'d>(
    document: &'d Value,
    fields: &'d Map<String, Value>,
    reference: &'d str,
    path: &mut Vec<&'d str>,
    budget: &mut usize,
) -> Value {
    let target = local(document, reference).filter(|_| !path.contains(&reference));
    let Some(target) = target else { return json!({}) };
    path.push(reference);
    let mut schema = whole(document, target, path, budget);
    path.pop();
    // What stands beside a reference says more about this place.
    if let (Value::Object(schema), Some(about)) = (&mut schema, fields.get("description")) {
        schema.insert("description".to_owned(), about.clone());
    }
    schema
}

fn plain<'d>(
    document: &'d Value,
    fields: &'d Map<String, Value>,
    path: &mut Vec<&'d str>,
    budget: &mut usize,
) -> Value {
    let mut schema = Map::new();
    for (name, value) in fields.iter().filter(|(name, _)| !FOREIGN.contains(&name.as_str())) {
        let value = match name.as_str() {
            // Plain data, in which `$ref` and the like mean nothing.
            "enum" | "const" | "default" | "required" | "type" => value.clone(),
            "properties" | "patternProperties" | "$defs" | "definitions" => {
                resolve_named(document, value, path, budget)
            }
            _ => {
                path.push(INSIDE);
                let value = whole(document, value, path, budget);
                path.pop();
                value
            }
        };
        schema.insert(name.clone(), value);
    }
    limits(&mut schema, "minimum", "exclusiveMinimum");
    limits(&mut schema, "maximum", "exclusiveMaximum");
    if fields.get("nullable") == Some(&Value::Bool(true)) {
        nullable(&mut schema);
    }
    Value::Object(schema)
}

/// Schemas by names of the document's own, which may be those of keywords.
fn resolve_named<'d>(document: &'d Value, given: &'d Value, path: &mut Vec<&'d str>, budget: &mut usize) -> Value {
    let Value::Object(schemas) = given else { return json!({}) };
    path.push(INSIDE);
    let whole = schemas.iter().map(|(name, schema)| (name.clone(), whole(document, schema, path, budget))).collect();
    path.pop();
    Value::Object(whole)
}

/// In version 3.0 a limit that excludes itself is a limit and a `true` beside it.
fn limits(schema: &mut Map<String, Value>, limit: &str, excluding: &str) {
    match schema.get(excluding) {
        Some(Value::Bool(true)) => {
            if let Some(bound) = schema.remove(limit) {
                schema.insert(excluding.to_owned(), bound);
            } else {
                schema.remove(excluding);
            }
        }
        Some(Value::Bool(false)) => {
            schema.remove(excluding);
        }
        _ => {}
    }
}

fn nullable(schema: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = schema.get("type").cloned() {
        schema.insert("type".to_owned(), json!([kind, "null"]));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// Stands in the path for a step that is no reference, so that its length is the depth.
const INSIDE: &str = "";
/// Words of OpenAPI that are none of JSON Schema, and names that would lead elsewhere.
const FOREIGN: &[&str] = &[
    "nullable",
    "discriminator",
    "xml",
    "externalDocs",
    "example",
    "examples",
    "$id",
    "$schema",
    "$anchor",
    "deprecated",
];
const MOST_NODES: usize = 20_000;
const DEEPEST: usize = 64;
const MOST_STEPS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_followed_inside_the_document_only() {
        let document = json!({"components": {"schemas": {
            "Pet": {"type": "object", "properties": {"name": {"type": "string"}, "friend": {"$ref": "#/components/schemas/Pet"}}},
            "a/b": {"type": "integer", "minimum": 1, "exclusiveMinimum": true, "nullable": true},
            "Enum": {"type": "string", "enum": ["a"], "default": {"$ref": "#/components/schemas/Pet"}},
        }}});
        let pet = schema(&document, &json!({"$ref": "#/components/schemas/Pet", "description": "mine"}));
        assert_eq!(pet["properties"]["name"], json!({"type": "string"}));
        assert_eq!(pet["properties"]["friend"], json!({}), "a schema that contains itself ends");
        assert_eq!(pet["description"], "mine");
        let number = schema(&document, &json!({"$ref": "#/components/schemas/a~1b"}));
        assert_eq!(number, json!({"type": ["integer", "null"], "exclusiveMinimum": 1}));
        assert_eq!(schema(&document, &json!({"$ref": "#/components/schemas/a%7E1b"})), number);
        for away in ["https://evil.test/schema.json", "other.json#/X", "#/nowhere"] {
            assert_eq!(schema(&document, &json!({"$ref": away})), json!({}), "{away}");
        }
        let kept = schema(&document, &json!({"$ref": "#/components/schemas/Enum"}));
        assert_eq!(kept["default"]["$ref"], "#/components/schemas/Pet", "data is not a schema");
        // A field that is called like a word of OpenAPI stays.
        let fields = schema(&document, &json!({"properties": {"example": {"type": "string"}}}));
        assert_eq!(fields["properties"]["example"]["type"], "string");
    }

    #[test]
    fn a_schema_that_unfolds_without_end_is_cut() {
        let mut schemas = Map::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/s/{}", level + 1)});
            schemas.insert(level.to_string(), json!({"properties": {"a": next, "b": next, "c": next}}));
        }
        let document = json!({"s": schemas});
        let text = schema(&document, &json!({"$ref": "#/s/0"})).to_string();
        assert!(text.len() < 2_000_000, "{}", text.len());
        let mut looped = json!({"s": {"a": {"$ref": "#/s/b"}, "b": {"$ref": "#/s/a"}}});
        assert_eq!(followed(&looped, &json!({"$ref": "#/s/a"}).clone()), &Value::Null);
        looped["s"]["b"] = json!(1);
        assert_eq!(followed(&looped, &looped["s"]["a"]), &json!(1));
    }
}
