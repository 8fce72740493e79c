//! What the engine costs, case by case.
//!
//! `speed` times every case and prints the best of many rounds. `speed CASE COUNT` only runs one case that often, so
//! that `bench/run` can count its instructions under callgrind and take the difference of two counts: noise on a
//! shared machine cannot hide a loss there.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark ends at the first surprise"
)]

use countersign::check_call::{self, Guard, Request};
use countersign::contract::{Answers, Context, Language, Message, Role, ToolCall};
use countersign::conversation::Conversation;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::{CheckRequest, read_check};
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let cases = cases();
    if let [name, count] = arguments.as_slice() {
        let case = cases.iter().find(|case| case.name == name).unwrap();
        let run = (case.prepare)();
        for _ in 0..count.parse::<usize>().unwrap() {
            run();
        }
        return;
    }
    for case in &cases {
        let run = (case.prepare)();
        println!("{:32} {:>12.3} µs", case.name, best(&*run) * 1e6);
    }
}

/// The least time of one run, over rounds of about ten milliseconds each.
fn best(run: &dyn Fn()) -> f64 {
    let began = Instant::now();
    run();
    let once = began.elapsed().as_secs_f64().max(1e-8);
    let count = (0.01 / once).clamp(1.0, 100_000.0) as usize;
    let round = || {
        let began = Instant::now();
        (0..count).for_each(|_| run());
        began.elapsed().as_secs_f64() / count as f64
    };
    (0..30).map(|_| round()).fold(f64::INFINITY, f64::min)
}

struct Case {
    name: &'static str,
    prepare: fn() -> Box<dyn Fn()>,
}

fn cases() -> Vec<Case> {
    vec![
        Case { name: "jsonschema-iter-errors-valid", prepare: || baseline(valid_call()) },
        Case { name: "name-and-schema-valid", prepare: || line(only_schema(), valid_call()) },
        Case { name: "whole-line-valid", prepare: || line(Policy::standard(), valid_call()) },
        Case { name: "verdict-valid", prepare: || verdict(valid_call()) },
        Case { name: "jsonschema-iter-errors-invalid", prepare: || baseline(invalid_call()) },
        Case { name: "whole-line-invalid", prepare: || line(Policy::standard(), invalid_call()) },
        Case { name: "unknown-name-10000", prepare: || names("complete_utterly_different_call") },
        Case { name: "misspelt-name-10000", prepare: || names("fetch_invoise_4711") },
        Case { name: "provenance-200x500", prepare: || provenance(200) },
        Case { name: "look-up-after-2", prepare: || look_up(0) },
        Case { name: "look-up-after-200", prepare: || look_up(49) },
        Case { name: "arguments-1k", prepare: || sized(1_000) },
        Case { name: "arguments-2k", prepare: || sized(2_000) },
        Case { name: "arguments-64k", prepare: || sized(64_000) },
        Case { name: "arguments-128k", prepare: || sized(128_000) },
    ]
}

/// A tool of seven properties, one of them nested.
fn tool() -> Value {
    json!({"type": "function", "function": {"name": "create_event", "description": "Create a calendar event.", "parameters": {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "Title of the event"},
            "start": {"type": "string", "format": "date-time"},
            "minutes": {"type": "integer", "minimum": 1, "maximum": 1440},
            "visibility": {"type": "string", "enum": ["public", "private"]},
            "reminder": {"type": "boolean"},
            "guests": {"type": "array", "items": {"type": "string"}},
            "place": {"type": "object", "properties": {"city": {"type": "string"}, "room": {"type": "string"}}, "required": ["city"]}
        },
        "required": ["title", "start", "minutes"]
    }}})
}

fn valid_call() -> Value {
    json!({"title": "Budget review", "start": "2026-11-20T10:00:00Z", "minutes": 45, "visibility": "private", "reminder": true,
        "guests": ["Ann", "Ben"], "place": {"city": "Oslo", "room": "Fjord"}})
}

fn invalid_call() -> Value {
    json!({"title": 7, "start": "tomorrow", "minutes": 5000, "visibility": "secret", "reminder": "yes", "guests": "Ann", "place": {"town": "Oslo"}})
}

fn request(arguments: Value) -> CheckRequest {
    let words = "Please set up the Budget review on 2026-11-20T10:00:00Z, 45 minutes, private, with Ann and Ben in Oslo, room Fjord.";
    read_check(&json!({"id": 1, "tools": [tool()], "messages": [{"role": "user", "content": words}], "call": {"name": "create_event", "arguments": arguments}})).unwrap()
}

fn only_schema() -> Arc<Policy> {
    let off = "meaning = \"off\"\ndanger = \"off\"\npermission = \"off\"\naction = \"off\"\nprovenance = \"off\"\nrelevance = \"off\"\nfacts = \"off\"\nrepeat = \"off\"\n";
    Arc::new(Policy::from_toml(&format!("[checks]\n{off}")).unwrap())
}

