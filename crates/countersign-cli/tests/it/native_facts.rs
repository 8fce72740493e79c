//! Facts on their way: messages between the user's own agents, marked until something settles them.

use crate::native_upstream::{Gate, Step, Upstream, finish, piece, text};
use crate::native_world::{World, check_turn, kinds, one};
use crate::serve_world::folder;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn relay(world: &World, session: &str, from: &str, to: &str, content: &str) -> Value {
    let body = json!({"from": from, "to": to, "content": content}).to_string();
    let passed = world.server.post(&format!("/v1/sessions/{session}/relay"), &body);
    assert_eq!(passed.status, 200, "{}", passed.body);
    passed.json()
}

pub(crate) fn claim<'v>(passed: &'v Value, kind: &str) -> &'v Value {
    let claims = passed["claims"].as_array().unwrap();
    claims.iter().find(|claim| claim["kind"] == kind).unwrap_or_else(|| panic!("{kind} in {claims:?}"))
}

pub(crate) fn check(world: &World, session: &str, body: Value) -> Value {
    let looked = world.server.post(&format!("/v1/sessions/{session}/factcheck"), &body.to_string());
    assert_eq!(looked.status, 200, "{}", looked.body);
    looked.json()
}

pub(crate) fn note(world: &World, session: &str, name: &str, content: &str) {
    let body = json!({"name": name, "content": content}).to_string();
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/notes"), &body).status, 201);
}

/// The state of a claim and of its message, as the answer says it.
pub(crate) fn stands(passed: &Value, kind: &str) -> (Value, bool) {
    (claim(passed, kind)["status"].clone(), passed["needs_verify"].as_bool().unwrap())
}

/// A server on which nothing is looked up unless somebody asks for it.
fn by_hand(name: &str) -> World {
    World::own(name, &["--set", "factcheck.automatic=false"], &[])
}

// CLAIM-2, CLAIM-4, T24: A → B → C carry 25%: marked all the way; the look-up settles it, and that stays.
#[test]
fn a_claim_is_marked_all_the_way_until_it_is_verified() {
    let world = by_hand("facts-chain");
    let session = world.session(json!({}));
    let first = relay(&world, &session, "A", "B", "Revenue rose by 25% this year.");
    assert_eq!(stands(&first, "percentage"), (json!("pending"), true));
    let second = relay(&world, &session, "B", "C", "I have verified it: revenue rose by 25%.");
    assert_eq!(second["needs_verify"], true, "whatever an agent says of itself");
    let third = relay(&world, &session, "C", "D", "In short: revenue rose by 25%.");
    assert_eq!(stands(&third, "percentage"), (json!("pending"), true));
    let last = claim(&third, "percentage");
    let lineage = world.server.get(&format!("/v1/sessions/{session}/claims/{}", last["id"].as_str().unwrap()));
    assert!(lineage.json()["lineage"].as_array().unwrap().len() >= 2, "{}", lineage.body);
    let evidence = json!({"evidence": [{"place": "report", "content": "Revenue rose by 25% this year."}]});
    let looked = check(&world, &session, evidence);
    let log = world.log(&session);
    assert_eq!(kinds(&log), ["message", "message", "message", "claims_updated"]);
    let updated = one(&log, "claims_updated");
    let updates = updated.payload("claims").as_array().unwrap().clone();
    for passed in [&first, &second, &third] {
        let id = &claim(passed, "percentage")["id"];
        let update = updates.iter().find(|update| update["id"] == *id).unwrap_or_else(|| panic!("{id} in {updates:?}"));
        assert_eq!((&update["status"], update["note"].is_string()), (&json!("verified"), true), "{update}");
        let message = updated.payload("messages").as_array().unwrap().iter();
        let message = message.clone().find(|message| message["message_id"] == passed["message_id"]).unwrap();
        assert_eq!((&message["needs_verify"], &message["verified"]), (&json!(false), &json!(1)), "{message}");
    }
    assert_eq!(looked["claims"], json!(updates), "the answer says what the log says");
    let fourth = relay(&world, &session, "D", "A", "Revenue rose by 25%.");
    assert_eq!(stands(&fourth, "percentage"), (json!("verified"), false));
    assert_eq!(check(&world, &session, json!({}))["claims"], json!([]), "what is settled is not looked up again");
}

