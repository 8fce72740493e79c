//! Tools that the client runs: shown only when cleared, waited for, verified, and told to the model.

use crate::native_upstream::{Script, call_part, calls, finish, text};
use crate::native_world::{Event, Reader, World, check_turn, kinds, one, weather, words};
use serde_json::{Value, json};

fn ask(world: &World, content: &str, scripts: Vec<Script>) -> (String, String, Reader) {
    let session = world.session(json!({"tools": [weather()]}));
    let mark = world.upstream.on(scripts);
    let reader = world.say(&session, &format!("{content} {mark}"));
    (session, mark, reader)
}

/// Answers every call that is shown until the turn ends.
fn serve(world: &World, session: &str, reader: &mut Reader) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = reader.next() {
        if event.kind() == "tool_call" {
            let told = format!("sunny in {}", event.payload("arguments")["city"].as_str().unwrap_or("nowhere"));
            let taken = world.result(session, &event.word("call_id"), json!(told));
            assert_eq!(taken.status, 200, "{}", taken.body);
        }
        events.push(event);
    }
    check_turn(session, &events);
    events
}

// STREAM-2, CALL-3: a call is shown with its verdict and mended, its result is verified, and the model hears both.
#[test]
fn a_cleared_call_is_shown_and_its_result_told() {
    let world = World::shared();
    let arguments = json!({"citty": "Paris", "days": "3"});
    let script = calls(&[("c1", "getWeather", arguments)]);
    let (session, mark, mut turn) = ask(&world, "The weather in Paris for 3 days?", vec![script, text(&["Sunny."])]);
    let shown = turn.until("tool_call");
    let call = shown.last().unwrap();
    assert_eq!((call.word("name").as_str(), call.word("call_id").as_str()), ("get_weather", "c1"));
    assert_eq!(call.payload("arguments"), &json!({"city": "Paris", "days": 3}));
    assert_eq!(call.payload("verdict")["status"], "caution");
    let id = one(&shown, "verdict").word("verdict_id");
    assert_eq!(world.server.get(&format!("/v1/verdicts/{id}")).json()["call_id"], "c1");
    let listed = world.server.get(&format!("/v1/verdicts?session_id={session}")).json();
    assert_eq!(listed["verdicts"].as_array().unwrap().len(), 1);
    assert_eq!(world.upstream.asked(&mark).len(), 1, "the model waits");
    assert_eq!(world.result(&session, "nobody", json!("x")).status, 404);
    assert_eq!(world.result(&world.session(json!({})), "c1", json!("x")).status, 404, "another session's call");
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/tool_results"), r#"{"call_id": "c1"}"#).status, 400);
    assert_eq!(world.result(&session, "c1", json!({"sky": "sunny"})).status, 200);
    assert!([404, 409].contains(&world.result(&session, "c1", json!("again")).status), "once");
    let rest = turn.rest();
    assert_eq!(one(&rest, "tool_result").payload("content"), &json!({"sky": "sunny"}));
    assert_eq!((rest.last().unwrap().kind(), words(&rest).as_str()), ("completed", "Sunny."));
    let asked = &world.upstream.asked(&mark)[1];
    assert!(asked.words("tool")[0].contains("sunny"));
    assert_eq!(asked.body["tools"][0]["function"]["name"], "get_weather");
    assert_eq!(world.result(&session, "c1", json!("late")).status, 404, "after the end nobody waits");
}

// CALL-1, CALL-10: a call that cannot be mended is never shown; the model is told why, and twice the same ends it.
#[test]
fn a_refused_call_goes_back_to_the_model() {
    let world = World::shared();
    let wrong = || calls(&[("c1", "launch_rocket", json!({"x": 1}))]);
    let (session, mark, mut turn) = ask(&world, "The weather?", vec![wrong(), text(&["I have no rocket."])]);
    let events = serve(&world, &session, &mut turn);
    assert_eq!(kinds(&events), ["message", "verdict", "text_delta", "message", "completed"]);
    assert!(world.upstream.asked(&mark)[1].words("tool")[0].contains("launch_rocket"));
    let (session, mark, mut turn) = ask(&world, "The weather?", vec![wrong()]);
    let events = serve(&world, &session, &mut turn);
    assert_eq!(world.upstream.asked(&mark).len(), 2);
    assert!(events[events.len() - 2].word("content").contains("refused"), "{:?}", kinds(&events));
}

