//! Searches side by side and tasks for the orchestrator: what fails is named, and the stream completes.

use super::rig::{
    Node, Plan, Runs, Said, Seeker, calls, check_log, delta, echo, field, finish, kinds, last, mind, of, question,
    results, text, told, value, warned, words,
};
use countersign::contract::EventType;
use countersign_runtime::agents::{Budget, Protocol};
use countersign_runtime::models::{Ask, ModelError};
use countersign_runtime::tools::Reach;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

fn searching(queries: &'static [&'static str], runs: &Runs) -> Node {
    let mind = mind(move |ask| {
        if question(ask).starts_with("Search results") || question(ask).starts_with("搜索结果") {
            return words("This is what I have read.");
        }
        let tags: String = queries.iter().map(|query| format!("<web_search>{query}</web_search> ")).collect();
        words(&format!("I look. {tags}"))
    });
    Node::new(Plan { search: Some(Arc::new(Seeker(runs.clone()))), ..Plan::new(mind) })
}

// STREAM-6, PARSE-1; T34: one search of three fails, panics or hangs; it is named, the others are told, and one event has
// them all.
#[tokio::test(start_paused = true)]
async fn a_search_that_breaks_is_named_and_the_others_go_on() {
    for (queries, why) in [
        (&["alpha", "what fails", "gamma"], "the index is on fire"),
        (&["alpha", "what panics", "gamma"], "fault of its own"),
        (&["alpha", "what hangs", "gamma"], "30 s"),
    ] {
        let runs = Runs::default();
        let node = searching(queries, &runs);
        let session = node.session("concierge").await;
        let began = Instant::now();
        node.begin(&session, "Tell me of alpha and gamma.").await;
        while node.turns.running() > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(began.elapsed() < Duration::from_secs(32), "{:?}", began.elapsed());
        let got = node.read(&session).await;
        check_log(&got);
        assert_eq!((last(&got), runs.of("search")), ("completed", 3), "{:?}", kinds(&got));
        let found: Vec<_> = of(&got, EventType::SearchResults).collect();
        assert_eq!(found.len(), 1, "one event for a round");
        assert_eq!(value(found[0], "queries"), json!(queries));
        let results = value(found[0], "results");
        let fields: Vec<_> = results.as_array().unwrap().iter().map(|found| found.as_object().unwrap().len()).collect();
        assert_eq!(fields, [5, 5], "{results}");
        let warnings: Vec<_> =
            of(&got, EventType::Warning).filter(|warning| field(warning, "code") == "search_failed").collect();
        assert_eq!(warnings.len(), 1);
        assert_eq!(field(warnings[0], "query"), queries[1]);
        assert!(field(warnings[0], "message").contains(why), "{:?}", warnings[0]);
        let asked = node.model.asked();
        assert_eq!(asked.len(), 2, "asked again, with the evidence");
        let evidence = question(&asked[1]);
        assert!(evidence.contains("What is known of alpha.") && evidence.contains("What is known of gamma."));
        assert!(evidence.contains(&format!("These searches failed: {}", queries[1])), "{evidence}");
        let shown: String = of(&got, EventType::TextDelta).map(|delta| field(delta, "content")).collect();
        assert!(!shown.contains("<web_search"), "{shown}");
    }
}

// STREAM-6: nothing at all is found, and the model is told so.
#[tokio::test(start_paused = true)]
async fn searches_that_all_fail_are_no_end() {
    let node = searching(&["this fails", "that panics"], &Runs::default());
    let got = node.turn("concierge", "Tell me of alpha.").await;
    assert_eq!(last(&got), "completed");
    assert!(node.model.asked().last().is_some_and(|ask| question(ask).contains("Nothing was found.")));
    assert_eq!(field(of(&got, EventType::Message).last().unwrap(), "content"), "This is what I have read.");
}

fn is_task(ask: &Ask) -> bool {
    ask.messages.get(1).is_some_and(|first| text(first).starts_with("TASK"))
}

/// A concierge that hands a task over, and an orchestrator that does what a test wants.
fn delegating(orchestrator: impl Fn(&Ask) -> Said + Send + Sync + 'static, runs: &Runs) -> Plan {
    let mind = mind(move |ask| {
        if is_task(ask) {
            return orchestrator(ask);
        }
        words("I hand this over. <call_orchestrator>TASK: look alpha up</call_orchestrator>")
    });
    Plan::new(mind).with([echo("look_up", Reach::Reads, runs)])
}

// STREAM-7: a task end to end: its message, the events of the one who does it, and their answer.
#[tokio::test(start_paused = true)]
async fn a_task_is_done_by_the_orchestrator() {
    let runs = Runs::default();
    let plan = delegating(
        |ask| match results(ask).len() {
            0 => calls(&[("t1", "look_up", json!({"text": "alpha"}))]),
            _ => words("I have looked at alpha."),
        },
        &runs,
    );
    let got = Node::new(plan).turn("concierge", "Please have alpha looked up.").await;
    check_log(&got);
    assert_eq!((last(&got), runs.of("look_up")), ("completed", 1), "{:?}", kinds(&got));
    let between = |from: &str, to: &str| {
        let found = of(&got, EventType::Message).find(|said| field(said, "from") == from && field(said, "to") == to);
        found.map(|said| field(said, "content").to_owned()).unwrap_or_default()
    };
    assert_eq!(between("concierge", "orchestrator"), "TASK: look alpha up");
    assert_eq!(between("orchestrator", "user"), "I have looked at alpha.");
    let call = of(&got, EventType::ToolCall).next().unwrap();
    assert_eq!((call.agent_source.as_str(), field(call, "run_by")), ("orchestrator", "countersign"));
    assert!(field(call, "idempotency_key").starts_with("idem_"));
    let result = of(&got, EventType::ToolResult).next().unwrap();
    assert!(value(result, "seal").is_object() || !field(result, "seal").is_empty(), "{result:?}");
}

