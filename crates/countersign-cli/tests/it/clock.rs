//! What time it is: live paths tell the engine and keep it with the verdict, and what is judged from a row tells nothing.

use crate::gateway_dialects::{Said, call, everywhere, user};
use crate::gateway_world::{self, Ask, good, weather};
use crate::native_upstream::{calls, text};
use crate::native_world::{self, one};
use crate::run::{feed, scratch};
use crate::serve_world::Server;
use jiff::Timestamp;
use serde_json::{Value, json};

/// A rule that sees whether the engine was told a time.
const POLICY: &str =
    "[[rules]]\nname = \"clocked\"\nwhen = 'has(context.now)'\neffect = \"warn\"\nreason = \"a clock\"\n";

fn is_clocked(verdict: &Value) -> bool {
    verdict["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "context.warned")
}

/// The time that was kept with a verdict. The verdict was made with it, and it is made again from what is kept.
fn kept_now(server: &Server, policy: &str, verdict: &str) -> (Timestamp, Value) {
    let record = server.get(&format!("/v1/verdicts/{verdict}")).json();
    assert!(is_clocked(&record["verdict"]), "{record}");
    let again = feed(&["check", "--format", "jsonl", "--policy", policy], record["request"].to_string().as_bytes());
    let mut again = again.lines().remove(0);
    again["id"] = record["verdict"]["id"].clone();
    assert_eq!(again, record["verdict"], "{record}");
    let context = record["request"]["context"].clone();
    let now = context["now"].as_str().unwrap();
    assert_eq!(now.len(), "2026-03-14T09:30:00+01:00".len(), "to the second, with an offset: {now}");
    (now.parse().unwrap(), context)
}

fn all_replay_the_same(server: &Server) {
    let replayed = server.post("/v1/policy/replay", &json!({"policy": POLICY}).to_string()).json();
    assert!(replayed["total"].as_u64().unwrap() > 0 && replayed["total"] == replayed["same"], "{replayed}");
}

// MEANING-3
#[test]
fn the_gateway_tells_the_time_and_keeps_it() {
    let policy = scratch("clock-gateway.toml", POLICY);
    let world = gateway_world::World::own("clock", &["--policy", &policy], &[("TZ", "UTC")]);
    let past = [user("What is the weather in Paris for 3 days?")];
    let made = || [Said::calls("", &[call("c1", "get_weather", good())])];
    for (wire, stream) in everywhere() {
        let ask = || Ask::of(wire, stream, &past, &[weather()]);
        let before = Timestamp::now().as_second();
        let (heard, _) = world.play(&ask(), made());
        let (now, context) = kept_now(&world.server, &policy, &heard.verdict());
        assert!((before..=Timestamp::now().as_second()).contains(&now.as_second()), "{wire:?}: {now}");
        assert_eq!(context["timezone"], "UTC", "{wire:?}");
        let told = json!({"user_role": "viewer", "now": "2020-02-29T08:00:00+08:00"});
        let (heard, _) = world.play(&ask().header("countersign-context", &told.to_string()), made());
        assert_eq!(kept_now(&world.server, &policy, &heard.verdict()).1, told, "what the client tells stays");
        let told = json!({"timezone": "+08:00"});
        let (heard, _) = world.play(&ask().header("countersign-context", &told.to_string()), made());
        let (_, context) = kept_now(&world.server, &policy, &heard.verdict());
        assert!(context["timezone"] == "+08:00" && context["now"].as_str().unwrap().ends_with("+08:00"), "{context}");
    }
    all_replay_the_same(&world.server);
}

// MEANING-3: the time of a turn is when the user spoke, so that a turn that is taken up again judges as before.
#[test]
fn a_hosted_turn_tells_the_time_and_keeps_it() {
    let policy = scratch("clock-native.toml", POLICY);
    let world = native_world::World::own("clock-native", &["--policy", &policy], &[("TZ", "UTC")]);
    for context in [json!({}), json!({"now": "2020-02-29T08:00:00+08:00"})] {
        let session = world.session(json!({"tools": [native_world::weather()], "context": context}));
        let mark = world.upstream.on(vec![calls(&[("c1", "get_weather", json!({"city": "Oslo"}))]), text(&["Mild."])]);
        let mut turn = world.say(&session, &format!("What is the weather in Oslo? {mark}"));
        let mut events = turn.until("tool_call");
        assert_eq!(world.result(&session, &one(&events, "tool_call").word("call_id"), json!("7 degrees")).status, 200);
        events.extend(turn.rest());
        let verdict = one(&events, "verdict").word("verdict_id");
        let (now, kept) = kept_now(&world.server, &policy, &verdict);
        if context["now"].is_string() {
            assert_eq!(kept, context, "what the client tells stays");
        } else {
            let asked: Timestamp = events[0].json["timestamp"].as_str().unwrap().parse().unwrap();
            assert_eq!((now.as_second(), &kept["timezone"]), (asked.as_second(), &json!("UTC")));
        }
    }
    all_replay_the_same(&world.server);
}

// MEANING-3: a row is judged tomorrow as it is today.
#[test]
fn what_is_judged_from_a_row_is_told_no_time() {
    let policy = scratch("clock-rows.toml", POLICY);
    let world = gateway_world::World::own("clock-rows", &["--policy", &policy], &[("TZ", "UTC")]);
    let tools = json!([{"name": "get_weather", "description": "Weather.", "parameters":
        {"type": "object", "properties": {"city": {"type": "string"}}}}]);
    let row = json!({"tools": tools, "tool_name": "get_weather", "tool_input": {"city": "Oslo"}, "tool_output": "mild",
        "model_response": "Mild.", "messages": [{"role": "user", "content": "Weather in Oslo?"}]});
    let mut clocked = row.clone();
    clocked["now"] = json!("2026-03-14T09:30:00+01:00");
    let mut wrong = row.clone();
    wrong["now"] = json!("tomorrow");
    for name in ["check", "step"] {
        for (row, told) in [(&row, false), (&clocked, true)] {
            let by_command = feed(&[name, "--format", "jsonl", "--policy", &policy], row.to_string().as_bytes());
            let by_command = by_command.lines().remove(0);
            assert_eq!(is_clocked(&by_command), told, "{by_command}");
            let by_route = world.server.post(&format!("/v1/{name}"), &row.to_string()).json();
            assert_eq!(is_clocked(&by_route), told, "{by_route}");
        }
        let refused = world.server.post(&format!("/v1/{name}"), &wrong.to_string());
        assert!(refused.status == 400 && refused.body.contains("`now` must be a time in RFC 3339"), "{}", refused.body);
        let refused = feed(&[name, "--format", "jsonl"], wrong.to_string().as_bytes());
        assert!(refused.out.contains("RFC 3339") || refused.err.contains("RFC 3339"), "{}{}", refused.out, refused.err);
    }
}
