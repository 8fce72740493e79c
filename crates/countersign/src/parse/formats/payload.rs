//! From JSON to calls: which object is a call, and which of its members are the name and the arguments.

use super::tools::{Named, Tools};
use super::word::is_word;
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
pub(super) fn calls_in(value: Value, trust: Trust, tools: &Tools, options: &ParseOptions) -> Vec<Read> {
    match value {
        Value::Array(items) => {
            let each: Vec<Option<Read>> = items.into_iter().map(|item| call_in(item, trust, tools, options)).collect();
            // Bare data with one call-like member among others is data.
            if trust == Trust::Bare && each.iter().any(Option::is_none) {
                Vec::new()
            } else {
                each.into_iter().flatten().collect()
            }
        }
        Value::Object(mut object) => match take_nested(&mut object) {
            Some(Value::Array(items)) => {
                items.into_iter().filter_map(|item| call_in(item, trust, tools, options)).collect()
            }
            Some(inner) => call_in(inner, trust, tools, options).into_iter().collect(),
            None => call_in(Value::Object(object), trust, tools, options).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}

/// A list of calls inside an object: `{"tool_calls": […]}`.
fn take_nested(object: &mut Map<String, Value>) -> Option<Value> {
    let inner = find_member_mut(object, LISTS)?;
    (inner.is_array() || inner.is_object()).then(|| inner.take())
}

fn call_in(value: Value, trust: Trust, tools: &Tools, options: &ParseOptions) -> Option<Read> {
    let Value::Object(mut outer) = value else { return None };
    let id = ["id", "call_id", "tool_call_id"].iter().find_map(|key| find_member(&outer, key)?.as_str());
    let id = id.map(str::to_owned);
    let inner = ["function", "function_call", "tool_call"]
        .iter()
        .find(|key| find_member(&outer, key).is_some_and(Value::is_object))
        .and_then(|key| outer.get_mut(*key)?.as_object_mut().map(std::mem::take));
    let mut object = inner.unwrap_or(outer);
    if trust == Trust::Marked
        && let Some(read) = keyed_call(&object, tools)
    {
        return Some(read);
    }
    let raw_name = NAMES.iter().find_map(|key| find_member(&object, key)?.as_str())?.to_owned();
    let named = tools.resolve(&raw_name);
    if named.tool.is_none() && !is_word(&named.name) {
        return None;
    }
    let given = find_member_mut(&mut object, ARGUMENTS).map(Value::take).filter(|given| !given.is_null());
    let brought = given.is_some();
    if object.contains_key("description") && !object.contains_key("arguments") {
        // The definition of a tool, not a call of it.
        return None;
    }
    let arguments = match given {
        Some(given) => read_arguments(given, options).map(|found| tools.unwrap_arguments(named.tool, found)),
        None => named.tool.filter(|tool| tools.requires_nothing(*tool)).map(|_| Map::new()),
    };
    // Without a marker, an object is a call only where its name is registered, or where nothing is and it looks like one.
    if trust == Trust::Bare {
        if tools.is_empty() { brought.then_some(())? } else { named.tool.and(arguments.as_ref()).map(|_| ())? }
    }
    Some(Read { id, raw_name, named, arguments })
}

/// A call whose only member is the tool's name: `{"get_weather": {"city": "Paris"}}`.
fn keyed_call(object: &Map<String, Value>, tools: &Tools) -> Option<Read> {
    let (key, value) = object.iter().next().filter(|_| object.len() == 1)?;
    let named = tools.resolve(key);
    named.tool?;
    let arguments = Some(tools.unwrap_arguments(named.tool, value.as_object()?.clone()));
    Some(Read { id: None, raw_name: key.clone(), named, arguments })
}

/// Whether an object has the arguments of a call beside its name.
pub(super) fn has_arguments(value: &Value) -> bool {
    let has = |object: &Map<String, Value>| ARGUMENTS.iter().any(|key| find_member(object, key).is_some());
    match value {
        Value::Array(items) => items.iter().any(has_arguments),
        Value::Object(object) => {
            has(object)
                || ["function", "function_call", "tool_call"]
                    .iter()
                    .any(|key| object.get(*key).and_then(Value::as_object).is_some_and(has))
                || LISTS.iter().any(|key| object.contains_key(*key))
        }
        _ => false,
    }
}

/// Arguments as an object, or as the text of one.
pub(super) fn read_arguments(given: Value, options: &ParseOptions) -> Option<Map<String, Value>> {
    match given {
        Value::Object(object) => Some(object),
        Value::Null => Some(Map::new()),
        Value::Array(list) if list.is_empty() => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => {
            let one = json::read_one(&text, options);
            match one.value {
                Some(Value::Object(object)) if one.complete && sure(&one.repairs) => Some(object),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The member of a name. An object of a call is small: a look at each key is quicker than a hash.
fn find_member<'o>(object: &'o Map<String, Value>, name: &str) -> Option<&'o Value> {
    match object.len() {
        0..=FEW => object.iter().find(|(key, _)| *key == name).map(|(_, value)| value),
        _ => object.get(name),
    }
}

/// The first of several members.
fn find_member_mut<'o>(object: &'o mut Map<String, Value>, names: &[&str]) -> Option<&'o mut Value> {
    let name = names.iter().find(|name| find_member(object, name).is_some())?;
    object.get_mut(*name)
}

/// Whether every mend is one that may be acted on.
pub(super) fn sure(repairs: &[Repair]) -> bool {
    repairs.iter().all(|repair| repair.kind.confidence > SURE && !NO_VALUES.contains(&repair.kind.code))
}

/// What stands for nothing in JSON (`NaN`, a number without end): `null` is not what was meant.
const NO_VALUES: [&str; 1] = ["json.no-such-value"];

/// Members of a small object.
const FEW: usize = 8;

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
