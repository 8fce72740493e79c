//! Arbitrary text as JSON: valid JSON is read as serde_json reads it and without a repair; reading the answer again
//! gives the answer; a schema (before the first NUL) never makes it fall over.
#![no_main]

use countersign::parse::{ParseOptions, align, json};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let options = ParseOptions::default();
    let (schema, text) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (serde_json::from_slice::<Value>(&bytes[..at]).ok(), &bytes[at + 1..]),
        None => (None, bytes),
    };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let document = json::read(text, &options);
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        assert!(document.repairs.is_empty(), "{:?}", document.repairs);
        assert_eq!(document.answer.as_ref(), Some(&value));
    }
    let one = json::read_one(text, &options);
    assert!(one.end <= text.len() && text.is_char_boundary(one.end));
    if let Some(answer) = &document.answer {
        let again = json::read(&answer.to_string(), &options);
        assert_eq!(again.answer.as_ref().map(Value::to_string), Some(answer.to_string()));
    }
    if let Some(schema) = schema {
        let _ = align::align(text, &document, &schema, &options);
        let _ = align::from_text(text, &schema, &schema, &options);
    }
});
