//! The demo model on the wire: three dialects, streamed and whole, read back with the engine's own reader.

use countersign::check_call::Guard;
use countersign::contract::{Answers, Language, Status, ToolCall};
use countersign::feedback::for_model;
use countersign::inspect::check;
use countersign::parse::native::{Dialect, NativeStream};
use countersign::parse::{Event, Finish, ParseOptions};
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use countersign_runtime::models::{Ask, DemoBody, DemoModel, DemoRoute, Model};
use futures_util::StreamExt;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const ROUTES: [DemoRoute; 3] = [DemoRoute::Chat, DemoRoute::Responses, DemoRoute::Messages];
const FAULTS: [&str; 16] = [
    "clean",
    "name",
    "unknown-tool",
    "types",
    "enum",
    "json",
    "truncated",
    "invented-id",
    "missing",
    "stubborn",
    "text-call",
    "parallel",
    "claims",
    "pseudo",
    "cut",
    "slow",
];
const QUESTION: &str = "Cancel 3 pieces of order ord_1234 for Ann, unit celsius";

/// What an answer comes to when it is read back.
#[derive(Debug, Clone, PartialEq, Default)]
struct Heard {
    text: String,
    calls: Vec<Called>,
    finish: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Called {
    id: Option<String>,
    name: String,
    arguments: Option<Value>,
    complete: bool,
}

fn bytes(seed: u64, route: DemoRoute, body: &[u8]) -> (u16, String) {
    let answer = DemoModel::new(seed).with_pace(Duration::ZERO).answer(route, body);
    let whole = match answer.body {
        DemoBody::Whole(bytes) => bytes.to_vec(),
        DemoBody::Stream(stream) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            runtime.block_on(stream.collect::<Vec<_>>()).concat()
        }
    };
    (answer.status, String::from_utf8_lossy(&whole).into_owned())
}

fn sent(route: DemoRoute, body: &Value) -> String {
    let (status, text) = bytes(7, route, body.to_string().as_bytes());
    assert_eq!(status, 200, "{text}");
    text
}

fn read(route: DemoRoute, text: &str) -> Heard {
    let dialect = match route {
        DemoRoute::Responses => Dialect::Responses,
        DemoRoute::Messages => Dialect::Anthropic,
        _ => Dialect::OpenAi,
    };
    let mut stream = NativeStream::new(dialect, &ParseOptions::default());
    let mut events = Vec::new();
    stream.push(text, &mut events);
    let reason = match stream.facts().finish_reason.as_deref() {
        None => Finish::Cancelled,
        Some("length" | "max_tokens" | "max_output_tokens" | "incomplete") => Finish::Length,
        Some(_) => Finish::Stop,
    };
    stream.finish(reason, &mut events);
    let mut heard = Heard { finish: stream.facts().finish_reason.clone(), ..Heard::default() };
    let mut calls = BTreeMap::<usize, Called>::new();
    for event in events {
        match event {
            Event::Text { text, .. } => heard.text += &text,
            Event::CallStart { index, id, raw_name, .. } => {
                calls.insert(index, Called { id, name: raw_name, ..Called::default() });
            }
            Event::CallEnd { index, complete, arguments, .. } => {
                let call = calls.get_mut(&index).unwrap();
                (call.complete, call.arguments) = (complete, arguments.map(Value::Object));
            }
            _ => {}
        }
    }
    heard.calls = calls.into_values().collect();
    heard
}

fn heard(route: DemoRoute, body: &Value) -> Heard {
    read(route, &sent(route, body))
}

