//! The audit of the gateway: taken out as lines that are judged the same way again, replayed by another policy, counted.

use crate::serve_world::{Server, bare, folder, within};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

fn tools() -> Value {
    json!([{"type": "function", "function": {
        "name": "get_weather",
        "description": "The weather of a city for some days.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 10}},
            "required": ["city", "days"],
        },
    }}])
}

/// Asks the demo model through the gateway.
fn ask(server: &Server, model: &str) -> Value {
    let body = json!({
        "model": model, "tools": tools(),
        "messages": [{"role": "user", "content": "What is the weather in Paris for the next 3 days?"}],
    });
    let answer = server.post("/v1/chat/completions", &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

fn check(lines: &str, policy: Option<&str>) -> Vec<Value> {
    let mut args = vec!["check", "--format", "jsonl"];
    args.extend(policy.map(|path| ["--policy", path]).into_iter().flatten());
    let mut child = bare(&args, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    String::from_utf8(out.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// SCORE-7: recorded traces replay to the same verdict. CALL-10: every attempt is in the audit.
#[test]
fn the_audit_is_taken_out_and_judged_the_same_way_again() {
    let server = Server::start(&folder("gateway_audit_lines"), &[], &[]);
    for model in ["demo-clean", "demo-types", "demo-name", "demo-json", "demo-stubborn", "demo-unknown-tool"] {
        ask(&server, model);
    }
    let listed = server.get("/v1/verdicts?limit=1000").json();
    let recorded = listed["verdicts"].as_array().unwrap();
    assert!(recorded.len() > 6, "attempts are recorded too: {}", recorded.len());
    let lines = server.get("/v1/verdicts?format=jsonl&limit=1000").body;
    assert_eq!(lines.lines().count(), recorded.len());
    let judged = check(&lines, None);
    for record in recorded {
        let id = &record["verdict_id"];
        let mut again = judged.iter().find(|verdict| verdict["id"] == *id).unwrap().clone();
        again["id"] = Value::Null;
        assert_eq!(again, record["verdict"], "{record}");
        let one = server.get(&format!("/v1/verdicts/{}", id.as_str().unwrap())).json();
        assert_eq!(one["request"]["call"]["name"], record["tool"]);
    }
    assert_eq!(server.get("/v1/verdicts?format=xml").status, 400);
}

// CALL-9: a candidate policy is tried over stored calls before it is in force.
#[test]
fn a_candidate_policy_is_replayed_over_stored_calls() {
    let server = Server::start(&folder("gateway_audit_replay"), &[], &[]);
    for model in ["demo-clean", "demo-types"] {
        ask(&server, model);
    }
    let replay = |policy: &str| server.post("/v1/policy/replay", &json!({"policy": policy}).to_string());
    let same = replay("").json();
    assert_eq!((&same["total"], &same["same"]), (&json!(2), &json!(2)), "{same}");
    let strict = replay("level = \"strict\"\n").json();
    assert_eq!(strict["same"], json!(1), "{strict}");
    assert_eq!(strict["changed"][0]["after"], "validation_failed", "{strict}");
    let wrong = replay("levle = 3\n");
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("level"), "the message names what was meant: {}", wrong.body);
}

// SERVE-4: what happened is counted from the records.
#[test]
fn what_happened_is_counted() {
    let server = Server::start(&folder("gateway_audit_stats"), &[], &[]);
    for model in ["demo-clean", "demo-types"] {
        ask(&server, model);
    }
    let session =
        server.post("/v1/sessions", r#"{"agent": "concierge"}"#).json()["session_id"].as_str().unwrap().to_owned();
    server.post(&format!("/v1/sessions/{session}/messages"), r#"{"content": "How did the market do?"}"#);
    let stats = server.get("/v1/stats").json();
    assert_eq!(stats["calls"], json!(2), "{stats}");
    assert_eq!(stats["repairs"], json!(1), "{stats}");
    assert_eq!(stats["by_tool"]["get_weather"]["calls"], json!(2), "{stats}");
    assert_eq!(stats["turns"]["by_end"]["completed"], json!(1), "{stats}");
    assert!(stats["claims"]["total"].as_u64().unwrap() > 0, "{stats}");
    let none = server.get("/v1/stats?from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z").json();
    assert_eq!((&none["calls"], &none["turns"]["total"]), (&json!(0), &json!(0)), "{none}");
    assert_eq!(server.get("/v1/stats?from=yesterday").status, 400);
}

/// What the figures say of the audit; times and costs are those of a process.
fn figures(server: &Server) -> Value {
    let stats = server.get("/v1/stats").json();
    ["calls", "verdicts", "repairs", "mended", "by_tool", "by_code", "results", "answers", "outcomes"]
        .map(|name| stats[name].clone())
        .into()
}

// SERVE-4, SERVE-5: the figures are the same in the process after one that was killed, and follow what retention removes.
#[test]
fn the_figures_outlive_their_process_and_follow_retention() {
    let folder = folder("gateway_audit_killed");
    let server = Server::start(&folder, &[], &[]);
    for model in ["demo-clean", "demo-types", "demo-stubborn"] {
        ask(&server, model);
    }
    // What is not released is written down behind its answer.
    within(10, "every answer is counted", || figures(&server)[0] == json!(3));
    let told = figures(&server);
    assert_eq!(figures(&server), told, "the second look");
    ask(&server, "demo-clean");
    let told = figures(&server);
    assert_eq!(told[0], json!(4), "{told}");
    server.signal("KILL");
    server.end_already();
    let server = Server::start(&folder, &[], &[]);
    assert_eq!(figures(&server), told);
    drop(server);
    let server = Server::start(&folder, &[], &[("COUNTERSIGN_GATEWAY_AUDIT_AGE", "10ms")]);
    within(20, "the old ones are removed", || figures(&server)[0] == json!(0));
    ask(&server, "demo-types");
    assert_eq!(figures(&server)[0], json!(1), "what was made since");
}
