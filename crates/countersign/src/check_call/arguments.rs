//! The arguments as one JSON object, whatever form they came in.

use crate::contract::codes::call::MALFORMED_ARGUMENTS;
use crate::contract::{Arguments, Finding, Language, Object};
use crate::say;
use serde_json::Value;
use std::borrow::Cow;

/// Reads the arguments. A string must be a whole JSON object; a tool that takes nothing accepts nothing in any form.
pub fn read(arguments: &Arguments, language: Language) -> Result<Cow<'_, Object>, Finding> {
    match arguments {
        Arguments::Absent => Ok(Cow::Owned(Object::default())),
        Arguments::Object(object) => Ok(Cow::Borrowed(object)),
        Arguments::Text(text) => read_text(text, language).map(Cow::Owned),
        Arguments::Other(Value::Array(list)) if list.is_empty() => Ok(Cow::Owned(Object::default())),
        Arguments::Other(other) => Err(not_an_object(&kind_of(other), language)),
    }
}

fn read_text(text: &str, language: Language) -> Result<Object, Finding> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map.into()),
        Ok(Value::Null) => Ok(Object::default()),
        // A string in a string: some clients encode twice.
        Ok(Value::String(inner)) if inner.trim_start().starts_with('{') && inner.len() < text.len() => {
            read_text(&inner, language)
        }
        Ok(other) => Err(not_an_object(&kind_of(&other), language)),
        Err(error) => {
            let evidence = say!(language, "the arguments are not valid JSON: {error}", "参数不是有效的 JSON：{error}");
            Err(Finding::new(&MALFORMED_ARGUMENTS, "/arguments", evidence).hint(advice(language)))
        }
    }
}

fn not_an_object(kind: &str, language: Language) -> Finding {
    let evidence = say!(language, "the arguments are {kind}, not an object", "参数是 {kind}，不是对象");
    Finding::new(&MALFORMED_ARGUMENTS, "/arguments", evidence).hint(advice(language))
}

fn advice(language: Language) -> String {
    say!(language, "send the arguments as one JSON object", "请以一个 JSON 对象给出参数")
}

/// The JSON type of a value, with its article.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
    .to_owned()
}
