//! The demo model on the wire: three dialects, streamed and whole, read back with the engine's own reader.

#![expect(clippy::indexing_slicing, reason = "a test that looks where nothing is fails, as it should")]

/// Each fault, alone and after corrections.
mod faults;
/// What official clients rely on.
mod clients;
/// The parts it plays for hosted agents.
mod parts;
/// What newcomers ask.
mod newcomers;
/// Bodies that nobody should send.
mod hostile;

use countersign::contract::{Language, Status, ToolCall};
use countersign::feedback::for_model;
use countersign::parse::native::{Dialect, NativeStream};
use countersign::parse::{Event, Finish, ParseOptions};
use countersign_runtime::models::{DemoBody, DemoModel, DemoRoute};
use futures_util::StreamExt;
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
