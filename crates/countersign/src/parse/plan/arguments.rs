//! From bare input to arguments: which parameter of a tool words without a name belong to.

use super::draft::Input;
use crate::parse::align;
use crate::parse::event::ParseOptions;
use serde_json::{Map, Value};

/// What a tool is given, and whether something had to be left out.
#[derive(Debug, PartialEq)]
pub(super) enum Given {
    Arguments(Map<String, Value>),
    /// The tool takes nothing, and words were written.
    Unused,
    Unreadable,
}

/// The input of a step that asks the model itself.
pub(super) fn of_model(input: Input) -> Given {
    let text = match input {
        Input::Text(text) => text,
        Input::Object(object) => match object.values().next() {
            Some(Value::String(text)) if object.len() == 1 => text.clone(),
            _ => Value::Object(object).to_string(),
        },
        Input::Unreadable => return Given::Unreadable,
    };
    Given::Arguments(Map::from_iter([(INPUT.to_owned(), Value::String(text))]))
}

/// The input of a step for a tool with that schema (`null` where it is not known).
pub(super) fn of_tool(input: Input, schema: &Value, options: &ParseOptions) -> Given {
    let text = match input {
        Input::Object(object) => return Given::Arguments(object),
        Input::Unreadable => return Given::Unreadable,
        Input::Text(text) if text.is_empty() => return Given::Arguments(Map::new()),
        Input::Text(text) => text,
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    match properties {
        Some(properties) if properties.is_empty() => Given::Unused,
        None if schema.is_object() => Given::Unused,
        None => Given::Arguments(Map::from_iter([(INPUT.to_owned(), Value::String(text))])),
        Some(properties) => {
            let (name, parameter) = parameter(properties, schema).unwrap_or((INPUT, &Value::Null));
            Given::Arguments(Map::from_iter([(name.to_owned(), align::from_text(&text, parameter, schema, options))]))
        }
    }
}

/// The parameter that words without a name belong to: the first required text, else the one that is required, else the
/// first text, else the first.
fn parameter<'s>(properties: &'s Map<String, Value>, schema: &'s Value) -> Option<(&'s str, &'s Value)> {
    let listed = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let required: Vec<(&str, &Value)> =
        listed.filter_map(|name| properties.get(name).map(|parameter| (name, parameter))).collect();
    let all = || properties.iter().map(|(name, parameter)| (name.as_str(), parameter));
    let text = |(_, parameter): &(&str, &Value)| takes_text(parameter);
    required
        .iter()
        .copied()
        .find(text)
        .or_else(|| required.first().copied())
        .or_else(|| all().find(text))
        .or_else(|| all().next())
}

fn takes_text(parameter: &Value) -> bool {
    match parameter.get("type") {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => parameter.get("enum").is_none_or(|values| values.get(0).is_some_and(Value::is_string)),
    }
}

/// Where the words go when a tool says nothing of its parameters.
const INPUT: &str = "input";
