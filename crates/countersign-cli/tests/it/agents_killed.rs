//! kill -9 at every event that a reader sees of a turn with tools: on the real binary, with a real MCP server that counts.

use crate::agents_world::{Counted, approve, counting, of, variables, well_formed};
use crate::native_upstream::{Script, Step, Upstream, calls, piece, text};
use crate::native_world::{Event, World, check_turn, contents, kinds};
use crate::serve_world::{folder, within};
use serde_json::json;
use std::sync::Arc;

/// A turn: what is asked in it, with a word of its own in it, and what the model says.
struct Scene {
    name: &'static str,
    agent: &'static str,
    scripts: fn(&str) -> Vec<Script>,
}

fn slowly(mut script: Script) -> Script {
    script.insert(0, Step::Pause(10));
    script
}

/// Two tools in one answer, and one that a person is asked about in the next.
fn tools(word: &str) -> Vec<Script> {
    let with = |id, tool| (id, tool, json!({ "text": word }));
    let both = calls(&[with("c1", "fx__look_up"), with("c2", "fx__slow_line")]);
    let first = [vec![piece("I look first. ")], both].concat();
    vec![slowly(first), slowly(calls(&[with("c3", "fx__delete_record")])), slowly(text(&["I have ", "looked."]))]
}

/// A plan of two steps, of which a person is asked about one.
fn plan(word: &str) -> Vec<Script> {
    let step = |id: &str, tool: &str| json!({"id": id, "description": "do", "tool": tool, "arguments": {"text": word}});
    let plan = json!({"steps": [step("E1", "fx__slow_line"), step("E2", "fx__delete_record")]}).to_string();
    vec![slowly(text(&[&plan])), slowly(text(&["It was ", "looked at: #E1."]))]
}

// STREAM-5, STREAM-6, REVIEW-2; T37: each call at most once, each turn one end, and the session goes on.
#[test]
fn tools_killed_at_every_event() {
    kill_at_every_event(&Scene { name: "agents-killed-tools", agent: "react", scripts: tools });
}

// STREAM-7, REVIEW-2; T37: the same for a plan.
#[test]
fn a_plan_killed_at_every_event() {
    kill_at_every_event(&Scene { name: "agents-killed-plan", agent: "rewoo", scripts: plan });
}

fn kill_at_every_event(scene: &Scene) {
    let (home, upstream) = (folder(scene.name), Arc::new(Upstream::start()));
    let (config, counted) = counting(&home, "");
    let start = || World::again(&home.join("data"), &upstream, &["--config", &config], &variables());
    let mut world = start();
    for count in 1.. {
        let word = format!("word{count}of{}", scene.name);
        let mark = upstream.on((scene.scripts)(&word));
        let session = world.session(json!({"agent": scene.agent}));
        let mut reader = world.say(&session, &format!("Look up, add and delete {word} please. {mark}"));
        let mut seen: Vec<Event> = Vec::new();
        while seen.len() < count {
            match reader.next() {
                Some(event) => seen.push(event),
                None => break,
            }
            if seen.last().is_some_and(|event| event.kind() == "review_required") && seen.len() < count {
                assert_eq!(approve(&world.server, &seen), 1);
            }
        }
        let was_over = seen.len() < count;
        // Dropped, it is killed.
        drop(world);
        world = start();
        go_on(&world, &session, &seen, &counted, &word, was_over);
        next(&world, &session);
        if was_over {
            assert!(count > 8, "only {count} events were seen: {:?}", kinds(&seen));
            return;
        }
    }
}

/// What must hold after the restart.
fn go_on(world: &World, session: &str, seen: &[Event], counted: &Counted, word: &str, was_over: bool) {
    let what = format!("killed after {:?}", kinds(seen));
    let before = world.log(session);
    assert_eq!(contents(&before)[..seen.len()], contents(seen)[..], "{what}: what was seen is there, to the byte");
    let begun = |event: &Event| of(&before, "tool_call").any(|call| call.word("call_id") == event.word("call_id"));
    let is_open = !before.last().is_some_and(Event::is_terminal);
    let waits = is_open && of(&before, "review_required").any(|asked| !begun(asked));
    if waits {
        approve(&world.server, &before);
    }
    let log = world.events(session, "?mode=hybrid").rest();
    check_turn(session, &log);
    let end = log.last().unwrap().kind();
    let right: &[&str] = if was_over || waits { &["completed"] } else { &["completed", "lost"] };
    assert!(right.contains(&end), "{what}: {:?}", kinds(&log));
    let epochs: Vec<u32> = log.iter().map(|event| event.id().split_once('.').unwrap().0.parse().unwrap()).collect();
    assert!(epochs.is_sorted(), "{what}: {epochs:?}");
    for tool in ["look_up", "slow_line", "delete_record"] {
        let named = |event: &&Event| event.word("name") == format!("fx__{tool}");
        let (begun, ran) = (of(&log, "tool_call").filter(named).count(), counted.of(tool, word));
        let results: Vec<_> = of(&log, "tool_result").filter(named).collect();
        assert!(ran <= begun && begun <= 1, "{what}: {tool} was run {ran} times for {begun} calls");
        assert!(results.len() <= begun, "{what}: one result for one call");
        for result in results {
            let unknown = result.word("outcome") == "unknown";
            assert!(unknown || ran == 1, "{what}: {tool} has a result and was not run: {:?}", result.json);
        }
    }
}

