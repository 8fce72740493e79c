//! CALL-10 in hosted turns: what is wrong with a call goes back to the model as its result, once; a call that is not whole,
//! not alone in its name or not coming to an end does no harm.

use super::rig::{
    Node, Plan, Runs, Said, Stores, calls, check_log, delta, echo, field, finish, in_order, kinds, last, mind, of,
    results, role, told, value, warned, well_formed, words,
};
use crate::streams::bench::Got;
use countersign::contract::EventType;
use countersign_runtime::store::{Kind, Query};
use countersign_runtime::tools::Reach;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

fn node(script: Vec<Said>) -> (Node, Runs) {
    let runs = Runs::default();
    let tools = [("look_up", Reach::Reads), ("add_line", Reach::Acts), ("delete_record", Reach::Acts)];
    let tools = tools.map(|(name, reach)| echo(name, reach, &runs));
    (Node::new(Plan::new(in_order(script)).with(tools)), runs)
}

// CALL-10: the feedback stands on the tool-result channel, and the corrected call runs.
#[tokio::test(start_paused = true)]
async fn a_refused_call_is_corrected() {
    for (wrong, hint) in [
        (("c1", "launch_rocket", json!({"text": "alpha"})), "launch_rocket"),
        (("c1", "look_up", json!({"number": 7})), "text"),
    ] {
        let right = calls(&[("c2", "look_up", json!({"text": "alpha"}))]);
        let (node, runs) = node(vec![calls(&[wrong]), right, words("I have looked at alpha.")]);
        let got = node.turn("react", "Look alpha up.").await;
        check_log(&got);
        assert_eq!((last(&got), runs.all().len()), ("completed", 1), "{hint}: {:?}", kinds(&got));
        let asked = node.model.asked();
        assert_eq!(asked.len(), 3);
        let feedback = results(&asked[1]);
        assert!(feedback.len() == 1 && feedback[0].contains(hint), "{feedback:?}");
        let users = |at: usize| asked[at].messages.iter().filter(|said| role(said) == "user").count();
        assert_eq!((users(0), users(1), users(2)), (1, 1, 1), "never in the user's name");
        let verdicts: Vec<_> = of(&got, EventType::Verdict).map(|verdict| value(verdict, "status")).collect();
        assert_ne!(verdicts.first(), verdicts.last());
    }
}

/// What the verdicts of a turn say of corrections.
fn corrections(got: &Got) -> Vec<Value> {
    of(got, EventType::Verdict).map(|verdict| value(verdict, "correction")).collect()
}

// CALL-10: the outcome of a correction stands in the verdict of the call that took the wrong one's place, and in the audit.
#[tokio::test(start_paused = true)]
async fn the_record_of_a_correction_names_both_calls_and_the_attempts() {
    let stores = Stores::default();
    let runs = Runs::default();
    let script = vec![
        calls(&[("c1", "launch_rocket", json!({"text": "alpha"}))]),
        calls(&[("c2", "look_up", json!({"number": 7}))]),
        calls(&[("c3", "look_up", json!({"text": "alpha"}))]),
        words("I have looked at alpha."),
    ];
    let node = Node::over(&stores, "here", Plan::new(in_order(script)).with([echo("look_up", Reach::Reads, &runs)]));
    let session = node.session("react").await;
    let got = node.say(&session, "Look alpha up.").await;
    check_log(&got);
    assert_eq!((last(&got), runs.all().len()), ("completed", 1));
    let told = corrections(&got);
    assert_eq!((&told[0], &told[1]), (&Value::Null, &Value::Null), "it is not over yet");
    let outcome = json!({
        "corrected": true,
        "original": {"id": "c1", "name": "launch_rocket", "arguments": {"text": "alpha"}},
        "suggestion": {"id": "c3", "name": "look_up", "arguments": {"text": "alpha"}},
        "attempts": 2,
    });
    assert_eq!(told[2], outcome);
    let query = Query { parent: Some(&session.session_id), ..Query::default() };
    let records = stores.records.list(Kind::Verdict, query).await.unwrap();
    let audited: Vec<_> = records.iter().filter_map(|record| record.body.get("correction")).collect();
    assert_eq!(audited, [&outcome]);
}

