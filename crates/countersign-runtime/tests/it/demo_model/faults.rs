//! Each fault is what its name says, the same in every dialect, and goes away when it is told.

use super::{Called, FAULTS, QUESTION, ROUTES};
use super::{answered, correction, functions, heard, request, right, sent, with, with_tools};
use countersign::check_call::Guard;
use countersign::contract::{Answers, Language, Status};
use countersign::inspect::check;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use countersign_runtime::models::DemoRoute;
use serde_json::{Value, json};

// SERVE-7: each fault, in each dialect, says the same streamed and whole.
#[test]
fn streamed_and_whole_come_to_the_same() {
    let questions = &[QUESTION, "取消订单 ord_1234", "", "It's \"odd\" \\ \u{1F600}\nParis 3.5 7"];
    for (route, fault, question) in
        ROUTES.iter().flat_map(|r| FAULTS.iter().flat_map(move |f| questions.iter().map(move |q| (*r, *f, *q))))
    {
        let model = format!("demo-{fault}");
        let bodies = [request(route, &model, question), with_tools(route, &model, question)];
        let turn = answered(route, bodies[1].clone(), &Called { id: Some("c".into()), ..Called::default() }, "42 °C");
        for body in bodies.iter().chain([&turn]) {
            let whole = heard(route, body);
            let streamed = heard(route, &with(body.clone(), "stream", json!(true)));
            if fault == "cut" && body != &turn {
                assert_eq!(streamed.finish.filter(|finish| finish != "in_progress"), None, "{route:?}");
                assert!(!streamed.calls.iter().any(|call| call.complete), "{route:?} {question}");
                assert!(serde_json::from_str::<Value>(&sent(route, body)).is_err(), "{route:?}");
            } else {
                assert_eq!(streamed, whole, "{route:?} {fault} {question:?}");
                assert!(!whole.text.is_empty() || !whole.calls.is_empty());
            }
        }
    }
}

// SERVE-7: each fault is what its name says, in each dialect.
#[test]
fn each_fault_is_the_one_asked_for() {
    for route in ROUTES {
        let answer = |fault: &str| heard(route, &with_tools(route, &format!("demo-{fault}"), QUESTION));
        let call = |fault: &str| answer(fault).calls.remove(0);
        for fault in ["clean", "slow", "claims"] {
            let call = call(fault);
            assert_eq!((call.name.as_str(), call.arguments, call.complete), ("cancel_order", Some(right()), true));
        }
        let name = call("name");
        assert!(name.name != "cancel_order" && name.name.starts_with("cancel"), "{}", name.name);
        assert!(!call("unknown-tool").name.contains("order"));
        assert_eq!(call("types").arguments.unwrap()["count"], "3");
        assert_eq!(call("enum").arguments.unwrap()["unit"], "celsis");
        let invented = call("invented-id").arguments.unwrap();
        assert!(invented["order_id"] != "ord_1234" && invented["order_id"].as_str().unwrap().starts_with("ord_"));
        for fault in ["missing", "stubborn"] {
            assert_eq!(call(fault).arguments.unwrap().get("count"), None);
        }
        let truncated = answer("truncated");
        assert!(!truncated.calls[0].complete);
        assert!(["length", "max_tokens", "max_output_tokens"].contains(&truncated.finish.as_deref().unwrap()));
        let written = answer("text-call");
        assert!(written.calls.is_empty() && written.text.contains("<tool_call>\n{\"name\":\"cancel_order\""));
        let parallel = answer("parallel");
        assert_eq!(parallel.calls.len(), 2);
        assert_eq!(parallel.calls[0].arguments, Some(right()));
        assert_eq!((parallel.calls[1].name.as_str(), &parallel.calls[1].arguments), ("find_person", &Some(json!({}))));
        assert_ne!(parallel.calls[0].id, parallel.calls[1].id);
        assert_eq!(answer("pseudo").text, "Sure, I will do that.");
        let words = |fault: &str| heard(route, &request(route, &format!("demo-{fault}"), QUESTION)).text;
        assert!(words("claims").contains("25%") && !words("clean").contains("25%"));
    }
}

