//! The brake: one, many or all, at once, and it holds until it is cleared.

use crate::native_upstream::{Step, Upstream, calls, piece, text};
use crate::native_world::{Reader, World, check_turn, kinds, one, weather};
use crate::serve_world::{folder, within};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A session whose model hangs; its reader has seen the first words.
fn running(world: &World) -> (String, String, Reader) {
    let session = world.session(json!({}));
    let mark = world.upstream.on(vec![vec![piece("begun"), Step::Hang], text(&["free again"])]);
    let mut reader = world.say(&session, &mark);
    reader.until("text_delta");
    (session, mark, reader)
}

fn is_stopped(reader: &mut Reader) {
    let rest = reader.rest_within(Duration::from_millis(1500));
    assert_eq!((kinds(&rest), rest[0].word("reason").as_str()), (vec!["stopped"], "stop"));
}

fn flagged(world: &World, path: &str) -> Vec<Value> {
    let state = world.server.get(path).json();
    let fields: Vec<&String> = state.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["flags", "redis_available", "mode", "durable"]);
    assert_eq!((&state["redis_available"], &state["mode"]), (&json!(false), &json!("memory_only")));
    assert_eq!(state["durable"], true, "the flags are in the data folder, though no other node sees them");
    let flags = state["flags"].as_array().unwrap().iter();
    flags.map(|flag| if flag["scope"] == "all" { json!("all") } else { flag["session_id"].clone() }).collect()
}

// STREAM-4: one session, at once; the upstream is left; later turns end without reaching it; cleared, all is well.
#[test]
fn one_session_stops_at_once_and_until_cleared() {
    let world = World::shared();
    let ((session, mark, mut reader), (_, other_mark, other)) = (running(&world), running(&world));
    let mut tab = world.events(&session, "");
    let path = format!("/v1/sessions/{session}/stop");
    assert_eq!(flagged(&world, &path), Vec::<Value>::new());
    assert_eq!(world.server.post(&path, "").status, 200);
    is_stopped(&mut reader);
    check_turn(&session, &tab.rest());
    within(2, "the upstream to be left", || world.upstream.asked(&mark)[0].left.is_some());
    assert!(world.upstream.asked(&other_mark)[0].left.is_none(), "another session goes on");
    drop(other);
    assert_eq!(flagged(&world, &path), [json!(session)]);
    assert_eq!(world.server.get(&format!("/v1/sessions/{session}")).json()["stopped"], true);
    let refused = world.say(&session, &mark).rest();
    assert_eq!(kinds(&refused), ["message", "stopped"]);
    assert_eq!(world.upstream.asked(&mark).len(), 1, "the upstream was not reached");
    let before = world.log(&session).len();
    assert_eq!(world.server.post(&path, "").status, 200);
    assert_eq!(world.log(&session).len(), before, "stopping an idle session writes nothing");
    assert_eq!(world.delete(&path).status, 200);
    assert_eq!(flagged(&world, &path), Vec::<Value>::new());
    let free = world.say(&session, &mark).rest();
    assert_eq!(kinds(&free), ["message", "text_delta", "message", "completed"]);
    assert_eq!(world.server.post("/v1/sessions/ses_nobody/stop", "").status, 404);
}

