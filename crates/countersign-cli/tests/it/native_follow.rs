//! Following a session from turn to turn, sessions with what their logs say, and the policy in force.

use crate::native_upstream::{Step, piece, text};
use crate::native_world::{World, contents, kinds};
use crate::serve_world::{Server, folder, within};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

// STREAM-3: one connection sees turn after turn, and what is written between them, live.
#[test]
fn a_follower_sees_turn_after_turn() {
    let world = World::shared();
    let session = world.session(json!({}));
    let first = world.turn(&session, "One", vec![text(&["Sales rose 12% in 2025."])]);
    let mut all = world.events(&session, "?follow=true");
    let mut now = world.events(&session, "?mode=none&follow=true");
    let mut rest = world.events(&session, &format!("?follow=true&after={}", first[1].id()));
    let second = world.turn(&session, "Two", vec![text(&["Hello", " again"])]);
    let passed = json!({"from": "a", "to": "b", "content": "It grew by 25% in 2024."}).to_string();
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/relay"), &passed).status, 200);
    let third = world.turn(&session, "Three", vec![text(&["Bye"])]);
    let log = world.log(&session);
    assert_eq!(log.len(), first.len() + second.len() + third.len() + 1, "the relay is in the log");
    for (reader, skipped, replayed) in
        [(&mut all, 0, first.len()), (&mut now, first.len(), 0), (&mut rest, 2, first.len() - 2)]
    {
        let mut got = Vec::new();
        while got.len() < log.len() - skipped {
            got.push(reader.next().expect("it stays open"));
        }
        assert_eq!(contents(&got), contents(&log[skipped..]));
        for (at, event) in got.iter().enumerate() {
            let phase = if at < replayed { "replay" } else { "live" };
            assert_eq!(event.json["meta"]["phase"], phase, "{at} of {:?}", kinds(&got));
        }
    }
    let before = all.heartbeats;
    assert_eq!(world.delete(&format!("/v1/sessions/{session}")).status, 204);
    for mut reader in [all, now, rest] {
        assert_eq!(reader.rest_within(Duration::from_secs(5)), [], "a removed session ends its streams");
        assert!(reader.done && reader.heartbeats >= before);
    }
}

// STREAM-3: what cannot be followed is refused, and without the word nothing is different.
#[test]
fn what_only_replays_cannot_be_followed() {
    let world = World::shared();
    let session = world.session(json!({}));
    world.turn(&session, "One", vec![text(&["Hello"])]);
    let (status, told) = world.events(&session, "?mode=replay&follow=true").refusal();
    assert_eq!((status, &told["error"]["param"]), (400, &json!("follow")));
    assert_eq!(world.events(&session, "?follow=maybe").refusal().0, 400);
    assert_eq!(contents(&world.events(&session, "?follow=false").rest()), contents(&world.log(&session)));
    assert_eq!(world.events("ses_nobody", "?follow=true").refusal().0, 404);
}