// CLAIM-2: a fruitless check takes no mark away: two hops later it is still there, and later evidence is used.
#[test]
fn a_fruitless_check_takes_no_mark_away() {
    let world = by_hand("facts-fruitless");
    for (text, hop, evidence) in [
        ("2024年市场增长25%", "总结：2024年市场增长25%。", "统计公报：2024年市场增长25%。"),
        ("The market grew 25% in 2024.", "In short: the market grew 25% in 2024.", "In 2024 the market grew 25%."),
    ] {
        let session = world.session(json!({}));
        relay(&world, &session, "A", "B", text);
        let looked = check(&world, &session, json!({}));
        assert_eq!(looked["claims"][0]["status"], "unverifiable", "{looked}");
        let message = one(&world.log(&session), "claims_updated").payload("messages")[0].clone();
        assert_eq!((&message["needs_verify"], &message["verified"]), (&json!(true), &json!(0)), "{message}");
        let second = relay(&world, &session, "B", "C", hop);
        assert_eq!(stands(&second, "percentage"), (json!("unverifiable"), true), "{second}");
        assert_eq!(check(&world, &session, json!({}))["claims"], json!([]), "nothing new, nothing said");
        assert_eq!(
            check(&world, &session, json!({"again": true}))["claims"],
            json!([]),
            "asked again, and no more known"
        );
        let page = world.server.get(&format!("/v1/sessions/{session}/export?format=markdown")).body;
        assert_eq!(page.matches("⚠️ unverified claims").count(), 2, "{page}");
        note(&world, &session, "bulletin", evidence);
        let looked = check(&world, &session, json!({}));
        let update = looked["claims"].as_array().unwrap().iter().find(|one| one["source"]["name"] == "note");
        let update = update.unwrap_or_else(|| panic!("{looked}"));
        assert_eq!((&update["status"], &update["source"]["place"]), (&json!("verified"), &json!("bulletin")));
        let third = relay(&world, &session, "C", "D", hop);
        assert_eq!(stands(&third, "percentage"), (json!("verified"), false), "{third}");
        let page = world.server.get(&format!("/v1/sessions/{session}/export?format=markdown")).body;
        assert!(!page.contains("unverified claims"), "{page}");
    }
}

// CLAIM-2: a disputed value travels disputed and marked; only a verification ends the dispute.
#[test]
fn a_disputed_claim_travels_marked() {
    let world = by_hand("facts-disputed");
    for (text, hop, wrong, right) in [
        ("2024年市场增长30%。", "总之，2024年市场增长30%。", "2024年市场增长25%。", "更正：2024年市场增长30%。"),
        (
            "Revenue rose by 30% in 2024.",
            "So revenue rose by 30% in 2024.",
            "Revenue rose by 25% in 2024.",
            "Revenue rose by 30% in 2024.",
        ),
    ] {
        let session = world.session(json!({}));
        relay(&world, &session, "A", "B", text);
        check(&world, &session, json!({"evidence": [{"place": "report", "content": wrong}]}));
        for (from, to) in [("B", "C"), ("C", "D")] {
            let passed = relay(&world, &session, from, to, hop);
            assert_eq!(stands(&passed, "percentage"), (json!("disputed"), true), "{passed}");
        }
        check(&world, &session, json!({"again": true}));
        let passed = relay(&world, &session, "D", "E", hop);
        assert_eq!(stands(&passed, "percentage"), (json!("disputed"), true), "a fruitless check ends no dispute");
        note(&world, &session, "correction", right);
        check(&world, &session, json!({"again": true}));
        let passed = relay(&world, &session, "E", "F", hop);
        assert_eq!(stands(&passed, "percentage"), (json!("verified"), false), "{passed}");
    }
}

