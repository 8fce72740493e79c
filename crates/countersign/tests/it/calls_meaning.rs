//! Our own cases for the meaning and the danger of values, run through the whole line.
//!
//! Each line of `conformance/calls/{meaning,danger}.jsonl` names the codes that these two layers must give, no more
//! and no fewer. Other layers may speak as they like. Requirements: CALL-3, CALL-4, CALL-6, CALL-9; T4, T8, T12.

use countersign::check_call::Guard;
use countersign::contract::{Answers, Arguments, Severity, Verdict};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const MEANING: &str = include_str!("../../../../conformance/calls/meaning.jsonl");
const DANGER: &str = include_str!("../../../../conformance/calls/danger.jsonl");

fn judge(line: &Value, policy: Arc<Policy>) -> Verdict {
    let request = read_check(line).expect("the line is a request");
    let guard = Guard::new(request.tools.clone(), policy);
    inspect::check(&guard, &request, &Answers::default())
}

fn codes(verdict: &Verdict) -> BTreeSet<&'static str> {
    let ours = |id: &str| id.starts_with("meaning.") || id.starts_with("danger.");
    let told = verdict.findings.iter().filter(|finding| finding.severity > Severity::Info);
    told.map(|finding| finding.code.id).filter(|id| ours(id)).collect()
}

fn run(data: &str) {
    let mut wrong = Vec::new();
    for line in data.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let expected: BTreeSet<&str> =
            line["expect"]["codes"].as_array().expect("codes").iter().filter_map(Value::as_str).collect();
        let verdict = judge(&line, Policy::standard());
        if codes(&verdict) != expected {
            wrong.push(format!("{}: expected {expected:?}, found {:?}", line["id"], codes(&verdict)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn meaning_says_what_the_cases_say() {
    // CALL-4, T4, T8
    run(MEANING);
}

#[test]
fn danger_says_what_the_cases_say() {
    // CALL-6, T12
    run(DANGER);
}

fn request(properties: Value, arguments: Value) -> Value {
    let tool = json!({"name": "open_thing", "inputSchema": {"type": "object", "properties": properties}});
    json!({"id": 1, "tools": [tool], "call": {"name": "open_thing", "arguments": arguments}})
}

#[test]
fn a_result_size_is_clamped_and_nothing_else() {
    // CALL-3, CALL-4, T4
    let properties = json!({"limit": {"type": "integer"}, "latitude": {"type": "number"}});
    let verdict = judge(&request(properties.clone(), json!({"limit": 5000})), Policy::standard());
    let Arguments::Object(arguments) = verdict.into_details().call.expect("the call runs").arguments else {
        panic!("the arguments are an object");
    };
    assert_eq!(arguments["limit"], 1000);
    let verdict = judge(&request(properties, json!({"latitude": 500})), Policy::standard());
    assert!(verdict.call.is_none() && !verdict.findings.iter().any(|finding| finding.is_applied()));
}

#[test]
fn the_policy_bounds_formats_and_roots() {
    // CALL-4, CALL-6
    let policy = r#"
        [allow]
        hosts = ["localhost"]
        [tools.open_thing.arguments.amount]
        maximum = 100
        [tools.open_thing.arguments.path]
        root = "/srv/data"
    "#;
    let policy = Arc::new(Policy::from_toml(policy).expect("a policy"));
    let properties = json!({"amount": {"type": "number"}, "path": {"type": "string"}, "url": {"type": "string"}});
    let found = |arguments: Value| codes(&judge(&request(properties.clone(), arguments), Arc::clone(&policy)));
    assert_eq!(found(json!({"amount": 101})), BTreeSet::from(["meaning.out-of-bounds"]));
    assert_eq!(found(json!({"path": "/srv/data/../other"})), BTreeSet::from(["danger.traversal"]));
    assert_eq!(found(json!({"path": "/srv/database"})), BTreeSet::from(["danger.traversal"]));
    assert_eq!(found(json!({"path": "../x"})), BTreeSet::from(["danger.traversal"]));
    let clean = json!({"amount": 100, "path": "/srv/data/a/b", "url": "http://localhost:80/"});
    assert_eq!(found(clean), BTreeSet::new());
}

#[test]
fn no_finding_shows_a_secret() {
    // CALL-6
    let key = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let properties = json!({
        "email": {"type": "string"}, "url": {"type": "string"}, "start_date": {"type": "string"},
        "mode": {"type": "string", "description": "One of: on, off."}, "path": {"type": "string"}
    });
    let arguments = json!({
        "email": key, "url": format!("htp:/x {key}"), "mode": key, "path": format!("/root/.ssh/{key}")
    });
    let verdict = judge(&request(properties, arguments), Policy::standard());
    assert!(codes(&verdict).len() >= 4, "{:?}", codes(&verdict));
    let ours =
        verdict.findings.iter().filter(|f| f.code.id.starts_with("meaning.") || f.code.id.starts_with("danger."));
    for finding in ours {
        assert!(!finding.evidence.contains("aB3dE5"), "{}", finding.evidence);
        assert!(finding.correction.as_ref().is_none_or(|c| !c.note.contains("aB3dE5")), "{}", finding.evidence);
    }
}