// STREAM-3: an idle follower gets signs of life, keeps its place under a name, and ends in order with the server.
#[test]
fn a_follower_ends_with_the_server() {
    let world =
        World::own("follow-end", &["--set", "sessions.heartbeat=100ms", "--set", "sessions.shutdown_grace=1s"], &[]);
    let idle = world.session(json!({}));
    let busy = world.session(json!({}));
    let mut quiet = world.events(&idle, "?follow=true&reader=tab");
    let mark = world.upstream.on(vec![vec![piece("begun"), Step::Hang]]);
    let mut turn = world.say(&busy, &mark);
    turn.until("text_delta");
    let mut following = world.events(&busy, "?follow=true");
    following.until("text_delta");
    world.server.post(&format!("/v1/sessions/{idle}/relay"), r#"{"from": "a", "to": "b", "content": "Hello"}"#);
    assert_eq!(quiet.next().unwrap().kind(), "message");
    let began = Instant::now();
    world.server.signal("TERM");
    assert_eq!(quiet.rest(), []);
    let last = following.rest();
    assert!(quiet.heartbeats > 0 && quiet.done && following.done);
    assert_eq!(last.last().unwrap().kind(), "stopped", "the end of the turn comes before the end of the stream");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

// STREAM-1: a list tells what each session is about and whether something happens in it.
#[test]
fn a_list_tells_what_each_session_is_about() {
    let world = World::own("follow-list", &[], &[]);
    let empty = world.session(json!({"user": "ann"}));
    let said = world.session(json!({}));
    let long = format!("  How did 市场 do? {}", "x".repeat(300));
    world.turn(&said, &long, vec![text(&["Well."])]);
    let passed = world.session(json!({}));
    world.server.post(&format!("/v1/sessions/{passed}/relay"), r#"{"from": "a", "to": "b", "content": "Not a title"}"#);
    let busy = world.session(json!({}));
    let mark = world.upstream.on(vec![vec![piece("begun"), Step::Hang]]);
    let mut turn = world.say(&busy, &mark);
    turn.until("text_delta");
    let listed = world.server.get("/v1/sessions?detail=true").json();
    let of = |id: &str| -> Value {
        let found = listed["sessions"].as_array().unwrap().iter().find(|one| one["session_id"] == id);
        found.unwrap().clone()
    };
    for (id, running, title) in
        [(&empty, false, None), (&said, false, Some("How did")), (&passed, false, None), (&busy, true, Some(""))]
    {
        let shown = of(id);
        assert_eq!((&shown["running"], &shown["stopped"]), (&json!(running), &json!(false)), "{shown}");
        assert_eq!(
            shown["title"].as_str().map(|found| found.starts_with(title.unwrap_or("none"))),
            title.map(|_| true)
        );
        assert_eq!(shown["events"] == json!(0), *id == empty, "{shown}");
    }
    assert_eq!(of(&said)["title"].as_str().unwrap().chars().count(), 120);
    assert_eq!(of(&empty)["updated_at"], of(&empty)["created_at"]);
    let newest = world.log(&said).last().unwrap().json["timestamp"].clone();
    assert_eq!(of(&said)["updated_at"], newest);
    let looked = world.server.get(&format!("/v1/sessions/{said}")).json();
    assert_eq!(looked, of(&said), "one session is told of like all");
    let plain = world.server.get("/v1/sessions").json();
    assert_eq!(plain["sessions"][0].get("title"), None, "as it was, for who does not ask");
    assert_eq!(world.server.get("/v1/sessions?detail=true&limit=1").json()["sessions"].as_array().unwrap().len(), 1);
}

// SERVE-4: the policy in force can be read, tried and is replaced by the next that can be used.
#[test]
fn the_policy_in_force_can_be_read() {
    let server = Server::start(&folder("policy-shipped"), &[], &[]);
    let shipped = server.get("/v1/policy").json();
    assert_eq!(shipped["path"], json!(null));
    let replayed = |server: &Server, policy: &Value| {
        let answer = server.post("/v1/policy/replay", &json!({ "policy": policy }).to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["policy_version"].clone()
    };
    replayed(&server, &shipped["toml"]);
    let file = crate::run::scratch("console-policy.toml", "level = \"strict\"\n# one\n");
    let server = Server::start(&folder("policy-own"), &["--policy", &file], &[]);
    let first = server.get("/v1/policy").json();
    assert_eq!((&first["toml"], &first["path"]), (&json!("level = \"strict\"\n# one\n"), &json!(file)));
    assert_eq!(replayed(&server, &first["toml"]), first["version"]);
    std::fs::write(&file, "level = \"nonsense\"\n").unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let mut kept = server.get("/v1/policy").json();
    let trouble = kept["trouble"].take();
    assert_eq!(kept, first, "what cannot be used is not in force");
    assert!(trouble.as_str().is_some_and(|why| why.contains("nonsense")), "{trouble}");
    std::fs::write(&file, "level = \"strict\"\n# two\n").unwrap();
    within(10, "the new policy", || server.get("/v1/policy").json()["toml"] == "level = \"strict\"\n# two\n");
    assert_ne!(server.get("/v1/policy").json()["version"], first["version"]);
    let locked = Server::start(&folder("policy-locked"), &[], &[("COUNTERSIGN_API_KEYS", "k")]);
    assert_eq!(locked.get("/v1/policy").status, 401);
}
