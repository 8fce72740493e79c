//! Self-correction on the wire: the model is told on the tool-result channel what is wrong, a few times at most, and the
//! client sees one answer.

use crate::gateway_dialects::{Heard, Said, Wire, call, everywhere, result, says, user};
use crate::gateway_upstream::{Asked, Gate, Raw, Script, Step};
use crate::gateway_world::{Ask, QUESTION, World, bad, good, tools};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn wrong(text: &str) -> Said {
    Said::calls(text, &[call("call_b", "get_weather", bad())])
}

fn right(text: &str) -> Said {
    Said::calls(text, &[call("call_g", "get_weather", good())])
}

fn refused(heard: &Heard, wire: Wire, tool: &str) {
    assert!(heard.calls.is_empty() && heard.error.is_none(), "{}", heard.raw);
    assert_eq!(heard.finish.as_deref(), Some(wire.finish(false, false)), "{}", heard.raw);
    assert!(heard.text.contains(tool), "{}", heard.text);
}

/// Every correction is the request with more at the end of its conversation, and nothing else changed.
fn longer(wire: Wire, asked: &[Asked]) {
    let first = String::from_utf8(asked[0].body.clone()).unwrap();
    let original = asked[0].json();
    let key = wire.conversation();
    let known = original[key].as_array().unwrap();
    let whole = Value::Array(known.clone()).to_string();
    let (before, _) = first.split_once(&whole).expect("the conversation stands in the body");
    let prefix = format!("{before}{}", whole.strip_suffix(']').unwrap());
    for one in &asked[1..] {
        let body = String::from_utf8(one.body.clone()).unwrap();
        assert!(body.starts_with(&prefix), "the beginning changed: {body}");
        let mut json = one.json();
        let more = json[key].as_array().unwrap().len() - known.len();
        assert!(more >= 2, "{body}");
        let (calls, results) = wire.pairs(&json);
        let mut ids: Vec<&String> = calls.iter().map(|call| &call.id).collect();
        let mut answered: Vec<&String> = results.iter().map(|(id, _)| id).collect();
        ids.sort();
        answered.sort();
        assert_eq!(ids, answered, "{body}");
        json[key] = original[key].clone();
        assert_eq!(json, original, "a field changed");
    }
}

// CALL-10: mended on the second try; one answer, one id, one bill, and every attempt is written down.
#[test]
fn the_model_corrects_its_call() {
    let world = World::shared();
    let past = [
        user("And Rome?"),
        says("Looking.", &[call("call_h", "get_weather", json!({"city": "Rome"}))]),
        result("call_h", "{\"temp\":21}"),
        says("21 degrees.", &[]),
        user(QUESTION),
    ];
    for (wire, stream) in everywhere() {
        let ask = Ask::of(wire, stream, &past, &tools())
            .field("temperature", json!(0.25))
            .field("x_unknown", json!({"f": [1.5]}))
            .field("stream_options", json!({"include_usage": true}))
            .header("idempotency-key", "idem-1")
            .header("authorization", "Bearer own")
            .header("anthropic-version", "2023-06-01")
            .header("x-own", "v");
        let (heard, mark) =
            world.play(&ask, [wrong("First words.").cost(100, 20), right("Second words.").cost(150, 30)]);
        assert_eq!((heard.text.as_str(), heard.names()), ("First words.", vec!["get_weather"]), "{}", heard.raw);
        assert_eq!(heard.calls[0].json(), good());
        assert_eq!(heard.usage, Some((250, 50)), "{}", heard.raw);
        assert_eq!(heard.finish.as_deref(), Some(wire.finish(true, false)));
        let asked = world.upstream.asked(&mark);
        assert_eq!(asked.len(), 2);
        longer(wire, &asked);
        assert_eq!((asked[0].all("idempotency-key").len(), asked[1].all("idempotency-key").len()), (1, 0));
        for name in ["authorization", "anthropic-version", "x-own", "content-type"] {
            assert_eq!(asked[0].all(name), asked[1].all(name), "{name}");
        }
        let (calls, results) = wire.pairs(&asked[1].json());
        assert_eq!((calls.last().unwrap().id.as_str(), results.last().unwrap().0.as_str()), ("call_b", "call_b"));
        assert!(results.last().unwrap().1.contains("city"), "what is wrong is named: {results:?}");
        let attempts = world.attempts(&heard.verdict());
        let told: Vec<Value> =
            attempts.iter().map(|one| json!([one["attempt"], one["outcome"], one["released"]])).collect();
        assert_eq!(told, [json!([0, "sent_back", false]), json!([1, "released", true])], "{attempts:?}");
        assert_eq!(attempts[0]["status"], "validation_failed");
    }
}

