//! A person decides: what waits, who has it, what was said, and that it holds for one call, once.

use crate::native_upstream::{Upstream, calls, text};
use crate::native_world::{Event, Reader, World, check_turn, delete, kinds, one, session_as, weather, words};
use crate::serve_world::{Answer, Server, bare, folder, within};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A turn that waits for a person.
struct Waiting {
    session: String,
    mark: String,
    turn: Reader,
    review: String,
    shown: Vec<Event>,
}

fn ask_in(world: &World, session: &str, record: &str) -> Waiting {
    let script = calls(&[("c1", "delete_record", json!({ "record_id": record }))]);
    let mark = world.upstream.on(vec![script, text(&["So it is."])]);
    let mut turn = world.say(session, &format!("Please delete the record {record}. {mark}"));
    let shown = turn.until("review_required");
    let review = shown.last().unwrap().word("review_id");
    Waiting { session: session.to_owned(), mark, turn, review, shown }
}

fn ask(world: &World, record: &str) -> Waiting {
    let session = world.session(json!({"tools": [delete(), weather()], "user": "ann"}));
    ask_in(world, &session, record)
}

fn decide(world: &World, review: &str, body: Value) -> Answer {
    world.server.post(&format!("/v1/reviews/{review}/decision"), &body.to_string())
}

fn look(world: &World, review: &str) -> Value {
    world.server.get(&format!("/v1/reviews/{review}")).json()
}

/// Lets the approved call run and reads to the end.
fn finish(world: &World, waiting: &mut Waiting) -> Vec<Event> {
    let began = Instant::now();
    let shown = waiting.turn.until("tool_call");
    assert!(began.elapsed() < Duration::from_secs(2), "the stream goes on within 2 s of the decision");
    let call = shown.last().unwrap();
    assert_eq!(world.result(&waiting.session, &call.word("call_id"), json!("deleted")).status, 200);
    let events = [waiting.shown.clone(), shown, waiting.turn.rest()].concat();
    check_turn(&waiting.session, &events);
    events
}

