//! Where the values of a call come from: our own cases, in `conformance/calls/provenance.jsonl`. Only the codes of
//! provenance are compared.
use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use serde_json::Value;

#[test]
fn values_are_flagged_where_nobody_gave_them_and_only_there() {
    // CALL-8
    let cases = include_str!("../../../../conformance/calls/provenance.jsonl");
    let mut wrong = Vec::new();
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let found = codes(&case);
        let expected: Vec<&str> =
            case["expect"]["codes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        if found != expected {
            wrong.push(format!("{} ({}): expected {expected:?}, found {found:?}", case["id"], case["note"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn codes(case: &Value) -> Vec<&'static str> {
    let Ok(mut request) = read_check(case) else { return vec!["unreadable"] };
    let guard = Guard::new(request.tools.take(), Policy::standard());
    let verdict = inspect::check(&guard, &request, &Answers::default());
    let mut found: Vec<&str> = verdict.findings.iter().map(|finding| finding.code.id).collect();
    found.retain(|code| code.starts_with("provenance."));
    found
}