type Orchestrator = Box<dyn Fn(&Ask) -> Said + Send + Sync>;

/// How an orchestrator fails, and the reason that is told.
fn failures() -> Vec<(Orchestrator, &'static str)> {
    let refused = || Said::Refusal(ModelError::Cut("the line was cut".to_owned()));
    let at = Arc::new(AtomicUsize::new(0));
    vec![
        (Box::new(move |_| refused()), "the line was cut"),
        // It ends without its finish marker.
        (Box::new(|_| Said::Chunks(vec![delta("The report beg")])), "finish"),
        (Box::new(|_| Said::Late(Duration::from_secs(3600), vec![finish("stop")])), "5 s"),
        (
            Box::new(move |_| {
                let at = at.fetch_add(1, Ordering::SeqCst);
                calls(&[(&format!("t{at}"), "look_up", json!({"text": format!("alpha {at}")}))])
            }),
            "asked 3 times",
        ),
    ]
}

// STREAM-7; T35: the orchestrator fails, in whatever way: readable words with the reason, and the stream completes. Its
// budget is its own.
#[tokio::test(start_paused = true)]
async fn an_orchestrator_that_fails_is_told_in_words() {
    for (question, begins) in [
        ("Please have alpha looked up.", "❌ Delegation failed: "),
        ("请帮我查一下阿尔法的资料。", "❌ 任务委派失败："),
    ] {
        for (fails, why) in failures() {
            let budget = Budget { rounds: 3, time: Duration::from_secs(5), ..Budget::default() };
            let plan = delegating(fails, &Runs::default()).agent("orchestrator", Protocol::React, budget);
            let node = Node::new(plan);
            let session = node.session("concierge").await;
            let began = Instant::now();
            node.begin(&session, question).await;
            while node.turns.running() > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            assert!(began.elapsed() < Duration::from_secs(7), "{why}: {:?}", began.elapsed());
            let got = node.read(&session).await;
            check_log(&got);
            assert_eq!(last(&got), "completed", "{why}: {:?}", kinds(&got));
            let said: Vec<_> =
                of(&got, EventType::Message).filter(|said| field(said, "content").starts_with(begins)).collect();
            assert_eq!(said.len(), 1, "{why}: {:?}", kinds(&got));
            assert!(field(said[0], "content").contains(why), "{why}: {}", field(said[0], "content"));
            assert_eq!((field(said[0], "to"), field(said[0], "role")), ("user", "assistant"));
            assert_eq!(warned(&got).iter().filter(|code| **code == "delegation_failed").count(), 1, "{why}");
            assert_eq!(of(&got, EventType::Error).count(), 0, "{why}: nothing else failed");
        }
    }
}

// STREAM-7: searches and tasks of one answer run side by side; a task that fails takes nothing from the searches.
#[tokio::test(start_paused = true)]
async fn a_task_that_fails_beside_searches_is_the_only_one() {
    let runs = Runs::default();
    let mind = mind(|ask| match question(ask) {
        _ if is_task(ask) => Said::Refusal(ModelError::Cut("the line was cut".to_owned())),
        asked if asked.starts_with("Search results") => words("This is what I have read."),
        _ => words("<web_search>alpha</web_search><call_orchestrator>TASK: look</call_orchestrator>"),
    });
    let node = Node::new(Plan { search: Some(Arc::new(Seeker(runs.clone()))), ..Plan::new(mind) });
    let got = node.turn("concierge", "Tell me of alpha.").await;
    check_log(&got);
    assert_eq!((last(&got), runs.of("search")), ("completed", 1));
    assert_eq!(warned(&got), ["delegation_failed"]);
    assert_eq!(field(of(&got, EventType::Message).last().unwrap(), "content"), "This is what I have read.");
}

// PARSE-5, STREAM-7; T28: a task that was cut by length is never handed over; one that was only not closed may be.
#[tokio::test(start_paused = true)]
async fn a_task_that_was_cut_is_not_handed_over() {
    for (reason, tasks) in [("length", 0), ("stop", 1)] {
        let mind = mind(move |ask| match () {
            () if is_task(ask) => words("I have looked at alpha."),
            () => Said::Chunks(vec![delta("I hand this over. <call_orchestrator>TASK: look alpha up"), finish(reason)]),
        });
        let node = Node::new(Plan::new(mind));
        let got = node.turn("concierge", "Please have alpha looked up.").await;
        let handed: Vec<_> = of(&got, EventType::Message).filter(|said| field(said, "to") == "orchestrator").collect();
        assert_eq!((last(&got), handed.len()), ("completed", tasks), "{reason}: {:?}", kinds(&got));
        let shown: String = of(&got, EventType::TextDelta).map(|delta| field(delta, "content")).collect();
        assert!(!shown.contains("<call_orchestrator"), "{shown}");
    }
}

// STREAM-5: the next turn of the concierge hears of the task's answer.
#[tokio::test(start_paused = true)]
async fn the_next_turn_knows_what_was_reported() {
    let plan = delegating(|_| words("Alpha is a letter."), &Runs::default());
    let node = Node::new(plan);
    let session = node.session("concierge").await;
    node.say(&session, "Please have alpha looked up.").await;
    node.say(&session, "And what was it?").await;
    let asked = node.model.asked();
    let ask = asked.iter().rev().find(|ask| question(ask) == "And what was it?").unwrap();
    super::rig::well_formed(ask);
    assert!(
        told(ask).contains("Alpha is a letter."),
        "{:#?}",
        ask.messages.iter().map(Value::to_string).collect::<Vec<_>>()
    );
}
