//! Schemas made plain: references followed, `allOf` merged, and of `anyOf` and `oneOf` the branch that the request speaks of.
//!
//! Schemas are foreign and hostile: depth and width are bounded, and what cannot be understood allows anything.

use super::words::{mentions_word, parts};
use serde_json::{Map, Value, json};
use std::cell::Cell;

/// A schema without references and alternatives.
pub(super) fn plain(schema: &Value, request: &str) -> Value {
    let request = request.to_lowercase();
    Value::Object(Flattener { root: schema, request: &request, left: Cell::new(MOST_SCHEMAS) }.plain(schema, 0))
}

/// A property of a plain schema's top level.
pub(super) fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

/// The names of a plain schema's properties.
pub(super) fn properties(schema: &Value) -> Vec<&str> {
    let named = schema.get("properties").and_then(Value::as_object);
    named.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// The names of the required properties.
pub(super) fn required(schema: &Value) -> Vec<&str> {
    let list = schema.get("required").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).take(MOST_FIELDS).collect()
}

/// The type of a schema: the first that is not null.
pub(super) fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or(""),
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "",
    }
}

/// Whether a field may be null.
pub(super) fn is_nullable(schema: &Value) -> bool {
    let listed = |kinds: &Vec<Value>| kinds.iter().any(|kind| kind.as_str() == Some("null"));
    schema.get("nullable").and_then(Value::as_bool) == Some(true)
        || schema.get("type").and_then(Value::as_array).is_some_and(listed)
}

/// The text of a schema's field such as `description`.
pub(super) fn word<'a>(schema: &'a Value, field: &str) -> &'a str {
    schema.get(field).and_then(Value::as_str).unwrap_or_default()
}

struct Flattener<'a> {
    root: &'a Value,
    request: &'a str,
    /// How many schemas may still be read: one that holds itself twice would never end.
    left: Cell<usize>,
}

impl<'a> Flattener<'a> {
    fn plain(&self, schema: &'a Value, depth: usize) -> Map<String, Value> {
        self.left.set(self.left.get().saturating_sub(1));
        let mut plain = Map::new();
        let Value::Object(fields) = schema else { return plain };
        if self.left.get() == 0 || depth > DEEPEST {
            return plain;
        }
        let reference = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
        let target = reference.and_then(|to| self.root.pointer(to));
        let all = list(fields.get("allOf")).iter();
        for part in target.into_iter().chain(all).chain(self.branch(fields)) {
            merge(&mut plain, self.plain(part, depth + 1));
        }
        if branches(fields).iter().any(|branch| kind(branch) == "null") {
            plain.insert("nullable".to_owned(), json!(true));
        }
        let own = fields.iter().filter(|(key, _)| !REPLACED.contains(&key.as_str()));
        merge(&mut plain, own.map(|(key, value)| (key.clone(), self.inner(key, value, depth))).collect());
        plain
    }

    /// What is in a schema's own field.
    fn inner(&self, key: &str, value: &'a Value, depth: usize) -> Value {
        let schema = |schema: &'a Value| Value::Object(self.plain(schema, depth + 1));
        match (key, value) {
            ("properties", Value::Object(properties)) => {
                let some = properties.iter().take(MOST_FIELDS);
                Value::Object(some.map(|(name, field)| (name.clone(), schema(field))).collect())
            }
            ("items", Value::Array(items)) => items.first().map_or_else(|| json!({}), schema),
            ("items", items) => schema(items),
            (_, value) => value.clone(),
        }
    }

    /// Of several alternatives the one that the request names most, else the first that is not null.
    fn branch(&self, fields: &'a Map<String, Value>) -> Option<&'a Value> {
        let real = branches(fields).iter().filter(|branch| kind(branch) != "null");
        let named = |branch: &Value| {
            let fixed = property_values(branch).filter_map(|field| field.get("const").and_then(Value::as_str));
            let words = fixed.chain([word(branch, "title")]).flat_map(parts).collect::<Vec<_>>();
            words.iter().filter(|word| mentions_word(self.request, word)).count()
        };
        real.enumerate().max_by_key(|(at, branch)| (named(branch), usize::MAX - at)).map(|(_, branch)| branch)
    }
}

fn property_values(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(_, field)| field)
}

fn branches(fields: &Map<String, Value>) -> &[Value] {
    let listed = ["anyOf", "oneOf"].iter().map(|key| list(fields.get(*key))).find(|list| !list.is_empty());
    listed.unwrap_or_default()
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Adds one schema to another: properties and required names are joined, the rest of the later one counts.
fn merge(into: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match (key.as_str(), into.get_mut(&key), value) {
            ("properties", Some(Value::Object(known)), Value::Object(new)) => known.extend(new),
            ("required", Some(Value::Array(known)), Value::Array(new)) => known.extend(new),
            (_, _, value) => drop(into.insert(key, value)),
        }
    }
}

const REPLACED: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "$defs", "definitions"];
const DEEPEST: usize = 8;
const MOST_FIELDS: usize = 32;
const MOST_SCHEMAS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-7
    #[test]
    fn references_and_branches_are_made_plain() {
        let schema = json!({"type": "object", "required": ["deep", "maybe", "pay"],
            "$defs": {"deep": {"type": "object", "properties": {"a": {"type": "string"}}}},
            "properties": {
                "deep": {"allOf": [{"$ref": "#/$defs/deep"}, {"properties": {"b": {"type": "integer"}}}]},
                "maybe": {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
                "pay": {"oneOf": [
                    {"type": "object", "properties": {"kind": {"const": "card"}}},
                    {"type": "object", "properties": {"kind": {"const": "bank_transfer"}}}]}}});
        let plain = plain(&schema, "Pay by bank transfer");
        let deep = property(&plain, "deep").unwrap();
        assert_eq!(properties(deep), ["a", "b"]);
        let maybe = property(&plain, "maybe").unwrap();
        assert!(kind(maybe) == "boolean" && is_nullable(maybe));
        assert_eq!(plain.pointer("/properties/pay/properties/kind/const"), Some(&json!("bank_transfer")));
    }

    #[test]
    fn odd_schemas_do_no_harm() {
        for schema in [
            json!(null),
            json!(3),
            json!({"$ref": "#"}),
            json!({"anyOf": []}),
            json!({"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]}),
            json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}, "required": ["a"]}),
        ] {
            plain(&schema, "");
        }
    }
}