// CALL-10: a call that the model does not get right has its outcome too, in the conversation's language.
#[tokio::test(start_paused = true)]
async fn the_record_of_a_failed_correction_says_why() {
    for (question, word) in [("Look alpha up.", "number"), ("请查一下阿尔法，谢谢。", "没有参数")] {
        let wrong = |id: &str| calls(&[(id, "look_up", json!({"number": 7}))]);
        let (node, _) = node(vec![wrong("c1"), wrong("c2")]);
        let told = corrections(&node.turn("react", question).await);
        assert_eq!(told[0], Value::Null);
        assert_eq!((&told[1]["corrected"], &told[1]["attempts"]), (&json!(false), &json!(1)), "{told:?}");
        assert!(told[1]["error"].as_str().unwrap().contains(word), "{told:?}");
    }
}

// CALL-10: a call that was right at once, or denied at once, was never corrected; nor is one more call of the same turn.
#[tokio::test(start_paused = true)]
async fn calls_that_were_not_sent_back_have_no_correction() {
    let look = |id: &str, text: &str| calls(&[(id, "look_up", json!({"text": text}))]);
    let (node, _) = node(vec![look("c1", "alpha"), look("c2", "beta"), words("I have looked at both.")]);
    let got = node.turn("react", "Look alpha and beta up.").await;
    assert_eq!(corrections(&got), [Value::Null, Value::Null]);
}

// CALL-10: in the language of the conversation.
#[tokio::test(start_paused = true)]
async fn feedback_is_in_the_language_of_the_conversation() {
    let (node, _) = node(vec![calls(&[("c1", "look_up", json!({"number": 7}))]), words("好的，查不到。")]);
    node.turn("react", "请查一下阿尔法，谢谢。").await;
    let asked = node.model.asked();
    let feedback = asked.get(1).map(results).unwrap_or_default().concat();
    assert!(feedback.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter)), "{feedback}");
}

// CALL-10: the same mistake twice ends the turn, in words and without a loop.
#[tokio::test(start_paused = true)]
async fn the_same_mistake_twice_ends_the_turn() {
    for (question, begins) in
        [("Look alpha up.", "The tool call was refused: "), ("请查一下阿尔法，谢谢。", "工具调用被拒绝：")]
    {
        let wrong = |id: &str| calls(&[(id, "look_up", json!({"number": 7}))]);
        let (node, runs) = node(vec![wrong("c1"), wrong("c2"), wrong("c3"), wrong("c4")]);
        let got = node.turn("react", question).await;
        check_log(&got);
        assert_eq!((last(&got), node.model.asked().len(), runs.all().len()), ("completed", 2, 0), "{:?}", kinds(&got));
        let said = of(&got, EventType::Message).last().unwrap();
        assert!(field(said, "content").starts_with(begins), "{said:?}");
        assert_eq!(warned(&got).last(), Some(&"call_refused"));
    }
}

// CALL-10: other mistakes, one after the other, end it too.
#[tokio::test(start_paused = true)]
async fn ever_new_mistakes_end_the_turn() {
    let at = AtomicUsize::new(0);
    let mind = mind(move |_| {
        let at = at.fetch_add(1, Ordering::SeqCst);
        calls(&[(&format!("c{at}"), "look_up", json!({"number": at}))])
    });
    let node = Node::new(Plan::new(mind).with([echo("look_up", Reach::Reads, &Runs::default())]));
    let got = node.turn("react", "Look alpha up.").await;
    assert_eq!((last(&got), node.model.asked().len()), ("completed", 4), "{:?}", kinds(&got));
    assert_eq!(warned(&got).last(), Some(&"call_refused"));
}

// CALL-10: one refusal takes nothing from its siblings.
#[tokio::test(start_paused = true)]
async fn a_refusal_does_not_touch_its_siblings() {
    let text = |text: &str| json!({"text": text});
    let first = calls(&[
        ("c1", "look_up", text("alpha")),
        ("c2", "launch_rocket", text("b")),
        ("c3", "add_line", text("gamma")),
    ]);
    let (node, runs) = node(vec![first, words("I have looked at alpha.")]);
    let got = node.turn("react", "Look alpha up and add the line gamma.").await;
    assert_eq!((last(&got), runs.of("look_up"), runs.of("add_line")), ("completed", 1, 1));
    assert_eq!(node.model.asked().last().map(|ask| results(ask).len()), Some(3));
}

/// A call in the text without its closing mark, from a model that stopped by itself.
fn unclosed(tool: &str, reason: &str) -> Said {
    let call = json!({"name": tool, "arguments": {"text": "gamma"}});
    Said::Chunks(vec![delta(&format!("<tool_call>\n{call}\n")), finish(reason)])
}

