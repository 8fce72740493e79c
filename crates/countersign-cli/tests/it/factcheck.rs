//! `countersign factcheck`: the shape of its answers, its exit codes, and what people see.

use crate::run::{feed, run};
use serde_json::json;

// CLAIM-3
#[test]
fn claims_are_looked_up_in_the_evidence() {
    let lines = [
        json!({"id": 1, "text": "Revenue grew 25% in 2023.", "evidence": "In 2023, revenue grew by 25%."}),
        json!({"id": 2, "text": "Revenue grew 30% in 2023.", "evidence": ["Revenue grew 25% in 2023."]}),
        json!({"id": 3, "text": "Staff grew 11%.", "evidence": [{"call_id": "c1", "content": {"stores": 214}}]}),
        json!({"id": 4, "text": "Hello."}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    let ran = feed(&["factcheck"], input.as_bytes());
    let answers = ran.lines();
    assert_eq!(ran.code, 1, "{}", ran.err);
    let claim = &answers[0]["claims"][0];
    assert_eq!(
        (&claim["status"], &claim["verified"], &claim["text"]),
        (&json!("verified"), &json!(true), &json!("25%"))
    );
    assert_eq!(claim["source"]["name"], "tool_result");
    assert_eq!((&answers[0]["needs_verify"], &answers[0]["content"]), (&json!(false), &lines_text()));
    assert_eq!(answers[1]["summary"]["disputed"], 1);
    assert!(answers[1]["claims"][0]["verify_note"].as_str().is_some_and(|note| note.contains("not 30%")));
    assert_eq!(answers[2]["claims"][0]["status"], "unverifiable");
    assert_eq!(answers[3]["summary"], json!({"verified": 0, "disputed": 0, "unverifiable": 0, "pending": 0}));
    assert_eq!(feed(&["factcheck"], lines_passed().as_bytes()).code, 0);
}

// CLAIM-3
#[test]
fn marked_claims_are_taken_as_they_are() {
    let text = "Revenue grew 25% in 2023.";
    let marked = feed(&["claims"], json!({"id": 1, "text": text}).to_string().as_bytes()).lines().remove(0);
    let mut claims = marked["claims"].clone();
    claims[0]["status"] = json!("verified");
    claims[0]["id"] = json!("m1.0");
    let line = json!({"id": 1, "text": text, "claims": claims, "evidence": "In 2023, revenue grew by 26%."});
    let answer = feed(&["factcheck"], line.to_string().as_bytes()).lines().remove(0);
    assert_eq!((&answer["claims"][0]["status"], &answer["claims"][0]["id"]), (&json!("verified"), &json!("m1.0")));
    claims[0]["start"] = json!(3);
    for (key, value, told) in [
        ("claims", claims, "does not stand at"),
        ("claims", json!(7), "must be a list"),
        ("evidence", json!([7]), "must be a string or an object"),
        ("evidence", json!([{"call_id": "c"}]), "has no `content`"),
        ("text", json!(7), "must be a string"),
    ] {
        let mut line = json!({"id": 1, "text": text});
        line[key] = value;
        let ran = feed(&["factcheck"], line.to_string().as_bytes());
        assert_eq!(ran.code, 1);
        assert!(ran.lines()[0]["error"].as_str().is_some_and(|error| error.contains(told)), "{}", ran.out);
    }
}

// CLAIM-3
#[test]
fn people_see_each_claim_underlined_with_symbol_and_word() {
    let ran = run(&["factcheck", "--format", "human", "examples/factcheck.jsonl"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    for part in ["✖ disputed", "✔ verified", "? unverifiable", "^^^", "50/40 − 1 = 25%, not 30%", "330 metres"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(!ran.out.contains('\x1b'));
    assert_eq!(run(&["factcheck", "--kb", "no-such-folder", "examples/factcheck.jsonl"]).code, 2);
}

fn lines_text() -> serde_json::Value {
    json!("Revenue grew 25% in 2023.")
}

fn lines_passed() -> String {
    json!({"id": 1, "text": "Revenue grew 25% in 2023.", "evidence": "In 2023, revenue grew by 25%."}).to_string()
}