/// Two tools in the Anthropic form; the first fits the question.
fn functions() -> Vec<Value> {
    let cancel = json!({"name": "cancel_order", "description": "Cancel an order.", "input_schema": {
        "type": "object", "required": ["order_id", "person", "count"], "properties": {
            "order_id": {"type": "string"}, "person": {"type": "string"},
            "count": {"type": "integer", "minimum": 1, "maximum": 10},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}}});
    let find = json!({"name": "find_person", "description": "Look somebody up.", "input_schema": {
        "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}});
    vec![find, cancel]
}

fn tools(route: DemoRoute) -> Value {
    let form = |tool: &Value| {
        let function =
            json!({"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]});
        match route {
            DemoRoute::Messages => tool.clone(),
            DemoRoute::Responses => {
                let mut function = function;
                function["type"] = json!("function");
                function
            }
            _ => json!({"type": "function", "function": function}),
        }
    };
    functions().iter().map(form).collect()
}

fn request(route: DemoRoute, model: &str, question: &str) -> Value {
    let messages = json!([{"role": "user", "content": question}]);
    match route {
        DemoRoute::Responses => json!({"model": model, "input": messages}),
        DemoRoute::Messages => json!({"model": model, "messages": messages, "max_tokens": 1000}),
        _ => json!({"model": model, "messages": messages}),
    }
}

fn with_tools(route: DemoRoute, model: &str, question: &str) -> Value {
    with(request(route, model, question), "tools", tools(route))
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

/// The request again, longer by a call and what came back for it.
fn answered(route: DemoRoute, mut body: Value, call: &Called, result: &str) -> Value {
    let (id, arguments) = (call.id.clone().unwrap(), call.arguments.clone().unwrap_or_default());
    let text = arguments.to_string();
    let more = match route {
        DemoRoute::Responses => vec![
            json!({"type": "function_call", "call_id": id, "name": call.name, "arguments": text}),
            json!({"type": "function_call_output", "call_id": id, "output": result}),
        ],
        DemoRoute::Messages => vec![
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": call.name, "input": arguments}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}),
        ],
        _ => vec![
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": call.name, "arguments": text}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": result}),
        ],
    };
    let field = if route == DemoRoute::Responses { "input" } else { "messages" };
    body[field].as_array_mut().unwrap().extend(more);
    body
}

fn correction(call: &Called, status: Status, language: Language) -> String {
    let call = ToolCall { id: None, name: call.name.clone(), arguments: json!({}).into() };
    for_model(&call, status, &[], language)
}

fn right() -> Value {
    json!({"order_id": "ord_1234", "person": "Ann", "count": 3, "unit": "celsius"})
}

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
        let body = with_tools(DemoRoute::Chat, "demo-json", &format!("Cancel order ord_{number}"));
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

// SERVE-7: what the client says about calling is obeyed.
#[test]
fn choices_of_the_client_are_obeyed() {
    let body = |choice: Value| with(with_tools(DemoRoute::Chat, "demo-clean", QUESTION), "tool_choice", choice);
    let names = |body: &Value| heard(DemoRoute::Chat, body).calls.into_iter().map(|call| call.name).collect::<Vec<_>>();
    assert!(names(&body(json!("none"))).is_empty());
    assert_eq!(names(&body(json!("required"))), ["cancel_order"]);
    assert_eq!(names(&body(json!({"type": "function", "function": {"name": "find_person"}}))), ["find_person"]);
    let alone = with(with_tools(DemoRoute::Chat, "demo-parallel", QUESTION), "parallel_tool_calls", json!(false));
    assert_eq!(names(&alone).len(), 1);
    let short = heard(DemoRoute::Chat, &with(request(DemoRoute::Chat, "demo-clean", QUESTION), "max_tokens", json!(3)));
    assert_eq!(short.finish.as_deref(), Some("length"));
    let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": functions()[1]["input_schema"]}});
    let answer = heard(DemoRoute::Chat, &with(request(DemoRoute::Chat, "demo", QUESTION), "response_format", format));
    assert_eq!(serde_json::from_str::<Value>(&answer.text).unwrap(), right());
    for route in ROUTES {
        let chinese = heard(route, &request(route, "demo-claims", "市场怎么样？"));
        assert!(chinese.text.contains("市场增长了25%"), "{}", chinese.text);
    }
}

// SERVE-7: the same seed and request give the same bytes; another seed other names; the mix holds right and wrong.
#[test]
fn everything_follows_from_the_seed() {
    for (route, stream) in ROUTES.iter().flat_map(|route| [(*route, false), (*route, true)]) {
        let body = with(with_tools(route, "demo", QUESTION), "stream", json!(stream)).to_string();
        assert_eq!(bytes(1, route, body.as_bytes()), bytes(1, route, body.as_bytes()));
        assert_ne!(bytes(1, route, body.as_bytes()), bytes(2, route, body.as_bytes()));
    }
    let name = |number: u32| {
        let body = with_tools(DemoRoute::Chat, "gpt-of-somebody", &format!("Cancel order ord_{number}"));
        heard(DemoRoute::Chat, &body).calls.first().map(|call| call.name.clone()).unwrap_or_default()
    };
    let right = (0..64).filter(|number| name(*number) == "cancel_order").count();
    assert!((20..64).contains(&right), "{right} of 64");
}

/// The data of the events of a stream.
fn data(text: &str) -> Vec<Value> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

// SERVE-7: what official clients rely on in chat chunks.
#[test]
fn chat_chunks_are_as_clients_expect() {
    for fault in FAULTS {
        let body = with(with_tools(DemoRoute::Chat, &format!("demo-{fault}"), QUESTION), "stream", json!(true));
        let text = sent(DemoRoute::Chat, &body);
        let chunks = data(&text);
        assert_eq!(text.ends_with("data: [DONE]\n\n"), fault != "cut");
        assert!(
            chunks.iter().all(|chunk| chunk["id"] == chunks[0]["id"] && chunk["object"] == "chat.completion.chunk")
        );
        assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()));
        assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
        let finishes: Vec<&Value> =
            chunks.iter().map(|c| &c["choices"][0]["finish_reason"]).filter(|f| !f.is_null()).collect();
        assert_eq!(finishes.len(), usize::from(fault != "cut"));
        let mut begun = 0;
        for call in chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].get(0)) {
            begun += u64::from(call.get("id").is_some());
            assert_eq!(call["index"].as_u64(), Some(begun - 1), "the first piece, and only that, has an id");
            assert_eq!(call["function"].get("name").is_some(), call.get("id").is_some());
        }
    }
    let options = json!({"include_usage": true});
    let body = with(with(request(DemoRoute::Chat, "demo", "Hi"), "stream", json!(true)), "stream_options", options);
    let chunks = data(&sent(DemoRoute::Chat, &body));
    let (last, others) = chunks.split_last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 2);
    assert!(others.iter().all(|chunk| chunk["usage"].is_null()));
}

