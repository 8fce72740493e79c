//! One call explained: the line with what each check said and cost, and the verdict that everybody else gets.

use crate::native_upstream::{calls, text};
use crate::native_world::{World, one, weather};
use crate::serve_engine::requests;
use crate::serve_world::{Server, folder};
use serde_json::{Value, json};

const LINE: [&str; 15] = [
    "name",
    "arguments",
    "schema",
    "meaning",
    "danger",
    "permission",
    "action",
    "request",
    "provenance",
    "relevance",
    "trust",
    "facts",
    "steps",
    "repeat",
    "decision",
];

fn line(explained: &Value) -> &Vec<Value> {
    let line = explained["line"].as_array().unwrap_or_else(|| panic!("no line in {explained}"));
    let names: Vec<&str> = line.iter().map(|stop| stop["check"].as_str().unwrap()).collect();
    assert_eq!(names, LINE);
    for stop in line {
        assert_eq!(stop["ran"] == json!(true), stop["microseconds"].is_f64(), "{stop}");
        assert!(stop["ran"] == json!(true) || (stop["mode"].is_null() && stop["findings"] == json!([])), "{stop}");
    }
    assert_eq!(line[14]["status"], explained["verdict"]["status"]);
    line
}

fn stop<'l>(line: &'l [Value], check: &str) -> &'l Value {
    line.iter().find(|stop| stop["check"] == check).unwrap()
}

// SCORE-7: a watched call gets byte for byte the verdict of an unwatched one, and every finding stands at its check.
#[test]
fn a_watched_call_gets_the_verdict_that_it_gets_anyway() {
    let server = Server::start(&folder("console-line"), &[], &[]);
    let mut found = 0;
    for request in requests("check") {
        let checked = server.post("/v1/check", &request.to_string());
        let explained = server.post("/v1/explain", &request.to_string());
        assert_eq!(explained.status, checked.status, "{request}: {}", explained.body);
        if checked.status != 200 {
            continue;
        }
        assert!(explained.body.starts_with(&format!("{{\"verdict\":{},\"line\":[", checked.body)), "{request}");
        let (explained, verdict) = (explained.json(), checked.json());
        let said: Vec<&Value> = line(&explained).iter().flat_map(|s| s["findings"].as_array().unwrap()).collect();
        let of = |field: &str| verdict[field].as_array().cloned().unwrap_or_default();
        let (findings, shadow) = (of("findings"), of("shadow"));
        assert_eq!(said.len(), findings.len() + shadow.len(), "{request}");
        assert!(findings.iter().chain(&shadow).all(|finding| said.contains(&finding)), "{request}");
        found += said.len();
    }
    assert!(found > 20, "{found}");
}

// SERVE-7: what a check found stands at that check, and a call ends where it is stopped.
#[test]
fn each_finding_stands_at_its_check() {
    let server = Server::start(&folder("console-line-stops"), &[], &[]);
    let explain = |call: Value| {
        let body = json!({"tools": [weather()], "messages": [{"role": "user", "content": "The weather in Oslo?"}], "call": call});
        server.post("/v1/explain", &body.to_string()).json()
    };
    let unknown = explain(json!({"name": "launch_rocket", "arguments": {}}));
    let unknown = line(&unknown);
    assert_eq!(stop(unknown, "name")["findings"][0]["code"], "call.unknown-tool");
    assert!(unknown[1..12].iter().all(|stop| stop["ran"] == json!(false)), "{unknown:?}");
    let cut = explain(json!({"name": "get_weather", "arguments": "[1, 2]"}));
    let cut = line(&cut);
    assert_eq!(stop(cut, "arguments")["findings"].as_array().unwrap().len(), 1, "{cut:?}");
    assert_eq!((&stop(cut, "schema")["ran"], &stop(cut, "decision")["ran"]), (&json!(false), &json!(true)));
    let mended = explain(json!({"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}}));
    let finding = &stop(line(&mended), "schema")["findings"][0];
    assert_eq!(finding["correction"]["applied"], true, "as it was decided on: {finding}");
    assert!(line(&mended).iter().all(|stop| stop["ran"] == json!(true) && stop["mode"] != json!("off")));
    let many = explain(json!({"name": "get_wether", "arguments": {"city": "", "days": "3", "date": "2020-13-45"}}));
    let said: Vec<(&str, usize)> = line(&many)
        .iter()
        .map(|stop| (stop["check"].as_str().unwrap(), stop["findings"].as_array().unwrap().len()))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(said, [("name", 1), ("schema", 2), ("meaning", 1), ("provenance", 1)], "{many}");
    for wrong in ["", "[]", "{}", "\u{0}"] {
        assert_eq!(server.post("/v1/explain", wrong).status, 400, "{wrong:?}");
    }
}

// SCORE-7: a stored call is judged again by the rules of now; the answer says whether that changes anything.
#[test]
fn a_stored_verdict_shows_its_line() {
    let home = folder("console-line-stored");
    let policy = home.join("policy.toml");
    std::fs::write(&policy, "").unwrap();
    let world = World::own("console-line-data", &["--policy", &policy.display().to_string()], &[]);
    let session = world.session(json!({"tools": [weather()]}));
    let wrong = calls(&[("c1", "get_weather", json!({"town": "Oslo"}))]);
    let events = world.turn(&session, "The weather in Oslo?", vec![wrong, text(&["I do not know."])]);
    let id = one(&events, "verdict").word("verdict_id");
    let look = || world.server.get(&format!("/v1/verdicts/{id}")).json();
    let stored = look();
    assert!(!line(&stored).is_empty());
    assert_eq!(stored["line_same"], true, "{stored}");
    std::fs::write(&policy, "[checks]\nschema = \"shadow\"\n").unwrap();
    crate::serve_world::within(5, "the new policy", || look()["line_same"] == json!(false));
    assert_eq!(look()["verdict"], stored["verdict"], "what was decided stays what it was");
}
