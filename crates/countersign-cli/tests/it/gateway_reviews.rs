//! A call that needs a person: held while a reviewer listens, else answered at once; a retry finds its item.

use crate::gateway_dialects::{Heard, Said, WIRES, Wire, call, everywhere, user};
use crate::gateway_world::{Ask, Live, World, delete, good, weather};
use crate::native_world::Reader;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A request to delete a file, and a call that does it with a flaw: enough to want a person.
fn ask(wire: Wire, stream: bool, file: &str) -> Ask {
    Ask::of(wire, stream, &[user(&format!("Please delete the file {file}.txt"))], &[delete(), weather()])
}

fn flawed(file: &str) -> Said {
    Said::calls("Sure.", &[call("call_1", "delete_file", json!({"path": format!("{file}.txt"), "recursive": "true"}))])
}

fn mended(file: &str) -> Value {
    json!({"path": format!("{file}.txt"), "recursive": true})
}

fn open(world: &World, wire: Wire, stream: bool, file: &str) -> Live {
    let mark = world.upstream.on([flawed(file)]);
    world.open(&ask(wire, stream, file), &mark)
}

fn refused(heard: &Heard, wire: Wire) {
    assert!(heard.calls.is_empty() && heard.error.is_none(), "{}", heard.raw);
    assert_eq!(heard.finish.as_deref(), Some(wire.finish(false, false)));
    assert!(heard.text.starts_with("Sure.") && heard.text.contains("delete_file"), "{}", heard.text);
}

fn reviewer(world: &World) -> Reader {
    Reader::open(&world.server, "GET", "/v1/reviews/events", &[], "")
}

// REVIEW-2: held while a reviewer listens; approved, edited or rejected, the client goes on with that.
#[test]
fn a_reviewer_decides_while_the_client_waits() {
    let world = World::own("reviews", &[], &[]);
    let _listening = reviewer(&world);
    for (at, (wire, stream)) in everywhere().enumerate() {
        let decide = |file: &str, body: Value| {
            let mut live = open(&world, wire, stream, file);
            let item = world.review(&format!("{file}.txt"));
            assert_eq!((item["tool"].as_str(), item["call"]["arguments"].clone()), (Some("delete_file"), mended(file)));
            if stream {
                live.until("Sure.");
                assert!(!live.text().contains("delete_file"), "the text flows, the call waits: {}", live.text());
            }
            let decided = world.decide(item["review_id"].as_str().unwrap(), body);
            assert_eq!(decided.status, 200, "{}", decided.body);
            let began = Instant::now();
            let heard = live.heard();
            assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
            heard
        };
        let file = format!("yes{at}");
        let heard = decide(&file, json!({"decision": "approve"}));
        assert_eq!(
            (heard.text.as_str(), heard.names(), heard.calls[0].json()),
            ("Sure.", vec!["delete_file"], mended(&file))
        );
        assert_eq!(world.verdict(&heard.verdict())["outcome"], "approved_by_person");
        let heard = decide(
            &format!("edit{at}"),
            json!({"decision": "edit", "arguments": {"path": "other.txt", "recursive": false}}),
        );
        assert_eq!(heard.calls[0].json(), json!({"path": "other.txt", "recursive": false}), "{}", heard.raw);
        let heard = decide(&format!("no{at}"), json!({"decision": "reject", "reason": "far too risky"}));
        refused(&heard, wire);
        assert!(heard.text.contains("far too risky"), "{}", heard.text);
        assert_eq!(world.verdict(&heard.verdict())["outcome"], "denied_by_person");
    }
}

// REVIEW-2, CALL-11: a good sibling goes out with the answer, whatever is said about the other.
#[test]
fn a_sibling_of_a_held_call_goes_out() {
    let world = World::own("review-siblings", &[], &[("COUNTERSIGN_GATEWAY_HOLD_FOR_REVIEW", "always")]);
    for wire in WIRES {
        let file = format!("with-sibling-{}", wire.name());
        let mut said = flawed(&file);
        said.calls.push(call("call_2", "get_weather", good()));
        let mark = world.upstream.on([said]);
        let live = world.open(&ask(wire, true, &file), &mark);
        let item = world.review(&file);
        assert_eq!(world.decide(item["review_id"].as_str().unwrap(), json!({"decision": "reject"})).status, 200);
        let heard = live.heard();
        assert_eq!(heard.names(), ["get_weather"], "{}", heard.raw);
        assert!(heard.text.contains("delete_file"), "{}", heard.text);
    }
}

// REVIEW-2: nobody decides in time: a readable answer that names the item; a retry attaches to it, and an approval is
// good for one call.
#[test]
fn a_retry_attaches_and_an_approval_is_used_once() {
    let world = World::own("review-hold", &[], &[("COUNTERSIGN_GATEWAY_REVIEW_HOLD", "1s")]);
    for (held, wires) in [(false, everywhere()), (true, everywhere())] {
        let _listening = held.then(|| reviewer(&world));
        std::thread::scope(|scope| {
            for (wire, stream) in wires {
                let world = &world;
                scope.spawn(move || {
                    let file = format!("retry-{}-{stream}-{held}", wire.name());
                    let ask_now = || {
                        let began = Instant::now();
                        (open(world, wire, stream, &file).heard(), began.elapsed())
                    };
                    let (heard, took) = ask_now();
                    refused(&heard, wire);
                    let item = world.review(&format!("{file}.txt"));
                    let review = item["review_id"].as_str().unwrap();
                    assert!(heard.text.contains(review), "the answer names the item: {}", heard.text);
                    assert_eq!(took >= Duration::from_millis(950), held, "held only while somebody listens: {took:?}");
                    assert_eq!(world.verdict(&heard.verdict())["outcome"], "waiting_for_person");
                    refused(&ask_now().0, wire);
                    assert_eq!(world.review(&format!("{file}.txt"))["review_id"], review, "one item");
                    assert_eq!(world.decide(review, json!({"decision": "approve"})).status, 200);
                    let (heard, _) = ask_now();
                    assert_eq!((heard.names(), heard.calls[0].json()), (vec!["delete_file"], mended(&file)));
                    refused(&ask_now().0, wire);
                });
            }
        });
    }
}

// REVIEW-1, CALL-10: where the operator says so, what could not be corrected goes before a person.
#[test]
fn after_corrections_a_person_may_decide() {
    let variables =
        [("COUNTERSIGN_GATEWAY_AFTER_CORRECTIONS", "review"), ("COUNTERSIGN_GATEWAY_HOLD_FOR_REVIEW", "always")];
    let world = World::own("review-after", &[], &variables);
    for wire in WIRES {
        let place = format!("Nowhere{}", wire.name());
        let ask = Ask::of(wire, false, &[user(&format!("The weather of {place}?"))], &[weather()]);
        let mark = world.upstream.on([Said::calls("", &[call("c", "get_weather", json!({"town": place}))])]);
        let live = world.open(&ask, &mark);
        let item = world.review(&place);
        let edit = json!({"decision": "edit", "arguments": {"city": place}});
        assert_eq!(world.decide(item["review_id"].as_str().unwrap(), edit).status, 200);
        let heard = live.heard();
        assert_eq!((heard.names(), heard.calls[0].json()), (vec!["get_weather"], json!({"city": place})));
    }
}
