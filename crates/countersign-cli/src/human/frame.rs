//! Draws a call as JSON, with a mark under every place that a finding points at.
//!
//! ```text
//! │ get_weather {
//! │   "city": "Oslo",
//! │   "days": "3"
//! │           ^^^ call.wrong-type  an integer is due, not a string
//! │ }
//! ```
//!
//! What nobody points at is kept short: long texts are clipped and long stretches left out.

use super::canvas::{clip, columns};
use countersign::contract::patch::escape;
use countersign::contract::{Arguments, ToolCall};
use serde_json::Value;

/// A line of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrameLine {
    /// What is written.
    pub text: String,
    /// The places on it: pointer, first column, columns.
    pub places: Vec<(String, usize, usize)>,
}

/// Draws a call. `pointed` are the pointers of its findings; values at `hidden` are not shown.
pub(crate) fn draw(call: &ToolCall, pointed: &[&str], hidden: &[&str]) -> Vec<FrameLine> {
    let name = clip(&super::canvas::safe(&call.name), MAX_TEXT);
    let place = ("/name".to_owned(), 0, columns(&name));
    let mut first = FrameLine { text: format!("{name} "), places: vec![place] };
    let arguments = match &call.arguments {
        Arguments::Absent => Value::Object(serde_json::Map::new()),
        Arguments::Object(object) => object.as_value().clone(),
        // Findings point into the object that a string holds, so that is what is shown.
        Arguments::Text(text) => match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(text.clone()),
        },
        Arguments::Other(value) => value.clone(),
    };
    let mut drawing = Drawing { pointed, hidden, lines: Vec::new() };
    let mut rest = drawing.value(&arguments, "/arguments", 0, &mut first);
    drawing.lines.insert(0, first);
    drawing.lines.append(&mut rest);
    shorten(drawing.lines, pointed)
}

/// Draws any value, such as a result, in the same way.
pub(crate) fn draw_value(value: &Value, pointed: &[&str], hidden: &[&str]) -> Vec<FrameLine> {
    let mut first = FrameLine { text: String::new(), places: Vec::new() };
    let mut drawing = Drawing { pointed, hidden, lines: Vec::new() };
    let mut rest = drawing.value(value, "", 0, &mut first);
    drawing.lines.insert(0, first);
    drawing.lines.append(&mut rest);
    shorten(drawing.lines, pointed)
}

struct Drawing<'a> {
    pointed: &'a [&'a str],
    hidden: &'a [&'a str],
    lines: Vec<FrameLine>,
}

impl Drawing<'_> {
    /// Writes a value after what is on `line`, and gives the lines that follow.
    fn value(&mut self, value: &Value, pointer: &str, depth: usize, line: &mut FrameLine) -> Vec<FrameLine> {
        let start = columns(&line.text);
        let inline = self.inline(value, pointer, start);
        if let Some(text) = inline {
            line.places.push((pointer.to_owned(), start, columns(&text)));
            line.text.push_str(&text);
            return Vec::new();
        }
        line.places.push((pointer.to_owned(), start, 1));
        let items: Vec<(Option<&str>, String, &Value)> = match value {
            Value::Object(map) => {
                map.iter().map(|(key, item)| (Some(key.as_str()), format!("{pointer}/{}", escape(key)), item)).collect()
            }
            Value::Array(list) => {
                list.iter().enumerate().map(|(at, item)| (None, format!("{pointer}/{at}"), item)).collect()
            }
            _ => Vec::new(),
        };
        let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
        line.text.push(open);
        let mut lines = Vec::new();
        let last = items.len().saturating_sub(1);
        for (at, (key, pointer, item)) in items.into_iter().enumerate() {
            let mut own = FrameLine { text: "  ".repeat(depth + 1), places: Vec::new() };
            if let Some(key) = key {
                own.text.push_str(&quote(key, MAX_TEXT));
                own.text.push_str(": ");
            }
            let mut rest = self.value(item, &pointer, depth + 1, &mut own);
            if at != last {
                rest.last_mut().unwrap_or(&mut own).text.push(',');
            }
            lines.push(own);
            lines.append(&mut rest);
        }
        lines.push(FrameLine { text: format!("{}{close}", "  ".repeat(depth)), places: Vec::new() });
        lines
    }

    /// The value on one line, where it fits and nothing inside it is pointed at.
    fn inline(&self, value: &Value, pointer: &str, start: usize) -> Option<String> {
        if self.hidden.contains(&pointer) {
            return Some("\"••••••\"".to_owned());
        }
        let inside = format!("{pointer}/");
        match value {
            Value::Object(map) if map.is_empty() => Some("{}".to_owned()),
            Value::Array(list) if list.is_empty() => Some("[]".to_owned()),
            Value::Object(_) | Value::Array(_) => {
                let touched = |places: &[&str]| places.iter().any(|place| place.starts_with(&inside));
                if touched(self.pointed) || touched(self.hidden) {
                    return None;
                }
                let text = write_spaced(value, MAX_INLINE)?;
                (start + columns(&text) <= MAX_INLINE).then_some(text)
            }
            Value::String(text) => Some(quote(text, MAX_TEXT)),
            other => Some(clip(&other.to_string(), MAX_TEXT)),
        }
    }
}

