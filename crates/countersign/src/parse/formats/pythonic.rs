//! Calls written as Python: `[get_weather(city="Oslo", days=3), ping()]`.

use super::payload::sure;
use super::tools::Tools;
use super::tracker::Tracker;
use crate::parse::event::ParseOptions;
use crate::parse::json;
use serde_json::{Map, Value};

/// A call as it was written.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    pub name: String,
    /// Absent where one of them could not be read.
    pub arguments: Option<Map<String, Value>>,
}

/// Reads a list of calls, with or without its brackets. None where the text is something else.
pub(super) fn read(text: &str, tools: &Tools, options: &ParseOptions) -> Option<Vec<Written>> {
    let text = text.trim();
    let inner = text.strip_prefix('[').map_or(text, |rest| rest.strip_suffix(']').unwrap_or(rest));
    let parts = split(inner);
    let calls: Vec<Written> = parts.iter().map(|part| read_call(part, tools, options)).collect::<Option<_>>()?;
    (!calls.is_empty()).then_some(calls)
}

fn read_call(part: &str, tools: &Tools, options: &ParseOptions) -> Option<Written> {
    let part = part.trim();
    let open = part.find('(')?;
    let name = part.get(..open)?.trim();
    let inner = part.get(open + 1..)?.strip_suffix(')')?;
    if !is_name(name) {
        return None;
    }
    let name = name.strip_suffix(".call").unwrap_or(name);
    let arguments = read_arguments(inner, name, tools, options);
    Some(Written { name: name.to_owned(), arguments })
}

fn read_arguments(inner: &str, name: &str, tools: &Tools, options: &ParseOptions) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    let positions = || tools.resolve(name).tool.and_then(|at| tools.properties(at));
    for (at, part) in split(inner).into_iter().enumerate() {
        let (key, value) = match keyword(part) {
            Some((key, value)) => (key.to_owned(), value),
            // Parameters stand in the order in which they are declared.
            None => (positions()?.keys().nth(at)?.clone(), part),
        };
        found.insert(key, read_value(value, options)?);
    }
    Some(found)
}

fn keyword(part: &str) -> Option<(&str, &str)> {
    let (key, value) = part.split_once('=')?;
    let key = key.trim().trim_matches(|c| c == '"' || c == '\'');
    (is_name(key) && !value.starts_with('=')).then_some((key, value))
}

fn read_value(text: &str, options: &ParseOptions) -> Option<Value> {
    let text = text.trim();
    let one = json::read_one(text, options);
    let whole = text.get(one.end..).is_some_and(|rest| rest.trim().is_empty());
    // The part ends where a comma or a bracket stands, so a bare word at its end is whole.
    let complete =
        |value: &Value| one.complete || !(value.is_array() || value.is_object() || text.starts_with(['"', '\'']));
    one.value.filter(|value| complete(value) && whole && sure(&one.repairs))
}

/// The parts between the commas that are outside strings and brackets.
fn split(text: &str) -> Vec<&str> {
    let mut tracker = Tracker::default();
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate() {
        let outside = tracker.outside();
        tracker.take(byte);
        if outside && byte == b',' {
            parts.extend(text.get(start..at));
            start = at + 1;
        }
    }
    parts.extend(text.get(start..));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// A name, perhaps with a namespace.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && text.len() <= 128 && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '/'))
}