// REVIEW-1, REVIEW-2: what waits is listed whole; approved, the call runs as it was shown; no result is taken before.
#[test]
fn an_approved_call_runs() {
    let world = World::shared();
    let mut waiting = ask(&world, "rec_17");
    assert_eq!(world.result(&waiting.session, "c1", json!("done already")).status, 404, "nothing runs unchecked");
    let item = look(&world, &waiting.review);
    for field in [
        "review_id",
        "state",
        "tool",
        "call",
        "patch",
        "findings",
        "signals",
        "context",
        "expires_at",
        "policy_version",
        "arguments_digest",
    ] {
        assert!(!item[field].is_null(), "{field} in {item}");
    }
    assert_eq!((&item["state"], &item["tool"]), (&json!("pending"), &json!("delete_record")));
    assert_eq!(item["call"]["arguments"], json!({"record_id": "rec_17"}));
    assert!(item["context"].to_string().contains("Please delete the record"), "what was asked");
    item["expires_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let pending = world.server.get("/v1/reviews?state=pending").json().to_string();
    assert!(pending.contains(&waiting.review));
    assert_eq!(world.server.get("/v1/reviews?state=lost").status, 400);
    assert_eq!(decide(&world, &waiting.review, json!({"decision": "approve", "reviewer": "eve"})).status, 200);
    let events = finish(&world, &mut waiting);
    let call = one(&events, "tool_call");
    assert_eq!(call.payload("arguments"), &json!({"record_id": "rec_17"}));
    assert_eq!(call.word("review_id"), waiting.review);
    assert_eq!((words(&events).as_str(), events.last().unwrap().kind()), ("So it is.", "completed"));
    let item = look(&world, &waiting.review);
    assert_eq!((&item["state"], &item["used"]), (&json!("approved"), &json!(true)));
    for decision in ["approve", "reject", "edit"] {
        let twice = decide(&world, &waiting.review, json!({"decision": decision, "arguments": {"record_id": "rec_1"}}));
        assert_eq!(twice.status, 409, "{decision}");
    }
    assert_eq!(reserve(&world, &waiting.review, "late").status, 409);
}

fn reserve(world: &World, review: &str, reviewer: &str) -> Answer {
    world.server.post(&format!("/v1/reviews/{review}/reserve"), &json!({ "reviewer": reviewer }).to_string())
}

// REVIEW-1: an edit is checked like any call; one that fails is 422 and changes nothing; what runs is what was typed.
#[test]
fn an_edit_is_checked_and_runs_as_typed() {
    let world = World::shared();
    let mut waiting = ask(&world, "rec_17");
    for (arguments, status) in [
        (json!({"record_id": "everything"}), 422),
        (json!({}), 422),
        (json!({"record_id": "rec_1", "force": true, "x": {"y": 1}}), 422),
        (json!("rec_1"), 400),
        (json!(null), 400),
    ] {
        let refused = decide(&world, &waiting.review, json!({"decision": "edit", "arguments": arguments}));
        assert_eq!(refused.status, status, "{arguments}: {}", refused.body);
        refused.error();
        assert_eq!(look(&world, &waiting.review)["state"], "pending");
    }
    for body in [json!({}), json!({"decision": "maybe"}), json!({"decision": 7}), json!([])] {
        assert_eq!(decide(&world, &waiting.review, body.clone()).status, 400, "{body}");
    }
    // Nobody has ever named this record: that a person types it is enough.
    let typed = json!({"decision": "edit", "arguments": {"record_id": "rec_99"}, "reason": "the other one"});
    assert_eq!(decide(&world, &waiting.review, typed).status, 200);
    let events = finish(&world, &mut waiting);
    assert_eq!(one(&events, "tool_call").payload("arguments"), &json!({"record_id": "rec_99"}));
    assert_eq!(look(&world, &waiting.review)["state"], "edited");
}

// REVIEW-1: rejected with a reason: the call does not run, and the model is told why.
#[test]
fn a_rejected_call_does_not_run() {
    let world = World::shared();
    let mut waiting = ask(&world, "rec_17");
    assert_eq!(
        decide(&world, &waiting.review, json!({"decision": "reject", "reason": "never on Fridays"})).status,
        200
    );
    let rest = waiting.turn.rest_within(Duration::from_secs(4));
    assert_eq!(kinds(&rest), ["warning", "text_delta", "message", "completed"]);
    assert!(world.upstream.asked(&waiting.mark)[1].words("tool")[0].contains("never on Fridays"));
    assert_eq!(decide(&world, "rev_nobody", json!({"decision": "approve"})).status, 404);
    assert_eq!(reserve(&world, "rev_nobody", "ann").status, 404);
    assert_eq!(world.server.get("/v1/reviews/rev_nobody").status, 404);
}

// REVIEW-1: two people do not decide one item: who has reserved it decides.
#[test]
fn a_reserved_item_is_one_persons() {
    let data = folder("native-reserve");
    let [ann, bob, agent] = ["ann", "bob", "agent"].map(|name| {
        let place = data.display().to_string();
        let args = ["keys", "create", "--name", name, "--scope", "sessions,review", "--data-dir", &place];
        String::from_utf8(bare(&args, &[]).output().unwrap().stdout).unwrap().trim().to_owned()
    });
    let upstream = Arc::new(Upstream::start());
    let server = Server::start(&data, &["--upstream-openai", &upstream.base], &[]);
    let session = session_as(&server, &[("x-api-key", &agent)], json!({"tools": [delete()]}));
    let mark = upstream.on(vec![calls(&[("c1", "delete_record", json!({"record_id": "rec_5"}))]), text(&["Ok."])]);
    let said = json!({"content": format!("Delete rec_5 {mark}")}).to_string();
    let path = format!("/v1/sessions/{session}/messages");
    let mut turn = Reader::open(&server, "POST", &path, &[("x-api-key", &agent)], &said);
    let review = turn.until("review_required").last().unwrap().word("review_id");
    let act = |key: &str, what: &str, body: Value| {
        server.ask("POST", &format!("/v1/reviews/{review}/{what}"), &[("x-api-key", key)], &body.to_string()).status
    };
    assert_eq!(act(&ann, "reserve", json!({"reviewer": "Ann"})), 200);
    assert_eq!(act(&bob, "reserve", json!({"reviewer": "Bob"})), 409);
    assert_eq!(act(&bob, "reserve", json!({})), 409);
    assert_eq!(act(&bob, "decision", json!({"decision": "approve", "reviewer": "Bob"})), 409);
    assert_eq!(act(&bob, "decision", json!({"decision": "approve"})), 409, "leaving the name out is no way around it");
    assert_eq!(act(&bob, "decision", json!({"decision": "approve", "reviewer": "Ann"})), 409, "nor is a borrowed name");
    assert_eq!(act(&ann, "decision", json!({"decision": "reject", "reason": "no"})), 200);
    assert_eq!(turn.rest().last().unwrap().kind(), "completed");
}

// REVIEW-1: nobody says anything: that is a no.
#[test]
fn who_waits_too_long_is_denied() {
    let world =
        World::own("native-expiry", &["--set", "sessions.review_expiry=1s", "--set", "sessions.heartbeat=200ms"], &[]);
    let mut waiting = ask(&world, "rec_17");
    let rest = waiting.turn.rest_within(Duration::from_secs(5));
    assert_eq!(kinds(&rest), ["warning", "text_delta", "message", "completed"]);
    assert!(waiting.turn.heartbeats >= 3, "the stream stays open with signs of life");
    assert!(world.upstream.asked(&waiting.mark)[1].words("tool")[0].contains("in time"));
    assert_eq!(look(&world, &waiting.review)["state"], "expired");
    assert_eq!(decide(&world, &waiting.review, json!({"decision": "approve"})).status, 409);
    assert_eq!(world.server.get("/v1/reviews?state=pending").json()["reviews"], json!([]));
}

// REVIEW-1, REVIEW-2: kill -9: what waits still waits, its turn too, and goes on with the decision; its approval is used
// once; another call, another user or another session is another item.
#[test]
fn waiting_turns_survive_and_an_approval_is_used_once() {
    let (data, upstream) = (folder("native-review-kill"), Arc::new(Upstream::start()));
    let world = World::again(&data, &upstream, &[], &[]);
    let Waiting { session, review, shown, mark, .. } = ask(&world, "rec_17");
    let before = look(&world, &review);
    drop(world);
    let world = World::again(&data, &upstream, &[], &[]);
    assert_eq!(look(&world, &review), before);
    let busy = world.server.post(&format!("/v1/sessions/{session}/messages"), r#"{"content": "Hello?"}"#);
    assert_eq!(busy.status, 409, "the turn still waits");
    let other = ask(&world, "rec_17");
    assert_ne!(other.review, review, "another session is another caller");
    let last = shown.last().unwrap().id().to_owned();
    let mut turn = world.events_after(&session, "?mode=hybrid", &last);
    assert_eq!(decide(&world, &review, json!({"decision": "approve"})).status, 200);
    let going_on = turn.until("tool_call");
    assert!(going_on.iter().any(|event| event.kind() == "warning" && event.word("code") == "resumed"));
    let shown = [shown, going_on].concat();
    let mut again = Waiting { session: session.clone(), mark: mark.clone(), turn, review: review.clone(), shown };
    assert_eq!(world.result(&session, "c1", json!("deleted")).status, 200);
    again.shown.extend(again.turn.rest());
    check_turn(&session, &again.shown);
    assert_eq!(words(&again.shown), "So it is.");
    assert_eq!(upstream.asked(&mark).len(), 2, "what the model had said is not asked for again");
    let next = ask_in(&world, &session, "rec_17");
    assert_ne!(next.review, review, "an approval is used once");
    audit_is_whole(&data, &review);
}

// REVIEW-2: a retry of the same call attaches to the same item; approved while nobody waits, the retry uses it, and
// other arguments do not.
#[test]
fn a_retry_attaches_to_the_same_item() {
    let world = World::own("native-review-retry", &[], &[]);
    let Waiting { session, review, mut turn, .. } = ask(&world, "rec_17");
    let stop = format!("/v1/sessions/{session}/stop");
    let stopped = |turn: &mut Reader| {
        assert_eq!(world.server.post(&stop, "").status, 200);
        turn.rest();
        assert_eq!(world.delete(&stop).status, 200);
    };
    stopped(&mut turn);
    let mut again = ask_in(&world, &session, "rec_17");
    assert_eq!(again.review, review, "a retry attaches to the same item");
    assert_eq!(world.server.get("/v1/reviews").json()["reviews"].as_array().unwrap().len(), 1);
    stopped(&mut again.turn);
    assert_eq!(decide(&world, &review, json!({"decision": "approve"})).status, 200);
    let mut different = ask_in(&world, &session, "rec_18");
    assert_ne!(different.review, review);
    assert_eq!(decide(&world, &different.review, json!({"decision": "reject"})).status, 200);
    different.turn.rest();
    let mut used = ask_in(&world, &session, "rec_17");
    assert_eq!(used.review, review);
    finish(&world, &mut used);
}

/// The audit in the database: every step of an item, in order.
fn audit_is_whole(data: &std::path::Path, review: &str) {
    let bytes: Vec<u8> = ["countersign.db", "countersign.db-wal"]
        .iter()
        .filter_map(|name| std::fs::read(data.join(name)).ok())
        .collect::<Vec<_>>()
        .concat();
    let text = String::from_utf8_lossy(&bytes);
    for action in ["review.opened", "review.approved", "review.used"] {
        let entry = format!("{{\"action\":\"{action}\",\"review_id\":\"{review}\"");
        assert!(text.contains(&entry), "{entry}");
    }
}

// REVIEW-2: a reader that leaves, and one that comes back, see the decision; stop ends the waiting; updates are served.
#[test]
fn the_waiting_is_seen_and_ends_everywhere() {
    let world = World::shared();
    let mut updates = Reader::open(&world.server, "GET", "/v1/reviews/events", &[], "");
    let mut waiting = ask(&world, "rec_17");
    let mut of = |review: &str, state: &str| {
        while let Some(update) = updates.next() {
            if update.json["review_id"] == review && update.json["state"] == state {
                assert!(update.json["request"].is_null(), "what only serves to check again is not shown");
                return;
            }
        }
    };
    of(&waiting.review, "pending");
    waiting.turn = world.events(&waiting.session, "");
    let seen = waiting.turn.until("review_required");
    assert_eq!(seen.last().unwrap().word("review_id"), waiting.review);
    assert_eq!(decide(&world, &waiting.review, json!({"decision": "approve"})).status, 200);
    of(&waiting.review, "approved");
    finish(&world, &mut waiting);
    let mut stopped = ask(&world, "rec_18");
    assert_eq!(world.server.post(&format!("/v1/sessions/{}/stop", stopped.session), "").status, 200);
    let rest = stopped.turn.rest_within(Duration::from_secs(2));
    assert_eq!(kinds(&rest), ["stopped"]);
    within(2, "the model to be left alone", || world.upstream.asked(&stopped.mark).len() == 1);
}
