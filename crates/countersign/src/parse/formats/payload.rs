//! From JSON to calls: which object is a call, and which of its members are the name and the arguments.

use super::tools::{Named, Tools};
use crate::parse::event::{ParseOptions, Repair};
use crate::parse::json;
use serde_json::{Map, Value};

/// A call as it was read.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub id: Option<String>,
    pub raw_name: String,
    pub named: Named,
    /// Absent where they could not be understood.
    pub arguments: Option<Map<String, Value>>,
}

/// How sure it is that a value stands where a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// A marker said so.
    Marked,
    /// It only looks like one: the name must be registered, or name and arguments both there.
    Bare,
}

/// The calls in a value; none where it is data.
pub(super) fn calls_in(value: &Value, trust: Trust, tools: &Tools, options: &ParseOptions) -> Vec<Read> {
    match value {
        Value::Array(items) => {
            let each: Vec<Option<Read>> = items.iter().map(|item| call_in(item, trust, tools, options)).collect();
            // Bare data with one call-like member among others is data.
            if trust == Trust::Bare && each.iter().any(Option::is_none) {
                Vec::new()
            } else {
                each.into_iter().flatten().collect()
            }
        }
        Value::Object(object) => match find_nested(object) {
            Some(inner) => calls_in_list(inner, trust, tools, options),
            None => call_in(value, trust, tools, options).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}

fn calls_in_list(value: &Value, trust: Trust, tools: &Tools, options: &ParseOptions) -> Vec<Read> {
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    items.iter().filter_map(|item| call_in(item, trust, tools, options)).collect()
}

/// A list of calls inside an object: `{"tool_calls": […]}`.
fn find_nested(object: &Map<String, Value>) -> Option<&Value> {
    let inner = LISTS.iter().find_map(|key| object.get(*key))?;
    (inner.is_array() || inner.is_object()).then_some(inner)
}

fn call_in(value: &Value, trust: Trust, tools: &Tools, options: &ParseOptions) -> Option<Read> {
    let outer = value.as_object()?;
    let inner = ["function", "function_call", "tool_call"].iter().find_map(|key| outer.get(*key)?.as_object());
    let object = inner.unwrap_or(outer);
    let id = ["id", "call_id", "tool_call_id"].iter().find_map(|key| outer.get(*key)?.as_str()).map(str::to_owned);
    let raw_name = NAMES.iter().find_map(|key| object.get(*key)?.as_str())?.to_owned();
    let named = tools.resolve(&raw_name);
    let given = ARGUMENTS.iter().find_map(|key| object.get(*key));
    if object.contains_key("description") && !object.contains_key("arguments") {
        // The definition of a tool, not a call of it.
        return None;
    }
    let arguments = match given {
        Some(given) => read_arguments(given, options),
        None => named.tool.filter(|tool| tools.requires_nothing(*tool)).map(|_| Map::new()),
    };
    // Without a marker, an object is a call only where its name is registered, or where nothing is and it looks like one.
    if trust == Trust::Bare {
        if tools.is_empty() { given.map(|_| ())? } else { named.tool.and(arguments.as_ref()).map(|_| ())? }
    }
    Some(Read { id, raw_name, named, arguments })
}

/// Arguments as an object, or as the text of one.
pub(super) fn read_arguments(given: &Value, options: &ParseOptions) -> Option<Map<String, Value>> {
    match given {
        Value::Object(object) => Some(object.clone()),
        Value::Null => Some(Map::new()),
        Value::Array(list) if list.is_empty() => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => {
            let one = json::read_one(text, options);
            match one.value {
                Some(Value::Object(object)) if one.complete && sure(&one.repairs) => Some(object),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether every mend is one that may be acted on.
pub(super) fn sure(repairs: &[Repair]) -> bool {
    repairs.iter().all(|repair| repair.kind.confidence > SURE)
}

/// A mend no surer than this is a guess, and a call is not built on guesses.
const SURE: f64 = 0.5;

const NAMES: &[&str] =
    &["name", "tool_name", "function_name", "tool", "function", "recipient_name", "action", "toolName", "api", "func"];
const ARGUMENTS: &[&str] = &[
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "tool_input",
    "tool_arguments",
    "action_input",
    "kwargs",
    "argument",
    "parameter",
    "toolInput",
    "tool_args",
];
const LISTS: &[&str] = &["tool_calls", "function_calls", "tool_uses", "calls"];

/// Whether a member is the name of a call.
pub(super) fn is_name_key(key: &str) -> bool {
    NAMES.contains(&key)
}

/// Whether a member is the arguments of a call.
pub(super) fn is_arguments_key(key: &str) -> bool {
    ARGUMENTS.contains(&key)
}

/// The members with which a bare call may begin.
pub(super) fn is_call_key(key: &str) -> bool {
    NAMES.contains(&key)
        || ARGUMENTS.contains(&key)
        || LISTS.contains(&key)
        || ["id", "type", "index", "call_id", "tool_call_id", "function_call", "tool_call"].contains(&key)
}