// CALL-10: bounded: three requests at the most, and never a second one for the same mistake.
#[test]
fn corrections_are_bounded() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        let (heard, mark) = world.play(&Ask::new(wire, stream), [wrong("Hm.")]);
        refused(&heard, wire, "get_weather");
        assert_eq!(world.upstream.asked(&mark).len(), 2, "the same mistake twice ends it");
        let mistakes = [
            wrong("Hm.").cost(1, 2),
            Said::calls("b", &[call("b", "launch_rocket", json!({"x": 1}))]).cost(10, 20),
            Said::calls("c", &[call("c", "get_weather", json!({"city": "Paris", "planet": "Mars", "days": 99}))])
                .cost(100, 200),
            right("d"),
        ];
        let (heard, mark) = world.play(&Ask::new(wire, stream), mistakes);
        assert!(heard.text.starts_with("Hm."), "{}", heard.text);
        let asked = world.upstream.asked(&mark);
        assert!(asked.len() <= 3, "{}", asked.len());
        longer(wire, &asked);
        assert_eq!(world.attempts(&heard.verdict()).len(), asked.len());
        let (heard, mark) = world.play(
            &Ask::new(wire, stream),
            [wrong("a"), Said::calls("b", &[call("b", "launch_rocket", json!({}))]), right("c")],
        );
        assert_eq!(
            (heard.names(), world.upstream.asked(&mark).len()),
            (vec!["get_weather"], 3),
            "the third may succeed"
        );
    }
}

// CALL-10, CALL-11: good siblings are kept as they were; the model sees all of its calls, and what becomes of each.
#[test]
fn siblings_are_kept() {
    let world = World::shared();
    let fly = call("call_f", "search_flights", json!({"origin": "BER", "destination": "CDG"}));
    for (wire, stream) in everywhere() {
        let first = Said::calls("Both.", &[fly.clone(), call("call_b", "get_weather", bad())]);
        let (heard, mark) = world.play(&Ask::new(wire, stream), [first.clone(), right("again")]);
        assert_eq!(
            (heard.text.as_str(), heard.names()),
            ("Both.", vec!["search_flights", "get_weather"]),
            "{}",
            heard.raw
        );
        assert_eq!((heard.calls[0].id.as_str(), heard.calls[0].json()), ("call_f", fly.json()));
        let asked = world.upstream.asked(&mark);
        longer(wire, &asked);
        let (calls, results) = wire.pairs(&asked[1].json());
        assert_eq!(calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["call_f", "call_b"]);
        assert!(results[0].1.contains("kept") && results[1].1.contains("city"), "{results:?}");
        // A model that repeats the good one beside its correction has it run once.
        let both = Said::calls("all", &[fly.clone(), call("call_g", "get_weather", good())]);
        let (heard, _) = world.play(&Ask::new(wire, stream), [first.clone(), both]);
        assert_eq!(heard.names(), ["search_flights", "get_weather"], "{}", heard.raw);
        // Refused for good: the sibling goes out, and a text says what did not.
        let (heard, mark) = world.play(&Ask::new(wire, stream), [first.clone(), wrong("x")]);
        assert_eq!(heard.names(), ["search_flights"], "{}", heard.raw);
        assert!(heard.text.starts_with("Both.") && heard.text.contains("get_weather"), "{}", heard.text);
        assert_eq!(heard.finish.as_deref(), Some(wire.finish(true, false)));
        assert_eq!(world.upstream.asked(&mark).len(), 2);
    }
}

