//! Arguments that keep to a schema, filled from the question.
//!
//! Fields that are required are filled, and others where the question speaks of them. Schemas are foreign and hostile:
//! depth and width are bounded, and what cannot be understood becomes a text.

use super::words::{ids, is_chinese, numbers, parts, text_for, words};
use serde_json::{Map, Number, Value};
use std::cell::Cell;

/// Arguments for a schema.
pub(super) fn arguments(schema: &Value, question: &str) -> Map<String, Value> {
    match Maker::new(schema, question).value("", schema, 0) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    }
}

/// A value for one property of a schema's top level.
pub(super) fn argument(schema: &Value, name: &str, question: &str) -> Option<Value> {
    let maker = Maker::new(schema, question);
    let field = maker.resolved(schema).get("properties")?.get(name)?;
    Some(maker.value(name, field, 1))
}

/// A property of a schema's top level, its references followed.
pub(super) fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let maker = Maker::new(schema, "");
    Some(maker.resolved(maker.resolved(schema).get("properties")?.get(name)?))
}

/// The names of a schema's properties.
pub(super) fn properties(schema: &Value) -> Vec<&str> {
    let resolved = Maker::new(schema, "").resolved(schema);
    let named = resolved.get("properties").and_then(Value::as_object);
    named.into_iter().flatten().map(|(name, _)| name.as_str()).take(MOST_FIELDS).collect()
}

/// The names of the required properties.
pub(super) fn required(schema: &Value) -> Vec<&str> {
    let resolved = Maker::new(schema, "").resolved(schema);
    let list = resolved.get("required").and_then(Value::as_array);
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

/// Whether a field holds an id.
pub(super) fn is_id(name: &str) -> bool {
    parts(name).last().is_some_and(|last| matches!(last.as_str(), "id" | "ids" | "uuid"))
}

struct Maker<'a> {
    root: &'a Value,
    question: &'a str,
    /// How many values may still be made: a schema that holds itself twice would never end.
    left: Cell<usize>,
}

impl<'a> Maker<'a> {
    fn new(root: &'a Value, question: &'a str) -> Self {
        Self { root, question, left: Cell::new(MOST_VALUES) }
    }

    fn value(&self, name: &str, schema: &'a Value, depth: usize) -> Value {
        self.left.set(self.left.get().saturating_sub(1));
        if self.left.get() == 0 {
            return Value::Null;
        }
        let schema = self.resolved(schema);
        if let Some(fixed) = schema.get("const") {
            return fixed.clone();
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array).filter(|choices| !choices.is_empty()) {
            let chosen = self.mentioned(choices).or_else(|| schema.get("default")).or(choices.first());
            return chosen.cloned().unwrap_or_default();
        }
        match kind(schema) {
            "object" if depth < DEEPEST => Value::Object(self.object(schema, depth)),
            "array" if depth < DEEPEST => self.array(name, schema, depth),
            "object" => Value::Object(Map::new()),
            "array" => Value::Array(Vec::new()),
            "integer" | "number" => self.number(schema),
            "boolean" => suggested(schema).filter(|value| value.is_boolean()).unwrap_or(Value::Bool(true)),
            "null" => Value::Null,
            _ => self.text(name, schema),
        }
    }

