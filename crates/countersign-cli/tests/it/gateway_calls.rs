//! Calls as models really write them: broken JSON, broken deltas, calls in the text, calls at a limit. Whatever comes
//! out is a call that an SDK can run, or a text.

use crate::gateway_dialects::{Said, Wire, call, everywhere};
use crate::gateway_upstream::{Raw, Step};
use crate::gateway_verdicts::library;
use crate::gateway_world::{Ask, World, bad, good};
use serde_json::{Value, json};

/// Every class of malformed arguments that models have been seen to write.
const MALFORMED: &[&str] = &[
    "{'city': 'Paris', 'days': 10}",
    "{\"city\": \"Paris\", \"days\": 10,}",
    "{city: \"Paris\", days: 10}",
    "{\"city\": \"Paris\", \"days\": None}",
    "```json\n{\"city\": \"Paris\"}\n```",
    "Here you are: {\"city\": \"Paris\"} Enjoy!",
    "{\"city\": \"Pa\nris\"}",
    "{\"city\": \"Paris\", \"days\": 10",
    "{\"city\": \"Paris\" /* the capital */, \"days\": 10}",
    "{“city”: “Paris”}",
    "{\"city\": \"Par",
    "{}{\"city\": \"Paris\"}",
    "{\"city\": \"Paris\"}{\"city\": \"Rome\"}",
    "[{\"city\": \"Paris\"}]",
    "\"{\\\"city\\\": \\\"Paris\\\"}\"",
    "Paris",
    "null",
    "{\"city\": [\"Paris\"]}",
    "{\"city\": {\"name\": \"Paris\"}}",
    "{\"city\": \"Paris\", \"city\": \"Rome\"}",
    "{\"city\": 3}",
    "{\"city\": \"Paris\", \"days\": 1e999}",
    "{\"city\": \"Paris\", \"days\": -4}",
    "{\"city\": \"\\ud83d\"}",
    "{\"City\": \"Paris\", \"DAYS\": \"ten\"}",
    "<city>Paris</city>",
    "\u{0}",
];

// PARSE-3, PARSE-5, SERVE-6: a client gets the call that the engine says may run, or a text; never the broken one.
#[test]
fn malformed_arguments_never_reach_a_client() {
    let world = World::shared();
    for arguments in MALFORMED {
        for (wire, stream) in everywhere().filter(|(wire, stream)| *stream || *wire != Wire::Messages) {
            let ask = Ask::new(wire, stream);
            let made = call("call_1", "get_weather", arguments);
            let (heard, mark) = world.play(&ask, [Said::calls("Hm.", &[made])]);
            let request = json!({"tools": ask.body["tools"], "messages": ask.body[wire.conversation()],
                "call": {"id": "call_1", "name": "get_weather", "arguments": arguments}});
            let verdict: Value = serde_json::from_str(&library(&request)).unwrap();
            let told = format!("{arguments:?} in {wire:?}, streamed: {stream}: {}", heard.raw);
            match verdict["call"].as_object() {
                Some(run) => {
                    assert_eq!(heard.calls.len(), 1, "{told}");
                    assert_eq!(heard.calls[0].json(), run["arguments"], "{told}");
                    assert_eq!(world.upstream.asked(&mark).len(), 1, "a certain repair asks nobody: {told}");
                }
                None => {
                    assert!(heard.calls.is_empty() && heard.text.starts_with("Hm."), "{told}");
                    assert!(heard.text.contains("get_weather"), "{told}");
                    assert_eq!(world.upstream.asked(&mark).len(), 2, "the same mistake twice ends it: {told}");
                }
            }
        }
    }
}

