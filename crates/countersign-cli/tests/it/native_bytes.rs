//! Hosted turns and what models and servers write that nobody should: a key twice, halves of characters, numbers beyond all
//! bounds.

use crate::native_upstream::{Step, call_part, finish, text};
use crate::native_world::{Event, World, one, weather, words};
use serde_json::{Value, json};

/// The events of a turn in which the model makes one call, whose arguments come in these pieces.
fn turn(world: &World, pieces: &[&str], before: Option<Step>) -> Vec<Event> {
    let session = world.session(json!({"tools": [weather()]}));
    let mut script: Vec<Step> = before.into_iter().collect();
    for (at, piece) in pieces.iter().enumerate() {
        script.push(call_part(0, (at == 0).then_some("c1"), (at == 0).then_some("get_weather"), piece));
    }
    script.push(finish("tool_calls"));
    let mark = world.upstream.on(vec![script, text(&["Done."])]);
    let mut reader = world.say(&session, &format!("The weather in Paris for 3 days? {mark}"));
    let mut events = Vec::new();
    while let Some(event) = reader.next() {
        if event.kind() == "tool_call" {
            world.result(&session, &event.word("call_id"), json!("sunny"));
        }
        events.push(event);
    }
    events
}

// CALL-1: of a key that is there twice, what is run is what was judged and shown.
#[test]
fn a_key_twice_is_run_as_it_was_judged() {
    let world = World::shared();
    for written in [r#"{"city": "Berlin", "city": "Paris"}"#, r#"{"city": "Berlin", "\u0063ity": "Paris"}"#] {
        let events = turn(&world, &[written], None);
        let call = one(&events, "tool_call");
        assert_eq!(call.payload("arguments"), &json!({"city": "Paris"}));
        assert_eq!(call.payload("verdict")["call"]["arguments"], json!({"city": "Paris"}));
    }
}

/// A frame whose data is this text.
fn frame(data: &str) -> Step {
    Step::Raw(format!("data: {data}\n\n").into_bytes())
}

// STREAM-1: what is none of our business neither ends a turn nor spoils a call in it.
#[test]
fn strange_values_beside_a_call_do_no_harm() {
    let world = World::shared();
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for odd in ["NaN", "-Infinity", r#""\ud83d""#, &deep] {
        let chunk = format!(
            r#"{{"x":{odd},"choices":[{{"index":0,"delta":{{"content":"Look. "}},"logprobs":{odd},"finish_reason":null}}]}}"#
        );
        let events = turn(&world, &[r#"{"city": "Paris"}"#], Some(frame(&chunk)));
        assert_eq!(one(&events, "tool_call").payload("arguments"), &json!({"city": "Paris"}), "{odd}");
        assert!(words(&events).contains("Look. "), "{odd}");
        assert_eq!(events.last().map(Event::kind), Some("completed"), "{odd}");
    }
}

// CALL-1: two halves of a character in two pieces are one character; one half alone is no value.
#[test]
fn halves_of_a_character_in_arguments_are_put_together() {
    let world = World::shared();
    let piece = |arguments: &str, head: &str| {
        frame(&format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,{head}"function":{{"arguments":"{arguments}"}}}}]}},"finish_reason":null}}]}}"#
        ))
    };
    let run = |steps: Vec<Step>| {
        let session = world.session(json!({"tools": [weather()]}));
        let mark = world.upstream.on(vec![steps, text(&["Done."]), text(&["Done."])]);
        let mut reader = world.say(&session, &format!("The weather in Paris 😀? {mark}"));
        let mut shown: Vec<Value> = Vec::new();
        while let Some(event) = reader.next() {
            if event.kind() == "tool_call" {
                world.result(&session, &event.word("call_id"), json!("sunny"));
                shown.push(event.payload("arguments").clone());
            }
        }
        shown
    };
    let begin = call_part(0, Some("c1"), Some("get_weather"), r#"{"city": "Paris "#);
    let (one, two) = (piece(r"\ud83d", ""), piece(r#"\ude00\"}"#, ""));
    assert_eq!(run(vec![begin.clone(), one.clone(), two, finish("tool_calls")]), [json!({"city": "Paris 😀"})]);
    let rest = piece(r#"\"}"#, "");
    assert_eq!(run(vec![begin, one, rest, finish("tool_calls")]), Vec::<Value>::new());
}