// STREAM-4: many, all, those that come later, and clearing what was raised one by one.
#[test]
fn many_and_all_stop_and_all_holds_for_those_who_come_later() {
    let world = World::own("native-stop-all", &[], &[]);
    let mut turns: Vec<_> = (0..4).map(|_| running(&world)).collect();
    let body = |which: Value| json!({ "sessions": which }).to_string();
    let some = json!([turns[0].0, turns[1].0]);
    assert_eq!(world.server.post("/v1/stop", &body(some.clone())).status, 200);
    is_stopped(&mut turns[0].2);
    is_stopped(&mut turns[1].2);
    assert!(world.upstream.asked(&turns[2].1)[0].left.is_none());
    assert_eq!(flagged(&world, "/v1/stop").len(), 2);
    assert_eq!(world.server.post("/v1/stop", &body(json!("all"))).status, 200);
    is_stopped(&mut turns[2].2);
    is_stopped(&mut turns[3].2);
    for turn in &turns {
        within(2, "the upstream to be left", || world.upstream.asked(&turn.1)[0].left.is_some());
    }
    let later = world.session(json!({}));
    let mark = world.upstream.on(vec![text(&["no"])]);
    assert_eq!(kinds(&world.say(&later, &mark).rest()), ["message", "stopped"]);
    assert!(world.upstream.asked(&mark).is_empty());
    assert_eq!(flagged(&world, &format!("/v1/sessions/{later}/stop")), [json!("all")]);
    let clear = |which: Value| world.server.ask("DELETE", "/v1/stop", &[], &body(which)).status;
    assert_eq!(clear(json!([turns[0].0])), 200);
    assert_eq!(kinds(&world.say(&turns[0].0, "still all").rest()), ["message", "stopped"]);
    assert_eq!(clear(json!("all")), 200);
    assert_eq!(flagged(&world, "/v1/stop"), Vec::<Value>::new(), "all clears what was raised one by one");
    assert_eq!(world.say(&turns[1].0, &mark).rest().last().unwrap().kind(), "completed");
    for bad in [json!("some"), json!(7), json!([7]), json!(null)] {
        assert_eq!(world.server.post("/v1/stop", &body(bad.clone())).status, 400, "{bad}");
        assert_eq!(clear(bad), 400);
    }
}

// STREAM-4: a flag is durable, and so is that it was cleared.
#[test]
fn flags_outlive_the_process() {
    let (data, upstream) = (folder("native-stop-restart"), Arc::new(Upstream::start()));
    let world = World::again(&data, &upstream, &[], &[]);
    let [kept, cleared] = [(); 2].map(|()| world.session(json!({})));
    for session in [&kept, &cleared] {
        assert_eq!(world.server.post(&format!("/v1/sessions/{session}/stop"), "").status, 200);
    }
    assert_eq!(world.delete(&format!("/v1/sessions/{cleared}/stop")).status, 200);
    drop(world);
    let world = World::again(&data, &upstream, &[], &[]);
    assert_eq!(flagged(&world, "/v1/stop"), [json!(kept)]);
    let mark = upstream.on(vec![text(&["yes"])]);
    assert_eq!(kinds(&world.say(&kept, &mark).rest()), ["message", "stopped"]);
    assert!(upstream.asked(&mark).is_empty());
    assert_eq!(world.say(&cleared, &mark).rest().last().unwrap().kind(), "completed");
}

// STREAM-4: a turn that waits for a tool or for its model's first word stops as well, and takes no result after.
#[test]
fn a_turn_that_waits_stops_too() {
    let world = World::shared();
    let session = world.session(json!({"tools": [weather()]}));
    let mark = world.upstream.on(vec![calls(&[("c1", "get_weather", json!({"city": "Paris"}))])]);
    let mut reader = world.say(&session, &format!("The weather in Paris? {mark}"));
    let call = one(&reader.until("tool_call"), "tool_call").word("call_id");
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/stop"), "").status, 200);
    is_stopped(&mut reader);
    assert_eq!(world.result(&session, &call, json!("sunny")).status, 404);
    let session = world.session(json!({}));
    let mark = world.upstream.on(vec![vec![Step::Hang]]);
    let mut reader = world.say(&session, &mark);
    reader.until("message");
    within(5, "the model to be asked", || !world.upstream.asked(&mark).is_empty());
    assert_eq!(world.server.post("/v1/stop", &json!({ "sessions": [session] }).to_string()).status, 200);
    is_stopped(&mut reader);
    within(2, "the upstream to be left", || world.upstream.asked(&mark)[0].left.is_some());
}
