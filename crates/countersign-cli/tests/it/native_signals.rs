//! Log-probabilities of hosted turns over HTTP: an upstream that gives them, one that ignores the field, one that refuses
//! it, and the built-in demo model.

use crate::native_upstream::{Script, Step, finish, text};
use crate::native_world::{Event, World, check_turn, kinds};
use crate::serve_world::{Server, folder};
use serde_json::{Value, json};

fn with_logprobs() -> Script {
    let token = |text: &str, logprob: f64| {
        let told = json!({"content": [{"token": text, "logprob": logprob, "bytes": null, "top_logprobs": []}]});
        Step::Chunk(json!({"choices": [{"index": 0, "delta": {"content": text}, "logprobs": told}]}))
    };
    vec![token("The sky ", -0.5), token("is blue today.", -0.5), finish("stop")]
}

fn refusal(status: u16, message: &str) -> Script {
    vec![Step::Status(status, json!({"error": {"message": message}}).to_string())]
}

/// The signals of the last answer.
fn signals(events: &[Event]) -> Value {
    let said = events.iter().rfind(|event| event.kind() == "message").unwrap();
    said.payload("assessment")["confidence"]["signals"].clone()
}

/// A turn; its events, and which of the requests asked for log-probabilities.
fn turn(world: &World, model: &str, scripts: Vec<Script>) -> (Vec<Event>, Vec<Value>) {
    let session = world.session(json!({"model": model}));
    let mark = world.upstream.on(scripts);
    let events = world.say(&session, &format!("Which colour has the sky? {mark}")).rest();
    check_turn(&session, &events);
    let asked = world.upstream.asked(&mark);
    for asked in &asked {
        assert_eq!(asked.body["stream"], true);
        assert!(asked.words("user").concat().contains(&format!("Which colour has the sky? {mark}")), "verbatim");
    }
    (events, asked.into_iter().map(|asked| asked.body["logprobs"].clone()).collect())
}

fn warnings(events: &[Event]) -> Vec<&str> {
    events
        .iter()
        .filter(|event| event.kind() == "warning")
        .map(|event| event.json["payload"]["code"].as_str().unwrap())
        .collect()
}

// SCORE-3: an upstream that gives log-probabilities is asked for them, and they are signals of the answer.
#[test]
fn log_probabilities_are_asked_for_and_weighed() {
    let world = World::shared();
    let (events, asked) = turn(&world, "giving", vec![with_logprobs()]);
    assert_eq!(asked, [json!(true)]);
    let signals = signals(&events);
    assert_eq!((&signals["model_logprobs"], &signals["token_probability"]), (&json!(0.9), &json!(0.8)), "{signals}");
}

// SCORE-2, SCORE-3: one that ignores the field loses nothing: the signals are absent, and nobody is warned.
#[test]
fn an_upstream_that_ignores_the_field_is_not_disturbed() {
    let world = World::shared();
    let (events, asked) = turn(&world, "ignoring", vec![text(&["The sky is blue today."])]);
    assert_eq!((asked, signals(&events)["model_logprobs"].clone()), (vec![json!(true)], Value::Null));
    assert_eq!(kinds(&events), ["message", "text_delta", "message", "completed"]);
}

// SCORE-3: one that refuses the field gets the same request again without it, once; it is remembered for that model alone.
#[test]
fn an_upstream_that_refuses_the_field_is_asked_without_it() {
    let world = World::own("logprobs-refused", &[], &[]);
    let said = || text(&["The sky is blue today."]);
    for (model, status, message) in [
        ("old", 400, "Unrecognized request argument supplied: logprobs"),
        ("strict", 422, "Extra inputs are not permitted"),
    ] {
        let (events, asked) = turn(&world, model, vec![refusal(status, message), said()]);
        assert_eq!(asked, [json!(true), Value::Null], "{model}");
        assert_eq!(kinds(&events), ["message", "text_delta", "message", "completed"], "the reader sees nothing of it");
        let (_, asked) = turn(&world, model, vec![said()]);
        assert_eq!(asked, [Value::Null], "{model} is not asked again");
    }
    let (_, asked) = turn(&world, "other", vec![with_logprobs()]);
    assert_eq!(asked, [json!(true)], "another model may give them");
}

// SCORE-3: every other refusal ends the turn as it did, without a second request.
#[test]
fn other_refusals_are_not_asked_again() {
    let world = World::shared();
    for (status, message) in [(400, "no such model"), (422, "unknown field: tools"), (401, "logprobs need a key")] {
        let (events, asked) = turn(&world, "refusing", vec![refusal(status, message), text(&["never"])]);
        assert_eq!((asked.len(), events.last().map(Event::kind)), (1, Some("failed")), "{status} {message}");
    }
}

// SCORE-3: `off` never asks, `on` always, and says where none come.
#[test]
fn the_setting_is_heard() {
    let off = World::own("logprobs-off", &["--set", "upstream.logprobs=off"], &[]);
    let (_, asked) = turn(&off, "giving", vec![text(&["The sky is blue today."])]);
    assert_eq!(asked, [Value::Null]);
    let on = World::own("logprobs-on", &[], &[("COUNTERSIGN_UPSTREAM_LOGPROBS", "on")]);
    for _ in 0..2 {
        let scripts = vec![refusal(400, "logprobs are not supported"), text(&["The sky is blue today."])];
        let (events, asked) = turn(&on, "old", scripts);
        assert_eq!((asked, warnings(&events)), (vec![json!(true), Value::Null], vec!["logprobs_missing"]));
    }
    let (events, _) = turn(&on, "giving", vec![with_logprobs()]);
    assert_eq!(warnings(&events), [""; 0]);
}

// SCORE-3: the first run, without an account, shows the signals too; its claims keep it from passing simply.
#[test]
fn the_demo_model_gives_log_probabilities() {
    let server = Server::start(&folder("logprobs-demo"), &[], &[]);
    let session = crate::native_world::session_as(&server, &[], json!({}));
    let path = format!("/v1/sessions/{session}/messages");
    let body = json!({"content": "How is the market doing?"}).to_string();
    let events = crate::native_world::Reader::open(&server, "POST", &path, &[], &body).rest();
    let signals = signals(&events);
    assert!(signals["model_logprobs"].is_f64() && signals["token_probability"].is_f64(), "{signals}");
    let said = events.iter().rfind(|event| event.kind() == "message").unwrap();
    assert_eq!(
        (said.payload("needs_verify"), &said.payload("assessment")["status"]),
        (&json!(true), &json!("caution"))
    );
}

// SERVE-4: what an answer of a session cost is counted by key, model and tool; a server that refuses to tell it is asked without.
#[test]
fn hosted_answers_are_counted_in_tokens() {
    let world = World::own("hosted-tokens", &[], &[]);
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 41, "completion_tokens": 7, "total_tokens": 48}});
    let mut told = text(&["The sky is blue today."]);
    told.push(Step::Chunk(usage));
    turn(&world, "counting", vec![told]);
    let refused = refusal(400, "Unsupported parameter: 'stream_options'");
    turn(&world, "silent", vec![refused, text(&["The sky is blue today."])]);
    let stats = world.server.ask("GET", "/v1/stats", &[], "").json();
    let cost = &stats["tokens"]["by_model"];
    assert_eq!(cost["counting"], json!({"input": 41, "output": 7, "cached": 0}), "{stats}");
    assert_eq!(cost["silent"], Value::Null, "nobody told");
}