// PARSE-5, CALL-10: a call that was not closed may run where it does no harm, and never where it cannot be undone.
#[tokio::test(start_paused = true)]
async fn an_unclosed_call_that_cannot_be_undone_is_not_run() {
    for (tool, reason, ran) in
        [("look_up", "stop", 1), ("delete_record", "stop", 0), ("look_up", "length", 0), ("delete_record", "length", 0)]
    {
        let (node, runs) = node(vec![unclosed(tool, reason), words("I have looked at gamma.")]);
        let got = node.turn("react", "Look at gamma and delete gamma.").await;
        check_log(&got);
        assert_eq!((last(&got), runs.all().len()), ("completed", ran), "{tool} {reason}: {:?}", kinds(&got));
        assert_eq!(
            of(&got, EventType::ReviewRequired).count(),
            0,
            "{tool} {reason}: nobody is asked about half a call"
        );
        if ran == 0 {
            let asked = node.model.asked();
            assert_eq!(asked.len(), 2, "{tool} {reason}: the model is asked to make it whole");
            let last = told(&asked[1]);
            assert!(last.contains("not closed") || last.contains("was cut off"), "{tool} {reason}: {last}");
        }
        assert!(of(&got, EventType::TextDelta).all(|delta| !field(delta, "content").contains("tool_call")));
    }
}

// CALL-11: the same id twice in one answer, in later rounds and in later turns: each call is one of its own.
#[tokio::test(start_paused = true)]
async fn ids_that_come_again_are_told_apart() {
    let add = |text: &str| ("call_1", "add_line", json!({ "text": text }));
    let script = vec![
        calls(&[add("alpha"), add("beta")]),
        calls(&[add("gamma")]),
        words("I have added them."),
        calls(&[add("delta")]),
        words("And that one."),
    ];
    let (node, runs) = node(script);
    let session = node.session("react").await;
    node.say(&session, "Add the lines alpha, beta, gamma.").await;
    let got = node.say(&session, "And the line delta.").await;
    check_log(&got);
    assert_eq!((last(&got), runs.of("add_line")), ("completed", 4));
    let of_kind = |kind| of(&got, kind).map(|event| field(event, "call_id").to_owned()).collect::<Vec<_>>();
    let (begun, mut ended) = (of_kind(EventType::ToolCall), of_kind(EventType::ToolResult));
    ended.sort();
    ended.dedup();
    // A later turn may use the name again: a client knows it by the turn, a server by its key.
    assert_eq!((begun.len(), ended.len()), (4, 3), "{begun:?}");
    let keys: std::collections::HashSet<_> =
        of(&got, EventType::ToolCall).map(|call| field(call, "idempotency_key")).collect();
    assert_eq!(keys.len(), 4);
    let asked = node.model.asked();
    let told = results(&asked[1]);
    assert_eq!(told, ["add_line saw alpha", "add_line saw beta"]);
    well_formed(asked.get(3).unwrap());
}

// CALL-11: the very same call twice under one id is one call.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_sent_twice_is_run_once() {
    let add = || ("call_1", "add_line", json!({"text": "alpha"}));
    let (node, runs) = node(vec![calls(&[add(), add()]), words("I have added it.")]);
    let got = node.turn("react", "Add the line alpha.").await;
    assert_eq!((last(&got), runs.of("add_line")), ("completed", 1));
}

// CALL-5, STREAM-6: a loop without progress is cut, and the turn comes to an end.
#[tokio::test(start_paused = true)]
async fn a_loop_is_cut() {
    let at = AtomicUsize::new(0);
    let mind = mind(move |_| {
        let at = at.fetch_add(1, Ordering::SeqCst);
        calls(&[(&format!("c{at}"), "look_up", json!({"text": "alpha"}))])
    });
    let runs = Runs::default();
    let node = Node::new(Plan::new(mind).with([echo("look_up", Reach::Reads, &runs)]));
    let got = node.turn("react", "Look alpha up.").await;
    check_log(&got);
    assert_eq!(last(&got), "completed", "{:?}", kinds(&got));
    assert!(runs.of("look_up") <= 4 && node.model.asked().len() <= 6, "{} runs", runs.of("look_up"));
    assert_eq!(warned(&got).last(), Some(&"call_refused"));
}

