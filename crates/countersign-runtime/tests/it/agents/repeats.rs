//! CALL-10 in hosted turns: a model that corrects one call and makes the others again has these run once.

use super::rig::{Node, Plan, Runs, Said, calls, check_log, echo, in_order, kinds, last, results, warned, words};
use countersign_runtime::tools::Reach;
use serde_json::{Value, json};

fn node(script: Vec<Said>) -> (Node, Runs) {
    let runs = Runs::default();
    let tools = [("look_up", Reach::Reads), ("add_line", Reach::Acts)];
    let tools = tools.map(|(name, reach)| echo(name, reach, &runs));
    (Node::new(Plan::new(in_order(script)).with(tools)), runs)
}

fn line(text: &str) -> Value {
    json!({"text": text})
}

const ASKED: &str = "Add the lines alpha, beta and gamma, and look alpha up.";

// CALL-10: what has run while another call was wrong is answered with its result, over several attempts and in any order.
#[tokio::test(start_paused = true)]
async fn what_has_run_does_not_run_again_in_a_correction() {
    let script = vec![
        calls(&[("c1", "add_line", line("alpha")), ("c2", "add_line", json!({"number": 7}))]),
        calls(&[("c3", "add_line", json!({"number": 8})), ("c4", "add_line", line("alpha"))]),
        calls(&[("c5", "add_line", line("alpha")), ("c6", "add_line", line("beta"))]),
        words("I have added alpha and beta."),
    ];
    let (node, runs) = node(script);
    let got = node.turn("react", ASKED).await;
    check_log(&got);
    assert_eq!((last(&got), runs.of("add_line")), ("completed", 2), "{:?}", kinds(&got));
    assert_eq!(warned(&got).iter().filter(|code| **code == "call_repeated").count(), 2, "{:?}", warned(&got));
    let asked = node.model.asked();
    let told = asked.last().map(results).unwrap_or_default();
    assert_eq!(told.len(), 6, "every call has its result: {told:?}");
    assert!(told[3].contains("not run again") && told[3].contains(told[0]), "{told:?}");
}

// CALL-10: one more of the same in a correction is no second call; two on purpose in the first answer are two.
#[tokio::test(start_paused = true)]
async fn a_correction_runs_once_and_a_call_made_twice_on_purpose_runs_twice() {
    let script = vec![
        calls(&[
            ("c1", "add_line", line("alpha")),
            ("c2", "add_line", line("alpha")),
            ("c3", "add_line", json!({"n": 1})),
        ]),
        calls(&[("c4", "add_line", line("beta")), ("c5", "add_line", line("beta")), ("c6", "add_line", line("gamma"))]),
        words("I have added alpha twice, beta and gamma."),
    ];
    let (node, runs) = node(script);
    let got = node.turn("react", ASKED).await;
    check_log(&got);
    assert_eq!((last(&got), runs.of("add_line")), ("completed", 4), "{:?}", kinds(&got));
}

// CALL-10: once nothing is wrong any more the same call is a new one: a model may look twice.
#[tokio::test(start_paused = true)]
async fn a_call_that_corrects_nothing_is_a_new_one() {
    let script = vec![
        calls(&[("c1", "look_up", line("alpha"))]),
        calls(&[("c2", "look_up", line("alpha"))]),
        words("I have looked at alpha."),
    ];
    let (node, runs) = node(script);
    let got = node.turn("react", ASKED).await;
    assert_eq!((last(&got), runs.of("look_up")), ("completed", 2), "{:?}", kinds(&got));
    assert!(!warned(&got).contains(&"call_repeated"));
}

// CALL-1: a call without a name is judged and told, like any other.
#[tokio::test(start_paused = true)]
async fn a_call_without_a_usable_name_is_told_to_the_model() {
    for name in [String::new(), "x".repeat(5000)] {
        let script = vec![
            calls(&[("c1", name.as_str(), line("alpha")), ("c2", "look_up", line("alpha"))]),
            words("I have looked at alpha."),
        ];
        let (node, runs) = node(script);
        let got = node.turn("react", ASKED).await;
        check_log(&got);
        assert_eq!((last(&got), runs.all().len()), ("completed", 1), "{:?}", kinds(&got));
        let asked = node.model.asked();
        let told = asked.last().map(results).unwrap_or_default();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().any(|told| told.contains("name")), "{told:?}");
    }
}
