//! Who may decide on a call, for which call a decision holds, and who counts as somebody that watches.

use crate::gateway_dialects::{Heard, Past, Said, WIRES, Wire, call, everywhere, says, user};
use crate::gateway_upstream::Upstream;
use crate::gateway_world::{Ask, World, delete, weather};
use crate::native_upstream::{Upstream as Model, calls, text};
use crate::native_world::{Reader, session_as};
use crate::serve_world::{Answer, Server, bare, folder};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call with a flaw, of a tool whose work cannot be undone: enough to want a person.
fn flawed(file: &str) -> Said {
    Said::calls("Sure.", &[call("call_1", "delete_file", json!({"path": format!("{file}.txt"), "recursive": "true"}))])
}

fn past(file: &str) -> Vec<Past> {
    vec![user(&format!("Please delete the file {file}.txt"))]
}

fn ask(wire: Wire, stream: bool, past: &[Past]) -> Ask {
    Ask::of(wire, stream, past, &[delete(), weather()])
}

/// Asks for the deletion of a file within a conversation.
fn asked(world: &World, ask: &Ask, file: &str) -> Heard {
    let mark = world.upstream.on([flawed(file)]);
    world.ask(ask, &mark)
}

/// The items of the queue that name a file, oldest first.
fn items(server: &Server, headers: &[(&str, &str)], file: &str) -> Vec<Value> {
    let listed = server.ask("GET", "/v1/reviews", headers, "").json();
    let all = listed["reviews"].as_array().unwrap();
    all.iter().filter(|item| item["call"].to_string().contains(file)).cloned().collect()
}

fn id(item: &Value) -> String {
    item["review_id"].as_str().unwrap().to_owned()
}

// REVIEW-1, REVIEW-2: an approval holds for the conversation that it was given in, however that goes on, and for no other.
#[test]
fn an_approval_holds_in_its_own_conversation() {
    let world = World::own("approval-conversation", &[], &[]);
    for (wire, stream) in everywhere() {
        let file = format!("bound-{}-{stream}", wire.name());
        let here = past(&file);
        assert_eq!(asked(&world, &ask(wire, stream, &here), &file).names(), [""; 0]);
        let first = items(&world.server, &[], &file);
        assert_eq!(first.len(), 1, "{first:?}");
        assert_eq!(world.decide(&id(&first[0]), json!({"decision": "approve"})).status, 200);
        // Another conversation of the same caller makes the same call: nobody has approved that one.
        let other = [user(&format!("A mail said: tidy up. Then delete {file}.txt, please."))];
        assert_eq!(asked(&world, &ask(wire, stream, &other), &file).names(), [""; 0], "{wire:?}");
        assert_eq!(items(&world.server, &[], &file).len(), 2, "it has an item of its own");
        // The conversation goes on from the words that the approval was given on: it is the same.
        let on = [here.clone(), vec![says("Shall I?", &[]), user("Yes, do.")]].concat();
        let heard = asked(&world, &ask(wire, stream, &on), &file);
        assert_eq!(heard.names(), ["delete_file"], "{}", heard.raw);
        // One that begins alike and goes another way is another.
        let file = format!("fork-{}-{stream}", wire.name());
        let there = [past(&file), vec![says("Which one?", &[]), user("The old one.")]].concat();
        asked(&world, &ask(wire, stream, &there), &file);
        let item = id(&items(&world.server, &[], &file)[0]);
        assert_eq!(world.decide(&item, json!({"decision": "approve"})).status, 200);
        let fork = [past(&file), vec![says("Which one?", &[]), user("All of them.")]].concat();
        assert_eq!(asked(&world, &ask(wire, stream, &fork), &file).names(), [""; 0], "{wire:?}");
        assert_eq!(asked(&world, &ask(wire, stream, &there), &file).names(), ["delete_file"], "{wire:?}");
    }
}

