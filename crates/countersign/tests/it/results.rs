//! The results of `conformance/results`: each case says whether it is suspicious, and some which codes it shows.
// RESULT-1 RESULT-2 RESULT-3 RESULT-4 RESULT-5 RESULT-6 T20

use countersign::check_result;
use countersign::policy::Policy;
use countersign::wire::requests::read_verify;
use serde_json::Value;

#[test]
fn every_case_is_judged_as_written() {
    let cases = [
        include_str!("../../../../conformance/results/clean.jsonl"),
        include_str!("../../../../conformance/results/suspicious.jsonl"),
    ];
    let mut wrong = Vec::new();
    for line in cases.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let report = check_result::verify(&read_verify(&case).unwrap(), &Policy::standard());
        let codes: Vec<&str> = report.findings.iter().map(|finding| finding.code.id).collect();
        let wanted = case["expect"]["codes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let missing: Vec<&str> = wanted.filter(|code| !codes.contains(code)).collect();
        let expected = case["expect"]["is_suspicious"] == true;
        if report.is_suspicious != expected || !missing.is_empty() {
            wrong.push(format!(
                "{} {}: suspicious {}, codes {codes:?}, missing {missing:?}",
                case["id"], case["note"], report.is_suspicious
            ));
        }
        assert!(report.checks_passed <= report.total_checks && report.total_checks == check_result::CHECKS.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
