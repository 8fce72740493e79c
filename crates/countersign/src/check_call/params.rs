//! The parameters of a tool as a tree, read once from its schema, so that no check walks a schema for each call.

use super::prose::Prose;
use super::role::Roles;
use crate::text::words::identifier_words;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::cell::Cell;

/// One parameter, or the root of them all.
#[derive(Debug, Clone, Default)]
pub struct Param {
    /// Its name; empty for the root and for items.
    pub name: String,
    /// What the tool says of it.
    pub description: String,
    /// The JSON types it may have; empty where any.
    pub types: Vec<String>,
    /// Its declared format.
    pub format: Option<String>,
    /// The values it may have; empty where any.
    pub allowed: Vec<Value>,
    /// Its declared default.
    pub default: Option<Value>,
    /// Its declared examples.
    pub examples: Vec<Value>,
    /// The least its number may be, by schema.
    pub minimum: Option<f64>,
    /// The most its number may be, by schema.
    pub maximum: Option<f64>,
    /// Whether the schema has a pattern for it.
    pub has_pattern: bool,
    /// Whether a call must have it.
    pub required: bool,
    /// What it is for.
    pub roles: Roles,
    /// The last word of its name, which says what kind of thing it is.
    pub last_word: String,
    /// What its description asks of it.
    pub prose: Prose,
    /// Its own parameters, where it is an object.
    pub properties: FxHashMap<String, Param>,
    /// The names of its parameters, in the order of the schema.
    pub order: Vec<String>,
    /// Its items, where it is a list.
    pub items: Option<Box<Param>>,
    /// Whether it takes keys that it does not name.
    pub open: bool,
}

impl Param {
    /// Reads a schema. References within the document are followed; depth is bounded.
    pub fn read(schema: &Value) -> Self {
        Reader { root: schema, budget: Cell::new(MAX_PARAMS) }.param("", schema, 0)
    }

    /// Whether a type is allowed by the schema.
    pub fn takes(&self, kind: &str) -> bool {
        self.types.is_empty() || self.types.iter().any(|t| t == kind || (t == "number" && kind == "integer"))
    }

    /// The parameter under a key.
    pub fn property(&self, key: &str) -> Option<&Param> {
        self.properties.get(key)
    }
}

/// The last word of a name, which says what kind of thing it is; what `sort_by` and `order_by` hold is an order.
pub(crate) fn last_word(name: &str) -> String {
    let mut words = identifier_words(name);
    let last = words.pop().unwrap_or_default();
    if last == "by" { words.pop().unwrap_or(last) } else { last }
}

struct Reader<'a> {
    root: &'a Value,
    /// How many schemas may still be read: a schema that refers to itself often would else grow without bound.
    budget: Cell<usize>,
}

impl Reader<'_> {
    fn param(&self, name: &str, schema: &Value, depth: usize) -> Param {
        let mut param = Param { name: name.to_owned(), ..Param::default() };
        self.merge(&mut param, schema, depth);
        param.roles = Roles::of(name, &param.description, param.format.as_deref());
        param.last_word = last_word(name);
        param.prose = Prose::read(name, &param.description);
        if let Some(items) = param.items.as_mut() {
            // Items speak with the list's name and words where they have none of their own.
            if items.description.is_empty() {
                items.roles = Roles::of(name, &param.description, items.format.as_deref());
                items.name = name.to_owned();
                items.last_word.clone_from(&param.last_word);
            }
        }
        param
    }

    /// Adds what a schema says, through `$ref`, `allOf` and the variants of `anyOf` and `oneOf`.
    fn merge(&self, param: &mut Param, schema: &Value, depth: usize) {
        let Some(left) = self.budget.get().checked_sub(1) else { return };
        self.budget.set(left);
        let Some(schema) = schema.as_object().filter(|_| depth < MAX_DEPTH) else { return };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|pointer| self.resolve(pointer)) {
            self.merge(param, target, depth + 1);
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.merge(param, part, depth + 1);
            }
        }
        Self::merge_facts(param, schema);
        self.merge_properties(param, schema, depth);
        match schema.get("items") {
            Some(items @ Value::Object(_)) if param.items.is_none() => {
                param.items = Some(Box::new(self.param("", items, depth + 1)))
            }
            _ => {}
        }
    }

    fn merge_facts(param: &mut Param, schema: &Map<String, Value>) {
        if let Some(text) = schema.get("description").and_then(Value::as_str).filter(|_| param.description.is_empty()) {
            param.description = text.to_owned();
        }
        match schema.get("type") {
            Some(Value::String(kind)) => param.types.push(kind.clone()),
            Some(Value::Array(kinds)) => param.types.extend(kinds.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
        let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| schema.get(key).and_then(Value::as_f64);
        param.format = param.format.take().or_else(|| text("format"));
        param.minimum = param.minimum.or_else(|| number("minimum")).or_else(|| number("exclusiveMinimum"));
        param.maximum = param.maximum.or_else(|| number("maximum")).or_else(|| number("exclusiveMaximum"));
        param.has_pattern |= schema.contains_key("pattern");
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            param.allowed.extend(allowed.iter().cloned());
        }
        param.allowed.extend(schema.get("const").cloned());
        param.default = param.default.take().or_else(|| schema.get("default").cloned());
        param.examples.extend(schema.get("examples").and_then(Value::as_array).into_iter().flatten().cloned());
        param.examples.extend(schema.get("example").cloned());
    }

    fn merge_properties(&self, param: &mut Param, schema: &Map<String, Value>, depth: usize) {
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let mut child = self.param(key, property, depth + 1);
            child.required = required.contains(&key.as_str());
            if !param.properties.contains_key(key) {
                param.order.push(key.clone());
            }
            param.properties.insert(key.clone(), child);
        }
        param.open |= matches!(schema.get("additionalProperties"), Some(Value::Bool(true) | Value::Object(_)))
            || schema.contains_key("patternProperties");
    }

    fn resolve(&self, pointer: &str) -> Option<&Value> {
        self.root.pointer(pointer.strip_prefix('#')?)
    }
}

const MAX_DEPTH: usize = 24;
const MAX_PARAMS: usize = 5000;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_and_variants_are_read() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {"a": {"$ref": "#/$defs/point"}, "ids": {"type": "array", "items": {"type": "string"}}},
            "$defs": {"point": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}}]}}
        });
        let root = Param::read(&schema);
        assert!(root.property("a").unwrap().required);
        assert_eq!(root.property("a").unwrap().property("x").unwrap().minimum, Some(0.0));
        let items = root.property("ids").unwrap().items.as_ref().unwrap();
        assert!(items.roles.has(super::super::role::Role::Id));
    }

    #[test]
    fn a_schema_that_holds_itself_ends() {
        let schema = json!({"properties": {"child": {"$ref": "#"}}});
        assert!(Param::read(&schema).property("child").is_some());
    }
}