// SERVE-7: the json fault is no JSON in the raw, in several ways, and can be read all the same.
#[test]
fn broken_json_is_broken() {
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..20 {
        let body = with_tools(DemoRoute::Chat, "demo-json", &format!("Cancel order ord_{number} for Ann"));
        let whole: Value = serde_json::from_str(&sent(DemoRoute::Chat, &body)).unwrap();
        let raw = whole["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"].as_str().unwrap().to_owned();
        assert!(serde_json::from_str::<Value>(&raw).is_err(), "{raw}");
        seen.insert((raw.contains('"'), raw.ends_with(",}"), raw.ends_with('}')));
        let read = heard(DemoRoute::Chat, &body).calls.remove(0).arguments.unwrap();
        assert_eq!(read["order_id"], format!("ord_{number}"));
    }
    assert_eq!(seen.len(), 3, "single quotes, a comma, an open bracket: {seen:?}");
}

/// What the engine says of the first call.
fn judged(fault: &str, tools: &[Value], question: &str) -> Value {
    let body = with(request(DemoRoute::Messages, &format!("demo-{fault}"), question), "tools", json!(tools));
    let call = heard(DemoRoute::Messages, &body).calls.remove(0);
    let body = json!({"tools": tools, "messages": [{"role": "user", "content": question}],
        "call": {"id": "c", "name": call.name, "arguments": call.arguments}});
    let mut request = read_check(&body).unwrap();
    let guard = Guard::new(request.tools.take(), Policy::standard());
    serde_json::to_value(check(&guard, &request, &Answers::default())).unwrap()
}

// SERVE-7: the engine finds nothing wrong with the clean model's call, and in each wrong one what is wrong.
#[test]
fn the_engine_sees_what_is_wrong() {
    let expected = [
        ("name", "call.misspelt-tool"),
        ("unknown-tool", "call.unknown-tool"),
        ("types", "call.wrong-type"),
        ("enum", "call.not-in-enum"),
        ("invented-id", "provenance.fabricated-id"),
        ("missing", "call.missing-field"),
    ];
    for (fault, code) in expected {
        let verdict = judged(fault, &functions(), QUESTION);
        let codes: Vec<&str> =
            verdict["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
        assert!(codes.contains(&code), "{fault}: {verdict}");
    }
    let weather = json!({"name": "get_weather", "description": "Get the weather of a city.", "input_schema": {
        "type": "object", "required": ["city", "days", "unit"], "additionalProperties": false, "properties": {
            "city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 10},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}, "detailed": {"type": "boolean"}}}});
    for question in
        ["Paris", "How is the weather in New York?", "The next 5 days in Oslo, fahrenheit", "北京今天天气怎么样？"]
    {
        let verdict = judged("clean", std::slice::from_ref(&weather), question);
        assert_eq!((&verdict["status"], &verdict["findings"]), (&json!("approved"), &json!([])), "{verdict}");
    }
}

// SERVE-7, CALL-10: a correction on the tool-result channel is followed; the stubborn model repeats itself, but not for
// ever; a refusal for good is not tried again.
#[test]
fn corrections_are_followed() {
    for (route, language) in ROUTES.iter().flat_map(|route| [(*route, Language::English), (*route, Language::Chinese)])
    {
        for fault in ["missing", "name", "unknown-tool", "types", "enum", "invented-id", "json"] {
            let first = with_tools(route, &format!("demo-{fault}"), QUESTION);
            let wrong = heard(route, &first).calls.remove(0);
            let said = correction(&wrong, Status::ValidationFailed, language);
            let second = answered(route, first, &wrong, &said);
            let mended = heard(route, &second).calls.remove(0);
            assert_eq!((mended.name.as_str(), mended.arguments.as_ref()), ("cancel_order", Some(&right())), "{fault}");
            assert_ne!(mended.id, wrong.id);
            let told = heard(route, &answered(route, second, &mended, r#"{"state": "cancelled"}"#));
            assert!(told.calls.is_empty() && told.text.contains("cancelled"), "{}", told.text);
        }
        let mut body = with_tools(route, "demo-stubborn", QUESTION);
        let wrong = heard(route, &body).calls.remove(0);
        let mut repeats = 0;
        while let Some(call) = heard(route, &body).calls.pop() {
            assert_eq!((&call.name, &call.arguments), (&wrong.name, &wrong.arguments));
            body = answered(route, body, &call, &correction(&call, Status::ValidationFailed, language));
            repeats += 1;
        }
        assert!((4..20).contains(&repeats), "{repeats}");
        let refused = with_tools(route, "demo-clean", QUESTION);
        let call = heard(route, &refused).calls.remove(0);
        let said = correction(&call, Status::Rejected, language);
        assert!(heard(route, &answered(route, refused, &call, &said)).calls.is_empty());
    }
}
