//! Closes a schema: an argument that the tool does not name is an error, unless the schema says otherwise.
//!
//! A plain object gets `additionalProperties: false`. One that is put together from parts (`allOf`, `anyOf`,
//! `oneOf`, `$ref`, `if`) gets `unevaluatedProperties: false`, which looks through the parts; the parts
//! themselves stay open, because each of them sees only its share. Dialects before 2019-09 do not know that
//! keyword; there a list of all the names in sight does the same.

use jsonschema::Draft;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

/// The closed form of a schema.
pub fn close(schema: &Value, draft: Draft) -> Value {
    let modern = matches!(draft, Draft::Draft201909 | Draft::Draft202012);
    let closer = Closer { root: schema, modern };
    let mut closed = closer.visit(schema, Position::Alone, 0);
    if let Some(root) = closed.as_object_mut() {
        let says = |key: &str| root.contains_key(key);
        let composed = COMBINATORS.iter().any(|key| root.contains_key(*key)) || says("patternProperties");
        if !says("properties") && !says("additionalProperties") && !says("unevaluatedProperties") && !composed {
            // A tool registered without properties takes none.
            root.insert("properties".into(), json!({}));
            root.insert("additionalProperties".into(), Value::Bool(false));
        }
    }
    closed
}

/// Whether a schema stands for a whole value, or for a part of what another one describes.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    Alone,
    Part,
}

struct Closer<'a> {
    root: &'a Value,
    modern: bool,
}

impl Closer<'_> {
    fn visit(&self, schema: &Value, position: Position, depth: usize) -> Value {
        let Some(map) = schema.as_object().filter(|_| depth < MAX_DEPTH) else { return schema.clone() };
        let mut closed = Map::with_capacity(map.len() + 1);
        for (key, value) in map {
            closed.insert(key.clone(), self.keyword(key, value, depth + 1));
        }
        if position == Position::Alone {
            self.seal(map, &mut closed);
        }
        Value::Object(closed)
    }

    fn keyword(&self, key: &str, value: &Value, depth: usize) -> Value {
        let each = |position| match value {
            Value::Object(map) => {
                map.iter().map(|(name, value)| (name.clone(), self.visit(value, position, depth))).collect()
            }
            other => other.clone(),
        };
        match key {
            "properties" | "patternProperties" => each(Position::Alone),
            // A definition is closed where it is used, because only there it shows whether it is a part.
            "$defs" | "definitions" | "dependentSchemas" => each(Position::Part),
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => match value {
                Value::Array(list) => {
                    let position = if key == "prefixItems" { Position::Alone } else { Position::Part };
                    list.iter().map(|part| self.visit(part, position, depth)).collect()
                }
                other => other.clone(),
            },
            "items" if value.is_array() => {
                value.as_array().into_iter().flatten().map(|item| self.visit(item, Position::Alone, depth)).collect()
            }
            "items" | "additionalProperties" | "contains" | "unevaluatedItems" => {
                self.visit(value, Position::Alone, depth)
            }
            "if" | "then" | "else" | "not" => self.visit(value, Position::Part, depth),
            _ => value.clone(),
        }
    }

    /// Adds the keyword that closes an object, where the schema left it open by saying nothing.
    fn seal(&self, map: &Map<String, Value>, closed: &mut Map<String, Value>) {
        let says = |key: &str| map.contains_key(key);
        if says("additionalProperties") || says("unevaluatedProperties") {
            return;
        }
        let composed = COMBINATORS.iter().any(|key| map.contains_key(*key));
        if !composed {
            if says("properties") || says("patternProperties") {
                closed.insert("additionalProperties".into(), Value::Bool(false));
            }
            return;
        }
        let whole = Value::Object(map.clone());
        let mut sight = Names::default();
        let Sight::Closed = self.names(&whole, &mut sight, 0) else { return };
        let names = sight.found;
        if names.is_empty() {
            return;
        }
        if self.modern {
            closed.insert("unevaluatedProperties".into(), Value::Bool(false));
        } else {
            closed.insert("propertyNames".into(), json!({"enum": names}));
        }
    }

    /// All property names in sight of a composed schema, and whether any part leaves it open.
    fn names<'s>(&'s self, schema: &'s Value, names: &mut Names<'s>, depth: usize) -> Sight {
        let Some(map) = schema.as_object().filter(|_| depth < MAX_DEPTH) else { return Sight::Closed };
        if map.get("additionalProperties").is_some_and(|value| *value != Value::Bool(false))
            || map.contains_key("patternProperties")
        {
            return Sight::Open;
        }
        // A part that is any object at all, with no properties of its own, says that any object will do.
        let any_object = depth > 0
            && map.get("type").and_then(Value::as_str) == Some("object")
            && !map.contains_key("properties")
            && !map.contains_key("required")
            && !COMBINATORS.iter().any(|key| map.contains_key(*key));
        if any_object {
            return Sight::Open;
        }
        names
            .found
            .extend(map.get("properties").and_then(Value::as_object).into_iter().flat_map(|p| p.keys().cloned()));
        // Each definition is looked at once: they may refer to each other, and to themselves.
        let pointer = map.get("$ref").and_then(Value::as_str).filter(|pointer| names.followed.insert(pointer));
        let target = pointer.and_then(|pointer| self.root.pointer(pointer.strip_prefix('#')?));
        let listed = ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| map.get(*key)?.as_array()).flatten();
        let branches = ["then", "else"].iter().filter_map(|key| map.get(*key));
        for part in listed.chain(branches).chain(target) {
            if let Sight::Open = self.names(part, names, depth + 1) {
                return Sight::Open;
            }
        }
        Sight::Closed
    }
}

/// The names that were found, and the references that were followed.
#[derive(Default)]
struct Names<'s> {
    found: Vec<String>,
    followed: FxHashSet<&'s str>,
}

enum Sight {
    Open,
    Closed,
}

const COMBINATORS: &[&str] = &["allOf", "anyOf", "oneOf", "$ref", "if", "$dynamicRef"];
const MAX_DEPTH: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn valid(schema: Value, instance: Value) -> bool {
        let closed = close(&schema, Draft::Draft202012);
        jsonschema::options().offline().build(&closed).unwrap().is_valid(&instance)
    }

    #[test]
    fn objects_are_closed_unless_they_say_otherwise() {
        // CALL-2
        let plain = json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}, "free": {"type": "object"}}});
        assert!(valid(plain.clone(), json!({"a": {"b": 1}, "free": {"x": 1}})));
        assert!(!valid(plain.clone(), json!({"c": 1})));
        assert!(!valid(plain, json!({"a": {"c": 1}})));
        assert!(valid(json!({"properties": {}, "additionalProperties": true}), json!({"c": 1})));
        assert!(!valid(json!({"type": "object"}), json!({"c": 1})));
    }

    #[test]
    fn parts_are_seen_together() {
        // CALL-2
        let parts = json!({
            "$defs": {"base": {"type": "object", "properties": {"id": {}}}},
            "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"name": {}}}]
        });
        assert!(valid(parts.clone(), json!({"id": 1, "name": 2})));
        assert!(!valid(parts, json!({"id": 1, "nam": 2})));
        let used = json!({"$defs": {"p": {"properties": {"x": {}}}}, "properties": {"at": {"$ref": "#/$defs/p"}}});
        assert!(valid(used.clone(), json!({"at": {"x": 1}})));
        assert!(!valid(used, json!({"at": {"y": 1}})));
        let either =
            json!({"properties": {"v": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {}}}]}}});
        assert!(valid(either.clone(), json!({"v": null})));
        assert!(!valid(either, json!({"v": {"b": 1}})));
    }
}
