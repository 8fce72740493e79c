//! Input that is made to cost: each took minutes in an engine that compares everything with everything.

use crate::stopwatch::Stopwatch;
use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::policy::Policy;
use countersign::wire::requests::{read_check, read_step, read_verify};
use countersign::{check_result, inspect};
use serde_json::{Map, Value, json};
use std::time::Duration;

// CALL-2
#[test]
fn schemas_that_multiply_cost_nothing() {
    let both = |n: usize| json!({"anyOf": [{"$ref": format!("#/$defs/d{n}")}, {"$ref": format!("#/$defs/d{n}")}]});
    let defs: Map<String, Value> = (0..40).map(|n| (format!("d{n}"), both(n + 1))).collect();
    checked(json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs}), json!({"a": 1}));
}

// CALL-3
#[test]
fn long_values_are_not_compared_letter_by_letter() {
    let long = |end: &str| format!("{}{end}", "x".repeat(60_000));
    checked(json!({"type": "object", "properties": {"a": {"enum": [long("0"), long("1")]}}}), json!({"a": long("q")}));
}

// CALL-3
#[test]
fn thousands_of_misspelt_keys_are_bounded() {
    let names = |begin: &str| (0..3000).map(|n| (format!("{begin}_{n}"), json!({}))).collect::<Map<_, _>>();
    let verdict = checked(json!({"type": "object", "properties": names("prop")}), Value::Object(names("porp")));
    assert!(verdict["findings"].as_array().unwrap().len() <= 200);
}

// CALL-6
#[test]
fn the_beginning_of_a_secret_over_and_over() {
    for begin in ["sk-", "ghp_", "eyJ.", "-----BEGIN ", "://a:b"] {
        checked(
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"a": begin.repeat(100_000)}),
        );
    }
}

// RESULT-3
#[test]
fn wide_records_are_verified() {
    let content: Map<String, Value> = (0..20_000).map(|n| (format!("k{n}"), json!(n))).collect();
    let body =
        json!({"call": {"id": "c", "name": "get", "arguments": {}}, "result": {"call_id": "c", "content": content}});
    within(|| check_result::verify(&read_verify(&body).unwrap(), &Policy::standard()));
}

// RESULT-7
#[test]
fn a_long_answer_is_judged() {
    let answer = "I have sent the mail. ".repeat(5_000);
    let body =
        json!({"tool_name": "search", "tool_input": {}, "tool_output": {"text": answer}, "model_response": answer});
    let mut request = read_step(&body).unwrap();
    let guard = Guard::new(request.check.tools.take(), Policy::standard());
    within(|| inspect::step(&guard, &request, &Answers::default()));
}

fn checked(schema: Value, arguments: Value) -> Value {
    let words = [{ json!({"role": "user", "content": "do it"}) }];
    let body = json!({"tools": [{"name": "f", "input_schema": schema}], "messages": words, "call": {"name": "f", "arguments": arguments}});
    let mut request = read_check(&body).unwrap();
    let guard = Guard::new(request.tools.take(), Policy::standard());
    within(|| serde_json::to_value(inspect::check(&guard, &request, &Answers::default())).unwrap())
}

/// A bound that a slow machine keeps and a quadratic engine does not.
fn within<T>(run: impl FnOnce() -> T) -> T {
    let began = Stopwatch::start();
    let out = run();
    assert!(began.elapsed() < Duration::from_secs(20), "took {:?}", began.elapsed());
    out
}
