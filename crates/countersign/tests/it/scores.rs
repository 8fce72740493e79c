//! Runs `conformance/scores/*.jsonl`: each line is a score request with what must come out.

#![expect(clippy::unwrap_used, reason = "a case that cannot be read fails its test")]

use countersign::contract::{Language, Signal};
use countersign::policy::ScorePolicy;
use countersign::score::{answer_findings, assess};
use countersign::wire::requests::{ScoreRequest, read_score};
use serde_json::Value;
use std::path::Path;

// SCORE-1, SCORE-2, SCORE-3, SCORE-5, T16, T17, T18, T19
#[test]
fn scores_come_out_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/scores");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            count += 1;
            wrong.extend(judge(&case).into_iter().map(|fault| format!("{}: {fault}", case["id"])));
        }
    }
    assert!(count >= 40, "only {count} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a case gets wrong.
fn judge(case: &Value) -> Vec<String> {
    let request = read_score(case).unwrap();
    let got = assess(&request, &ScorePolicy::default());
    let findings = answer_findings(&request, &got, Language::of(&request.response));
    let expect = &case["expect"];
    let mut wrong = Vec::new();
    for (name, value) in expect["signals"].as_object().into_iter().flatten() {
        let signal = Signal::ALL.into_iter().find(|signal| signal.name() == name).unwrap();
        let seen = got.signals.value(signal);
        if seen.is_none_or(|seen| (seen - value.as_f64().unwrap()).abs() > 1e-6) {
            wrong.push(format!("{name} is {seen:?}, not {value}"));
        }
    }
    let mut same = |name: &str, seen: Value| {
        if !expect[name].is_null() && expect[name] != seen {
            wrong.push(format!("{name} is {seen}, not {}; {:?}", expect[name], got.sentences));
        }
    };
    same("absent", serde_json::to_value(&got.absent).unwrap());
    same("recommendation", serde_json::to_value(got.recommendation).unwrap());
    same("supported", got.sentences.iter().map(|sentence| sentence.support >= 0.5).collect());
    same("findings", findings.iter().map(|finding| finding.code.id).collect());
    if let Some(context) = expect["more_than"].as_str() {
        let other = ScoreRequest { context: vec![context.to_owned()], ..request.clone() };
        let grounded = |request: &ScoreRequest| {
            assess(request, &ScorePolicy::default()).signals.value(Signal::KnowledgeGrounding).unwrap()
        };
        let (mine, others) = (grounded(&request), grounded(&other));
        if mine <= others + 0.005 {
            wrong.push(format!("grounded by {mine:.3}, and by {others:.3} in: {context}"));
        }
    }
    wrong
}

proptest::proptest! {
    // SCORE-2: whatever comes in, the score stays within its bounds and offsets fall on characters.
    #[test]
    fn any_text_is_scored(
        response in "(?s).{0,200}|([0-9$¥%零下三分之亿万.,:/-]|[A-Z][a-z]+ |不|not ){0,60}",
        context in "(?s).{0,200}|([0-9$¥%零下三分之亿万.,:/-]|[A-Z][a-z]+ |不|not ){0,60}",
        logprobs in proptest::collection::vec(proptest::num::f64::ANY, 0..5),
    ) {
        let samples = vec![context.clone()];
        let request = ScoreRequest {
            response, context: vec![context], logprobs: Some(logprobs), samples, ..ScoreRequest::default()
        };
        let got = assess(&request, &ScorePolicy::default());
        assert!((0.0..=1.0).contains(&got.overall_confidence));
        assert!(got.signals.0.iter().all(|(_, value)| (0.0..=1.0).contains(value)));
        assert!(got.sentences.iter().all(|sentence| request.response.get(sentence.start..sentence.end).is_some()));
        answer_findings(&request, &got, Language::Chinese);
    }
}