// CLAIM-2: what was settled, and what was not, is the same after the process died.
#[test]
fn states_survive_a_kill() {
    let (data, upstream) = (folder("facts-kill"), Arc::new(Upstream::start()));
    let world = World::again(&data, &upstream, &[], &[]);
    let session = world.session(json!({}));
    note(&world, &session, "report", "Revenue rose by 25% this year. Costs fell by 10% this year.");
    let text = "Revenue rose by 25% this year. Costs fell by 12% this year. Staff grew by 7% this year.";
    let passed = relay(&world, &session, "A", "B", text);
    let states = |passed: &Value| -> Vec<String> {
        let claims = passed["claims"].as_array().unwrap().iter().filter(|claim| claim["kind"] == "percentage");
        claims.map(|claim| claim["status"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(states(&passed), ["verified", "disputed", "unverifiable"], "{passed}");
    drop(world);
    let world = World::again(&data, &upstream, &[], &[]);
    let again = relay(&world, &session, "B", "C", text);
    assert_eq!((states(&again), &again["needs_verify"]), (states(&passed), &json!(true)));
    let log = world.log(&session);
    let settled = log.iter().filter(|event| event.kind() == "claims_updated").count();
    assert_eq!(settled, 1, "nothing is said twice: {:?}", kinds(&log));
}

// CLAIM-4: the event carries what the answer says, and an open screen sees both kinds of event as they come.
#[test]
fn an_open_screen_sees_claims_change() {
    let world = World::shared();
    let session = world.session(json!({}));
    let gate = Gate::default();
    let mark = world.upstream.on(vec![vec![piece("wait"), Step::Gate(gate.clone()), finish("stop")]]);
    let mut screen = world.say(&session, &mark);
    screen.until("text_delta");
    let passed = relay(&world, &session, "A", "B", "The price is $3.5 million. 你好");
    let shown = screen.until("message");
    let message = shown.last().unwrap();
    for field in ["message_id", "needs_verify"] {
        assert_eq!(message.payload(field), &passed[field], "{field}");
    }
    let places = |claims: &Value| claims.as_array().unwrap().iter().map(|one| one["start"].clone()).collect::<Vec<_>>();
    assert_eq!(places(message.payload("claims")), places(&passed["claims"]));
    assert_eq!((message.word("from"), message.word("to")), ("A".to_owned(), "B".to_owned()));
    let text = "The price is $3.5 million. 你好";
    let found = claim(&passed, "currency");
    let (start, end) = (found["start"].as_u64().unwrap() as usize, found["end"].as_u64().unwrap() as usize);
    assert_eq!(text.get(start..end), found["text"].as_str(), "spans are byte offsets");
    check(&world, &session, json!({"evidence": [{"content": "The price is $2.5 million."}]}));
    let disputed = |events: &[crate::native_world::Event]| {
        let updates = events.iter().filter(|event| event.kind() == "claims_updated");
        updates.clone().any(|event| event.payload("claims")[0]["status"] == "disputed")
    };
    gate.open();
    let rest = screen.rest();
    assert!(disputed(&rest), "{:?}", kinds(&rest));
    assert_eq!(rest.last().unwrap().kind(), "completed");
    check_turn(&session, &world.log(&session));
}

// CLAIM-2: what cannot be passed on is refused, and writes nothing.
#[test]
fn a_relay_that_cannot_be_used_writes_nothing() {
    let world = World::shared();
    let session = world.session(json!({}));
    for body in [
        json!({"from": "A", "to": " ", "content": "x"}),
        json!({"from": "", "to": "B", "content": "x"}),
        json!({"from": "A", "to": "B"}),
        json!({"from": "A", "to": "B", "content": 7}),
    ] {
        let refused = world.server.post(&format!("/v1/sessions/{session}/relay"), &body.to_string());
        assert_eq!(refused.status, 400, "{body}: {}", refused.body);
    }
    assert_eq!(world.server.get(&format!("/v1/sessions/{session}/claims/clm_nobody")).status, 404);
    assert_eq!(world.log(&session), []);
    let plain = relay(&world, &session, "A", "B", "Hello there.");
    assert_eq!((&plain["needs_verify"], &plain["claims"]), (&json!(false), &json!([])));
    // What agents said to each other is told to the model in the next turn.
    relay(&world, &session, "A", "B", "Staff numbers grew by 7%.");
    let mark = world.upstream.on(vec![text(&["I see."])]);
    world.say(&session, &mark).rest();
    let told = world.upstream.asked(&mark)[0].words("user").concat();
    assert!(told.contains("[A → B] Hello there."), "{told}");
    assert!(told.contains("[A → B] Staff numbers grew by 7% [not verified]."), "{told}");
}