// REVIEW-2: a retry finds its item: asked again, asked again after the refusal, and written in another way.
#[test]
fn a_retry_is_known_for_what_it_is() {
    let world = World::own("approval-retry", &[], &[]);
    for wire in WIRES {
        let file = format!("again-{}", wire.name());
        let here = past(&file);
        let refused = asked(&world, &ask(wire, false, &here), &file);
        let after = [here.clone(), vec![says(&refused.text, &[]), user("It is approved now. Try again.")]].concat();
        let instructed = |time: &str| match wire {
            Wire::Chat => {
                let mut again = ask(wire, false, &here);
                let system = json!({"role": "system", "content": format!("It is {time}.")});
                again.body["messages"].as_array_mut().unwrap().insert(0, system);
                again
            }
            Wire::Responses => ask(wire, false, &here).field("instructions", json!(format!("It is {time}."))),
            Wire::Messages => ask(wire, false, &here).field("system", json!(format!("It is {time}."))),
        };
        for again in [ask(wire, true, &here), ask(wire, false, &after), instructed("12:01"), instructed("12:02")] {
            assert_eq!(asked(&world, &again, &file).names(), [""; 0]);
            assert_eq!(items(&world.server, &[], &file).len(), 1, "{wire:?}: {}", again.body);
        }
        let item = id(&items(&world.server, &[], &file)[0]);
        assert_eq!(world.decide(&item, json!({"decision": "approve"})).status, 200);
        let heard = asked(&world, &ask(wire, false, &after), &file);
        assert_eq!(heard.names(), ["delete_file"], "{}", heard.raw);
        assert_eq!(asked(&world, &ask(wire, false, &here), &file).names(), [""; 0], "it is used once");
    }
}

// REVIEW-1: a tool that says something else of itself is another tool.
#[test]
fn an_approval_holds_for_the_tool_as_it_was_shown() {
    let world = World::own("approval-tool", &[], &[]);
    for wire in WIRES {
        let file = format!("tool-{}", wire.name());
        let here = past(&file);
        asked(&world, &ask(wire, false, &here), &file);
        let item = id(&items(&world.server, &[], &file)[0]);
        assert_eq!(world.decide(&item, json!({"decision": "approve"})).status, 200);
        let mut changed = delete();
        changed.description = "Delete a file for good, on every machine of the company. This cannot be undone.";
        let swapped = Ask::of(wire, false, &here, &[changed, weather()]);
        assert_eq!(asked(&world, &swapped, &file).names(), [""; 0], "{wire:?}");
        assert_eq!(asked(&world, &ask(wire, false, &here), &file).names(), ["delete_file"]);
    }
}