    /// The schema behind references and alternatives.
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        for _ in 0..DEEPEST {
            let reference = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
            let branches = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema.get(*key)?.as_array());
            let branch = || branches?.iter().find(|branch| kind(branch) != "null");
            match reference.and_then(|to| self.root.pointer(to)).or_else(branch) {
                Some(next) if schema.get("properties").is_none() => schema = next,
                _ => break,
            }
        }
        schema
    }

    fn object(&self, schema: &'a Value, depth: usize) -> Map<String, Value> {
        let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        let wanted = |(at, (name, field)): &(usize, (&String, &'a Value))| {
            let must = required.iter().any(|needed| needed.as_str() == Some(name.as_str()));
            must || (required.is_empty() && *at == 0) || self.speaks_of(name, field)
        };
        let fields = properties.into_iter().flatten().take(MOST_FIELDS).enumerate().filter(wanted);
        fields.map(|(_, (name, field))| (name.clone(), self.value(name, field, depth + 1))).collect()
    }

    fn array(&self, name: &str, schema: &'a Value, depth: usize) -> Value {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).clamp(1, MOST_ITEMS);
        // Copies of copies grow fast.
        let least = if depth > 2 { 1 } else { least };
        let item = schema.get("items").map(|items| self.value(name, items, depth + 1));
        let item = item.unwrap_or_else(|| self.text(name, &Value::Null));
        Value::Array((0..least).map(|_| item.clone()).collect())
    }

    /// Whether the question speaks of a field that may be left out: it names a choice, or the field itself beside a number.
    fn speaks_of(&self, name: &str, field: &'a Value) -> bool {
        let field = self.resolved(field);
        let named = || words(self.question).iter().any(|word| parts(word) == parts(name));
        match field.get("enum").and_then(Value::as_array) {
            Some(choices) => self.mentioned(choices).is_some(),
            None => matches!(kind(field), "integer" | "number") && named() && numbers(self.question).next().is_some(),
        }
    }

    fn mentioned<'v>(&self, choices: &'v [Value]) -> Option<&'v Value> {
        let question = self.question.to_lowercase();
        let said = |choice: &&Value| match choice.as_str().map(str::to_lowercase) {
            Some(choice) if choice.chars().any(is_chinese) => question.contains(&choice),
            Some(choice) => words(&question).contains(&choice.as_str()),
            None => false,
        };
        choices.iter().take(MOST_CHOICES).find(said)
    }

    fn number(&self, schema: &Value) -> Value {
        let bound = |field: &str| schema.get(field).and_then(Value::as_f64);
        let step = if kind(schema) == "integer" { 1.0 } else { 0.5 };
        let least = bound("minimum").or(bound("exclusiveMinimum").map(|least| least + step)).unwrap_or(f64::MIN);
        let most = bound("maximum").or(bound("exclusiveMaximum").map(|most| most - step)).unwrap_or(f64::MAX);
        let fits = |number: &f64| (least..=most).contains(number) && (step < 1.0 || number.fract() == 0.0);
        let asked = numbers(self.question).find(|number| fits(number));
        let number = asked.or_else(|| suggested(schema)?.as_f64()).unwrap_or_else(|| USUAL.min(most).max(least));
        match bound("multipleOf").filter(|multiple| *multiple > 0.0) {
            Some(multiple) => figure((number / multiple).ceil() * multiple),
            None => figure(number),
        }
    }

    fn text(&self, name: &str, schema: &Value) -> Value {
        let hint = schema.get("format").and_then(Value::as_str);
        let chosen = hint.and_then(|format| self.formatted(format)).or_else(|| self.patterned(schema));
        let found = || if is_id(name) { self.id() } else { text_for(name, self.question) };
        let example = || suggested(schema)?.as_str().map(str::to_owned);
        let text = chosen.or_else(found).or_else(example);
        let text = text.or_else(|| Some(self.question.to_owned())).filter(|text| !text.is_empty());
        Value::String(sized(text.unwrap_or_else(|| "demo".to_owned()), schema))
    }

    fn id(&self) -> Option<String> {
        ids(self.question).first().map(|id| (*id).to_owned()).or_else(|| text_for("name", self.question))
    }

    /// A text of a well-known format: from the question, else a plain one.
    fn formatted(&self, format: &str) -> Option<String> {
        let dashes = |word: &&str| word.matches('-').count() == 2 && word.starts_with(|c: char| c.is_ascii_digit());
        let words = words(self.question);
        let find = |fits: &dyn Fn(&&str) -> bool| words.iter().copied().find(|word| fits(word));
        let (asked, usual) = match format {
            "date" => (find(&dashes), "2026-01-15"),
            "date-time" => (None, "2026-01-15T09:00:00Z"),
            "time" => (None, "09:00:00Z"),
            "email" => (find(&|word| word.contains('@')), "ann@example.com"),
            "uri" | "url" => (find(&|word| word.contains("://")), "https://example.com/"),
            "uuid" => (find(&|word| word.len() == 36), "0b8f5c1e-6f3a-4d2b-9a57-3c1d2e4f5a6b"),
            _ => return None,
        };
        Some(asked.unwrap_or(usual).to_owned())
    }

    /// A word of the question that has the pattern, or an example that has it.
    fn patterned(&self, schema: &Value) -> Option<String> {
        let pattern = schema.get("pattern").and_then(Value::as_str)?;
        let pattern = regex::RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build().ok()?;
        let word = words(self.question).into_iter().find(|word| pattern.is_match(word)).map(str::to_owned);
        word.or_else(|| suggested(schema)?.as_str().map(str::to_owned))
    }
}

