//! A value that fits its JSON Schema, out of what a model wrote.
//!
//! `align` picks the value that was meant among everything that is in an answer and gives it the schema's shape:
//! text becomes the number it says, a single value the list of one, a misspelt choice the choice. `fit` does the same
//! for a tool call's arguments, but mends only what is certain. `from_text` types a bare parameter. Every mend is
//! reported. A value that has its shape already is never touched, no branch is chosen by chance, and nothing is invented
//! but the defaults that the schema itself allows.

/// What can be mended.
mod kinds;
/// Names without case, accents and marks.
/// Numbers and booleans as people write them.
mod scalar;
/// One of a few allowed values.
mod choice;
/// What the schema asks for.
mod shape;
/// From the schema to its shapes.
mod compile;
/// A fit, what it cost, and which is better.
mod fitted;
/// Text in triple quotes.
mod blocks;
/// The walk over value and schema.
mod fitter;
/// Scalars.
mod plain;
/// Lists.
mod list;
/// Objects.
mod object;
/// Which of the values in an answer was meant.
mod candidates;

pub use kinds::KINDS;

use super::event::{ParseOptions, Repair, Span};
use super::json;
use crate::contract::schema;
use compile::compile;
use fitter::{Fitter, Held, Manner};
use serde_json::{Map, Value};
use shape::Shape;

/// What came of aligning an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// The value; absent where nothing in the answer fits the schema.
    pub value: Option<Value>,
    /// What had to be mended to make it fit.
    pub repairs: Vec<Repair>,
    /// Whether the value was not cut by the end of the input.
    pub complete: bool,
}

/// Picks and fits the value among the candidates of the document: each found value, all of them as an array, the whole
/// text as a string or scalar.
pub fn align(text: &str, document: &json::Document, schema: &Value, options: &ParseOptions) -> Aligned {
    let shapes = compile(schema, schema);
    candidates::pick(text, document, &shapes, options)
}

/// Fits one value that is already JSON (tool-call arguments). References point into `root`. What is certain is mended;
/// what does not fit inside it stays as it is, and a value that cannot have the schema's shape at all gives nothing.
pub fn fit(value: &Value, schema: &Value, root: &Value, options: &ParseOptions) -> Option<(Value, Vec<Repair>)> {
    let shapes = compile(schema, root);
    let held = Held::new(value, options);
    let mut fitter = Fitter::new(&shapes, &held, Manner::Arguments);
    let fit = fitter.fit(0, value)?;
    Some(fitter.write(&fit, Span::default(), options))
}

/// A parameter that came as bare text, typed by its schema. Where the schema takes a string, the text stays exactly as
/// it is; else it is read as the schema wants, and stays a string where it cannot be. Without a type in the schema, a
/// text that is exactly a JSON container, number, boolean or null is read as that.
pub fn from_text(raw: &str, schema: &Value, root: &Value, options: &ParseOptions) -> Value {
    let string = || Value::String(raw.to_owned());
    if is_plain_text(schema) {
        return string();
    }
    let shapes = compile(schema, root);
    let strict = serde_json::from_str::<Value>(raw.trim()).ok().filter(|value| !value.is_string());
    if shapes.reaches(0, |shape| matches!(shape, Shape::Any)) {
        return strict.unwrap_or_else(string);
    }
    // Where a string would do as well, only what is exactly another branch is read as that.
    let texts = shapes.reaches(0, |shape| matches!(shape, Shape::Text));
    if raw.trim().is_empty() && !texts {
        // Nothing between the tags: nothing in the container.
        let empty = [("array", Value::Array(Vec::new())), ("object", Value::Object(Map::new()))];
        if let Some((_, value)) = empty.into_iter().find(|(kind, _)| schema::takes(schema, root, kind)) {
            return value;
        }
    }
    let tolerant = || {
        // Escaped once too often, or with a guess in it: the one is undone, the other stays text.
        let escaped = raw.contains("\\\"");
        let read = if escaped { json::read_answer } else { json::read_one };
        let one = read(raw.trim(), options);
        let all = escaped || raw.trim().get(one.end..).is_some_and(|rest| rest.trim().is_empty());
        let sure = one.repairs.iter().all(|repair| repair.kind.confidence > 0.5);
        // The text is whole, so a missing bracket is only that; a value that breaks off is another thing.
        let broken = one.repairs.iter().any(|repair| BROKEN_OFF.contains(&repair.kind.code));
        one.value.filter(|_| (one.complete || !broken) && all && sure)
    };
    let tolerant = if texts { None } else { tolerant() };
    for reading in [strict, tolerant, Some(string())].into_iter().flatten() {
        let held = Held::new(&reading, options);
        let fit = Fitter::new(&shapes, &held, Manner::Arguments).fit(0, &reading);
        if let Some(fit) = fit.filter(|fit| !fit.misfit && (fit.pristine || !texts)) {
            return fit.write(Span::default(), 0, &mut Vec::new());
        }
    }
    string()
}

/// Whether a schema says that its value is a string, and nothing more that matters here.
fn is_plain_text(schema: &Value) -> bool {
    let says_string = |(key, value): (&String, &Value)| match key.as_str() {
        "type" => value == "string",
        "description" | "title" => true,
        _ => false,
    };
    schema.as_object().is_some_and(|schema| schema.contains_key("type") && schema.iter().all(says_string))
}

/// Mends that tell of a value that breaks off.
const BROKEN_OFF: [&str; 3] = ["json.cut-value", "json.dropped-key", "json.missing-value"];