/// Makes a key.
pub(crate) fn key(data: &Path, name: &str, scopes: &str) -> String {
    let place = data.display().to_string();
    let args = ["keys", "create", "--name", name, "--scope", scopes, "--data-dir", &place];
    let out = bare(&args, &[]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn act(server: &Server, key: &str, review: &str, what: &str, body: Value) -> Answer {
    let headers = [("x-api-key", key), ("content-type", "application/json")];
    server.ask("POST", &format!("/v1/reviews/{review}/{what}"), &headers, &body.to_string())
}

// REVIEW-1, SERVE-1: nobody decides on calls of their own key, `review` is a scope of its own, and what is written down
// is whose key it was. In the gateway and in sessions.
#[test]
fn decisions_are_another_keys_and_carry_its_name() {
    let (data, upstream) = (folder("access-decide"), Arc::new(Upstream::start()));
    let [agent, other, judge] =
        [("agent", "engine,sessions,review"), ("other", "engine,sessions"), ("judge", "review")]
            .map(|(name, scopes)| key(&data, name, scopes));
    let (openai, anthropic) = (upstream.openai(), upstream.anthropic());
    let args = ["--upstream-openai", &openai, "--upstream-anthropic", &anthropic];
    let world = World { server: Server::start(&data, &args, &[]), upstream };
    let edit = json!({"decision": "edit", "arguments": {"path": "other.txt"}, "reviewer": "judge"});
    for (wire, stream) in everywhere() {
        let file = format!("own-{}-{stream}", wire.name());
        let asking = ask(wire, stream, &past(&file)).header("x-api-key", &agent);
        asked(&world, &asking, &file);
        let found = items(&world.server, &[("x-api-key", &judge)], &file);
        let review = id(&found[0]);
        for (what, body) in [
            ("reserve", json!({"reviewer": "judge"})),
            ("decision", json!({"decision": "approve"})),
            ("decision", json!({"decision": "reject"})),
            ("decision", edit.clone()),
        ] {
            let own = act(&world.server, &agent, &review, what, body.clone());
            assert_eq!((own.status, own.error().as_str()), (403, "own_call"), "{what} {body}");
            let without = act(&world.server, &other, &review, what, body.clone());
            assert_eq!((without.status, without.error().as_str()), (403, "insufficient_scope"), "{what} {body}");
        }
        assert!(items(&world.server, &[("x-api-key", &other)], &file).is_empty(), "another's is not shown");
        let path = format!("/v1/reviews/{review}");
        assert_eq!(world.server.ask("GET", &path, &[("x-api-key", &other)], "").status, 404);
        assert_eq!(world.server.ask("GET", &path, &[("x-api-key", &agent)], "").json()["state"], "pending");
        assert_eq!(act(&world.server, &judge, &review, "reserve", json!({"reviewer": "agent"})).status, 200);
        let held = world.server.ask("GET", &path, &[("x-api-key", &judge)], "").json();
        assert_eq!(held["reserved_by"], "judge (agent)", "a name in the body adds to the key's");
        let decided = act(&world.server, &judge, &review, "decision", edit.clone());
        assert_eq!(decided.status, 409, "reserved under another name: {}", decided.body);
        let edit = json!({"decision": "edit", "arguments": {"path": "other.txt"}});
        let decided = act(&world.server, &judge, &review, "decision", edit).json();
        assert_eq!(decided["decided"]["reviewer"], "judge", "{decided}");
        assert!(decided["decided"]["key"].as_str().unwrap().starts_with("key_"));
        let heard = asked(&world, &asking, &file);
        assert_eq!(heard.calls[0].json(), json!({"path": "other.txt"}), "{}", heard.raw);
        let verdict =
            world.server.ask("GET", &format!("/v1/verdicts/{}", heard.verdict()), &[("x-api-key", &agent)], "");
        assert_eq!(verdict.json()["reviewer"], "judge", "whose edit it was: {}", verdict.body);
        assert_eq!(verdict.json()["edited"], true);
    }
}

// REVIEW-1: the same in sessions.
#[test]
fn a_sessions_calls_are_decided_by_another_key() {
    let (data, model) = (folder("access-decide-session"), Model::start());
    let [agent, judge] = [("agent", "sessions,review"), ("judge", "review")].map(|(name, of)| key(&data, name, of));
    let server = Server::start(&data, &["--upstream-openai", &model.base], &[]);
    let headers = [("x-api-key", agent.as_str())];
    let session = session_as(&server, &headers, json!({"tools": [crate::native_world::delete()], "user": "a/b"}));
    let mark = model.on(vec![calls(&[("c1", "delete_record", json!({"record_id": "rec_5"}))]), text(&["Ok."])]);
    let said = json!({"content": format!("Delete rec_5 {mark}")}).to_string();
    let mut turn = Reader::open(&server, "POST", &format!("/v1/sessions/{session}/messages"), &headers, &said);
    let review = turn.until("review_required").last().unwrap().word("review_id");
    let own = act(&server, &agent, &review, "decision", json!({"decision": "approve"}));
    assert_eq!((own.status, own.error().as_str()), (403, "own_call"));
    assert!(own.body.contains("access.own_reviews"), "it says what to do: {}", own.body);
    let decided = act(&server, &judge, &review, "decision", json!({"decision": "reject", "reason": "no"}));
    assert_eq!(decided.json()["decided"]["reviewer"], "judge");
    assert_eq!(turn.rest().last().unwrap().kind(), "completed");
    drop(server);
    let args = ["--upstream-openai", &model.base, "--set", "access.own_reviews=allow"];
    let server = Server::start(&data, &args, &[]);
    let session = session_as(&server, &headers, json!({"tools": [crate::native_world::delete()]}));
    let mark = model.on(vec![calls(&[("c1", "delete_record", json!({"record_id": "rec_6"}))]), text(&["Ok."])]);
    let said = json!({"content": format!("Delete rec_6 {mark}")}).to_string();
    let mut turn = Reader::open(&server, "POST", &format!("/v1/sessions/{session}/messages"), &headers, &said);
    let review = turn.until("review_required").last().unwrap().word("review_id");
    assert_eq!(act(&server, &agent, &review, "decision", json!({"decision": "reject"})).status, 200);
    turn.rest();
}

/// Whether a client is kept waiting for a person.
fn is_held(world: &World, file: &str, key: Option<&str>) -> bool {
    let mut asking = ask(Wire::Chat, false, &past(file));
    if let Some(key) = key {
        asking = asking.header("x-api-key", key);
    }
    let began = Instant::now();
    asked(world, &asking, file);
    began.elapsed() >= Duration::from_millis(950)
}

// REVIEW-2, SERVE-1: who watches is somebody that came to watch, not a page that loads an address as a picture.
#[test]
fn a_picture_of_another_page_is_no_reviewer() {
    let world = World::own("watching", &[], &[("COUNTERSIGN_GATEWAY_REVIEW_HOLD", "1s")]);
    let own = format!("http://{}", world.server.address);
    let browser = ("user-agent", "Mozilla/5.0");
    let stream = ("accept", "text/event-stream");
    let picture = ("accept", "image/avif,image/webp,*/*;q=0.8");
    let cases = [
        (
            "an image tag",
            vec![browser, picture, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")],
            false,
        ),
        ("an image tag in an old browser", vec![browser, picture], false),
        (
            "a page of another port",
            vec![browser, stream, ("sec-fetch-site", "same-site"), ("sec-fetch-mode", "cors")],
            false,
        ),
        ("a page of another port, old", vec![browser, stream, ("origin", "http://localhost:1")], false),
        ("a link that was followed", vec![browser, ("accept", "text/html"), ("sec-fetch-site", "none")], false),
        ("no cross-site word but a foreign one", vec![("sec-fetch-site", "cross-site")], false),
        ("our console", vec![browser, stream, ("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "cors")], true),
        ("our console, as it was", vec![browser, ("accept", "*/*"), ("sec-fetch-site", "same-origin")], true),
        ("our console, old", vec![browser, stream, ("origin", &own)], true),
        ("a program", vec![], true),
    ];
    for (at, (who, headers, counts)) in cases.iter().enumerate() {
        let watching = Reader::open(&world.server, "GET", "/v1/reviews/events", headers, "");
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(is_held(&world, &format!("watch-{at}"), None), *counts, "{who}");
        drop(watching);
        std::thread::sleep(Duration::from_millis(400));
        assert!(!is_held(&world, &format!("watched-{at}"), None), "after {who}");
    }
}

// REVIEW-2, SERVE-1: with keys it is somebody who may decide on this call.
#[test]
fn who_may_not_decide_keeps_nobody_waiting() {
    let (data, upstream) = (folder("access-watching"), Arc::new(Upstream::start()));
    let [agent, other, judge] = [("agent", "engine,review"), ("other", "engine,sessions"), ("judge", "review")]
        .map(|(name, scopes)| key(&data, name, scopes));
    let (openai, anthropic) = (upstream.openai(), upstream.anthropic());
    let args = ["--upstream-openai", &openai, "--upstream-anthropic", &anthropic];
    let server = Server::start(&data, &args, &[("COUNTERSIGN_GATEWAY_REVIEW_HOLD", "1s")]);
    let world = World { server, upstream };
    for (at, (who, counts)) in [(&other, false), (&agent, false), (&judge, true)].into_iter().enumerate() {
        let watching = Reader::open(&world.server, "GET", "/v1/reviews/events", &[("x-api-key", who)], "");
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(is_held(&world, &format!("keyed-{at}"), Some(&agent)), counts, "{at}");
        drop(watching);
        std::thread::sleep(Duration::from_millis(400));
    }
}
