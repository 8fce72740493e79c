//! Turns a JSON text into lines that read like sentences: one for each object, "key: value; key: value".
//!
//! A unit in the key goes after the number (`distance_km: 3` is "distance: 3 km"), `false` becomes a denial, and a
//! list says how many it has. A long text stays as it is: it is evidence by its own sentences.

use crate::text::numbers::numbers;
use crate::text::sentences::sentences;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// A line of evidence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
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
pub(crate) fn lines(value: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    add(value, "", &mut lines);
    lines
}

fn add(value: &Value, name: &str, lines: &mut Vec<Line>) {
    match value {
        Value::Object(map) => add_object(map, name, lines),
        Value::Array(items) => {
            // A list of three bears out "I found three".
            lines.push(Line { text: format!("{} {}", items.len(), speak_name(name)), kind: Kind::Fields });
            let scalars: Vec<String> = items.iter().filter_map(scalar).collect();
            if !scalars.is_empty() {
                lines.push(Line { text: format!("{}: {}", speak_name(name), scalars.join(", ")), kind: Kind::Fields });
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
        let head = if name.is_empty() { String::new() } else { format!("{}; ", speak_name(name)) };
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
        Value::Number(number) => {
            let alone = words.len() == 1;
            let measured = words.last().is_some_and(|unit| {
                !names_a_time(unit, alone, number.as_f64())
                    && numbers(&format!("{text} {unit}"))
                        .quantities
                        .first()
                        .is_some_and(|quantity| quantity.unit.is_some())
            });
            let unit = if measured { words.pop().unwrap_or_default() } else { String::new() };
            format!("{}: {text} {unit}", words.join(" ")).trim_end().to_owned()
        }
        _ => format!("{}: {text}", words.join(" ")),
    }
}

/// A field that is in a text as a name and a value, in words: `growth_percent: 25` is "growth: 25 percent".
pub(crate) fn spoken_field(name: &str, value: &str) -> String {
    let plain = value.len() <= LONG && value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | 't' | 'f'));
    let read = plain.then(|| serde_json::from_str::<Value>(value).ok()).flatten();
    let read = read.filter(|read| read.is_number() || read.is_boolean());
    field(name, &read.unwrap_or_else(|| Value::String(String::new())), value)
}

/// Whether a name says which year or day it is, and not how many: `year: 2020`, `release_year: 1999`, `day: 12`.
fn names_a_time(unit: &str, alone: bool, number: Option<f64>) -> bool {
    let calendar = matches!(unit, "year" | "month" | "day" | "week" | "hour" | "minute" | "年" | "年份" | "月" | "日");
    let year = number.is_some_and(|number| number.fract() == 0.0 && (1000.0..3000.0).contains(&number));
    (calendar && alone) || (year && (unit == "year" || unit.ends_with('年') || unit.ends_with("年份")))
}

/// The fields of a line, as name and value.
pub(crate) fn fields(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split(';').filter_map(|field| field.split_once(": ")).map(|(key, value)| (key.trim(), value.trim()))
}

/// The values of fields that hold a status, in lower case.
pub(crate) fn statuses(line: &str) -> Vec<String> {
    let status = |key: &str| {
        let last = key.rsplit(' ').next().unwrap_or_default();
        KEYS.contains(&last) || HAN_KEYS.iter().any(|name| key.ends_with(name))
    };
    let short = |value: &str| !value.is_empty() && value.len() <= 48;
    let held = fields(line).filter(|(key, value)| status(key) && short(value));
    held.map(|(_, value)| value.to_lowercase().replace(['_', '-'], " ")).collect()
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
fn speak_name(name: &str) -> String {
    identifier_words(name).join(" ")
}

/// A text longer than this is more than a value.
const LONG: usize = 80;
/// The last word of a field's name that holds a status.
const KEYS: &[&str] = &[
    "status",
    "state",
    "conclusion",
    "result",
    "outcome",
    "condition",
    "conditions",
    "weather",
    "availability",
    "phase",
    "stage",
    "decision",
    "health",
];
const HAN_KEYS: &[&str] = &["状态", "结果", "天气", "结论", "情况"];

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
        assert_eq!(
            text(json!({"year": 2020, "release_year": 1999, "age_year": 7})).concat(),
            "year: 2020; release year: 1999; age: 7 year;"
        );
        assert_eq!(text(json!(["a", 1])), ["2 ", ": a, 1"]);
    }
}
