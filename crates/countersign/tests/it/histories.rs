//! CALL-11 as data: `conformance/histories/*.jsonl`, one history a line, in the three shapes.

use countersign::check_call::history::{repair, repair_to_send};
use serde_json::Value;

const FILES: [(&str, &str); 3] = [
    ("chat", include_str!("../../../../conformance/histories/chat.jsonl")),
    ("anthropic", include_str!("../../../../conformance/histories/anthropic.jsonl")),
    ("responses", include_str!("../../../../conformance/histories/responses.jsonl")),
];

#[test]
fn every_history_is_repaired_as_it_expects() {
    // CALL-11
    let mut failures = Vec::new();
    let mut seen = 0;
    for (file, text) in FILES {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line).unwrap();
            seen += 1;
            let messages = case["messages"].as_array().unwrap();
            let repaired = if case["send"] == true { repair_to_send(messages) } else { repair(messages) };
            let codes: Vec<&str> = repaired.findings.iter().map(|finding| finding.code.id).collect();
            let expect = &case["expect"];
            let wanted: Vec<&str> = expect["codes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            // Without `messages` the history must leave as it came, to the byte.
            let expected = serde_json::to_string(expect["messages"].as_array().unwrap_or(messages)).unwrap();
            let got = serde_json::to_string(&repaired.messages).unwrap();
            if codes != wanted || got != expected {
                let (id, note) = (&case["id"], &case["note"]);
                failures.push(format!(
                    "{file} {id} ({note}):\n  expected {wanted:?} {expected}\n  got      {codes:?} {got}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {seen} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(seen >= 40, "only {seen} histories were read");
}
