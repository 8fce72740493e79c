//! Closes a schema: an argument that the tool does not name is an error, unless the schema says otherwise.
//!
//! A plain object that names its properties gets `additionalProperties: false`. One that is put together from parts
//! (`allOf`, `anyOf`, `oneOf`, `$ref`, `if`) gets `unevaluatedProperties: false`, which looks through the parts; the
//! parts themselves stay open, because each of them sees only its share. Dialects before 2019-09 do not know that
//! keyword; there a list of all the names in sight does the same.
//!
//! An object that names no properties is open: `{"type": "object"}` says that any object will do. An empty list of
//! them, `properties: {}`, says so only inside the arguments; for the arguments themselves it says that there are none.

use jsonschema::Draft;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

/// The closed form of a schema.
pub(crate) fn close(schema: &Value, draft: Draft) -> Value {
    let modern = matches!(draft, Draft::Draft201909 | Draft::Draft202012);
    Closer { root: schema, modern }.visit(schema, Position::Root, 0)
}

/// Whether a schema stands for all the arguments, for a whole value inside them, or for a part of what another one
/// describes.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    Root,
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
        if position != Position::Part {
            self.seal(map, &mut closed, position);
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

    /// Adds the keyword that closes an object, where the schema names properties and says nothing of others.
    fn seal(&self, map: &Map<String, Value>, closed: &mut Map<String, Value>, position: Position) {
        let says = |key: &str| map.contains_key(key);
        if says("additionalProperties") || says("unevaluatedProperties") {
            if map.get("additionalProperties") == Some(&Value::Bool(false)) && !says("properties") {
                // The same schema, and each key that is too much is reported by its name.
                closed.insert("properties".into(), json!({}));
            }
            return;
        }
        let mut sight = Names::default();
        if is_composed(map) {
            let Sight::Closed = self.names(map, &mut sight, 0) else { return };
        } else {
            sight.add(map);
        }
        if sight.found.is_empty() && !(sight.lists && position == Position::Root) && !says("patternProperties") {
            return;
        }
        match (is_composed(map), self.modern) {
            (false, _) => closed.insert("additionalProperties".into(), Value::Bool(false)),
            (true, true) => closed.insert("unevaluatedProperties".into(), Value::Bool(false)),
            (true, false) => closed.insert("propertyNames".into(), json!({"enum": sight.found})),
        };
    }

    /// All property names in sight of a composed schema, and whether any part leaves it open.
    fn names<'s>(&'s self, map: &'s Map<String, Value>, names: &mut Names<'s>, depth: usize) -> Sight {
        if depth >= MAX_DEPTH {
            return Sight::Closed;
        }
        if map.get("additionalProperties").is_some_and(|value| *value != Value::Bool(false))
            || map.contains_key("patternProperties")
            || (depth > 0 && is_any_object(map))
        {
            return Sight::Open;
        }
        names.add(map);
        let variants = ["anyOf", "oneOf"].iter().filter_map(|key| map.get(*key)?.as_array()).flatten();
        if variants.clone().any(says_nothing) {
            return Sight::Open;
        }
        // Each definition is looked at once: they may refer to each other, and to themselves.
        let pointer = map.get("$ref").and_then(Value::as_str).filter(|pointer| names.followed.insert(pointer));
        let target = pointer.and_then(|pointer| self.root.pointer(pointer.strip_prefix('#')?));
        let all = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let branches = ["then", "else"].iter().filter_map(|key| map.get(*key));
        for part in all.chain(variants).chain(branches).chain(target).filter_map(Value::as_object) {
            if let Sight::Open = self.names(part, names, depth + 1) {
                return Sight::Open;
            }
        }
        Sight::Closed
    }
}

/// Whether a schema is put together from others.
fn is_composed(map: &Map<String, Value>) -> bool {
    COMBINATORS.iter().any(|key| map.contains_key(*key))
}

/// Whether a part is any object at all: with no properties of its own it says that any object will do.
fn is_any_object(map: &Map<String, Value>) -> bool {
    let object = match map.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    };
    object && !map.contains_key("properties") && !map.contains_key("required") && !is_composed(map)
}

/// Whether a variant takes anything: `true`, `{}`, or no more than words about it.
fn says_nothing(variant: &Value) -> bool {
    match variant {
        Value::Bool(takes) => *takes,
        Value::Object(map) => map.keys().all(|key| WORDS.contains(&key.as_str())),
        _ => false,
    }
}

/// The names that were found, whether there was any list of them, and the references that were followed.
#[derive(Default)]
struct Names<'s> {
    found: Vec<String>,
    lists: bool,
    followed: FxHashSet<&'s str>,
}

impl Names<'_> {
    fn add(&mut self, map: &Map<String, Value>) {
        let Some(properties) = map.get("properties").and_then(Value::as_object) else { return };
        self.lists = true;
        self.found.extend(properties.keys().cloned());
    }
}

enum Sight {
    Open,
    Closed,
}

const COMBINATORS: &[&str] = &["allOf", "anyOf", "oneOf", "$ref", "if", "$dynamicRef"];
/// Keywords that ask nothing of a value.
const WORDS: &[&str] = &["title", "description", "default", "examples", "example", "deprecated", "$comment"];
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
    }

    #[test]
    fn an_object_that_names_no_properties_is_open() {
        // CALL-2
        let any = json!({"type": "object"});
        assert!(valid(any.clone(), json!({"c": 1})));
        assert!(valid(json!({"type": "object", "required": ["a"]}), json!({"a": 1, "c": 1})));
        assert!(!valid(json!({"type": "object", "properties": {}}), json!({"c": 1})));
        assert!(!valid(json!({"type": "object", "additionalProperties": false}), json!({"c": 1})));
        assert!(!valid(json!({"type": "object", "patternProperties": {"^x-": {}}}), json!({"c": 1})));
        let none = json!({"$ref": "#/$defs/none", "$defs": {"none": {"type": "object", "properties": {}}}});
        assert!(!valid(none, json!({"c": 1})));
        // Inside the arguments an empty list names nothing: an object that could hold nothing would be of no use.
        for free in [any.clone(), json!({"type": "object", "properties": {}}), json!({"$ref": "#/$defs/any"})] {
            let schema = json!({"properties": {"a": free}, "$defs": {"any": any}});
            assert!(valid(schema.clone(), json!({"a": {"c": 1}})), "{schema}");
            assert!(!valid(schema, json!({"b": 1})));
        }
        let named = json!({"type": "object", "properties": {"z": {}}});
        for free in [json!({"type": ["object", "null"]}), json!({}), json!(true), json!({"description": "any value"})] {
            let schema = json!({"properties": {"a": {"anyOf": [named, free]}}});
            assert!(valid(schema.clone(), json!({"a": {"c": 1}})), "{schema}");
        }
        let both = json!({"properties": {"a": {"allOf": [named, {}]}}});
        assert!(!valid(both, json!({"a": {"c": 1}})));
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
