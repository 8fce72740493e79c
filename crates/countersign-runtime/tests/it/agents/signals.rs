//! SCORE-3 in hosted turns: what an answer is weighed with, and what it says that nobody has verified.

use super::rig::{Node, Plan, Runs, Said, calls, finish, in_order, last, of, tool, value, warned, words};
use crate::streams::bench::Got;
use countersign::contract::EventType;
use countersign_runtime::tools::{Ran, Reach};
use serde_json::{Value, json};

/// How the last answer stands.
fn assessment(got: &Got) -> Value {
    value(of(got, EventType::Message).last().unwrap(), "assessment")
}

fn codes(assessment: &Value) -> Vec<&str> {
    assessment["findings"].as_array().unwrap().iter().filter_map(|finding| finding["code"].as_str()).collect()
}

async fn answer(question: &str, said: Said) -> Got {
    let got = Node::new(Plan::new(in_order(vec![said]))).turn("react", question).await;
    assert_eq!(last(&got), "completed");
    got
}

fn spoken(delta: Value, logprobs: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "logprobs": logprobs}]})
}

fn token(text: &str, logprob: f64) -> Value {
    spoken(json!({"content": text}), json!({"content": [{"token": text, "logprob": logprob, "top_logprobs": []}]}))
}

fn close(value: &Value, wanted: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - wanted).abs() < 1e-9)
}

// SCORE-1, SCORE-3: the log-probabilities of the answer's tokens are two of its signals; those of a thought are not.
#[tokio::test(start_paused = true)]
async fn an_answer_is_weighed_with_the_probabilities_of_its_tokens() {
    let thought = spoken(json!({"reasoning_content": "Hm."}), json!({"content": [{"token": "Hm.", "logprob": -12.0}]}));
    let said = vec![thought, token("The sky ", -0.5), token("is blue ", -0.3), token("today.", -0.7), finish("stop")];
    let got = answer("Which colour has the sky?", Said::Chunks(said)).await;
    let report = assessment(&got);
    let signals = &report["confidence"]["signals"];
    assert!(close(&signals["model_logprobs"], 0.9) && close(&signals["token_probability"], 0.8), "{report}");
    assert!(codes(&report).is_empty(), "{report}");
}

// SCORE-1: the form of older servers is read too, and a model that guesses is held back.
#[tokio::test(start_paused = true)]
async fn guessed_tokens_hold_an_answer_back() {
    let old = json!({"tokens": ["The mayor", " is Petra."], "token_logprobs": [null, -11.0]});
    let said = vec![spoken(json!({"content": "The mayor is Petra."}), old), finish("stop")];
    let report = assessment(&answer("Who is the mayor?", Said::Chunks(said)).await);
    assert_eq!(report["confidence"]["signals"]["token_probability"], json!(0.3), "{report}");
    assert_eq!(codes(&report), ["answer.low-logprobs"]);
    assert_ne!(report["status"], "approved");
}

// SCORE-2: an upstream that gives none leaves both signals absent; nothing is made up.
#[tokio::test(start_paused = true)]
async fn without_probabilities_both_signals_are_absent() {
    let report = assessment(&answer("Which colour has the sky?", words("The sky is blue today.")).await);
    let absent = report["confidence"]["absent"].as_array().unwrap();
    assert!(absent.contains(&json!("model_logprobs")) && absent.contains(&json!("token_probability")), "{report}");
    assert_eq!(report["status"], "approved");
}

// SCORE-3: a message with unverified claims never shows as simply passed, and is no alarm either.
#[tokio::test(start_paused = true)]
async fn an_answer_with_unverified_claims_does_not_simply_pass() {
    for (question, said, claim) in [
        ("中国云计算市场怎么样？", "根据艾瑞咨询的报告，2024年中国云计算市场增长25%。", "25%"),
        ("How did the market do?", "According to a Gartner report, the cloud market grew 25% in 2024.", "25%"),
    ] {
        let got = answer(question, words(said)).await;
        let report = assessment(&got);
        assert_eq!(report["status"], "caution", "{report}");
        let finding = &report["findings"][0];
        assert_eq!((&finding["code"], &finding["severity"]), (&json!("answer.unverified-claims"), &json!("warning")));
        assert!(finding["evidence"].as_str().unwrap().contains(claim), "{finding}");
        assert_eq!(warned(&got), [""; 0], "the badge says it; it is no alarm");
        assert_eq!(value(of(&got, EventType::Message).last().unwrap(), "needs_verify"), true);
    }
}

// SCORE-3: what stands in the tool's result, in the user's own words or nowhere as a claim passes as before.
#[tokio::test(start_paused = true)]
async fn a_claim_that_stands_in_what_the_answer_was_made_from_passes() {
    let weather = |result: Value| {
        move |said: &str| {
            let result = result.clone();
            let tool = tool("get_weather", Reach::Reads, &Runs::default(), move |_| {
                let ran = Ran::of(result.clone());
                async move { Ok(ran) }
            });
            let script = vec![calls(&[("c1", "get_weather", json!({"text": "Oslo"}))]), words(said)];
            Node::new(Plan::new(in_order(script)).with([tool]))
        }
    };
    for (result, said) in [
        (json!({"city": "Oslo", "temperature_c": 12, "humidity": 81}), "Oslo has 12 °C and a humidity of 81%."),
        (json!("Oslo: 12 °C, humidity 81%"), "It is 12 °C in Oslo."),
        (json!({"city": "奥斯陆", "temperature_c": 12}), "奥斯陆现在12℃。"),
    ] {
        let got = weather(result)(said).turn("react", "What is the weather in Oslo? 奥斯陆天气？").await;
        let report = assessment(&got);
        assert_eq!((&report["status"], codes(&report)), (&json!("approved"), vec![]), "{said}: {report}");
    }
    for (question, said) in [
        ("I have 3,500 euros for the trip. Is that a lot?", "3,500 euros are enough for a good trip."),
        ("我的预算是5000元，够吗？", "5000元足够了，可以放心。"),
        ("Which colour has the sky?", "The sky is blue, because blue light is scattered most."),
    ] {
        let report = assessment(&answer(question, words(said)).await);
        assert_eq!((&report["status"], codes(&report)), (&json!("approved"), vec![]), "{said}: {report}");
    }
}

// SCORE-5, PARSE-6: an acknowledgement is no answer that one can rely on; a short one that says something is.
#[tokio::test(start_paused = true)]
async fn an_acknowledgement_is_never_high_confidence() {
    for (question, said) in [("请分析这份报告。", "好的，收到您的指令。"), ("Read the report.", "Understood, got it.")]
    {
        let report = assessment(&answer(question, words(said)).await);
        assert_eq!(report["confidence"]["recommendation"], "low_confidence", "{report}");
        assert_eq!(report["status"], "caution");
    }
    for (question, said) in [("Is it open?", "Yes."), ("What is six times seven?", "42")] {
        let report = assessment(&answer(question, words(said)).await);
        assert_eq!(report["confidence"]["recommendation"], "medium_confidence", "{said}: {report}");
    }
}
