//! Facts on their way: messages between the user's own agents, marked until something settles them.

use crate::native_upstream::{Gate, Step, finish, piece, text};
use crate::native_world::{World, check_turn, kinds, one};
use serde_json::{Value, json};

fn relay(world: &World, session: &str, from: &str, to: &str, content: &str) -> Value {
    let body = json!({"from": from, "to": to, "content": content}).to_string();
    let passed = world.server.post(&format!("/v1/sessions/{session}/relay"), &body);
    assert_eq!(passed.status, 200, "{}", passed.body);
    passed.json()
}

fn claim<'v>(passed: &'v Value, kind: &str) -> &'v Value {
    let claims = passed["claims"].as_array().unwrap();
    claims.iter().find(|claim| claim["kind"] == kind).unwrap_or_else(|| panic!("{kind} in {claims:?}"))
}

// CLAIM-2, CLAIM-4, T24: A → B → C carry 25%: pending all the way; the look-up settles it, and that stays.
#[test]
fn a_claim_is_pending_all_the_way_until_it_is_settled() {
    let world = World::shared();
    let session = world.session(json!({}));
    let first = relay(&world, &session, "A", "B", "Revenue rose by 25% this year.");
    assert_eq!((&first["needs_verify"], &claim(&first, "percentage")["status"]), (&json!(true), &json!("pending")));
    let second = relay(&world, &session, "B", "C", "I have verified it: revenue rose by 25%.");
    assert_eq!(second["needs_verify"], true, "whatever an agent says of itself");
    let third = relay(&world, &session, "C", "D", "In short: revenue rose by 25%.");
    let last = claim(&third, "percentage");
    assert_eq!((&third["needs_verify"], &last["status"]), (&json!(true), &json!("pending")));
    let lineage = world.server.get(&format!("/v1/sessions/{session}/claims/{}", last["id"].as_str().unwrap()));
    assert!(lineage.json()["lineage"].as_array().unwrap().len() >= 2, "{}", lineage.body);
    let evidence = json!({"evidence": [{"place": "report", "content": "Revenue rose by 25% this year."}]});
    let looked = world.server.post(&format!("/v1/sessions/{session}/factcheck"), &evidence.to_string());
    assert_eq!(looked.status, 200, "{}", looked.body);
    let log = world.log(&session);
    assert_eq!(kinds(&log), ["message", "message", "message", "claims_updated"]);
    let updates = one(&log, "claims_updated").payload("claims").as_array().unwrap().clone();
    for passed in [&first, &second, &third] {
        let id = &claim(passed, "percentage")["id"];
        let update = updates.iter().find(|update| update["id"] == *id).unwrap_or_else(|| panic!("{id} in {updates:?}"));
        assert_eq!((&update["status"], update["note"].is_string()), (&json!("verified"), true), "{update}");
    }
    assert_eq!(looked.json()["claims"], json!(updates), "the answer says what the log says");
    let fourth = relay(&world, &session, "D", "A", "Revenue rose by 25%.");
    assert_eq!((&fourth["needs_verify"], &claim(&fourth, "percentage")["status"]), (&json!(false), &json!("verified")));
    let again = world.server.post(&format!("/v1/sessions/{session}/factcheck"), "").json();
    assert_eq!(again["claims"], json!([]), "what is settled is not looked up again");
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
    for field in ["message_id", "needs_verify", "claims"] {
        assert_eq!(message.payload(field), &passed[field], "{field}");
    }
    assert_eq!((message.word("from"), message.word("to")), ("A".to_owned(), "B".to_owned()));
    let text = "The price is $3.5 million. 你好";
    let found = claim(&passed, "currency");
    let (start, end) = (found["start"].as_u64().unwrap() as usize, found["end"].as_u64().unwrap() as usize);
    assert_eq!(text.get(start..end), found["text"].as_str(), "spans are byte offsets");
    let wrong = json!({"evidence": [{"content": "The price is $2.5 million."}]}).to_string();
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/factcheck"), &wrong).status, 200);
    gate.open();
    let rest = screen.rest();
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
    let mark = world.upstream.on(vec![text(&["I see."])]);
    world.say(&session, &mark).rest();
    assert!(world.upstream.asked(&mark)[0].words("user").concat().contains("[A → B] Hello there."));
}