/// A value as JSON on one line with blanks, as people write it; `None` where that takes more than `room`.
fn write_spaced(value: &Value, room: usize) -> Option<String> {
    let text = match value {
        Value::Object(map) => {
            let mut parts = Vec::new();
            for (key, item) in map.iter().take(room) {
                parts.push(format!("{}: {}", quote(key, MAX_TEXT), write_spaced(item, room)?));
            }
            format!("{{{}}}", parts.join(", "))
        }
        Value::Array(list) => {
            let parts: Option<Vec<String>> = list.iter().take(room).map(|item| write_spaced(item, room)).collect();
            format!("[{}]", parts?.join(", "))
        }
        Value::String(text) => quote(text, MAX_TEXT),
        other => other.to_string(),
    };
    (columns(&text) <= room).then_some(text)
}

/// Any value on one short line.
pub(crate) fn brief(value: &Value) -> String {
    write_spaced(value, MAX_INLINE).unwrap_or_else(|| clip(&super::canvas::safe(&value.to_string()), MAX_INLINE))
}

/// A text as JSON writes it, clipped.
pub(crate) fn quote(text: &str, room: usize) -> String {
    // Clipped before it is escaped, so that a text of megabytes costs no more than what is shown.
    let clipped = clip(text, room);
    let escaped = serde_json::to_string(&clipped).unwrap_or_default();
    // JSON escapes what is below U+0020; the other control characters must not reach a terminal either.
    super::canvas::safe(&escaped)
}

/// Leaves out long stretches that nobody points at.
fn shorten(lines: Vec<FrameLine>, pointed: &[&str]) -> Vec<FrameLine> {
    if lines.len() <= MAX_LINES {
        return lines;
    }
    let marked: Vec<bool> =
        lines.iter().map(|line| line.places.iter().any(|p| pointed.contains(&p.0.as_str()))).collect();
    let count = lines.len();
    let near = |at: usize| {
        let from = at.saturating_sub(1);
        at < 4 || at + 2 > count || marked.iter().skip(from).take(3).any(|marked| *marked)
    };
    let mut kept: Vec<FrameLine> = Vec::new();
    let mut skipped = 0;
    for (at, line) in lines.into_iter().enumerate() {
        if !near(at) {
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            kept.push(FrameLine { text: format!("  ⋮ {skipped} more lines"), places: Vec::new() });
            skipped = 0;
        }
        kept.push(line);
    }
    kept
}

const MAX_TEXT: usize = 72;
const MAX_INLINE: usize = 88;
const MAX_LINES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(arguments: Value) -> ToolCall {
        ToolCall { id: None, name: "f".into(), arguments: Arguments::from(arguments) }
    }

    fn text(lines: &[FrameLine]) -> String {
        lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_call_without_findings_takes_one_line() {
        assert_eq!(text(&draw(&call(json!({"a": 1, "b": ["x"]})), &[], &[])), r#"f {"a": 1, "b": ["x"]}"#);
        assert_eq!(text(&draw(&call(Value::Null), &[], &[])), "f {}");
        assert_eq!(text(&draw(&call(json!("{\"a\": ")), &[], &[])), r#"f "{\"a\": ""#);
    }

    #[test]
    fn a_place_is_found_by_its_columns_also_behind_wide_characters() {
        let lines = draw(&call(json!({"城市": "北京", "天": "3"})), &["/arguments/天"], &[]);
        assert_eq!(text(&lines), "f {\n  \"城市\": \"北京\",\n  \"天\": \"3\"\n}");
        assert_eq!(lines[2].places, [("/arguments/天".to_owned(), 8, 3)]);
    }

    #[test]
    fn secrets_are_hidden_and_long_calls_shortened() {
        let lines = draw(&call(json!({"key": "hunter2", "n": 1})), &[], &["/arguments/key"]);
        assert!(!text(&lines).contains("hunter2"));
        let many: serde_json::Map<String, Value> = (0..100).map(|n| (format!("key_{n}"), json!(n))).collect();
        let lines = draw(&call(Value::Object(many)), &["/arguments/key_50"], &[]);
        assert!(
            lines.len() < 16 && text(&lines).contains("\"key_50\"") && text(&lines).contains("⋮"),
            "{}",
            text(&lines)
        );
    }
}
