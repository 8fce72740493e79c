//! Gemma's way of writing arguments: bare keys, and strings between `<|"|>` marks.

use serde_json::Value;

/// The same value as JSON: strings between marks become JSON strings, outer parentheses become braces.
pub(super) fn to_json(text: &str) -> String {
    let mut json = String::with_capacity(text.len());
    for (at, part) in text.split(QUOTE).enumerate() {
        if at % 2 == 1 {
            json.push_str(&Value::from(part).to_string());
        } else {
            json.push_str(part);
        }
    }
    match json.trim().strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => format!("{{{inner}}}"),
        None => json,
    }
}

/// The mark around strings.
pub(super) const QUOTE: &str = "<|\"|>";
