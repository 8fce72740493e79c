//! Laws of mentions: every text is read, to its end, the same way twice, and spans never lie.

use crate::stopwatch::Stopwatch;
use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::text::mentions::{Reading, What};
use countersign::wire::requests::read_check;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

fn spans_are_sound(text: &str) {
    let reading = Reading::of(text);
    let mut end = 0;
    for mention in &reading.mentions {
        assert!(mention.range.start >= end && mention.range.end > mention.range.start, "{text:?}: {mention:?}");
        assert!(reading.lower.get(mention.range.clone()).is_some(), "{text:?}: {mention:?}");
        if let What::Number(quantity) = &mention.what {
            assert!(quantity.value.is_finite(), "{text:?}: {quantity:?}");
            assert!(reading.lower.get(quantity.noun.clone()).is_some(), "{text:?}: {quantity:?}");
        }
        end = mention.range.end;
    }
    assert_eq!(reading.mentions, Reading::of(text).mentions, "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    // MEANING-1
    #[test]
    fn any_text_is_read(text in any::<String>(), tokens in prop::collection::vec(
        prop::sample::select(vec![
            "12", "3.5", "1,200", "-", "$", "€", "元", "块", "五", "半", "万", "点", "月", "号", "周", "下", "明早", "三斤", "a", "an", "half", "and", "hour", "minutes",
            "at", "past", "to", "from", "in", "days", "next", "Friday", "December", "2026", ":", "/", "@", ".", " ", "A-22", "x@y.zz", "%", "not", "不是", "每", "6", "pm", "first",
            "last", "of", "the", "20th", "dozen", "degrees", "F", "零下", "，", "\n",
        ]), 0..40), joined in any::<bool>())
    {
        spans_are_sound(&text);
        spans_are_sound(&tokens.join(if joined { "" } else { " " }));
    }

    // MEANING-2: whatever was said, the check of a call ends, and a call without values of its own is never doubted by it.
    #[test]
    fn any_conversation_is_compared(said in prop::collection::vec(any::<String>(), 0..4), value in any::<String>(), number in any::<f64>()) {
        let messages: Vec<Value> = said.iter().map(|text| json!({"role": "user", "content": text})).collect();
        for arguments in [json!({"to": value, "amount": number, "when": value}), json!({})] {
            let findings = judge(&messages, &arguments);
            if arguments == json!({}) {
                let of_values = |code: &String| code.starts_with("meaning.other-") && code != "meaning.other-deed" || code == "meaning.swapped";
                prop_assert!(!findings.iter().any(of_values), "{:?}", findings);
            }
        }
    }
}

fn judge(messages: &[Value], arguments: &Value) -> Vec<String> {
    let parameters = json!({"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}, "when": {"type": "string"}}});
    let tools = json!([{"name": "move_thing", "description": "Moves a thing.", "input_schema": parameters}]);
    let body =
        json!({"id": 1, "tools": tools, "messages": messages, "call": {"name": "move_thing", "arguments": arguments}});
    let mut request = read_check(&body).unwrap();
    let guard = Guard::new(request.tools.take(), Policy::standard());
    let verdict = inspect::check(&guard, &request, &Answers::default());
    verdict.findings.iter().map(|finding| finding.code.id.to_owned()).collect()
}

// MEANING-1
#[test]
fn hostile_requests_cost_linear_time() {
    for part in ["1 ", "A-1 ", "a@b.cc ", "5 km to ", "下周五", "not 1 ", "no, ", "'x ", "from a to b ", "all "] {
        let started = Stopwatch::start();
        let messages: Vec<Value> =
            (0..8).map(|_| json!({"role": "user", "content": part.repeat(60_000 / part.len())})).collect();
        judge(&messages, &json!({"to": "b-77123", "amount": 991.5, "when": "2026-01-02T10:00:00Z"}));
        assert!(started.elapsed() < Duration::from_secs(20), "{part}: {:?}", started.elapsed());
    }
    let rows: Vec<Value> = (0..3000)
        .map(|n| json!({"id": format!("R-{n}"), "name": format!("row {n} of them"), "note": "x y z"}))
        .collect();
    let started = Stopwatch::start();
    let result = json!([{"role": "user", "content": "the row 17 please"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "rows", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": Value::from(rows).to_string()}]);
    judge(result.as_array().unwrap(), &json!({"to": "R-2999", "amount": 1.5, "when": "x"}));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
