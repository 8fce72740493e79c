//! Gemma's way of writing arguments: bare keys, and strings between `<|"|>` marks.

use serde_json::Value;

/// The same value as JSON: strings between marks become JSON strings, outer parentheses become braces.
pub(super) fn to_json(text: &str) -> String {
    let mut json = String::with_capacity(text.len());
    let quote = if text.contains(QUOTE) { QUOTE } else { ESCAPE };
    for (at, part) in text.split(quote).enumerate() {
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
/// The mark that FunctionGemma uses.
pub(super) const ESCAPE: &str = "<escape>";

/// The mark at the beginning of a text.
pub(super) fn quote_at(text: &str) -> Option<usize> {
    [QUOTE, ESCAPE].iter().find(|quote| text.starts_with(**quote)).map(|quote| quote.len())
}

/// Whether a text has such marks.
pub(super) fn is_quoted(text: &str) -> bool {
    text.contains(QUOTE) || text.contains(ESCAPE)
}

/// Whether a text may still become such a mark.
pub(super) fn may_quote(text: &str) -> bool {
    [QUOTE, ESCAPE].iter().any(|quote| quote.starts_with(text))
}