// PARSE-6: words that only say that the turn may go on are logged and never told; more than that is told.
#[tokio::test(start_paused = true)]
async fn a_confirmation_is_filtered() {
    for (said, filtered, instead) in [
        ("I'm done", true, "(The user has chosen. Please continue.)"),
        ("我选好了", true, "（用户已作出选择，请继续。）"),
        ("I'm done with 1, now 2", false, "I'm done with 1, now 2"),
    ] {
        let (node, _) = node(vec![words("There are two rooms."), words("The lake is wide."), words("And a garden.")]);
        let session = node.session("concierge").await;
        node.say(&session, "Tell me about the rooms.").await;
        node.say(&session, said).await;
        let got = node.say(&session, "And the garden?").await;
        let users: Vec<_> = of(&got, EventType::Message).filter(|event| event.agent_source == "user").collect();
        let mark = if filtered { json!("confirmation") } else { Value::Null };
        assert_eq!((field(users[1], "content"), value(users[1], "filtered")), (said, mark));
        let asked = node.model.asked();
        assert_eq!(asked.len(), 3, "the turn goes on");
        assert_eq!(asked[1].messages.last().map(super::rig::text), Some(instead));
        let kept = asked[2].messages.iter().any(|message| super::rig::text(message) == said);
        assert_eq!(kept, !filtered, "and in later turns");
        asked.iter().for_each(well_formed);
    }
}

// PARSE-6: an answer that is none is asked for once more, and only once.
#[tokio::test(start_paused = true)]
async fn a_pseudo_answer_is_asked_again_once() {
    for (question, pseudo, note) in [
        ("Tell me about the blue room.", "Sure, I will look into that right away.", "give the answer itself"),
        ("请介绍一下蓝色房间。", "好的，收到您的指令，我将马上处理。", "直接给出回答"),
    ] {
        for agent in ["concierge", "react"] {
            let real = "The blue room has a view over the lake and wide windows.";
            let (better, _) = node(vec![words(pseudo), words(real), words("more")]);
            let got = better.turn(agent, question).await;
            let asked = better.model.asked();
            assert_eq!((last(&got), asked.len()), ("completed", 2), "{agent}: {:?}", kinds(&got));
            assert_eq!(warned(&got).iter().filter(|code| **code == "pseudo_answer").count(), 1);
            assert!(super::rig::question(&asked[1]).contains(note), "{:?}", asked[1]);
            assert_eq!(field(of(&got, EventType::Message).last().unwrap(), "content"), real);
            let (never, _) = node(vec![words(pseudo), words(pseudo), words(real)]);
            let got = never.turn(agent, question).await;
            assert_eq!((last(&got), never.model.asked().len()), ("completed", 2), "{agent}: once");
        }
    }
}

/// A call that is cut at its length, behind some words.
fn cut(words: &str) -> Said {
    let function = json!({"name": "delete_record", "arguments": "{\"text\": \"gam"});
    let call = json!({"index": 0, "id": "c0", "function": function});
    let call = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
    Said::Chunks([delta(words), call, finish("length")].into())
}

// PARSE-5, CALL-10: a call that is cut again and again ends in words, never in an empty answer.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_always_cut_is_told() {
    for said in ["", "Gamma comes next."] {
        let (node, runs) = node(vec![cut(said), cut(said), cut(said)]);
        let got = node.turn("react", "Delete gamma.").await;
        check_log(&got);
        assert_eq!((last(&got), node.model.asked().len(), runs.all().len()), ("completed", 2, 0), "{:?}", kinds(&got));
        let answer = field(of(&got, EventType::Message).last().unwrap(), "content");
        assert!(answer.contains("was cut off before it was complete"), "{answer}");
        assert!(warned(&got).contains(&"call_refused"), "{:?}", warned(&got));
    }
}

// PARSE-5, REVIEW-2: a turn that was asked again goes on with the later round after a restart, too.
#[tokio::test(start_paused = true)]
async fn a_turn_that_was_asked_again_goes_on_where_it_was() {
    let stores = super::rig::Stores::default();
    let runs = Runs::default();
    let script = mind(move |ask| match results(ask).len() {
        0 => cut("Gamma comes next."),
        1 => calls(&[("c1", "delete_record", json!({"text": "gamma"}))]),
        _ => words("I have looked at gamma."),
    });
    let plan = Plan::new(script).with([echo("delete_record", Reach::Acts, &runs)]);
    let one = Node::over(&stores, "one", plan.clone());
    let session = one.session("react").await;
    one.begin(&session, "Delete gamma.").await;
    one.shown(&session, EventType::ReviewRequired, 1).await;
    let two = Node::over(&stores, "two", plan);
    two.hub.sweep_at_start().await.unwrap();
    two.approve_all().await;
    let got = two.read(&session).await;
    assert_eq!((last(&got), runs.of("delete_record")), ("completed", 1), "{:?}", kinds(&got));
    assert_eq!(field(of(&got, EventType::Message).last().unwrap(), "content"), "I have looked at gamma.");
}