fn baseline(arguments: Value) -> Box<dyn Fn()> {
    let schema = tool()["function"]["parameters"].clone();
    let validator = jsonschema::options().should_validate_formats(true).offline().build(&schema).unwrap();
    Box::new(move || {
        black_box(validator.iter_errors(black_box(&arguments)).count());
    })
}

fn line(policy: Arc<Policy>, arguments: Value) -> Box<dyn Fn()> {
    let mut request = request(arguments);
    let guard = Guard::new(request.tools.take(), policy);
    let conversation = Conversation::of(request.messages.clone());
    through(guard, request.call, conversation)
}

/// One call through the line, again and again.
fn through(guard: Guard, call: ToolCall, conversation: Conversation) -> Box<dyn Fn()> {
    let (context, answers) = (Context::default(), Answers::default());
    Box::new(move || {
        let (call, language) = (black_box(&call), Language::English);
        let asked =
            Request { call, conversation: &conversation, context: &context, level: None, language, answers: &answers };
        black_box(check_call::check(&guard, &asked));
    })
}

fn verdict(arguments: Value) -> Box<dyn Fn()> {
    let mut request = request(arguments);
    let guard = Guard::new(request.tools.take(), Policy::standard());
    let conversation = Conversation::of(request.messages.clone());
    Box::new(move || {
        black_box(inspect::check_in(&guard, black_box(&request), &conversation, &Answers::default()));
    })
}

fn names(name: &'static str) -> Box<dyn Fn()> {
    let verbs = ["fetch", "create", "update", "archive", "resolve", "export", "rename", "assign", "merge", "audit"];
    let things =
        ["invoice", "ticket", "customer", "contract", "shipment", "payment", "report", "device", "project", "account"];
    let tools: Vec<Value> = (0..10_000).map(|n| json!({"name": format!("{}_{}_{n}", verbs[n % 10], things[n / 10 % 10]), "input_schema": {"type": "object"}})).collect();
    let mut request = read_check(&json!({"tools": tools, "call": {"name": name, "arguments": {}}})).unwrap();
    through(Guard::new(request.tools.take(), Policy::standard()), request.call, Conversation::default())
}

fn provenance(messages: usize) -> Box<dyn Fn()> {
    let mut request = request(valid_call());
    let guard = Guard::new(request.tools.take(), Policy::standard());
    let mut conversation = Conversation::default();
    for n in 0..messages {
        let words: String = (0..60).map(|w| format!("word{} ", (n * 31 + w * 17) % 5000)).collect();
        conversation.push(Message::text(
            if n % 2 == 0 { Role::User } else { Role::Assistant },
            words.chars().take(500).collect::<String>(),
        ));
    }
    through(guard, request.call, conversation)
}

/// A look-up that a user asked for after so many others, each with its call, its result and its answer.
fn look_up(before: usize) -> Box<dyn Fn()> {
    let tools = json!([{"name": "get_order", "description": "Reads an order.", "input_schema": {"type": "object", "properties": {"order_id": {"type": "string"}, "days": {"type": "integer"}}, "required": ["order_id"]}},
        {"name": "send_mail", "description": "Sends a mail.", "input_schema": {"type": "object", "properties": {"to": {"type": "string"}, "subject": {"type": "string"}, "body": {"type": "string"}}, "required": ["to", "subject", "body"]}}]);
    let ask = |n: usize| json!({"role": "user", "content": format!("What about order A-{}? The customer in Oslo wants {} of them by 12 March.", 1000 + n, n + 2)});
    let turn = |n: usize| {
        let (id, call) = (format!("A-{}", 1000 + n), format!("c{n}"));
        let arguments = json!({"order_id": id}).to_string();
        let record = json!({"order_id": id, "total": 40 + n, "state": "shipped", "note": "left with the neighbour"});
        [
            ask(n),
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": call, "type": "function", "function": {"name": "get_order", "arguments": arguments}}]}),
            json!({"role": "tool", "tool_call_id": call, "content": record.to_string()}),
            json!({"role": "assistant", "content": format!("Order {id} was shipped and costs {} euros.", 40 + n)}),
        ]
    };
    let last = json!({"role": "user", "content": "And order A-1007 once more, for the last 14 days?"});
    let messages: Vec<Value> = (0..before).flat_map(turn).chain([ask(before + 1), last]).collect();
    let call = json!({"name": "get_order", "arguments": {"order_id": "A-1007", "days": 14}});
    let mut request = read_check(&json!({"tools": tools, "messages": messages, "call": call})).unwrap();
    let guard = Guard::new(request.tools.take(), Policy::standard());
    let conversation = Conversation::of(std::mem::take(&mut request.messages));
    Box::new(move || {
        black_box(inspect::check_in(&guard, black_box(&request), &conversation, &Answers::default()));
    })
}

/// A call whose arguments have about this many bytes, over many values.
fn sized(bytes: usize) -> Box<dyn Fn()> {
    let guests: Vec<String> = (0..bytes / 20).map(|n| format!("Guest number {n:05}")).collect();
    let mut arguments = valid_call();
    arguments["guests"] = json!(guests);
    line(Policy::standard(), arguments)
}
