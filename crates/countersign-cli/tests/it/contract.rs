//! The contract that does not change: lines in order, exit codes, malformed lines, aliases, null, flags.

use crate::run::{feed, run, scratch};
use serde_json::{Value, json};

const TOOLS: &str = r#"[{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}]"#;

fn check(line: &Value) -> (Value, i32) {
    let ran = feed(&["check"], format!("{line}\n").as_bytes());
    (ran.lines().remove(0), ran.code)
}

fn weather(call: Value) -> Value {
    let tools: Value = serde_json::from_str(TOOLS).unwrap();
    json!({"id": "w", "tools": tools, "messages": [{"role": "user", "content": "Oslo, 3 days"}], "call": call})
}

// Exit 0: all passed; a certain repair passes too (CALL-3, CALL-9).
#[test]
fn what_passes_exits_with_0() {
    let (verdict, code) = check(&weather(json!({"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}})));
    assert_eq!((&verdict["status"], &verdict["action"], code), (&json!("approved"), &json!("proceed"), 0));
    let (verdict, code) = check(&weather(json!({"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}})));
    assert_eq!((&verdict["status"], code), (&json!("caution"), 0));
    assert_eq!(verdict["call"]["arguments"]["days"], 3);
}

// Exit 1: something was refused (CALL-1), or a line was malformed.
#[test]
fn what_is_refused_exits_with_1() {
    let (verdict, code) = check(&weather(json!({"name": "launch_rocket", "arguments": {}})));
    assert_eq!((&verdict["status"], &verdict["call"], code), (&json!("validation_failed"), &Value::Null, 1));
    assert_eq!(feed(&["check"], b"{}\n").code, 1);
    assert_eq!(feed(&["check"], b"").code, 0);
}

// Exit 2: usage or configuration, with a word on stderr and nothing on stdout.
#[test]
fn wrong_use_exits_with_2() {
    let broken = scratch("broken.toml", "levle = \"strict\"\n");
    let no_tools = scratch("no-tools.json", "{\"tools\": 7}");
    for args in [
        vec!["chekc"],
        vec!["check", "--level", "soft"],
        vec!["check", "--no-such-flag"],
        vec!["check", "no-such-file.jsonl"],
        vec!["check", "examples"],
        vec!["check", "--policy", "no-such-policy.toml"],
        vec!["check", "--policy", &broken],
        vec!["check", "--tools", &no_tools],
        vec!["check", "--context", "7"],
        vec!["check", "--call", "{"],
        vec!["check", "--jobs", "0"],
        vec!["explain", "call.wrong-tpye"],
        vec!["policy", "check", &broken],
        vec![],
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args:?}: {}", ran.out);
    }
}

// Answers stand in input order, whatever the number of threads; and the verdict is the same (SCORE-7).
#[test]
fn answers_keep_the_order_of_the_lines() {
    let mut input = String::new();
    for n in 0..5000 {
        let city = "x".repeat(n % 97);
        input.push_str(&json!({"id": n, "call": {"name": "get_weather", "arguments": {"city": city}}}).to_string());
        input.push('\n');
        if n % 10 == 0 {
            input.push('\n');
        }
    }
    let one = feed(&["check", "--jobs", "1"], input.as_bytes());
    let ids: Vec<u64> = one.lines().iter().map(|line| line["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (0..5000).collect::<Vec<u64>>());
    for jobs in ["2", "7"] {
        assert_eq!(feed(&["check", "--jobs", jobs], input.as_bytes()).out, one.out);
    }
}

// A malformed line gives an error, its number and its id where it can be read; the rest goes on.
#[test]
fn malformed_lines_do_not_stop_the_others() {
    let mut input = b"\xef\xbb\xbf{\"id\": 1, \"call\": {\"name\": \"f\"}}\r\n\n   \n".to_vec();
    input.extend(b"{\"id\": \"cut\", \"call\": {\"name\n");
    input.extend(b"not json\n[1]\n{\"id\": 7}\n{\"id\": 8, \"x\": \"\xff\", \"call\": {\"name\": \"f\"}}\n");
    input.extend(b"{\"id\": 9, \"call\": {\"name\": \"f\"}, \"level\": \"soft\"}\n");
    input.extend(b"{\"id\": 10, \"call\": {\"name\": \"f\"}, \"tools\": 3}\n");
    input.extend(b"{\"id\": 11, \"call\": {\"name\": \"f\"}}");
    let ran = feed(&["check"], &input);
    let lines = ran.lines();
    assert_eq!((ran.code, lines.len()), (1, 9), "{}", ran.out);
    assert_eq!((&lines[0]["id"], &lines[8]["id"]), (&json!(1), &json!(11)));
    assert!(lines[0]["status"].is_string() && lines[8]["status"].is_string());
    let seen: Vec<(u64, Value)> =
        lines[1..8].iter().map(|line| (line["line"].as_u64().unwrap(), line["id"].clone())).collect();
    let want = [
        (4, json!("cut")),
        (5, Value::Null),
        (6, Value::Null),
        (7, json!(7)),
        (8, json!(8)),
        (9, json!(9)),
        (10, json!(10)),
    ];
    assert_eq!(seen, want);
    assert!(lines[1..8].iter().all(|line| line["error"].is_string()));
    assert!(lines[2].get("id").is_none());
}

// Aliases: `input`, `raw_params`, `tool_name` and `tool_input`, `conversation`, `validation_level`.
#[test]
fn aliases_mean_the_same() {
    let arguments = json!({"city": "Oslo", "days": 3});
    let (plain, _) = check(&weather(json!({"name": "get_weather", "arguments": arguments})));
    for call in [
        json!({"name": "get_weather", "input": arguments}),
        json!({"name": "get_weather", "raw_params": arguments}),
        json!({"name": "get_weather", "arguments": arguments.to_string()}),
        json!({"tool_name": "get_weather", "tool_input": arguments}),
    ] {
        assert_eq!(check(&weather(call.clone())).0, plain, "{call}");
    }
    let mut line = weather(Value::Null);
    line["tool_name"] = json!("get_weather");
    line["tool_input"] = arguments;
    assert_eq!(check(&line).0, plain);
}

// `null` for an optional field counts as absent.
#[test]
fn null_counts_as_absent() {
    let bare = json!({"id": 1, "call": {"name": "f", "arguments": {"a": 1}}});
    let null = json!({"id": 1, "call": {"name": "f", "arguments": {"a": 1}}, "tools": null, "messages": null, "context": null, "level": null, "language": null});
    assert_eq!(check(&bare), check(&null));
}

// `--tools`, `--policy`, `--level`, `--context`, `--language`, `--call`: lines need not repeat them, and win over them.
#[test]
fn flags_stand_in_for_what_lines_leave_out() {
    let tools = scratch("tools.json", &format!("{{\"tools\": {TOOLS}}}"));
    let call = r#"{"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}}"#;
    let ran = run(&["check", "--tools", &tools, "--call", call]);
    assert_eq!((ran.code, &ran.lines()[0]["status"]), (0, &json!("caution")));
    let ran = run(&["check", "--tools", &tools, "--level", "STRICT", "--call", call]);
    assert_eq!((ran.code, &ran.lines()[0]["status"]), (1, &json!("validation_failed")));
    let line =
        json!({"call": {"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}}, "level": "moderate"});
    assert_eq!(feed(&["check", "--tools", &tools, "--level", "strict"], line.to_string().as_bytes()).code, 0);
    let line = json!({"call": {"name": "get_weather", "arguments": {"city": "Oslo"}}, "tools": []});
    assert_eq!(feed(&["check", "--tools", &tools], line.to_string().as_bytes()).code, 1);
    let strange = run(&["check", "--tools", &tools, "--language", "zh", "--call", r#"{"name": "launch_rocket"}"#]);
    assert!(strange.lines()[0]["findings"][0]["evidence"].as_str().unwrap().contains("不存在"), "{}", strange.out);
}

// CALL-5: the caller's role from the command line; denied is denied at every level.
#[test]
fn context_comes_from_the_command_line_too() {
    let call = r#"{"name": "delete_file", "arguments": {"path": "a.txt"}}"#;
    for level in ["strict", "moderate", "lenient"] {
        let ran = run(&["check", "--context", r#"{"user": {"role": "viewer"}}"#, "--level", level, "--call", call]);
        assert_eq!((ran.code, &ran.lines()[0]["status"]), (1, &json!("rejected")), "{level}");
    }
}

#[test]
fn the_environment_sets_policy_and_level() {
    let call = r#"{"call": {"name": "f", "arguments": {}}}"#;
    let run_with = |name: &str, value: &str| {
        let line = scratch("environment.jsonl", call);
        crate::run::command(&["check", &line]).env(name, value).output().unwrap()
    };
    assert_eq!(run_with("COUNTERSIGN_LEVEL", "soft").status.code(), Some(2));
    assert_eq!(run_with("COUNTERSIGN_POLICY", "no-such-file.toml").status.code(), Some(2));
    assert_eq!(run_with("COUNTERSIGN_LEVEL", "lenient").status.code(), Some(0));
}

#[test]
fn json_is_one_array() {
    let lines = b"{\"id\": 1, \"call\": {\"name\": \"f\"}}\nnot json\n";
    let ran = feed(&["check", "--format", "json"], lines);
    let array: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((array.len(), &array[1]["line"]), (2, &json!(2)));
    assert_eq!(feed(&["check", "--format", "json"], b"").out.trim(), "[]");
}

#[test]
fn several_files_are_read_in_order_and_named_in_errors() {
    let (one, two) =
        (scratch("one.jsonl", "{\"id\": 1, \"call\": {\"name\": \"f\"}}\n"), scratch("two.jsonl", "oops\n"));
    let ran = run(&["check", &one, &two]);
    let lines = ran.lines();
    assert_eq!((lines[0]["id"].as_u64(), lines[1]["line"].as_u64()), (Some(1), Some(1)));
    assert_eq!(lines[1]["file"].as_str(), Some(two.as_str()));
}

// `verify`, `score` and `step` keep the same contract: 0 passed, 1 suspicious or for a person, aliases.
#[test]
fn the_other_commands_keep_the_contract() {
    let clean = json!({"id": 1, "call": {"id": "a", "name": "f"}, "result": {"call_id": "a", "content": {"n": 1}}});
    let orphan =
        json!({"id": 2, "call": {"id": "a", "name": "f"}, "result": {"tool_use_id": "b", "content": {"n": 1}}});
    assert_eq!(feed(&["verify"], clean.to_string().as_bytes()).code, 0);
    let ran = feed(&["verify"], orphan.to_string().as_bytes());
    assert_eq!((ran.code, &ran.lines()[0]["is_suspicious"]), (1, &json!(true)));
    let sure = json!({"id": 3, "model_response": "It is so. It is good. It is done.", "logprobs": [-0.1]});
    assert_eq!(feed(&["score"], sure.to_string().as_bytes()).code, 0);
    let unsure = json!({"id": 4, "response": "x", "logprobs": [-20.0], "fact_check_results": {"verified_count": 0, "disputed_count": 9}});
    let ran = feed(&["score"], unsure.to_string().as_bytes());
    assert_eq!((ran.code, &ran.lines()[0]["recommendation"]), (1, &json!("manual_review")));
    let step = json!({"id": 5, "tool_name": "delete_file", "tool_input": {"path": "a"}, "tool_output": null, "model_response": "", "context": {"user_role": "viewer"}});
    let ran = feed(&["step"], step.to_string().as_bytes());
    assert_eq!(ran.code, 1, "{}", ran.out);
    for command in ["verify", "score", "step"] {
        let ran = feed(&[command], b"{\"id\": \"bad\"}\n");
        assert_eq!((ran.code, &ran.lines()[0]["id"]), (1, &json!("bad")), "{command}");
    }
}

// CALL-6: whatever people see of a secret is not the secret.
#[test]
fn a_secret_is_not_shown_to_people() {
    let key = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let line = json!({"call": {"name": "f", "arguments": {"note": key}}});
    let ran = feed(&["check", "--format", "human"], line.to_string().as_bytes());
    assert!(ran.out.contains("danger.secret") && !ran.out.contains(&key), "{}", ran.out);
}