/// The session takes a new turn, and the model is told a conversation that its server takes.
fn next(world: &World, session: &str) {
    let mark = world.upstream.on(vec![text(&["Plan: none"]), text(&["Nothing more."])]);
    let mut reader = world.say(session, &format!("And what now? {mark}"));
    let events = reader.rest();
    check_turn(session, &events);
    assert_eq!(events.last().unwrap().kind(), "completed");
    let asked = world.upstream.asked(&mark);
    assert!(!asked.is_empty());
    asked.iter().for_each(|asked| well_formed(&asked.body["messages"]));
    let log = world.log(session);
    let told = asked[0].body["messages"].to_string();
    for call in of(&log, "tool_call") {
        let id = call.word("call_id");
        let result = of(&log, "tool_result").find(|result| result.word("call_id") == id);
        assert!(told.contains(&id), "the call is told");
        if result.is_none_or(|result| result.word("outcome") == "unknown") {
            assert!(told.contains("The outcome is unknown"), "{told}");
        }
    }
}

// REVIEW-2, STREAM-5: a turn that waits for a person goes on over two kills, and its tool is run once.
#[test]
fn what_waits_for_a_person_outlives_two_kills() {
    let (home, upstream) = (folder("agents-waiting"), Arc::new(Upstream::start()));
    let (config, counted) = counting(&home, "");
    let start = || World::again(&home.join("data"), &upstream, &["--config", &config], &variables());
    let mut world = start();
    let delete = calls(&[("c1", "fx__delete_record", json!({"text": "gamma"}))]);
    let mark = upstream.on(vec![delete, text(&["I have looked."])]);
    let session = world.session(json!({"agent": "react"}));
    let mut seen = world.say(&session, &format!("Delete gamma. {mark}")).until("review_required");
    for _ in 0..2 {
        drop(world);
        world = start();
        let mut reader = world.events_after(&session, "?mode=hybrid", seen.last().unwrap().id());
        let resumed = reader.next().unwrap();
        assert_eq!((resumed.kind(), resumed.word("code").as_str()), ("warning", "resumed"));
        seen.push(resumed);
        let busy = world.server.post(&format!("/v1/sessions/{session}/messages"), "{\"content\": \"hurry\"}");
        assert_eq!((busy.status, counted.of("delete_record", "gamma")), (409, 0));
    }
    let mut reader = world.events_after(&session, "?mode=hybrid", seen.last().unwrap().id());
    assert_eq!(approve(&world.server, &seen), 1);
    seen.extend(reader.rest());
    check_turn(&session, &seen);
    assert_eq!((seen.last().unwrap().kind(), counted.of("delete_record", "gamma")), ("completed", 1));
    assert_eq!(upstream.asked(&mark).len(), 2, "what was answered before is not asked again");
    drop(world);
    world = start();
    assert_eq!(contents(&world.log(&session)), contents(&seen));
    assert_eq!(counted.of("delete_record", "gamma"), 1);
}

// STREAM-6, RESULT-1: an MCP server that dies in the middle of a call: told as unknown, run once, and started again.
#[test]
fn an_mcp_server_that_dies_is_told_and_started_again() {
    let (home, upstream) = (folder("agents-dying"), Arc::new(Upstream::start()));
    let (config, counted) = counting(&home, "");
    let world = World::again(&home.join("data"), &upstream, &["--config", &config], &variables());
    let session = world.session(json!({"agent": "react"}));
    for (at, (tool, ran)) in [("die_after", 1), ("die_before", 0)].into_iter().enumerate() {
        let word = format!("alpha{at}");
        let script = vec![calls(&[("c1", &format!("fx__{tool}"), json!({"text": word}))]), text(&["It broke off."])];
        let events = world.turn(&session, &format!("Work with {word}."), script);
        assert_eq!(events.last().unwrap().kind(), "completed", "{:?}", kinds(&events));
        let result = of(&events, "tool_result").next().unwrap();
        assert_eq!((result.payload("is_error"), result.word("outcome").as_str()), (&json!(true), "unknown"), "{tool}");
        let codes: Vec<_> = of(&events, "warning").map(|warning| warning.word("code")).collect();
        assert!(codes.contains(&"outcome_unknown".to_owned()), "{codes:?}");
        assert_eq!(counted.of(tool, &word), ran);
        let mut tries = 0;
        within(10, "the server works again", || {
            tries += 1;
            let script = vec![
                calls(&[("c2", "fx__look_up", json!({"text": format!("{word} {tries}")}))]),
                text(&["I have looked."]),
            ];
            let events = world.turn(&session, &format!("Look {word} {tries} up."), script);
            of(&events, "tool_result").any(|result| result.payload("is_error") == &json!(false))
        });
        assert_eq!(counted.of(tool, &word), ran, "and is not run again");
    }
}