/// The schema's own suggestion.
fn suggested(schema: &Value) -> Option<Value> {
    let example = || schema.get("examples")?.as_array()?.first();
    schema.get("default").filter(|default| !default.is_null()).or_else(example).cloned()
}

/// A number as JSON: whole where it is whole.
fn figure(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < LARGEST_WHOLE {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::from(0), Value::Number)
}

/// A text within the schema's bounds.
fn sized(text: String, schema: &Value) -> String {
    let bound = |field: &str| schema.get(field).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
    let most = bound("maxLength").unwrap_or(LONGEST).min(LONGEST);
    let least = bound("minLength").unwrap_or(0).max(text.chars().count()).min(most);
    text.chars().cycle().take(least).collect()
}

const DEEPEST: usize = 8;
const MOST_FIELDS: usize = 32;
const MOST_VALUES: usize = 500;
const MOST_ITEMS: u64 = 4;
const MOST_CHOICES: usize = 1000;
/// The number where nothing speaks for another: one of a thing needs no source.
const USUAL: f64 = 1.0;
const LARGEST_WHOLE: f64 = 9e15;
const LARGEST_PATTERN: usize = 1 << 18;
const LONGEST: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn made(schema: Value, question: &str) -> Value {
        Value::Object(arguments(&schema, question))
    }

    #[test]
    fn arguments_keep_to_the_schema() {
        let schema = json!({"type": "object", "required": ["city", "unit", "days", "when", "tags", "deep", "maybe"],
            "$defs": {"deep": {"type": "object", "required": ["share"],
                "properties": {"share": {"type": "number", "exclusiveMaximum": 1}}}},
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]},
                "days": {"type": "integer", "minimum": 5, "maximum": 10}, "when": {"type": "string", "format": "date"},
                "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2}, "deep": {"$ref": "#/$defs/deep"},
                "maybe": {"anyOf": [{"type": "null"}, {"type": "boolean"}]}, "other": {"type": "string"}}});
        let expected = json!({"city": "Paris", "unit": "fahrenheit", "days": 7, "when": "2026-01-15",
            "tags": ["Paris", "Paris"], "deep": {"share": 0.5}, "maybe": true});
        assert_eq!(made(schema, "The weather for 7 days, Fahrenheit, in Paris"), expected);
    }

    #[test]
    fn odd_schemas_do_no_harm() {
        for schema in [
            json!(null),
            json!(3),
            json!({"$ref": "#"}),
            json!({"anyOf": []}),
            json!({"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]}),
            json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}),
            json!({"properties": {"a": {"type": "number", "minimum": 9, "maximum": 1, "multipleOf": 0}}}),
            json!({"properties": {"a": {"type": "string", "pattern": "(", "minLength": 999999999, "maxLength": 3}}}),
            json!({"properties": {"a": {"type": "number", "minimum": 1e308, "multipleOf": 1e-300}}}),
        ] {
            made(schema, "");
        }
    }
}