// SERVE-7: responses are numbered, messages in order, indices from 0.
#[test]
fn named_events_are_as_clients_expect() {
    for fault in FAULTS {
        let model = format!("demo-{fault}");
        let text = sent(
            DemoRoute::Responses,
            &with(with_tools(DemoRoute::Responses, &model, QUESTION), "stream", json!(true)),
        );
        let events = data(&text);
        assert!(!text.contains("[DONE]"));
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"].as_u64(), Some(number as u64));
            assert!(text.contains(&format!("event: {}\n", event["type"].as_str().unwrap())));
        }
        assert_eq!(
            (&events[0]["type"], &events[1]["type"]),
            (&json!("response.created"), &json!("response.in_progress"))
        );
        let last = events.last().unwrap()["type"].as_str().unwrap();
        match fault {
            "cut" => assert!(last.ends_with(".delta"), "{last}"),
            "truncated" => assert_eq!(last, "response.incomplete"),
            _ => assert_eq!(last, "response.completed"),
        }
        let added: Vec<_> = events.iter().filter(|e| e["type"] == "response.output_item.added").collect();
        for (index, item) in added.iter().enumerate() {
            assert_eq!(item["output_index"].as_u64(), Some(index as u64));
        }
        let body = with(with_tools(DemoRoute::Messages, &model, QUESTION), "stream", json!(true));
        let kinds: Vec<String> = data(&sent(DemoRoute::Messages, &body))
            .iter()
            .map(|event| {
                format!(
                    "{}{}",
                    event["type"].as_str().unwrap(),
                    event.get("index").map(Value::to_string).unwrap_or_default()
                )
            })
            .collect();
        let mut order = kinds.clone();
        order.dedup();
        let mut expected = vec!["message_start", "content_block_start0", "ping", "content_block_delta0"];
        if fault != "cut" {
            expected.push("content_block_stop0");
        }
        if fault == "parallel" {
            expected.extend(["content_block_start1", "content_block_delta1", "content_block_stop1"]);
            expected.extend(["content_block_start2", "content_block_delta2", "content_block_stop2"]);
        }
        if fault != "cut" {
            expected.extend(["message_delta", "message_stop"]);
        }
        assert_eq!(order, expected, "{fault}");
    }
}

