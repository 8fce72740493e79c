//! Gemma's way of writing arguments: bare keys, and strings between `<|"|>` marks.

use serde_json::Value;

/// The same value as JSON: strings between marks become JSON strings, outer parentheses become braces.
pub(super) fn to_json(text: &str) -> String {
    let mut json = String::with_capacity(text.len());
    let quote = if text.contains(QUOTE) { QUOTE } else { ESCAPE };
    let mut parts = text.split(quote);
    json.push_str(parts.next().unwrap_or_default());
    while let Some(part) = parts.next() {
        let mut string = part.to_owned();
        // A call inside the string has marks of its own.
        let mut depth = nest(part, 0);
        while depth > 0
            && let Some(more) = parts.next()
        {
            string.push_str(quote);
            string.push_str(more);
            depth = nest(more, depth);
        }
        json.push_str(&Value::from(string).to_string());
        json.push_str(parts.next().unwrap_or_default());
    }
    match json.trim().strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => format!("{{{inner}}}"),
        None => json,
    }
}

/// How many calls are open behind a text, `open` before it.
fn nest(text: &str, open: usize) -> usize {
    let opened = CALL.iter().map(|(opening, _)| text.matches(opening).count()).sum::<usize>();
    let closed = CALL.iter().map(|(_, closing)| text.matches(closing).count()).sum::<usize>();
    (open + opened).saturating_sub(closed)
}

/// Beginning and end of a call.
const CALL: [(&str, &str); 2] = [("<|tool_call>", "<tool_call|>"), ("<start_function_call>", "<end_function_call>")];
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

/// Whether a call of Gemma's begins here.
pub(super) fn opens_call(text: &str) -> bool {
    CALL.iter().any(|(opening, _)| text.starts_with(opening))
}

/// Whether a call of Gemma's ends here.
pub(super) fn closes_call(text: &str) -> bool {
    CALL.iter().any(|(_, closing)| text.starts_with(closing))
}

/// Whether a mark is missing, so that nobody can tell where a string begins or ends.
pub(super) fn is_odd(text: &str) -> bool {
    let quote = if text.contains(QUOTE) { QUOTE } else { ESCAPE };
    text.matches(quote).count() % 2 == 1
}

/// Whether a text may still become such a mark.
pub(super) fn may_quote(text: &str) -> bool {
    [QUOTE, ESCAPE].iter().any(|quote| quote.starts_with(text))
}
