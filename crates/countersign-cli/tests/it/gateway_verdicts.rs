//! One verdict: the same call, the same verdict, byte for byte, whichever way it comes in.

use crate::gateway_dialects::{Call, Past, Said, Tool, Wire, call, everywhere, result, says, user};
use crate::gateway_world::{Ask, QUESTION, World, delete, pay, read_file, tools};
use crate::run::feed;
use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use serde_json::value::RawValue;
use serde_json::{Value, json};

struct Case {
    name: &'static str,
    past: Vec<Past>,
    tools: Vec<Tool>,
    call: Call,
    status: &'static str,
}

/// A call about the weather.
fn about(name: &'static str, tool: &str, arguments: impl ToString, status: &'static str) -> Case {
    Case { name, past: vec![user(QUESTION)], tools: tools(), call: call("call_1", tool, arguments), status }
}

fn with(name: &'static str, said: &str, tool: Tool, arguments: Value, status: &'static str) -> Case {
    let call = call("call_1", tool.name, arguments);
    Case { name, past: vec![user(said)], tools: vec![tool], call, status }
}

fn cases() -> Vec<Case> {
    let good = json!({"city": "Paris", "days": 10});
    let mut repeated = vec![user(QUESTION)];
    for at in 0..4 {
        let id = format!("call_0{at}");
        repeated.extend([says("", &[call(&id, "get_weather", &good)]), result(&id, "{\"temp\":20}")]);
    }
    let mut chinese = about("chinese", "get_weather", json!({"days": 10}), "validation_failed");
    chinese.past = vec![user("请告诉我巴黎未来十天的天气预报，谢谢。")];
    let mut again = about("repeated", "get_weather", &good, "");
    again.past = repeated;
    let nothing = "Pay 50 to ACC-1234567";
    vec![
        about("approved", "get_weather", &good, "approved"),
        about("key order and spaces", "get_weather", "{ \"days\" : 10,\n \"city\":\"Paris\" }", "approved"),
        about("renamed", "get_weathr", &good, "caution"),
        about("typed", "get_weather", json!({"city": "Paris", "days": "10"}), "caution"),
        about("enum", "get_weather", json!({"city": "Paris", "unit": "celcius"}), "caution"),
        about("broken JSON", "get_weather", "{'city': 'Paris', 'days': 10,}", "caution"),
        about("missing field", "get_weather", json!({"days": 10}), "validation_failed"),
        about("unknown tool", "launch_rocket", json!({"x": 1}), "validation_failed"),
        about("null optional", "get_weather", json!({"city": "Paris", "days": null}), ""),
        about("leaked tokens", "<|channel|>get_weather<|message|>", &good, ""),
        about("foreign field", "get_weather", json!({"city": "Paris", "planet": "Mars"}), ""),
        about("no arguments", "get_weather", "", "validation_failed"),
        with("dangerous path", "Read the key", read_file(), json!({"path": "/root/.ssh/id_rsa"}), "rejected"),
        with(
            "irreversible",
            "Delete notes.txt",
            delete(),
            json!({"path": "notes.txt", "recursive": "true"}),
            "requires_review",
        ),
        with("fabricated id", nothing, pay(), json!({"account_id": "ACC-7777777", "amount": 50}), ""),
        again,
        chinese,
    ]
}

#[derive(serde::Deserialize)]
struct Recorded {
    verdict: Box<RawValue>,
}

/// A call as a face is given it, and what the gateway wrote down of it.
struct Seen {
    told: String,
    request: Value,
    recorded: String,
}

// SCORE-7: from the library, the command line, the engine's route and the gateway, in three dialects, whole and
// streamed. Only the id of the request is not the verdict's own.
#[test]
fn the_same_call_gets_the_same_verdict_everywhere() {
    let world = World::own("one-verdict", &[], &[("COUNTERSIGN_GATEWAY_CORRECTIONS", "0")]);
    let mut all = Vec::new();
    for case in cases() {
        let mut first: Option<String> = None;
        for (wire, stream) in everywhere() {
            let Some(written) = written(&case.call, wire, stream) else { continue };
            let seen = through_the_gateway(&world, &case, wire, stream, &written);
            // From dialect to dialect, where the writing is the same.
            if written == case.call.arguments {
                assert_eq!(first.get_or_insert_with(|| seen.recorded.clone()), &seen.recorded, "{}", seen.told);
            }
            all.push(seen);
        }
    }
    let lines: String = all.iter().map(|seen| format!("{}\n", seen.request)).collect();
    let said = feed(&["check", "--format", "jsonl"], lines.as_bytes()).out;
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), all.len());
    for (seen, said) in all.iter().zip(said) {
        assert_eq!(seen.recorded, library(&seen.request), "the library: {}", seen.told);
        assert_eq!(seen.recorded, said, "the command line: {}", seen.told);
        assert_eq!(
            seen.recorded,
            world.server.post("/v1/check", &seen.request.to_string()).body,
            "the route: {}",
            seen.told
        );
    }
}

/// The arguments as the gateway reads them: a whole answer of the messages dialect cannot hold broken JSON, and its
/// streams have an empty object where nothing is written.
fn written(call: &Call, wire: Wire, stream: bool) -> Option<String> {
    match (wire, stream) {
        (Wire::Messages, false) => Some(serde_json::from_str::<Value>(&call.arguments).ok()?.to_string()),
        (Wire::Messages, true) if call.arguments.is_empty() => Some("{}".to_owned()),
        _ => Some(call.arguments.clone()),
    }
}

fn through_the_gateway(world: &World, case: &Case, wire: Wire, stream: bool, written: &str) -> Seen {
    let told = format!("{} in {wire:?}, streamed: {stream}", case.name);
    let ask = Ask::of(wire, stream, &case.past, &case.tools);
    let (heard, _) = world.play(&ask, [Said::calls("", std::slice::from_ref(&case.call))]);
    let recorded = world.server.get(&format!("/v1/verdicts/{}", heard.verdict())).body;
    let recorded: Recorded = serde_json::from_str(&recorded).expect(&recorded);
    let recorded = recorded.verdict.get().to_owned();
    let verdict: Value = serde_json::from_str(&recorded).unwrap();
    assert!(case.status.is_empty() || verdict["status"] == case.status, "{told}: {recorded}");
    // Released exactly when the verdict has a call to run.
    let released: Vec<Value> = heard.calls.iter().map(|call| json!([call.name, call.json()])).collect();
    let run = &verdict["call"];
    let expected: Vec<Value> = if run.is_null() { vec![] } else { vec![json!([run["name"], run["arguments"]])] };
    assert_eq!(released, expected, "{told}");
    let made = json!({"id": case.call.id, "name": case.call.name, "arguments": written});
    let request = json!({"tools": ask.body["tools"], "messages": ask.body[wire.conversation()], "call": made});
    Seen { told, request, recorded }
}

/// What the library says, as one line.
pub(crate) fn library(request: &Value) -> String {
    let mut request = read_check(request).unwrap();
    let guard = Guard::new(request.tools.take(), Policy::standard());
    serde_json::to_string(&inspect::check(&guard, &request, &Answers::default())).unwrap()
}