// SERVE-7: log-probabilities, one for each token, that are probabilities; made-up figures are the least sure.
#[test]
fn probabilities_are_told() {
    let body =
        with(with(request(DemoRoute::Chat, "demo-claims", "Hi"), "logprobs", json!(true)), "top_logprobs", json!(5));
    let whole: Value = serde_json::from_str(&sent(DemoRoute::Chat, &body)).unwrap();
    let told = whole["choices"][0]["logprobs"]["content"].as_array().unwrap();
    let joined: String = told.iter().map(|token| token["token"].as_str().unwrap()).collect();
    assert_eq!(joined, whole["choices"][0]["message"]["content"].as_str().unwrap());
    let least = told.iter().min_by(|a, b| a["logprob"].as_f64().partial_cmp(&b["logprob"].as_f64()).unwrap()).unwrap();
    assert!(least["token"].as_str().unwrap().contains(|c: char| c.is_ascii_digit()));
    for token in told {
        let top: Vec<f64> =
            token["top_logprobs"].as_array().unwrap().iter().map(|t| t["logprob"].as_f64().unwrap()).collect();
        assert_eq!(top.len(), 5);
        assert!(top.windows(2).all(|pair| pair[0] > pair[1]), "{top:?}");
        assert!(top.iter().map(|logarithm| logarithm.exp()).sum::<f64>() <= 1.0);
    }
    let streamed = data(&sent(DemoRoute::Chat, &with(body, "stream", json!(true))));
    let pieces = streamed.iter().filter_map(|chunk| chunk["choices"][0]["logprobs"]["content"].get(0)).cloned();
    assert_eq!(&pieces.collect::<Vec<_>>(), told);
    let include = json!(["message.output_text.logprobs"]);
    let body = with(request(DemoRoute::Responses, "demo-claims", "Hi"), "include", include);
    let whole: Value = serde_json::from_str(&sent(DemoRoute::Responses, &body)).unwrap();
    assert!(whole["output"][0]["content"][0]["logprobs"].as_array().unwrap().len() > 5);
}

// SERVE-7: the list of models, and a model that is none.
#[test]
fn models_are_listed() {
    let (status, text) = bytes(0, DemoRoute::Models, b"\xff");
    let list: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!((status, names.len(), names[0]), (200, 17, "demo"));
    for fault in FAULTS {
        assert!(names.contains(&format!("demo-{fault}").as_str()), "{fault}");
    }
    for route in ROUTES {
        let (status, text) = bytes(0, route, request(route, "demo-typo", "Hi").to_string().as_bytes());
        let error: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(status, 404);
        assert!(error["error"]["message"].as_str().unwrap().contains("demo-clean"), "{error}");
    }
}

// SERVE-7: hosted turns get what they always got: claims, and a note that is not closed; a slow model is slow.
#[tokio::test(start_paused = true)]
async fn hosted_turns_keep_their_answers() {
    let ask = |model: Option<&str>| Ask {
        model: model.map(str::to_owned),
        messages: vec![json!({"role": "user", "content": "How did sales do?"})],
        tools: Vec::new(),
    };
    let said =
        DemoModel::default().ask(ask(None)).await.unwrap().map(Result::unwrap).collect::<Vec<_>>().await.concat();
    let heard = read(DemoRoute::Chat, &String::from_utf8(said).unwrap());
    assert!(heard.text.starts_with("You asked: How did sales do?\n\nAccording to the 2024 Demo Institute report"));
    assert!(heard.text.ends_with("<create_note><name>demo</name><content>The market grew by 25%."));
    assert!(DemoModel::default().ask(ask(Some("demo-typo"))).await.is_err());
    let begun = tokio::time::Instant::now();
    let body = with(request(DemoRoute::Chat, "demo-slow", "Hi"), "stream", json!(true)).to_string();
    let DemoBody::Stream(stream) = DemoModel::new(0).answer(DemoRoute::Chat, body.as_bytes()).body else {
        panic!("no stream")
    };
    assert!(stream.count().await > 5 && begun.elapsed() > Duration::from_secs(2));
}

/// An error in the dialect's own form.
fn is_error(route: DemoRoute, text: &str) -> bool {
    let error: Value = serde_json::from_str(text).unwrap();
    let message = error["error"]["message"].as_str().is_some_and(|message| !message.is_empty());
    let own =
        if route == DemoRoute::Messages { error["type"] == "error" } else { error["error"].get("code").is_some() };
    message && own && error["error"]["type"].is_string()
}

