//! Runs `conformance/cases`: request in, answer out, compared place by place.

use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::policy::Policy;
use countersign::wire::outputs::read_parse;
use countersign::wire::requests::{read_check, read_score, read_step, read_verify};
use countersign::{check_result, inspect, score};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder with the data.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

#[test]
fn every_case_comes_out_as_written() {
    let known = known_failures();
    let mut wrong = Vec::new();
    let mut ran = 0;
    for (file, line, case) in cases() {
        ran += 1;
        let id = case["id"].as_str().unwrap().to_owned();
        let faults = run(&case);
        match (faults.is_empty(), known.contains_key(&id)) {
            (false, false) => {
                wrong.push(format!("{file}:{line} {id} ({}):\n    {}", case["note"], faults.join("\n    ")))
            }
            (true, true) => wrong.push(format!("{id} passes now: take it out of known-failures.toml")),
            _ => {}
        }
    }
    assert!(ran > 80, "only {ran} cases were found");
    assert!(wrong.is_empty(), "{} of {ran} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_wrong_expectation_is_seen() {
    let answer = serde_json::json!({"a": [1, {"b": "text"}]});
    let faults = |expect: Value| mismatches(&answer, &expect);
    assert!(faults(serde_json::json!({"/a/0": 1, "/a/1/b": {"contains": ["te", "xt"]}, "/a": {"length": 2, "any": {"b": "text"}}, "/z": {"absent": true}})).is_empty());
    for expect in [
        serde_json::json!({"/a/0": 2}),
        serde_json::json!({"/a/1/b": {"contains": "no"}}),
        serde_json::json!({"/a": {"length": 1}}),
        serde_json::json!({"/a": {"any": {"b": "x"}}}),
        serde_json::json!({"/a": {"absent": true}}),
        serde_json::json!({"/z": 1}),
    ] {
        assert!(!faults(expect.clone()).is_empty(), "{expect}");
    }
}

fn cases() -> Vec<(String, usize, Value)> {
    let mut found = Vec::new();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder().join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}:{}: {error}", at + 1));
            assert!(
                case["requirement"].as_array().is_some_and(|ids| !ids.is_empty()),
                "{name}:{} names no requirement",
                at + 1
            );
            found.push((name.clone(), at + 1, case));
        }
    }
    found
}

/// Cases that are known to fail, with the reason.
pub(crate) fn known_failures() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder().join("known-failures.toml")).unwrap();
    let table: toml::Table = toml::from_str(&text).unwrap();
    let known = table.get("known").and_then(|known| known.as_table()).cloned().unwrap_or_default();
    known.into_iter().map(|(id, reason)| (id, reason.as_str().expect("a reason").to_owned())).collect()
}

/// Runs one case and says what came out otherwise.
pub(crate) fn run(case: &Value) -> Vec<String> {
    mismatches(&answer(case), &case["expect"])
}

fn answer(case: &Value) -> Value {
    let mut request = case["request"].clone();
    let policy = match request.as_object_mut().unwrap().shift_remove("policy") {
        Some(text) => Arc::new(Policy::from_toml(text.as_str().unwrap()).unwrap()),
        None => Policy::standard(),
    };
    let none = Answers::default();
    let out = match case["command"].as_str().unwrap() {
        "check" => {
            let mut request = read_check(&request).unwrap();
            serde_json::to_value(inspect::check(&Guard::new(request.tools.take(), policy), &request, &none))
        }
        "verify" => serde_json::to_value(check_result::verify(&read_verify(&request).unwrap(), &policy)),
        "score" => serde_json::to_value(score::assess(&read_score(&request).unwrap(), &policy.score)),
        "step" => {
            let mut request = read_step(&request).unwrap();
            serde_json::to_value(inspect::step(&Guard::new(request.check.tools.take(), policy), &request, &none))
        }
        "claims" => {
            let request = countersign::wire::claims::read_claims(request).unwrap();
            serde_json::to_value(inspect::claims::claims(request, &policy))
        }
        "parse" => serde_json::to_value(inspect::parse::parse(&read_parse(&request).unwrap(), &policy).unwrap()),
        other => panic!("unknown command {other}"),
    };
    out.unwrap()
}

fn mismatches(answer: &Value, expect: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for (pointer, want) in expect.as_object().expect("expect is an object") {
        let got = answer.pointer(pointer);
        if !holds(got, want) {
            faults
                .push(format!("{pointer}: wanted {want}, got {}", got.map_or("nothing".to_owned(), Value::to_string)));
        }
    }
    faults
}

fn holds(got: Option<&Value>, want: &Value) -> bool {
    let operators =
        want.as_object().filter(|map| !map.is_empty() && map.keys().all(|key| OPERATORS.contains(&key.as_str())));
    let Some(operators) = operators else { return got.is_some_and(|got| equal(got, want)) };
    operators.iter().all(|(operator, want)| match operator.as_str() {
        "absent" => got.is_none(),
        "length" => got.and_then(Value::as_array).map(|list| list.len() as u64) == want.as_u64(),
        "contains" => got.is_some_and(|got| {
            let text = got.as_str().map_or_else(|| got.to_string(), str::to_owned);
            each(want).all(|part| text.contains(part.as_str().unwrap()))
        }),
        _ => got
            .and_then(Value::as_array)
            .is_some_and(|list| each(want).all(|part| list.iter().any(|item| covers(item, part)))),
    })
}

fn each(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(list) => Box::new(list.iter()),
        single => Box::new(std::iter::once(single)),
    }
}

/// Whether an item has at least the wanted fields.
fn covers(item: &Value, want: &Value) -> bool {
    match want {
        Value::Object(want) => want.iter().all(|(key, want)| item.get(key).is_some_and(|got| equal(got, want))),
        want => equal(item, want),
    }
}

fn equal(got: &Value, want: &Value) -> bool {
    match (got.as_f64(), want.as_f64()) {
        (Some(got), Some(want)) => (got - want).abs() < 0.0005,
        _ => got == want,
    }
}

const OPERATORS: &[&str] = &["absent", "length", "contains", "any"];
