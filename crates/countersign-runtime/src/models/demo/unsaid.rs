//! Values for fields that no words of the request went to: what the model writes itself, what the schema suggests, and,
//! where the client demands an answer in any case, what only keeps to the schema.

use super::fields::{Field, figure};
use super::schema::{is_nullable, kind, word};
use super::words::{quoted, topic};
use serde_json::{Value, json};

/// Words that the model writes itself: what is quoted or told, else what the request is about.
pub(super) fn written(field: &Field<'_>, request: &str, quote: Option<String>) -> Option<Value> {
    let for_field = |names: &[&str], read: fn(&str) -> Option<String>| {
        if names.contains(&field.name) { read(request) } else { None }
    };
    let text = for_field(&FORMULAS, formula).or(quote).or_else(|| for_field(&SUBJECTS, about));
    let text = text.or_else(|| for_field(&CONTENTS, find_told)).unwrap_or_else(|| topic(request));
    Some(Value::String(fit_size(text, field.schema))).filter(|text| text != "")
}

/// Whether the request has words for just this field: arithmetic, a quotation, or something told.
pub(super) fn speaks_to(field: &Field<'_>, request: &str) -> bool {
    let arithmetic = || FORMULAS.contains(&field.name) && formula(request).is_some();
    field.is_free_text() && (arithmetic() || !quoted(request).is_empty())
}

/// Whether a field holds what somebody else wrote.
pub(super) fn holds_contents(field: &Field<'_>) -> bool {
    field.is_free_text() && CONTENTS.contains(&field.name)
}

/// What the schema suggests where nobody speaks of a field.
pub(super) fn suggested(field: &Field<'_>) -> Option<Value> {
    let schema = field.schema;
    let fixed = schema.get("const").or_else(|| schema.get("default")).filter(|value| !value.is_null()).cloned();
    let first = || schema.get("enum").and_then(Value::as_array).and_then(|choices| choices.first()).cloned();
    let truth = || (kind(schema) == "boolean").then_some(Value::Bool(false));
    let empty = || is_nullable(schema).then_some(Value::Null);
    fixed
        .or_else(first)
        .or_else(truth)
        .or_else(empty)
        .or_else(|| find_prescribed(word(schema, "description")).map(Value::String))
}

/// What a description says to use where the user says nothing: "Use 'UTC' as local timezone if no timezone provided".
fn find_prescribed(description: &str) -> Option<String> {
    let lower = description.to_lowercase();
    let at = PRESCRIBING.iter().filter_map(|words| lower.find(words)).min()?;
    let clause = description.get(at..)?;
    let quote = quoted(clause).into_iter().next()?;
    let far = clause.get(..quote.start)?.split_whitespace().count() > 4;
    clause.get(quote).filter(|_| !far).map(str::to_owned)
}

/// Something that keeps to the schema: its own example, or a usual value of its format.
pub(super) fn made_up(field: &Field<'_>, request: &str) -> Value {
    let schema = field.schema;
    let example = || {
        schema.get("examples").and_then(Value::as_array).and_then(|list| list.first()).or_else(|| schema.get("example"))
    };
    if let Some(example) = example() {
        return example.clone();
    }
    if field.is_number() {
        return made_up_number(schema);
    }
    let usual =
        USUAL.iter().find(|(format, _)| *format == word(schema, "format")).map(|(_, usual)| (*usual).to_owned());
    let said = || Some(topic(request)).filter(|topic| !topic.is_empty());
    match kind(schema) {
        "object" => json!({}),
        "array" => json!([]),
        "null" => Value::Null,
        _ => Value::String(fit_size(usual.or_else(said).unwrap_or_else(|| "demo".to_owned()), schema)),
    }
}

fn made_up_number(schema: &Value) -> Value {
    let bound = |field: &str| schema.get(field).and_then(Value::as_f64);
    let step = if kind(schema) == "integer" { 1.0 } else { 0.5 };
    let least = bound("minimum").or(bound("exclusiveMinimum").map(|least| least + step)).unwrap_or(f64::MIN);
    let most = bound("maximum").or(bound("exclusiveMaximum").map(|most| most - step)).unwrap_or(f64::MAX);
    let number = 1.0_f64.min(most).max(least);
    match bound("multipleOf").filter(|multiple| *multiple > 0.0) {
        Some(multiple) => figure((number / multiple).ceil() * multiple),
        None => figure(number),
    }
}

/// A text within the schema's bounds.
fn fit_size(text: String, schema: &Value) -> String {
    let bound = |field: &str| schema.get(field).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
    let most = bound("maxLength").unwrap_or(LONGEST).min(LONGEST);
    let least = bound("minLength").unwrap_or(0).max(text.chars().count()).min(most);
    text.chars().cycle().take(least).collect()
}

/// What is told after a colon, "saying" or "that": the first of these, and of two at one place the longer.
fn find_told(request: &str) -> Option<String> {
    let lower = request.to_lowercase();
    let marks = TELLING.iter().filter_map(|mark| lower.find(mark).map(|at| (at, mark.len())));
    let (at, length) = marks.min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)))?;
    request.get(at + length..).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// What follows "about".
fn about(request: &str) -> Option<String> {
    let lower = request.to_lowercase();
    let at = ABOUT.iter().filter_map(|mark| lower.find(mark).map(|at| at + mark.len())).min()?;
    let text = request.get(at..)?.split([',', '.', '?', '!', ';', '，', '。', ':']).next()?;
    let text = text.split(" saying ").next()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The longest stretch of arithmetic.
fn formula(request: &str) -> Option<String> {
    let inside = |c: char| c.is_ascii_digit() || " +-*/×÷^().%".contains(c);
    let stretches = request.split(|c: char| !inside(c)).map(|text| text.trim_matches([' ', '.'])).filter(|text| {
        text.contains(['+', '-', '*', '/', '×', '÷', '^']) && text.chars().filter(char::is_ascii_digit).count() > 1
    });
    stretches.max_by_key(|text| text.len()).map(str::to_owned)
}

const CONTENTS: [&str; 9] =
    ["content", "contents", "text", "body", "message", "note", "description", "comment", "input"];
const SUBJECTS: [&str; 4] = ["subject", "title", "topic", "summary"];
const FORMULAS: [&str; 6] = ["expression", "formula", "equation", "calculation", "input", "query"];
const TELLING: [&str; 8] =
    [": ", "：", " saying that ", " saying ", " that says ", " telling them ", " that ", " with the text "];
const ABOUT: [&str; 4] = [" about ", " titled ", "关于", " called "];
const PRESCRIBING: [&str; 5] = ["use ", "defaults to", "default is", "default:", "默认"];
const USUAL: [(&str, &str); 8] = [
    ("date", "2026-01-15"),
    ("date-time", "2026-01-15T09:00:00Z"),
    ("time", "09:00:00Z"),
    ("email", "ann@example.com"),
    ("uri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("uuid", "0b8f5c1e-6f3a-4d2b-9a57-3c1d2e4f5a6b"),
    ("ipv4", "192.0.2.1"),
];
const LONGEST: usize = 1000;
