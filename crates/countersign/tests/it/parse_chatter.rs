//! The messages of `conformance/parse/chatter.jsonl`: which of them say nothing.
// PARSE-6 T30

use countersign::parse::chatter::{Chatter, of_model, of_user};
use serde_json::Value;

#[test]
fn every_message_is_taken_as_written() {
    let lines = include_str!("../../../../conformance/parse/chatter.jsonl").lines();
    let cases: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        let text = case["text"].as_str().unwrap();
        let found = if case["from"] == "user" { of_user(text) } else { of_model(text) };
        let wanted = match case["expected"].as_str() {
            Some("confirmation_input") => Some(Chatter::ConfirmationInput),
            Some("pseudo_answer") => Some(Chatter::PseudoAnswer),
            _ => None,
        };
        if found != wanted {
            wrong.push(format!("{} {text:?}: {found:?}", case["id"]));
        }
    }
    let kept = cases.iter().filter(|case| case["expected"].is_null()).count();
    assert!(cases.len() >= 60 && kept * 2 >= cases.len());
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn long_messages_are_kept_and_cost_nothing() {
    for text in ["ok ".repeat(100_000), "好的，".repeat(100_000), "sure, ".repeat(100_000), ",".repeat(300_000)] {
        assert_eq!(of_user(&text), None);
        assert_eq!(of_model(&text), None);
    }
}
