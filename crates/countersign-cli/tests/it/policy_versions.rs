//! The policy, changed over HTTP: checked, applied, kept as versions, restored; by an operator alone, and never over a file.

use crate::serve_world::{Server, folder, within};
use serde_json::{Value, json};

fn level(server: &Server) -> Value {
    server.get("/v1/policy").json()["explained"]["level"].clone()
}

fn versions(server: &Server) -> Vec<Value> {
    server.get("/v1/policy/versions").json()["versions"].as_array().cloned().unwrap()
}

fn apply(server: &Server, body: &Value) -> (u16, String) {
    let answer = server.post("/v1/policy", &body.to_string());
    (answer.status, if answer.status == 200 { answer.json()["policy_id"].to_string() } else { answer.error() })
}

// CALL-9: what is applied is in force at once, outlives the server, and can be taken back; what cannot be used changes nothing.
#[test]
fn a_policy_is_applied_kept_and_restored() {
    let folder = folder("policy-versions");
    let server = Server::start(&folder, &[], &[]);
    let before = server.get("/v1/policy").json();
    assert_eq!((&before["editable"], &before["explained"]["level"]), (&json!(true), &json!("moderate")));
    assert!(versions(&server).is_empty());
    let checked = |text: &str| server.post("/v1/policy/check", &json!({"policy": text}).to_string()).json();
    assert_eq!(checked("level = \"strict\"")["valid"], true);
    let wrong = checked("level = \"strict\"\nlevels = 7\n");
    assert_eq!((&wrong["valid"], &wrong["error"]["line"]), (&json!(false), &json!(2)), "{wrong}");
    assert_eq!(apply(&server, &json!({"policy": "level = 7 7"})).0, 400);
    assert_eq!(level(&server), "moderate", "what cannot be used changes nothing");
    let strict = json!({"policy": "level = \"strict\"", "note": "before the holidays", "author": "ann"});
    assert_eq!(apply(&server, &strict).0, 200);
    assert_eq!(level(&server), "strict");
    let stale = json!({"policy": "level = \"lenient\"", "base": before["version"]});
    assert_eq!(apply(&server, &stale), (409, "policy_changed".to_owned()));
    assert_eq!(apply(&server, &json!({"policy": "level = \"lenient\""})).0, 200);
    let all = versions(&server);
    let facts = |at: usize| (all[at]["in_force"].clone(), all[at]["author"].clone(), all[at]["note"].clone());
    assert_eq!(facts(0), (json!(true), Value::Null, Value::Null));
    assert_eq!(facts(1), (json!(false), json!("ann"), json!("before the holidays")));
    let one = server.get(&format!("/v1/policy/versions/{}", all[1]["policy_id"].as_str().unwrap())).json();
    assert_eq!(one["toml"], "level = \"strict\"");
    assert_eq!(apply(&server, &json!({"restores": all[1]["policy_id"]})).0, 200);
    assert_eq!((level(&server), versions(&server).len()), (json!("strict"), 3));
    server.end();
    let again = Server::start(&folder, &[], &[]);
    assert_eq!(level(&again), "strict", "it outlives the server");
}

// CALL-9, SERVE-1: only an operator changes the policy, and one that a file manages is changed there.
#[test]
fn a_policy_is_the_operators() {
    let place = folder("policy-operators");
    let keys = "agent-key-agent-key,ops:admin=ops-key-ops-key-ops";
    let server = Server::start(&place, &[], &[("COUNTERSIGN_API_KEYS", keys)]);
    let ask = |key: &str, method: &str, path: &str, body: &str| {
        let bearer = format!("Bearer {key}");
        server.ask(method, path, &[("authorization", &bearer), ("content-type", "application/json")], body)
    };
    let body = r#"{"policy": "level = \"strict\"", "author": "somebody else"}"#;
    for (method, path, body) in [("POST", "/v1/policy", body), ("GET", "/v1/policy/versions", "")] {
        assert_eq!(ask("agent-key-agent-key", method, path, body).error(), "insufficient_scope", "{path}");
    }
    assert_eq!(ask("agent-key-agent-key", "GET", "/v1/policy", "").json()["editable"], false);
    assert_eq!(ask("ops-key-ops-key-ops", "POST", "/v1/policy", body).status, 200);
    let versions = ask("ops-key-ops-key-ops", "GET", "/v1/policy/versions", "").json();
    assert_eq!(versions["versions"][0]["author"], "ops", "the key's name, whatever somebody calls themselves");
    let file = folder("policy-file").join("policy.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "level = \"lenient\"\n").unwrap();
    let managed = Server::start(&folder("policy-managed"), &["--policy", file.to_str().unwrap()], &[]);
    assert_eq!(managed.get("/v1/policy").json()["editable"], false);
    assert_eq!(apply(&managed, &json!({"policy": "level = \"strict\""})), (409, "policy_in_file".to_owned()));
    std::fs::write(&file, "level = \"strict\"\n").unwrap();
    within(10, "the file is followed", || level(&managed) == "strict");
}
