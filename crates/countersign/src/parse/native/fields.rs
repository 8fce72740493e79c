//! Reading foreign objects: a field that is missing or of another type reads as nothing.

use serde_json::{Map, Value};

/// The text of a field.
pub(super) fn field<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text of a field of an object.
pub(super) fn string<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// An id; a blank one is none.
pub(super) fn identifier<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    Some(field(value, key)).filter(|id| !id.trim().is_empty())
}

/// A number, which some servers send as a string.
pub(super) fn number(value: Option<&Value>) -> Option<u64> {
    value.and_then(|value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok()))
}

/// The items of a list; an object that is no list stands for itself.
pub(super) fn listed(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let (list, alone) = match value {
        Some(Value::Array(list)) => (list.as_slice(), None),
        Some(Value::Object(_)) => (&[][..], value),
        _ => (&[][..], None),
    };
    list.iter().chain(alone)
}

/// JSON as it would be in a string; text as it is.
pub(super) fn as_text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}
