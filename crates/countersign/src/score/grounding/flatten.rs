//! Turns a JSON text into lines that read like sentences: one for each object, "key: value; key: value".
//!
//! A unit in the key goes behind the number (`distance_km: 3` is "distance: 3 km"), `false` becomes a denial, and a
//! list says how many it has. A long text stays as it is: it is evidence by its own sentences.

use crate::text::numbers::numbers;
use crate::text::sentences::sentences;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// A line of evidence.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// Where it comes from.
    pub kind: Kind,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A sentence that somebody wrote.
    Sentence,
    /// Made of fields.
    Fields,
}

/// The lines of a JSON text. serde_json bounds the depth of what it reads, and so the recursion.
pub fn lines(value: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    add(value, "", &mut lines);
    lines
}

fn add(value: &Value, name: &str, lines: &mut Vec<Line>) {
    match value {
        Value::Object(map) => add_object(map, name, lines),
        Value::Array(items) => {
            // A list of three bears out "I found three".
            lines.push(Line { text: format!("{} {}", items.len(), spoken(name)), kind: Kind::Fields });
            let scalars: Vec<String> = items.iter().filter_map(scalar).collect();
            if !scalars.is_empty() {
                lines.push(Line { text: format!("{}: {}", spoken(name), scalars.join(", ")), kind: Kind::Fields });
            }
            items.iter().filter(|item| scalar(item).is_none()).for_each(|item| add(item, name, lines));
        }
        other => lines.extend(scalar(other).map(|text| Line { text: field(name, other, &text), kind: Kind::Fields })),
    }
}

fn add_object(map: &Map<String, Value>, name: &str, lines: &mut Vec<Line>) {
    let mut fields: Vec<String> = Vec::new();
    for (key, value) in map {
        match scalar(value) {
            Some(text) if text.len() > LONG => {
                let whole = sentences(&text).into_iter().filter_map(|range| text.get(range));
                lines.extend(whole.map(|sentence| Line { text: sentence.to_owned(), kind: Kind::Sentence }));
            }
            Some(text) => fields.push(field(key, value, &text)),
            None => {}
        }
    }
    if !fields.is_empty() {
        let head = if name.is_empty() { String::new() } else { format!("{}; ", spoken(name)) };
        lines.push(Line { text: format!("{head}{};", fields.join("; ")), kind: Kind::Fields });
    }
    for (key, value) in map.iter().filter(|(_, value)| scalar(value).is_none()) {
        add(value, key, lines);
    }
}

/// One field as words.
fn field(key: &str, value: &Value, text: &str) -> String {
    let mut words = identifier_words(key);
    match value {
        Value::Bool(true) => words.join(" "),
        Value::Bool(false) => format!("not {}", words.join(" ")),
        // None of something is also a denial of it.
        Value::Number(number) if number.as_f64() == Some(0.0) => format!("{0}: 0; no {0}", words.join(" ")),
        Value::Number(_) => {
            let measured = words.last().is_some_and(|unit| {
                numbers(&format!("{text} {unit}")).quantities.first().is_some_and(|quantity| quantity.unit.is_some())
            });
            let unit = if measured { words.pop().unwrap_or_default() } else { String::new() };
            format!("{}: {text} {unit}", words.join(" ")).trim_end().to_owned()
        }
        _ => format!("{}: {text}", words.join(" ")),
    }
}

/// A scalar as text; lists, objects and null are none.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A field's name as words: `pageCount` is "page count".
fn spoken(name: &str) -> String {
    identifier_words(name).join(" ")
}

/// A text longer than this is more than a value.
const LONG: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // SCORE-3
    #[test]
    fn fields_read_like_sentences() {
        let text = |value| lines(&value).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(
            text(json!({"city": "Oslo", "tempC": -6, "isOpen": false})),
            ["city: Oslo; temp: -6 c; not is open;"]
        );
        assert_eq!(
            text(json!({"results": [{"title": "A"}, {"title": "B"}]})),
            ["2 results", "results; title: A;", "results; title: B;"]
        );
        assert_eq!(text(json!({"distance_km": 3.2})), ["distance: 3.2 km;"]);
        assert_eq!(text(json!(["a", 1])), ["2 ", ": a, 1"]);
    }
}
