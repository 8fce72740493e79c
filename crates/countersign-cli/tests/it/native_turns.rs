//! Turns: what a reader sees of them, and that each ends in exactly one way, whatever the model's server does.

use crate::native_upstream::{Gate, Script, Step, call_part, finish, piece, text};
use crate::native_world::{Event, World, check_turn, contents, kinds, one, weather, words};
use crate::serve_world::{Receiver, Server, folder, within};
use countersign::contract::StreamEvent;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

// STREAM-1
#[test]
fn every_event_has_the_shape_of_the_contract() {
    let world = World::shared();
    let session = world.session(json!({"agent": "concierge", "user": "ann"}));
    let note = "<create_note><name>plan</name><content>buy 3 apples</content></create_note>";
    let first = world.turn(&session, "Hello", vec![text(&["Sales rose ", "12% in 2025. ", note])]);
    let second = world.turn(&session, "Again", vec![text(&["Good."])]);
    let log = world.log(&session);
    let seqs: Vec<u64> = log.iter().map(Event::seq).collect();
    assert_eq!(seqs, (1..=log.len() as u64).collect::<Vec<_>>(), "dense over all turns, from 1");
    assert_eq!(contents(&log), contents(&[first.clone(), second].concat()), "the log is what was streamed");
    for event in first.iter().chain(&log) {
        let read: StreamEvent = serde_json::from_value(event.json.clone()).unwrap();
        assert_eq!(event.json["id"], json!(read.id.unwrap()), "an id is `epoch.seq`");
        assert_eq!(event.id().split('.').next(), Some("1"), "epochs are small");
        event.json["timestamp"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        let meta = &event.json["meta"];
        assert_ne!(meta["is_replay"], meta["is_realtime"]);
        assert!(event.payload("content_type").is_string());
    }
    assert!(first.iter().all(|event| event.json["meta"]["phase"] == "live"), "who posts sees it live");
    assert!(log.iter().all(|event| event.json["meta"]["phase"] == "replay"));
    assert_eq!(kinds(&first), ["message", "text_delta", "note", "text_delta", "message", "completed"]);
    let said = &first[first.len() - 2];
    assert_eq!((said.word("content"), said.payload("needs_verify")), (words(&first), &json!(true)));
    let deltas = first.iter().filter(|event| event.kind() == "text_delta");
    for delta in deltas {
        assert_eq!(delta.word("message_id"), said.word("message_id"), "a delta names its message");
    }
}

/// What the model does, how the turn ends, the error's code, and the words that are kept.
fn endings() -> Vec<(&'static str, Script, &'static str, &'static str, &'static str)> {
    let status = |status, body: &str| vec![Step::Status(status, body.to_owned())];
    let half = "Zürich".as_bytes()[..2].to_vec();
    let mid_letter = [br#"data: {"choices":[{"index":0,"delta":{"content":""#.to_vec(), half].concat();
    let broken_off = json!({"error": {"message": "overloaded"}});
    vec![
        ("whole", text(&["a", "b"]), "completed", "", "ab"),
        ("empty", text(&[]), "completed", "", ""),
        ("no marker", vec![piece("half "), piece("a")], "failed", "upstream_cut", "half a"),
        ("cut", vec![piece("half "), Step::Cut], "failed", "upstream_cut", "half "),
        ("cut at once", vec![Step::Cut], "failed", "upstream_cut", ""),
        ("cut in a letter", vec![piece("in "), Step::Raw(mid_letter), Step::Cut], "failed", "upstream_cut", "in "),
        ("400", status(400, r#"{"error": {"message": "no such model"}}"#), "failed", "upstream_error", ""),
        ("401", status(401, "no"), "failed", "upstream_error", ""),
        ("500", status(500, "<html>"), "failed", "upstream_error", ""),
        ("error in the stream", vec![piece("x"), Step::Chunk(broken_off)], "failed", "upstream_error", "x"),
        ("garbage", vec![Step::Raw(b"\xff\xfe\x00garbage\n\n".to_vec())], "failed", "upstream_cut", ""),
        ("length", vec![piece("long"), finish("length")], "completed", "", "long"),
    ]
}

// STREAM-2, T31: one terminal event, an error first where there was one, [DONE], and the words that came are kept.
#[test]
fn every_turn_ends_once_whatever_the_model_does() {
    let world = World::shared();
    for (name, script, end, code, kept) in endings() {
        let session = world.session(json!({}));
        let began = Instant::now();
        let events = world.turn(&session, "Hello", vec![script]);
        assert!(began.elapsed() < Duration::from_secs(10), "{name}");
        assert_eq!((events[events.len() - 1].kind(), words(&events).as_str()), (end, kept), "{name}");
        if !code.is_empty() {
            let error = one(&events, "error");
            assert_eq!(error.word("code"), code, "{name}: {error:?}");
            assert!(!error.word("message").is_empty() && error.payload("retryable").is_boolean(), "{name}");
        }
        assert_eq!(contents(&world.log(&session)), contents(&events), "{name}");
        let next = world.turn(&session, "Once more", vec![text(&["Fine."])]);
        assert_eq!(next[next.len() - 1].kind(), "completed", "{name}: the session goes on");
    }
}

// STREAM-2, PARSE-5: a call that was cut is not run, and nobody is asked to.
#[test]
fn a_call_that_was_cut_is_never_shown() {
    let world = World::shared();
    let whole = call_part(0, Some("c1"), Some("get_weather"), r#"{"city": "Paris"}"#);
    let begun = call_part(0, Some("c1"), Some("get_weather"), r#"{"city": "Pa"#);
    for (script, end) in [
        (vec![begun.clone(), Step::Cut], "failed"),
        (vec![whole.clone(), Step::Cut], "failed"),
        (vec![whole], "failed"),
        (vec![begun, finish("length")], "completed"),
    ] {
        let session = world.session(json!({"tools": [weather()]}));
        let events = world.turn(&session, "The weather in Paris?", vec![script]);
        assert!(!kinds(&events).contains(&"tool_call"), "{:?}", kinds(&events));
        assert_eq!(events[events.len() - 1].kind(), end);
    }
}

// STREAM-2: heartbeats while nothing happens; a reader that leaves ends nothing; a second message is told to wait.
#[test]
fn a_turn_goes_on_without_its_reader() {
    let world = World::shared();
    let session = world.session(json!({}));
    let gate = Gate::default();
    let mark = world.upstream.on(vec![vec![piece("one"), Step::Gate(gate.clone()), piece(" two"), finish("stop")]]);
    let mut posting = world.say(&session, &mark);
    posting.until("text_delta");
    let (status, told) = world.say(&session, "me too").refusal();
    assert_eq!((status, &told["error"]["code"]), (409, &json!("conflict")));
    drop(posting);
    let mut reader = world.events(&session, "");
    reader.until("text_delta");
    std::thread::sleep(Duration::from_millis(800));
    assert!(world.upstream.asked(&mark)[0].left.is_none(), "the model is still listened to");
    gate.open();
    let rest = reader.rest();
    assert_eq!((words(&rest).as_str(), kinds(&rest)), (" two", vec!["text_delta", "message", "completed"]));
    assert!(reader.heartbeats >= 2, "{}", reader.heartbeats);
    check_turn(&session, &world.log(&session));
}

// STREAM-5: what the model is told is this session: the history, and the user's words verbatim at the end.
#[test]
fn the_model_hears_what_was_said() {
    let world = World::shared();
    let session = world.session(json!({"model": "my-model"}));
    world.turn(&session, "My name is Ann.", vec![text(&["Hello ", "Ann."])]);
    let mark = world.upstream.on(vec![text(&["You are Ann."])]);
    let content = format!("  Who am I? \"\u{1F600}\" {mark}\n");
    check_turn(&session, &world.say(&session, &content).rest());
    let asked = &world.upstream.asked(&mark)[0].body;
    assert_eq!((&asked["stream"], &asked["model"]), (&json!(true), &json!("my-model")));
    let messages = asked["messages"].as_array().unwrap();
    assert_eq!(messages[messages.len() - 1], json!({"role": "user", "content": content}));
    assert_eq!(messages[messages.len() - 2], json!({"role": "assistant", "content": "Hello Ann."}));
    let unnamed = world.session(json!({}));
    let mark = world.upstream.on(vec![text(&["Hi."])]);
    world.say(&unnamed, &mark).rest();
    assert_eq!(world.upstream.asked(&mark)[0].body["model"], "mock-1", "the first that the upstream lists");
}

// PARSE-1: notes and materials of the answer are kept, and the reader is told in a sentence.
#[test]
fn tags_are_carried_out() {
    let world = World::shared();
    let session = world.session(json!({}));
    let said = "Noted. <create_note><name>plan</name><content>buy</content></create_note> \
                <SAVE_MATERIAL><CONTENT>raw <save_material><id>7</id><content>seven</content></save_material>";
    let (first, second) = said.split_at(31);
    let events = world.turn(&session, "Keep it", vec![text(&[first, second])]);
    assert_eq!(one(&events, "note").word("name"), "plan");
    assert!(!words(&events).contains('<'), "{}", words(&events));
    let list = |what: &str| world.server.get(&format!("/v1/sessions/{session}/{what}")).json()[what].clone();
    assert_eq!((&list("notes")[0]["name"], &list("notes")[0]["content"]), (&json!("plan"), &json!("buy")));
    let materials: Vec<Value> = list("materials").as_array().unwrap().iter().map(|kept| kept["name"].clone()).collect();
    assert_eq!(materials, ["material1", "material7"]);
}

// SERVE-2, STREAM-2, T31: an upstream that fails in the middle of a turn: error, failed, [DONE], and people are told.
#[test]
fn a_failed_turn_is_told_to_people() {
    let hook = Receiver::start();
    let url = format!("http://{}/hook", hook.address);
    let world =
        World::own("native-alert", &[], &[("COUNTERSIGN_ALERT_WEBHOOK", &url), ("OPENAI_API_KEY", "sk-abc999")]);
    let session = world.session(json!({}));
    let events = world.turn(&session, "Hello", vec![vec![piece("begun"), Step::Cut]]);
    assert_eq!(kinds(&events), ["message", "text_delta", "error", "failed"]);
    within(10, "the alert", || hook.texts().iter().any(|text| text.contains("turn_failed") && text.contains(&session)));
    let metrics = world.server.get("/metrics").body;
    assert!(metrics.contains("countersign_turns_total{end=\"failed\"} 1"), "{metrics}");
    assert!(!world.server.log().contains("sk-abc999") && !hook.texts().concat().contains("sk-abc999"));
}

// SERVE-7: with no upstream the demo model answers, with a tool and without.
#[test]
fn without_an_upstream_the_demo_answers() {
    let server = Server::start(&folder("native-demo"), &[], &[]);
    let upstream = std::sync::Arc::new(crate::native_upstream::Upstream::start());
    let world = World { server, upstream };
    let session = world.session(json!({}));
    let events = world.say(&session, "How did sales do?").rest();
    check_turn(&session, &events);
    assert!(words(&events).contains("How did sales do?"));
    let message = events.iter().rfind(|event| event.kind() == "message").unwrap();
    assert_eq!(message.payload("needs_verify"), &json!(true));
    let session = world.session(json!({"tools": [weather()]}));
    let mut turn = world.say(&session, "The weather in Paris for 3 days");
    let shown = turn.until("tool_call");
    let call = &shown[shown.len() - 1];
    assert_eq!(call.payload("arguments"), &json!({"city": "Paris", "days": 3}), "its mistakes are mended");
    assert_eq!(world.result(&session, &call.word("call_id"), json!("sunny")).status, 200);
    assert_eq!(turn.rest().last().unwrap().kind(), "completed");
}