fn chunk(delta: Value, finish: Option<&str>) -> Step {
    let json = json!({"id": "chatcmpl-up", "object": "chat.completion.chunk", "created": 1, "model": "mock-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    Step::Bytes(format!("data: {json}\n\n").into_bytes())
}

fn deltas(calls: &[Value], finish: &str) -> Raw {
    let mut steps: Vec<Step> = calls.iter().map(|call| chunk(json!({"tool_calls": [call]}), None)).collect();
    steps.extend([chunk(json!({}), Some(finish)), Step::Bytes(b"data: [DONE]\n\n".to_vec())]);
    Raw::stream(steps)
}

/// Deltas that SDKs crash on: their name, their calls, and the finish.
fn broken() -> Vec<(&'static str, Vec<Value>, &'static str)> {
    let named = |mut call: Value, arguments: &str| {
        call["function"] = json!({"name": "get_weather", "arguments": arguments});
        call
    };
    let more = |mut call: Value, arguments: &str| {
        call["function"] = json!({ "arguments": arguments });
        call
    };
    let (one, two, whole) = ("{\"city\": ", "\"Paris\"}", "{\"city\": \"Paris\"}");
    let (zero, first) = (json!({"index": 0}), json!({"index": 0, "id": "a"}));
    let null = json!({"index": 0, "id": "a", "function": {"name": "get_weather", "arguments": null}});
    vec![
        ("no index", vec![named(json!({"id": "a"}), one), more(json!({}), two)], "tool_calls"),
        (
            "index from 1",
            vec![named(json!({"index": 1, "id": "a"}), one), more(json!({"index": 1}), two)],
            "tool_calls",
        ),
        ("id and name again", vec![named(first.clone(), one), named(first.clone(), two)], "tool_calls"),
        ("stop", vec![named(first.clone(), whole)], "stop"),
        ("no id", vec![named(zero.clone(), whole)], "tool_calls"),
        ("empty id", vec![named(json!({"index": 0, "id": ""}), whole)], "tool_calls"),
        ("name late", vec![first, named(zero.clone(), one), more(zero.clone(), two)], "tool_calls"),
        ("null arguments", vec![null, more(zero, whole)], "tool_calls"),
    ]
}

// PARSE-3: they are put right; the reader of these tests is as strict as the SDKs.
#[test]
fn broken_deltas_are_put_right() {
    let world = World::shared();
    for (name, calls, finish) in broken() {
        let (heard, mark) = world.play(&Ask::new(Wire::Chat, true), [deltas(&calls, finish)]);
        assert_eq!(heard.names(), ["get_weather"], "{name}: {}", heard.raw);
        assert_eq!(heard.calls[0].json(), json!({"city": "Paris"}), "{name}");
        assert_eq!(heard.finish.as_deref(), Some("tool_calls"), "{name}");
        assert_eq!(world.upstream.asked(&mark).len(), 1, "{name}");
    }
}

// PARSE-3: two calls whose pieces are mixed, under one id, are two calls.
#[test]
fn mixed_deltas_are_sorted() {
    let world = World::shared();
    let begin =
        |at: u64| json!({"index": at, "id": "a", "function": {"name": "get_weather", "arguments": "{\"city\": "}});
    let more = |at: u64, city: &str| json!({"index": at, "function": {"arguments": format!("\"{city}\"}}")}});
    let mixed = [begin(0), begin(1), more(0, "Paris"), more(1, "Rome")];
    let (heard, _) = world.play(&Ask::new(Wire::Chat, true), [deltas(&mixed, "tool_calls")]);
    let cities: Vec<Value> = heard.calls.iter().map(|call| call.json()["city"].clone()).collect();
    assert_eq!(cities, ["Paris", "Rome"], "{}", heard.raw);
}

// PARSE-3, PARSE-4: a call that a model wrote as text becomes a call, whatever the dialect and the pieces; text around
// it stays. Where no tools were declared, it is text and stays text.
#[test]
fn calls_in_the_text_become_calls() {
    let world = World::shared();
    let forms = [
        "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
        "<|python_tag|>{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Paris\"}}",
        "[TOOL_CALLS][{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}]",
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
    ];
    for form in forms {
        for (wire, stream) in everywhere() {
            let (heard, _) = world.play(&Ask::new(wire, stream), [Said::text(&format!("I will look. {form}"))]);
            let told = format!("{form} in {wire:?}, streamed: {stream}: {}", heard.raw);
            assert_eq!(heard.names(), ["get_weather"], "{told}");
            assert_eq!(heard.calls[0].json(), json!({"city": "Paris"}), "{told}");
            assert_eq!(heard.text.trim(), "I will look.", "{told}");
            assert!(!heard.verdict().is_empty());
            let untooled = Ask::new(wire, stream).field("tools", Value::Null);
            let (heard, _) = world.play(&untooled, [Said::text(&format!("I will look. {form}"))]);
            assert!(heard.calls.is_empty() && heard.text.contains(form), "{told}");
        }
    }
    let prose = "Use `<tool_call>` tags, a < b, and {\"name\": 1}. Done.";
    for (wire, stream) in everywhere() {
        let (heard, _) = world.play(&Ask::new(wire, stream), [Said::text(prose)]);
        assert_eq!((heard.text.as_str(), heard.calls.len()), (prose, 0), "{wire:?} {stream}");
    }
}

// PARSE-5, CALL-10, CALL-11: a call cut at the model's limit never runs; the model is asked for it again, once; a whole
// sibling before it may run.
#[test]
fn a_call_cut_at_a_limit_is_no_call() {
    let world = World::shared();
    let fly = call("call_f", "search_flights", json!({"origin": "BER", "destination": "CDG"}));
    for (wire, stream) in everywhere().filter(|(wire, stream)| *stream || *wire != Wire::Messages) {
        let cut = call("call_c", "get_weather", "{\"city\": \"Paris\", \"da");
        let (heard, mark) =
            world.play(&Ask::new(wire, stream), [Said::calls("Hm.", std::slice::from_ref(&cut)).at_limit()]);
        assert!(heard.calls.is_empty() && heard.text.starts_with("Hm."), "{}", heard.raw);
        assert_eq!(heard.finish.as_deref(), Some(wire.finish(false, true)), "{}", heard.raw);
        assert_eq!(world.upstream.asked(&mark).len(), 2, "the same mistake twice ends it");
        assert_eq!(world.verdict(&heard.verdict())["outcome"], "cut");
        let whole = call("call_d", "get_weather", json!({"city": "Paris"}));
        let (heard, _) = world.play(
            &Ask::new(wire, stream),
            [Said::calls("Hm.", std::slice::from_ref(&cut)).at_limit(), Said::calls("", std::slice::from_ref(&whole))],
        );
        assert_eq!((heard.names(), heard.text.as_str()), (vec!["get_weather"], "Hm."), "{}", heard.raw);
        let (heard, _) = world.play(&Ask::new(wire, stream), [Said::calls("", &[fly.clone(), cut]).at_limit()]);
        assert!(heard.calls.is_empty() || heard.calls == [fly.clone()], "{}", heard.raw);
    }
}

// CALL-11: each call of an answer is judged for itself, and one that is refused drops no other.
#[test]
fn parallel_calls_are_judged_one_by_one() {
    let world = World::shared();
    let fly = json!({"origin": "BER", "destination": "CDG"});
    for (wire, stream) in everywhere() {
        let calls = [
            call("call_a", "get_weather", good()),
            call("call_b", "launch_rocket", bad()),
            call("call_c", "searchFlights", &fly),
        ];
        let (heard, _) = world.play(&Ask::new(wire, stream), [Said::calls("Three.", &calls)]);
        assert_eq!(heard.names(), ["get_weather", "search_flights"], "{}", heard.raw);
        assert_eq!(heard.calls[0].arguments.replace(' ', ""), good().to_string());
        assert_eq!((heard.calls[0].id.as_str(), heard.calls[1].id.as_str()), ("call_a", "call_c"));
        assert_eq!(heard.calls[1].json(), fly);
        assert_eq!(heard.finish.as_deref(), Some(wire.finish(true, false)));
        assert!(heard.text.starts_with("Three.") && heard.text.contains("launch_rocket"), "{}", heard.text);
        if stream {
            let statuses: Vec<&str> = heard.verdicts.iter().map(|(_, status)| status.as_str()).collect();
            assert_eq!(statuses, ["approved", "validation_failed", "caution"], "{}", heard.raw);
        }
    }
}
