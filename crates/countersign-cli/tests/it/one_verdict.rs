//! The same call gets the same verdict, byte for byte, from the library and from the command line.

use crate::run::feed;
use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::policy::Policy;
use countersign::wire::requests::{read_check, read_score, read_step, read_verify};
use countersign::{check_result, inspect, score};
use serde_json::Value;
use std::path::Path;

// SCORE-7
#[test]
fn library_and_command_line_say_the_same() {
    for command in ["check", "verify", "score", "step"] {
        let requests = requests(command);
        assert!(requests.len() > 2, "{command} has only {} cases", requests.len());
        let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
        for jobs in ["1", "2"] {
            let out = feed(&[command, "--format", "jsonl", "--jobs", jobs], lines.as_bytes());
            let said: Vec<&str> = out.out.lines().collect();
            assert_eq!(said.len(), requests.len());
            for (request, said) in requests.iter().zip(said) {
                assert_eq!(library(command, request), said, "{request}");
            }
        }
    }
}

/// The requests of the conformance cases that need no policy of their own.
fn requests(command: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines() {
            let mut case: Value = serde_json::from_str(line).unwrap();
            let request = case.get_mut("request").map(Value::take).unwrap_or_default();
            if case.get("command").and_then(Value::as_str) == Some(command) && request.get("policy").is_none() {
                found.push(request);
            }
        }
    }
    found
}

fn library(command: &str, request: &Value) -> String {
    let policy = Policy::standard();
    let out = match command {
        "check" => {
            let mut request = read_check(request).unwrap();
            serde_json::to_string(&inspect::check(
                &Guard::new(request.tools.take(), policy),
                &request,
                &Answers::default(),
            ))
        }
        "verify" => serde_json::to_string(&check_result::verify(&read_verify(request).unwrap(), &policy)),
        "score" => serde_json::to_string(&score::assess(&read_score(request).unwrap(), &policy.score)),
        _ => {
            let mut request = read_step(request).unwrap();
            serde_json::to_string(&inspect::step(
                &Guard::new(request.check.tools.take(), policy),
                &request,
                &Answers::default(),
            ))
        }
    };
    out.unwrap()
}
