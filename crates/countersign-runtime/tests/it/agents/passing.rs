//! CLAIM-3 between agents: a message is marked, its claims are looked up before the other agent sees it, and the other
//! agent sees the marks.

use super::rig::{
    Node, Plan, Runs, calls, check_log, echo, field, kinds, last, mind, of, question, results, text, value, words,
};
use countersign::contract::EventType;
use countersign_runtime::factcheck::{FactCheck, Options, Sources};
use countersign_runtime::models::Ask;
use countersign_runtime::tools::{Ran, Reach};
use serde_json::json;
use std::sync::Arc;

const TASK: &str = "TASK: write it down. Revenue rose from $40 million to $50 million, up 30%.";

fn is_task(ask: &Ask) -> bool {
    ask.messages.get(1).is_some_and(|first| text(first).starts_with("TASK"))
}

fn plan() -> Plan {
    let mind = mind(|ask| match question(ask) {
        _ if is_task(ask) => words("It is written."),
        _ => words(&format!("I hand this over. <call_orchestrator>{TASK}</call_orchestrator>")),
    });
    Plan::new(mind)
}

fn facts() -> Option<countersign_runtime::turn::FactSource> {
    let node = Arc::new(FactCheck::new(Sources::default(), Options::default()));
    Some(Arc::new(move || Arc::clone(&node)))
}

// CLAIM-3, STREAM-7: the claims of a task are in its message, looked up first, and marked for the one who does it.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_looked_up_before_it_is_done() {
    let node = Node::new(Plan { facts: facts(), ..plan() });
    let got = node.turn("concierge", "Please have the figures written down.").await;
    check_log(&got);
    assert_eq!(last(&got), "completed", "{:?}", kinds(&got));
    let at = |found: &dyn Fn(&countersign::contract::StreamEvent) -> bool| got.events.iter().position(found);
    let handed = at(&|event| field(event, "to") == "orchestrator");
    let updated = at(&|event| event.event_type == EventType::ClaimsUpdated);
    let answered = at(&|event| field(event, "from") == "orchestrator");
    assert!(handed.is_some() && handed < updated && updated < answered, "{:?}", kinds(&got));
    let message = &got.events[handed.unwrap()];
    let claims = value(message, "claims");
    assert_eq!((value(message, "needs_verify"), claims.as_array().map(Vec::is_empty)), (json!(true), Some(false)));
    let updates = value(&got.events[updated.unwrap()], "claims").to_string();
    assert!(updates.contains("disputed"), "{updates}");
    let asked = node.model.asked();
    let told = asked.iter().find(|ask| is_task(ask)).map(question).unwrap();
    assert!(told.contains("30% [disputed]"), "{told}");
}

// CLAIM-3: without anybody to look them up they stay pending, and the mark says so; the same in the other language.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_looks_up_is_not_verified() {
    let node = Node::new(plan());
    let got = node.turn("concierge", "Please have the figures written down.").await;
    assert_eq!(of(&got, EventType::ClaimsUpdated).count(), 0);
    let asked = node.model.asked();
    let told = asked.iter().find(|ask| is_task(ask)).map(question).unwrap();
    assert!(told.contains("[not verified]") && !told.contains("[disputed]"), "{told}");
    let node = Node::new(Plan { facts: facts(), ..plan() });
    node.turn("concierge", "请把这些数字写下来，谢谢。").await;
    let asked = node.model.asked();
    let told = asked.iter().find(|ask| is_task(ask)).map(question).unwrap();
    assert!(told.contains("30%【有争议】"), "{told}");
}

// CLAIM-2: what nobody has verified is told as that, in both languages.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_has_verified_is_told_as_that() {
    for (asked_for, mark) in
        [("Please have the figures written down.", "7% [not verified]"), ("请把这些数字写下来，谢谢。", "7%【未验证】")]
    {
        let mind = mind(|ask| match is_task(ask) {
            true => words("It is written."),
            false => words("<call_orchestrator>TASK: write it down. Staff numbers grew by 7%.</call_orchestrator>"),
        });
        let node = Node::new(Plan { facts: facts(), ..Plan::new(mind) });
        let got = node.turn("concierge", asked_for).await;
        check_log(&got);
        let asked = node.model.asked();
        let told = asked.iter().find(|ask| is_task(ask)).map(question).unwrap();
        assert!(told.contains(mark), "{told}");
    }
}

// CLAIM-3: the answer of a plan is looked up by itself, after it was said and before the turn ends.
#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_plan_is_looked_up() {
    let runs = Runs::default();
    let look = super::rig::tool("look_up", Reach::Reads, &runs, |_| async {
        Ok(Ran::of("In 2023, revenue grew by 25% to a new high."))
    });
    let mind = mind(|ask| match ask.messages.iter().any(|message| text(message).contains("new high")) {
        true => words("Revenue grew by 25% in 2023."),
        false => words("#E1 = look_up[{\"text\": \"revenue\"}]"),
    });
    let node = Node::new(Plan { facts: facts(), ..Plan::new(mind) }.with([look]));
    let got = node.turn("rewoo", "Look the revenue up: how did it grow?").await;
    check_log(&got);
    assert_eq!(last(&got), "completed", "{:?}", kinds(&got));
    let said = got.events.iter().rposition(|event| event.event_type == EventType::Message).unwrap();
    let updated = got.events.iter().rposition(|event| event.event_type == EventType::ClaimsUpdated);
    let updated = updated.unwrap_or_else(|| panic!("{:?}", kinds(&got)));
    assert!(said < updated, "{:?}", kinds(&got));
    let messages = value(&got.events[updated], "messages");
    assert_eq!((&messages[0]["needs_verify"], &messages[0]["disputed"]), (&json!(false), &json!(0)), "{messages}");
}

// CLAIM-3: what a tool of the same session said settles a claim of a task that is handed over later.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_said_verifies_a_later_task() {
    let runs = Runs::default();
    let look = super::rig::tool("look_up", Reach::Reads, &runs, |_| async {
        Ok(Ran::of("In 2023, revenue grew by 25% to a new high."))
    });
    let mind = mind(|ask| match question(ask) {
        _ if is_task(ask) => words("It is written."),
        "Look the revenue up." if results(ask).is_empty() => calls(&[("c1", "look_up", json!({"text": "revenue"}))]),
        "Look the revenue up." => words("I have looked."),
        _ => words(
            "I hand this over. <call_orchestrator>TASK: write it down. Revenue grew 25% in 2023.</call_orchestrator>",
        ),
    });
    let node = Node::new(Plan { facts: facts(), ..Plan::new(mind) }.with([look, echo("other", Reach::Reads, &runs)]));
    let session = node.session("concierge").await;
    node.say(&session, "Look the revenue up.").await;
    let got = node.say(&session, "Please have it written down.").await;
    check_log(&got);
    let updates: Vec<_> = of(&got, EventType::ClaimsUpdated).map(|event| value(event, "claims").to_string()).collect();
    assert!(updates.iter().any(|update| update.contains("verified")), "{updates:?}");
    let asked = node.model.asked();
    let told = asked.iter().find(|ask| is_task(ask)).map(question).unwrap();
    assert!(told.contains("25%") && !told.contains("25% ["), "{told}");
}
