//! What is weighed in a text, by name: the input of those who learn weights (`bench/wording`). No part of any face.

use crate::check_result::Done;
use crate::check_result::ending;
use crate::claims::find::{reader, stated};
use crate::coding;
use crate::text::instructions;
use serde_json::{Value, json};
use std::collections::BTreeSet;

type Names = BTreeSet<String>;

/// What is weighed for one question (`orders`, `results`, `answers`, `claims`, `deeds`) in a row of its corpus: one value a window.
pub fn weighed(what: &str, row: &Value) -> Vec<Value> {
    let text = row.get("text").and_then(Value::as_str).unwrap_or_default();
    match what {
        "orders" => {
            let parsed = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
            let mut windows = Vec::new();
            read_texts("", &parsed, &mut |key, text| windows.extend(instructions::weighed(key, text)));
            windows.into_iter().map(|(text, features)| json!({"text": text, "features": features})).collect()
        }
        "results" => vec![json!({"features": result_names(row)})],
        "answers" => vec![json!({"features": ending::read_answer::<Names>(text)})],
        "claims" => claim_names(text),
        "deeds" => vec![json!({"features": coding::claim::read_sentence::<Names>(text)})],
        _ => Vec::new(),
    }
}

/// Every text of a value, with the key that it stands under.
fn read_texts(key: &str, value: &Value, take: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => take(key, text),
        Value::Array(list) => list.iter().for_each(|value| read_texts(key, value, take)),
        Value::Object(map) => map.iter().for_each(|(key, value)| read_texts(key, value, take)),
        _ => {}
    }
}

fn result_names(row: &Value) -> Names {
    let name = row.get("tool").and_then(Value::as_str).unwrap_or_default();
    let arguments = row.get("input").unwrap_or(&Value::Null);
    let parsed = row.get("output").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    let content = parsed.as_ref().or_else(|| row.get("output")).unwrap_or(&Value::Null);
    ending::read_result(&Done { name, arguments, content, is_error: false, fresh: true })
}

/// The sentences in which claims are found, with where these are.
fn claim_names(text: &str) -> Vec<Value> {
    let mut windows = Vec::new();
    reader::read_where(text, |sentence, found| {
        let end = sentence.tokens.last().map_or(0, |last| last.end);
        let names = stated::read::<Names>(sentence);
        windows.push(json!({"start": sentence.at(0).start, "end": end, "claims": found.len(), "features": names}));
        true
    });
    windows
}
