//! Plans that are JSON: a list of steps, alone or under a key, with the names that models give to its members.

use super::body::{self, Opened};
use super::draft::{Draft, Input, short};
use super::reference::{marked, numbered};
use crate::parse::event::ParseOptions;
use crate::parse::json;
use serde_json::{Map, Value};

/// The steps of a JSON plan; none where the text holds none, an empty list for an empty plan.
pub(super) fn drafts(text: &str, options: &ParseOptions) -> Option<Vec<Draft>> {
    let document = json::read(text, options);
    let answer = document.answer.iter().map(|value| (0, value));
    let values = document.values.iter().map(|found| (found.span.start, &found.value));
    answer.chain(values).take(MOST_VALUES).find_map(|(at, value)| steps(value, at, options, 0))
}

/// The steps in a value, which may lie under one of a few keys.
fn steps(value: &Value, at: usize, options: &ParseOptions, depth: usize) -> Option<Vec<Draft>> {
    match value {
        Value::Array(items) => {
            let steps: Vec<Draft> = items.iter().filter_map(|item| step(item.as_object()?, at, options)).collect();
            (!steps.is_empty() || (items.is_empty() && depth > 0)).then_some(steps)
        }
        Value::Object(object) if depth < 3 => {
            let listed = LISTS.iter().filter_map(|key| member(object, key));
            let nested = listed.filter(|inner| inner.is_array() || inner.is_object());
            if let Some(found) = nested.into_iter().find_map(|inner| steps(inner, at, options, depth + 1)) {
                return Some(found);
            }
            by_id(object, at, options).or_else(|| step(object, at, options).map(|step| vec![step]))
        }
        _ => None,
    }
}

/// `{"#E1": {…}, "#E2": {…}}`.
fn by_id(object: &Map<String, Value>, at: usize, options: &ParseOptions) -> Option<Vec<Draft>> {
    let each = object.iter().map(|(key, value)| {
        let draft = step(value.as_object()?, at, options)?;
        Some(Draft { number: Some(number_in(key)?), ..draft })
    });
    let drafts: Vec<Draft> = each.collect::<Option<_>>()?;
    (!drafts.is_empty()).then_some(drafts)
}

/// One step.
fn step(object: &Map<String, Value>, at: usize, options: &ParseOptions) -> Option<Draft> {
    let function = member(object, "function").and_then(Value::as_object);
    let inner = function.unwrap_or(object);
    let named = if function.is_some() { &["name"][..] } else { TOOLS };
    let tool = text_of(inner, named);
    // Without a member of its own for the tool, the name is the tool's.
    let name_is_tool = tool.is_none();
    let written = tool.or_else(|| text_of(object, &["name"]))?;
    let ids = if name_is_tool { &["id", "step"][..] } else { &["id", "step", "name"][..] };
    let number = ids.iter().find_map(|key| member(object, key).and_then(number_of));
    let description = text_of(object, DESCRIPTIONS)
        .or_else(|| ids.iter().find_map(|key| member(object, key)?.as_str().filter(|words| number_in(words).is_none())))
        .unwrap_or_default();
    let given = ARGUMENTS.iter().find_map(|key| member(inner, key).or_else(|| member(object, key)));
    let (tool, input) = match given {
        Some(given) => (written.to_owned(), input_of(given, options)),
        None => call(written, options),
    };
    let after = AFTER.iter().find_map(|key| member(object, key)).map(numbers).unwrap_or_default();
    Some(Draft { number, at, description: short(description), tool, input, after, unclosed: false })
}

/// A member, whatever the case of its key.
fn member<'o>(object: &'o Map<String, Value>, key: &str) -> Option<&'o Value> {
    object.get(key).or_else(|| object.iter().find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, value)| value))
}

fn text_of<'o>(object: &'o Map<String, Value>, keys: &[&str]) -> Option<&'o str> {
    keys.iter().find_map(|key| member(object, key)?.as_str()).filter(|text| !text.trim().is_empty())
}

fn input_of(given: &Value, options: &ParseOptions) -> Input {
    match given {
        Value::Object(object) => Input::Object(object.clone()),
        Value::Null => Input::Object(Map::new()),
        Value::String(text) => body::object(text, options).unwrap_or_else(|| Input::Text(text.trim().to_owned())),
        Value::Array(items) => match items.as_slice() {
            [] => Input::Object(Map::new()),
            [Value::String(text)] => Input::Text(text.clone()),
            [Value::Object(object)] => Input::Object(object.clone()),
            _ => Input::Text(given.to_string()),
        },
        other => Input::Text(other.to_string()),
    }
}

/// `tool[input]` in one string.
fn call(written: &str, options: &ParseOptions) -> (String, Input) {
    let call = written.trim().split_once(['[', '(']).filter(|(name, _)| !name.trim().is_empty());
    let Some((name, rest)) = call else { return (written.to_owned(), Input::Object(Map::new())) };
    let opened = if written.trim().get(name.len()..).is_some_and(|rest| rest.starts_with('(')) {
        Opened::Round
    } else {
        Opened::Square
    };
    (name.trim().to_owned(), body::inside(rest, opened, options))
}

fn numbers(value: &Value) -> Vec<u32> {
    match value {
        Value::Array(items) => items.iter().take(MOST_VALUES).filter_map(number_of).collect(),
        Value::String(text) => {
            text.split([',', ' ', ';', '，', '、']).take(MOST_VALUES).filter_map(number_in).collect()
        }
        other => number_of(other).into_iter().collect(),
    }
}

fn number_of(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|n| *n < 10_000),
        Value::String(text) => number_in(text),
        _ => None,
    }
}

/// `#E1`, `E1`, `1`, `step 1`, `step_1`.
fn number_in(text: &str) -> Option<u32> {
    let text = text.trim();
    let whole = |read: (u32, usize, bool)| (read.1 == text.len()).then_some(read.0);
    if let Some(read) = marked(text).or_else(|| numbered(text)) {
        return whole(read);
    }
    let digits = text.trim_start_matches(|c: char| c.is_alphabetic() || matches!(c, '_' | '-' | ' ' | '#'));
    let word = text.get(..text.len() - digits.len())?.trim_end_matches(['_', '-', ' ', '#']).to_lowercase();
    let known = matches!(word.as_str(), "" | "step" | "s" | "步骤" | "task" | "t" | "evidence");
    digits.parse().ok().filter(|number| known && *number < 10_000)
}

const LISTS: &[&str] = &["steps", "plan", "plans", "tasks", "计划", "步骤"];
const TOOLS: &[&str] = &["tool", "action", "function", "tool_name", "function_name", "toolName", "工具"];
const DESCRIPTIONS: &[&str] = &["description", "plan", "thought", "why", "reason", "reasoning", "purpose", "描述"];
const ARGUMENTS: &[&str] =
    &["arguments", "args", "input", "parameters", "params", "tool_input", "action_input", "tool_args", "参数"];
const AFTER: &[&str] = &["depends_on", "dependencies", "depends", "after", "requires", "dependson"];
/// Values and references that are looked at.
const MOST_VALUES: usize = 256;