// CALL-11: calls beside each other are judged one by one: a refusal drops no sibling, and equal ids are told apart.
#[test]
fn calls_beside_each_other_are_settled_one_by_one() {
    let world = World::shared();
    let city = |city: &str| json!({ "city": city });
    let script = calls(&[
        ("c1", "get_weather", city("Paris")),
        ("c2", "launch_rocket", json!({"x": 1})),
        ("c3", "get_weather", city("Lyon")),
    ]);
    let (session, mark, mut turn) = ask(&world, "The weather in Paris and Lyon?", vec![script, text(&["Sunny."])]);
    let events = serve(&world, &session, &mut turn);
    assert_eq!(events.iter().filter(|event| event.kind() == "tool_call").count(), 2);
    let told = world.upstream.asked(&mark)[1].words("tool");
    assert!(
        told[0].contains("sunny in Paris") && told[1].contains("launch_rocket") && told[2].contains("sunny in Lyon")
    );
    let twins = calls(&[("same", "get_weather", city("Paris")), ("same", "get_weather", city("Lyon"))]);
    let (session, mark, mut turn) = ask(&world, "The weather in Paris and Lyon?", vec![twins, text(&["Sunny."])]);
    // Both are shown before either has its result.
    let mut shown = [turn.until("tool_call"), turn.until("tool_call")].concat();
    let calls: Vec<Event> = shown.iter().filter(|event| event.kind() == "tool_call").cloned().collect();
    for call in &calls {
        let told = json!(format!("sunny in {}", call.payload("arguments")["city"].as_str().unwrap()));
        assert_eq!(world.result(&session, &call.word("call_id"), told).status, 200);
    }
    shown.extend(turn.rest());
    let results: Vec<_> = shown.iter().filter(|event| event.kind() == "tool_result").collect();
    assert!(results.len() == 2 && results.iter().all(|event| event.payload("is_error") == false), "{results:?}");
    let asked = &world.upstream.asked(&mark)[1];
    assert!(asked.words("tool").concat().contains("Paris") && asked.words("tool").concat().contains("Lyon"));
    let ids: std::collections::BTreeSet<String> = asked.body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|m| Some(m["tool_call_id"].as_str()?.to_owned()))
        .collect();
    assert_eq!(ids.len(), 2, "each result has its own call");
}

// PARSE-3: arguments that are left out or empty are none.
#[test]
fn a_call_without_arguments_is_a_call() {
    let world = World::shared();
    let tool = json!({"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}});
    for arguments in ["", "{}", " "] {
        let session = world.session(json!({"tools": [tool]}));
        let script = vec![call_part(0, Some("c1"), Some("get_time"), arguments), finish("tool_calls")];
        let mark = world.upstream.on(vec![script, text(&["Noon."])]);
        let events = serve(&world, &session, &mut world.say(&session, &format!("What time is it? {mark}")));
        assert_eq!(one(&events, "tool_call").payload("arguments"), &json!({}), "{arguments:?}");
        assert_eq!(words(&events), "Noon.");
    }
}

// RESULT-6: a result that looks wrong is a warning; an honest error is none; both go on.
#[test]
fn results_are_verified_before_the_model_sees_them() {
    let world = World::shared();
    let script = || calls(&[("c1", "get_weather", json!({"city": "Paris"}))]);
    for (result, is_error, warned) in [
        (json!("Internal Server Error: Traceback (most recent call last)"), false, true),
        (json!("station offline"), true, false),
        (json!(""), false, true),
    ] {
        let (session, mark, mut turn) = ask(&world, "The weather in Paris?", vec![script(), text(&["So."])]);
        turn.until("tool_call");
        let body = json!({"call_id": "c1", "content": result, "is_error": is_error}).to_string();
        assert_eq!(world.server.post(&format!("/v1/sessions/{session}/tool_results"), &body).status, 200);
        let rest = turn.rest();
        let codes: Vec<String> =
            rest.iter().filter(|event| event.kind() == "warning").map(|w| w.word("code")).collect();
        assert_eq!(codes.contains(&"suspicious_result".to_owned()), warned, "{result}: {codes:?}");
        assert_eq!(rest.last().unwrap().kind(), "completed");
        let told: Vec<Value> = world.upstream.asked(&mark)[1].body["messages"].as_array().unwrap().clone();
        let content = told.last().unwrap()["content"].as_str().unwrap();
        let given = result.as_str().unwrap();
        assert!(content.ends_with(given) && (content == given) != warned, "{content}");
    }
}

// STREAM-2: a model that never stops calling is ended.
#[test]
fn a_model_that_never_stops_calling_is_ended() {
    let world = World::shared();
    let scripts =
        (0..20).map(|at| calls(&[("c1", "get_weather", json!({"city": "Paris", "days": at % 9 + 1}))])).collect();
    let (session, mark, mut turn) = ask(&world, "The weather in Paris for 1 2 3 4 5 6 7 8 9 days?", scripts);
    let events = serve(&world, &session, &mut turn);
    assert!(world.upstream.asked(&mark).len() <= 12);
    assert!(["failed", "completed"].contains(&events.last().unwrap().kind()));
}
