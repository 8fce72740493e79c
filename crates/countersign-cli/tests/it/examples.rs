//! Every example runs and says what it is there to say.

use crate::run::{root, run};

#[test]
fn every_policy_can_be_used() {
    let files: Vec<_> =
        std::fs::read_dir(root().join("examples/policies")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 3);
    for file in files {
        let file = file.display().to_string();
        let ran = run(&["policy", "check", &file]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(run(&["check", "--policy", &file, "examples/check.jsonl"]).code < 2);
    }
}

#[test]
fn every_file_of_lines_is_judged_without_an_error() {
    for (command, file) in [
        ("check", "check"),
        ("check", "demo"),
        ("verify", "verify"),
        ("score", "score"),
        ("step", "step"),
        ("parse", "parse"),
    ] {
        let ran = run(&[command, &format!("examples/{file}.jsonl")]);
        assert!(ran.code < 2, "{}", ran.err);
        assert!(ran.lines().iter().all(|line| line.get("error").is_none()), "{}", ran.out);
    }
}

// The seeds' telling cases, as a newcomer meets them first.
#[test]
fn the_demonstration_shows_what_it_says() {
    let statuses: Vec<String> = run(&["check", "examples/demo.jsonl"])
        .lines()
        .iter()
        .map(|line| line["status"].as_str().unwrap().to_owned())
        .collect();
    // Clean, unknown tool, misspelt tool, number in quotes, invented id, viewer deletes, private key, loop.
    assert_eq!(statuses[..4], ["approved", "validation_failed", "caution", "caution"]);
    assert_eq!(statuses[5..], ["rejected", "rejected", "validation_failed"]);
    assert_ne!(statuses[4], "approved");
}

// CALL-5, CALL-9: rules in CEL, by tool and argument.
#[test]
fn the_payments_policy_denies_and_asks() {
    let refund = |amount: &str, role: &str| {
        let call = format!(r#"{{"name": "refund_order", "arguments": {{"order_id": "A-1", "amount": {amount}}}}}"#);
        let line = format!(
            r#"{{"call": {call}, "messages": [{{"role": "user", "content": "refund A-1: {amount}"}}], "context": {{"user": {{"role": "{role}", "permissions": ["refunds:write"]}}}}}}"#
        );
        let policy = "examples/policies/strict-payments.toml";
        run(&["check", "--policy", policy, "--tools", "examples/tools.json", "--call", &line]).lines()[0]["status"]
            .clone()
    };
    assert_eq!(refund("20", "guest"), "rejected");
    assert_eq!(refund("900", "support"), "requires_review");
    assert_eq!(refund("20", "support"), "approved");
}
