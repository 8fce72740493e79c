//! What is weighed in each text of standard input (JSON lines with `text`), one window a line: the input of `bench/wording/learn`.

use serde_json::{Value, json};
use std::io::{BufRead, Write, stdin, stdout};

fn main() {
    let mut out = std::io::BufWriter::new(stdout().lock());
    for (row, line) in stdin().lock().lines().enumerate() {
        let line = line.expect("a line of text");
        let read: Value = serde_json::from_str(&line).expect("a line of JSON");
        let text = read["text"].as_str().unwrap_or_default();
        let parsed = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        let mut write = |key: &str, text: &str| {
            for (window, features) in countersign::weighed(key, text) {
                let line = json!({"row": row, "key": key, "text": window, "features": features});
                writeln!(out, "{line}").expect("standard output");
            }
        };
        walk("", &parsed, &mut write);
    }
}

/// Every text of a value, with the key that it stands under.
fn walk(key: &str, value: &Value, write: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => write(key, text),
        Value::Array(list) => list.iter().for_each(|value| walk(key, value, write)),
        Value::Object(map) => map.iter().for_each(|(key, value)| walk(key, value, write)),
        _ => {}
    }
}
