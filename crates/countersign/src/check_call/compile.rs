//! A tool's schema, made ready: dialect chosen, habits of other dialects folded, objects closed, compiled.

use super::close::close;
use crate::contract::RawSchema;
use crate::policy::Limits;
use crate::text::lists::word_list;
use jsonschema::{Draft, PatternOptions, Validator};
use rustc_hash::FxHashMap;
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
pub(crate) fn compile(raw: Option<&RawSchema>, limits: &Limits) -> Schema {
    let mut source = match raw.map(|raw| raw.0.get()) {
        None => takes_nothing(),
        Some(text) if text.len() > limits.schema_bytes => {
            let fault = format!("the schema has {} bytes; the limit is {}", text.len(), limits.schema_bytes);
            return Schema { source: Value::Null, validator: None, fault: Some(fault) };
        }
        Some(text) => match serde_json::from_str(text) {
            Ok(source) => source,
            Err(error) => return Schema { source: Value::Null, validator: None, fault: Some(error.to_string()) },
        },
    };
    // A schema that says nothing at all is none.
    if source == json!({}) {
        source = takes_nothing();
    }
    fold_types(&mut source);
    if let Some(fault) = Expansion::fault(&source) {
        return Schema { source, validator: None, fault: Some(fault) };
    }
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

/// The schema of a tool without arguments.
fn takes_nothing() -> Value {
    json!({"type": "object", "properties": {}})
}

/// How many schemas one value has to be held against. References that meet again and again multiply, and a few lines
/// of a hostile schema could keep a validator busy for years.
struct Expansion<'a> {
    root: &'a Value,
    known: FxHashMap<&'a str, Cost>,
}

#[derive(Clone, Copy)]
enum Cost {
    Open,
    Settled(u64),
}

impl<'a> Expansion<'a> {
    /// Why a schema cannot be used, where it expands without end or beyond the limit.
    fn fault(root: &'a Value) -> Option<String> {
        let mut expansion = Self { root, known: FxHashMap::default() };
        let mut open = vec![(root, 0)];
        while let Some((schema, depth)) = open.pop() {
            match expansion.cost(schema, 0) {
                Some(cost) if cost <= MAX_EXPANSION => {}
                Some(_) => return Some(format!("one value would be held against more than {MAX_EXPANSION} schemas")),
                None => return Some("its references lead back to themselves".to_owned()),
            }
            if depth < MAX_DEPTH {
                open.extend(
                    parts(schema).filter(|(key, _)| !IN_PLACE.contains(key)).map(|(_, part)| (part, depth + 1)),
                );
            }
        }
        None
    }

    /// How many schemas stand for the same value; `None` where a reference leads back to itself.
    fn cost(&mut self, schema: &'a Value, depth: usize) -> Option<u64> {
        let mut cost = 1u64;
        if depth > MAX_DEPTH {
            return Some(cost);
        }
        for (_, part) in parts(schema).filter(|(key, _)| IN_PLACE.contains(key)) {
            cost = cost.saturating_add(self.cost(part, depth + 1)?);
        }
        let Some(pointer) = schema.get("$ref").and_then(Value::as_str) else { return Some(cost) };
        match self.known.get(pointer) {
            Some(Cost::Settled(known)) => return Some(cost.saturating_add(*known)),
            Some(Cost::Open) => return None,
            None => {}
        }
        let Some(target) = pointer.strip_prefix('#').and_then(|place| self.root.pointer(place)) else {
            return Some(cost);
        };
        self.known.insert(pointer, Cost::Open);
        let found = self.cost(target, depth + 1)?;
        self.known.insert(pointer, Cost::Settled(found));
        Some(cost.saturating_add(found))
    }
}

/// The schemas inside a schema, with the keyword that holds them.
fn parts(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let keywords = schema.as_object().into_iter().flatten().filter(|(key, _)| !DATA_KEYS.contains(&key.as_str()));
    keywords.flat_map(|(key, value)| {
        let inner: Vec<&Value> = match value {
            Value::Array(list) => list.iter().filter(|item| item.is_object()).collect(),
            Value::Object(map) if MAPS.contains(&key.as_str()) => map.values().collect(),
            Value::Object(_) => vec![value],
            _ => Vec::new(),
        };
        inner.into_iter().map(move |part| (key.as_str(), part))
    })
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
    // Some languages write an absent keyword as null.
    map.retain(|key, value| !(value.is_null() && MAYBE_NULL.contains(&key.as_str())));
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
/// Keywords that some servers write as null where they mean nothing.
const MAYBE_NULL: &[&str] = word_list!("check_call", "compile/maybe-null");
/// Keywords whose schemas stand for the same value as the schema that holds them.
const IN_PLACE: &[&str] = &["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];
/// Keywords that hold schemas by name.
const MAPS: &[&str] = &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const MAX_EXPANSION: u64 = 10_000;
const MAX_DEPTH: usize = 64;
const BACKTRACKS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_multiplies_is_refused() {
        // CALL-2
        let both = |n: usize| json!({"allOf": [{"$ref": format!("#/$defs/d{n}")}, {"$ref": format!("#/$defs/d{n}")}]});
        let mut defs: Map<String, Value> = (0..30).map(|n| (format!("d{n}"), both(n + 1))).collect();
        defs.insert("d30".into(), json!({"type": "integer"}));
        let wide = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs});
        assert!(Expansion::fault(&wide).unwrap().contains("10000"));
        let own =
            json!({"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"allOf": [{"$ref": "#/$defs/x"}]}}});
        assert!(Expansion::fault(&own).is_some());
        let tree = json!({"properties": {"child": {"$ref": "#"}, "list": {"items": {"$ref": "#"}}}});
        assert_eq!(Expansion::fault(&tree), None);
    }
}
