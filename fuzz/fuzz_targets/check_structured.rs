//! A well-formed request around arbitrary names, schemas, words and values: the fuzzer reaches the checks themselves.
#![no_main]

use arbitrary::Arbitrary;
use countersign::check_call::Guard;
use countersign::contract::{Answers, Level};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

#[derive(Arbitrary, Debug)]
struct Input {
    name: String,
    called: Option<String>,
    description: String,
    fields: Vec<(Field, Any)>,
    extra: Vec<(String, Any)>,
    said: Vec<String>,
    result: Any,
}

#[derive(Arbitrary, Debug)]
struct Field {
    name: String,
    kind: u8,
    description: String,
    format: u8,
    required: bool,
    allowed: Vec<String>,
}

#[derive(Arbitrary, Debug)]
enum Any {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Any>),
    Object(Vec<(String, Any)>),
}

impl Any {
    fn json(&self, depth: usize) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => json!(truth),
            Self::Integer(number) => json!(number),
            Self::Float(number) => json!(number),
            Self::Text(text) => json!(text),
            Self::List(_) | Self::Object(_) if depth > 8 => Value::Null,
            Self::List(list) => list.iter().map(|item| item.json(depth + 1)).collect(),
            Self::Object(pairs) => Value::Object(pairs.iter().map(|(key, value)| (key.clone(), value.json(depth + 1))).collect()),
        }
    }
}

fuzz_target!(|input: Input| {
    let (mut properties, mut required, mut arguments) = (Map::new(), Vec::new(), Map::new());
    for (field, value) in &input.fields {
        let kind = ["string", "integer", "number", "boolean", "array", "object"][usize::from(field.kind) % 6];
        let mut schema = json!({"type": kind, "description": field.description});
        if field.format % 4 == 0 {
            schema["format"] = json!(["date", "email", "uri", "uuid"][usize::from(field.format / 4) % 4]);
        }
        if !field.allowed.is_empty() {
            schema["enum"] = json!(field.allowed);
        }
        properties.insert(field.name.clone(), schema);
        if field.required {
            required.push(field.name.clone());
        }
        arguments.insert(field.name.clone(), value.json(0));
    }
    arguments.extend(input.extra.iter().map(|(key, value)| (key.clone(), value.json(0))));
    let mut messages: Vec<Value> = input.said.iter().map(|text| json!({"role": "user", "content": text})).collect();
    messages.push(json!({"role": "tool", "tool_call_id": "a", "content": input.result.json(0)}));
    let body = json!({
        "tools": [{"name": input.name, "description": input.description, "input_schema": {"type": "object", "properties": properties, "required": required}}],
        "messages": messages,
        "call": {"name": input.called.as_ref().unwrap_or(&input.name), "arguments": arguments}
    });
    let Ok(mut request) = read_check(&body) else { return };
    let guard = Guard::new(request.tools.take(), Policy::standard());
    let refused = [Level::Lenient, Level::Moderate, Level::Strict].map(|level| {
        request.level = Some(level);
        inspect::check(&guard, &request, &Answers::default()).status.is_refused()
    });
    assert!(!refused[0] || refused[1], "LENIENT refused more than MODERATE");
    assert!(!refused[1] || refused[2], "MODERATE refused more than STRICT");
});
