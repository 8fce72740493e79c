//! The engine's routes: the answers of the command line, byte for byte, and the policy followed.

use crate::run::feed;
use crate::serve_world::{Server, folder, within};
use serde_json::{Value, json};
use std::path::Path;

// SCORE-7: the command line and the routes say the same, line by line and as an array.
#[test]
fn routes_and_command_line_say_the_same() {
    let server = Server::start(&folder("engine-same"), &[], &[]);
    for command in ["check", "verify", "score", "claims", "parse", "step"] {
        let mut requests = requests(command);
        assert!(requests.len() > 2, "{command} has only {} cases", requests.len());
        requests.extend([json!({"id": "bad"}), json!({"id": 9, "call": 7, "text": 7, "response": 7, "input": 7})]);
        let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
        let said = feed(&[command, "--format", "jsonl"], lines.as_bytes()).out;
        let said: Vec<&str> = said.lines().collect();
        for (request, said) in requests.iter().zip(&said) {
            let answer = server.post(&format!("/v1/{command}"), &request.to_string());
            match serde_json::from_str::<Value>(said).unwrap().get("line") {
                None => assert_eq!(&answer.body, said, "{request}"),
                Some(_) => assert_eq!((answer.status, answer.error().as_str()), (400, "invalid_request")),
            }
        }
        let all = server.post(&format!("/v1/{command}"), &Value::Array(requests).to_string());
        assert_eq!(all.body, format!("[{}]", said.join(",")), "{command}");
    }
    assert_eq!(server.post("/v1/check", "[]").body, "[]");
}

#[test]
fn large_bodies_get_the_same_answers() {
    let server = Server::start(&folder("engine-large"), &[], &[]);
    let text = "Sales rose 12% in 2025. ".repeat(5000);
    let line = json!({"id": 1, "text": text}).to_string();
    assert!(line.len() > 64 * 1024);
    let said = feed(&["claims", "--format", "jsonl"], format!("{line}\n").as_bytes()).out;
    assert_eq!(server.post("/v1/claims", &line).body, said.trim_end());
}

// SERVE-3: a policy that changes is followed; one that cannot be used changes nothing, and health says so.
#[test]
fn the_policy_is_followed_and_a_broken_one_leaves_the_old_in_force() {
    let home = folder("engine-policy");
    let policy = home.join("policy.toml");
    std::fs::write(&policy, "level = \"lenient\"\n").unwrap();
    let server = Server::start(&home.join("data"), &["--policy", &policy.display().to_string()], &[]);
    let tools = json!([{"name": "f", "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]);
    let call = json!({"tools": tools, "call": {"name": "f", "arguments": {"n": "7"}}}).to_string();
    let status = || server.post("/v1/check", &call).json()["status"].clone();
    let config = || server.get("/health").json()["layers"]["config"].clone();
    assert_eq!(status(), "caution");
    std::fs::write(&policy, "level = \"strict\"\n").unwrap();
    within(5, "the new policy", || status() == "validation_failed");
    std::fs::write(&policy, "levl = \"lenient\"\n").unwrap();
    within(5, "the complaint", || config()["status"] == "degraded");
    assert!(config()["note"].as_str().unwrap().contains("did you mean `level`?"), "{}", config());
    assert_eq!((status(), &server.get("/health").json()["status"]), (json!("validation_failed"), &json!("degraded")));
    within(5, "the log", || server.log().contains("the old one stays in force"));
    std::fs::write(&policy, "level = \"lenient\"\n").unwrap();
    server.signal("HUP");
    within(5, "the mended policy", || status() == "caution" && config()["status"] == "healthy");
}

/// The requests of the conformance cases that need no policy of their own.
pub(crate) fn requests(command: &str) -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join("conformance/cases")).unwrap() {
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