// CALL-10: an upstream that fails in a correction leaves a readable refusal, never the bad call.
#[test]
fn a_failed_correction_is_a_refusal() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        for failure in [Raw::body(500, "{}"), Raw::body(200, "<html>"), Raw::stream([Step::Cut])] {
            let (heard, mark) = world.play(&Ask::new(wire, stream), [Script::from(wrong("Hm.")), failure.into()]);
            refused(&heard, wire, "get_weather");
            assert_eq!(world.upstream.asked(&mark).len(), 2);
        }
        // Words instead of a call: no call.
        let (heard, mark) = world.play(&Ask::new(wire, stream), [wrong("Hm."), Said::text("I cannot do that.")]);
        refused(&heard, wire, "");
        assert_eq!(world.upstream.asked(&mark).len(), 2);
    }
}

// CALL-10: the text of the first attempt is there while the model is asked again.
#[test]
fn text_does_not_wait_for_corrections() {
    let world = World::shared();
    for wire in [Wire::Chat, Wire::Responses, Wire::Messages] {
        let gate = Gate::default();
        let ask = Ask::new(wire, true);
        let frames = wire.frames(&right(""), &ask.body).concat().into_bytes();
        let second = Raw { before: vec![Step::Gate(gate.clone())], ..Raw::stream([Step::Bytes(frames)]) };
        let mark = world.upstream.on([Script::from(wrong("Early.")), second.into()]);
        let mut live = world.open(&ask, &mark);
        live.until("Early.");
        crate::serve_world::within(5, "the correction", || world.upstream.asked(&mark).len() == 2);
        gate.open();
        assert_eq!(live.heard().names(), ["get_weather"]);
    }
}

// CALL-10: in the conversation's language; what the model thought goes back with it.
#[test]
fn corrections_speak_the_language_of_the_conversation() {
    let world = World::shared();
    let ask = Ask::of(Wire::Chat, false, &[user("请告诉我巴黎未来十天的天气预报，谢谢。")], &tools());
    let (heard, mark) = world.play(&ask, [wrong("")]);
    let (_, results) = Wire::Chat.pairs(&world.upstream.asked(&mark)[1].json());
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    assert!(is_chinese(&results[0].1) && is_chinese(&heard.text), "{results:?} {}", heard.text);
    let thought = json!({"type": "thinking", "thinking": "let me see", "signature": "sig=="});
    let mut first = Wire::Messages.whole(&wrong(""), &json!({}));
    first["content"].as_array_mut().unwrap().insert(0, thought.clone());
    let ask = Ask::new(Wire::Messages, false).field("thinking", json!({"type": "enabled", "budget_tokens": 1024}));
    let (heard, mark) = world.play(&ask, [Script::from(Raw::body(200, first.to_string())), right("").into()]);
    assert_eq!(heard.names(), ["get_weather"]);
    let asked = world.upstream.asked(&mark);
    longer(Wire::Messages, &asked);
    assert_eq!(asked[1].json()["messages"][1]["content"][0], thought);
}

// CALL-10: bounded in time and in tokens too, and off where they are off.
#[test]
fn corrections_have_budgets() {
    let variables = [("COUNTERSIGN_GATEWAY_CORRECTION_TIME", "3s"), ("COUNTERSIGN_GATEWAY_CORRECTION_TOKENS", "500")];
    let world = World::own("budgets", &[], &variables);
    std::thread::scope(|scope| {
        for (wire, stream) in everywhere() {
            let world = &world;
            scope.spawn(move || {
                let began = Instant::now();
                let slow = Raw { before: vec![Step::Hang], ..Raw::body(200, "") };
                let (heard, mark) = world.play(&Ask::new(wire, stream), [Script::from(wrong("Hm.")), slow.into()]);
                refused(&heard, wire, "get_weather");
                assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
                let left = || world.upstream.asked(&mark)[1].left.is_some();
                crate::serve_world::within(3, "the slow request to end", left);
            });
        }
    });
    for (wire, stream) in everywhere() {
        let ask = Ask::new(wire, stream).field("stream_options", json!({"include_usage": true}));
        let (heard, mark) = world.play(&ask, [wrong("Hm.").cost(600, 1), right("")]);
        refused(&heard, wire, "get_weather");
        assert_eq!(world.upstream.asked(&mark).len(), 1, "too dear for another try");
    }
}