// SERVE-7: a body that cannot be used is refused in the dialect's form.
#[test]
fn bad_bodies_are_refused() {
    let deep = "[".repeat(100_000);
    let nested = format!("{{\"model\":\"demo\",\"messages\":{}{}}}", "[".repeat(100), "]".repeat(100));
    let bodies = [
        "",
        "null",
        "[]",
        "{}",
        "{\"model\":3}",
        "{\"model\":\"demo\"}",
        "not json",
        "{\"model\":\"demo\"",
        &deep,
        &nested,
        r#"{"model":"demo","messages":[],"input":[],"max_tokens":1}"#,
        r#"{"model":"demo","messages":"x","input":3}"#,
        r#"{"model":"demo","messages":[1],"input":[1],"max_tokens":1}"#,
        r#"{"model":"demo","messages":[{"role":"user","content":"x"}],"input":"x","max_tokens":-1,"max_output_tokens":"a"}"#,
        r#"{"model":"demo","messages":[{"role":"user"}],"input":"x","max_tokens":9,"tools":{}}"#,
        r#"{"model":"demo","messages":[{"role":"user"}],"input":"x","max_tokens":9,"tools":[{"type":"function"}]}"#,
        r#"{"model":"demo","messages":[{"role":"user"}],"input":"x","max_tokens":9,"stream":"yes"}"#,
    ];
    for (route, body) in ROUTES.iter().flat_map(|route| bodies.iter().map(move |body| (*route, *body))) {
        let (status, text) = bytes(0, route, body.as_bytes());
        assert_eq!(status, 400, "{route:?} {body:.200}");
        assert!(is_error(route, &text), "{text}");
    }
}

fn foreign() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "user", "tool", "function", "object", "array", "integer", "required", "#/x", "(", "id"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        let key = prop::sample::select(vec![
            "role",
            "content",
            "type",
            "text",
            "name",
            "function",
            "parameters",
            "input_schema",
            "properties",
            "required",
            "enum",
            "anyOf",
            "$ref",
            "items",
            "minimum",
            "maximum",
            "minItems",
            "pattern",
            "format",
            "default",
            "examples",
            "tool_calls",
            "tool_call_id",
            "id",
            "minLength",
            "maxLength",
            "multipleOf",
            "include_usage",
            "schema",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>()),
        ]
    })
}

/// A request that is right but for some fields.
fn nearly_right() -> impl Strategy<Value = (DemoRoute, Value)> {
    let fields = vec![
        "messages",
        "input",
        "tools",
        "tool_choice",
        "stream",
        "stream_options",
        "max_tokens",
        "response_format",
        "text",
        "include",
        "top_logprobs",
        "logprobs",
        "n",
        "model",
        "parallel_tool_calls",
        "instructions",
        "schema",
    ];
    let model = prop::sample::select(FAULTS.to_vec()).prop_map(|fault| format!("demo-{fault}"));
    let changes = prop::collection::vec((prop::sample::select(fields), foreign()), 1..3);
    (prop::sample::select(ROUTES.to_vec()), model, "\\PC{0,30}", any::<bool>(), changes).prop_map(
        |(route, model, question, stream, changes)| {
            let mut body = with(with_tools(route, &model, &question), "stream", json!(stream));
            for (field, value) in changes {
                // A schema goes where schemas go, or it would rarely be read.
                match field {
                    "schema" => {
                        let tool = json!({"type": "function", "name": "t", "parameters": value.clone(),
                            "function": {"name": "t", "parameters": value}});
                        body["tools"] = json!([tool]);
                    }
                    field => body[field] = value,
                }
            }
            (route, body)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    // SERVE-7: whatever comes, there is an answer.
    #[test]
    fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for route in ROUTES {
            prop_assert_eq!(bytes(0, route, &body).0, 400);
        }
    }

    // SERVE-7: fields of any kind are answered or refused, and what is answered is well-formed.
    #[test]
    fn any_fields_are_answered((route, body) in nearly_right()) {
        let (status, text) = bytes(0, route, body.to_string().as_bytes());
        match status {
            200 => prop_assert!(!text.is_empty()),
            400 | 404 => prop_assert!(is_error(route, &text)),
            _ => prop_assert!(false, "{status}"),
        }
    }
}
