//! CALL-7 as data: `conformance/calls/facts.jsonl`, one call a line, with the answers that the world would give.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a case that cannot be read fails the test")]

use countersign::check_call::Guard;
use countersign::contract::{Answer, Answers, Question, Verdict};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use serde_json::Value;
use std::sync::Arc;

const CASES: &str = include_str!("../../../../conformance/calls/facts.jsonl");

fn judge(case: &Value) -> Verdict {
    let policy = match case["policy"].as_str() {
        Some(text) => Arc::new(Policy::from_toml(text).unwrap_or_else(|error| panic!("{}: {error:?}", case["id"]))),
        None => Policy::standard(),
    };
    let request = read_check(case).unwrap();
    let guard = Guard::new(request.tools.clone(), policy);
    let mut answers = Answers::default();
    for pair in case["answers"].as_array().into_iter().flatten() {
        let question: Question = serde_json::from_value(pair[0].clone()).unwrap();
        let answer: Answer = serde_json::from_value(pair[1].clone()).unwrap();
        answers.0.insert(question, answer);
    }
    inspect::check(&guard, &request, &answers)
}

#[test]
fn every_case_gives_what_it_expects() {
    // CALL-7, T13, T14
    let mut failures = Vec::new();
    let mut seen = 0;
    for line in CASES.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        seen += 1;
        let verdict = judge(&case);
        let expect = &case["expect"];
        let mut codes: Vec<&str> =
            verdict.findings.iter().map(|f| f.code.id).filter(|id| id.starts_with("fact.")).collect();
        let mut wanted: Vec<&str> = expect["codes"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        codes.sort_unstable();
        wanted.sort_unstable();
        let said = serde_json::to_string(&verdict).unwrap();
        let mentions = |key: &str| expect[key].as_array().into_iter().flatten().map(|text| text.as_str().unwrap());
        let status = expect["status"].as_str().unwrap_or(verdict.status.name());
        let asked = expect["questions"].as_u64().unwrap_or(verdict.unanswered.len() as u64);
        if codes != wanted
            || verdict.status.name() != status
            || asked != verdict.unanswered.len() as u64
            || mentions("mentions").any(|text| !said.contains(text))
            || mentions("never").any(|text| said.contains(text))
        {
            failures.push(format!("{} ({}): expected {expect}, got {said}", case["id"], case["note"]));
        }
    }
    assert!(failures.is_empty(), "{} of {seen} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(seen >= 30, "only {seen} cases were read");
}
