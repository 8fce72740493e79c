//! What the gateway costs beside carrying bytes, case by case: a request read, an answer guarded, a stream written again.
//!
//! `gateway` times every case and prints the best of many rounds. `gateway CASE COUNT` only runs one case that often, so
//! that `bench/run` can count its instructions under callgrind and take the difference of two counts.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark ends at the first surprise"
)]

use bytes::Bytes;
use countersign::check_call::Guard;

use countersign::parse::KnownTools;
use countersign::policy::Policy;
use countersign::wire::tools::read_tools;
use countersign_runtime::gateway::asked::Asked;
use countersign_runtime::gateway::body::WholeAnswer;
use countersign_runtime::gateway::held::{Released, Settled, SettledChoice};
use countersign_runtime::gateway::rewrite::{Ended, Options, rewriter};
use countersign_runtime::gateway::sse::{Frames, Output};
use countersign_runtime::gateway::wire::Wire;
use serde_json::{Value, json};
use std::hint::black_box;

use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let cases = cases();
    if let [name, count] = arguments.as_slice() {
        let (_, run) = cases.iter().find(|(case, _)| case == name).unwrap();
        (0..count.parse::<usize>().unwrap()).for_each(|_| run());
        return;
    }
    for (name, run) in &cases {
        println!("{name:32} {:>12.3} µs", best(&**run) * 1e6);
    }
}

/// The least time of one run, over rounds of about ten milliseconds each.
fn best(run: &dyn Fn()) -> f64 {
    let began = Instant::now();
    run();
    let count = (0.01 / began.elapsed().as_secs_f64().max(1e-8)).clamp(1.0, 100_000.0) as usize;
    let round = || {
        let began = Instant::now();
        (0..count).for_each(|_| run());
        began.elapsed().as_secs_f64() / count as f64
    };
    (0..30).map(|_| round()).fold(f64::INFINITY, f64::min)
}

type Case = (&'static str, Box<dyn Fn()>);

fn cases() -> Vec<Case> {
    let tools = KnownTools::of(&specs());
    let (request, answer) = (request(), answer());
    let (text, call) = (text_stream(), call_stream());
    let more = tools.clone();
    let options = Options { text_tools: Some(tools.clone()), ..Options::default() };
    let read = move || {
        let mut asked = Asked::read(Wire::Chat, request.clone()).unwrap();
        black_box(asked.repair().len());
        black_box(asked.has_results());
    };
    let whole = move || {
        let answer = WholeAnswer::read(Wire::Chat, answer.clone(), &options).unwrap();
        black_box(answer.write(&Settled::default()));
    };
    let scanned = {
        let (text, tools) = (text.clone(), more.clone());
        move || {
            black_box(stream(&text, Options { text_tools: Some(tools.clone()), ..Options::default() }));
        }
    };
    let plain = move || {
        black_box(stream(&text, Options::default()));
    };
    let held = move || {
        black_box(stream(&call, Options { text_tools: Some(more.clone()), ..Options::default() }));
    };
    let guard = || {
        black_box(Guard::new(Some(specs()), Policy::standard()).registry().is_some());
    };
    vec![
        ("request-5-tools", Box::new(read)),
        ("whole-text-answer", Box::new(whole)),
        ("stream-50-text", Box::new(scanned)),
        ("stream-50-text-no-tools", Box::new(plain)),
        ("stream-20-call", Box::new(held)),
        ("guard-of-new-tools", Box::new(guard)),
    ]
}

/// A stream, frame by frame, as its pieces come.
fn stream(pieces: &[Bytes], options: Options) -> usize {
    let mut rewriter = rewriter(Wire::Chat, options);
    let mut frames = Frames::default();
    let (mut list, mut sent) = (Vec::new(), 0);
    for piece in pieces {
        let mut out = Output::new(frames.push(piece.clone(), &mut list).unwrap());
        list.iter().for_each(|frame| rewriter.frame(frame, &mut out).unwrap());
        sent += out.take().len();
    }
    let mut out = Output::new(Bytes::new());
    let held = rewriter.end(Ended::Clean, &mut out).unwrap();
    rewriter.close(&released(held.choices.iter().flat_map(|choice| &choice.calls).map(|call| &call.written)), &mut out);
    sent + out.take().len()
}

fn released<'a>(written: impl Iterator<Item = &'a String>) -> Settled {
    let call = |arguments: &String| Released {
        id: "call_1".into(),
        name: "get_weather".into(),
        arguments: arguments.clone(),
        origin: countersign_runtime::gateway::held::Origin::Native,
        form: countersign_runtime::gateway::held::CallForm::Arguments,
    };
    let calls: Vec<_> = written.map(call).collect();
    let choices = if calls.is_empty() { vec![] } else { vec![SettledChoice { calls, ..SettledChoice::default() }] };
    Settled { choices, ..Settled::default() }
}

fn specs() -> Vec<countersign::contract::ToolSpec> {
    read_tools(&tools().to_string()).unwrap()
}

fn tools() -> Value {
    let tool = |name: &str| {
        json!({"type": "function", "function": {
            "name": name, "description": "Looks something up and gives what is known about it, with a source.",
            "parameters": {"type": "object", "properties": {
                "city": {"type": "string", "description": "The name of a city"},
                "days": {"type": "integer", "minimum": 1, "maximum": 14},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            }, "required": ["city"]},
        }})
    };
    json!([tool("get_weather"), tool("get_news"), tool("find_hotel"), tool("book_flight"), tool("get_price")])
}

fn request() -> Bytes {
    let words =
        "Please tell me about the weather in Oslo over the next days, and what one should see there. ".repeat(20);
    Bytes::from(json!({"model": "m", "messages": [{"role": "user", "content": words}], "tools": tools()}).to_string())
}

fn answer() -> Bytes {
    let words = "Oslo is mild in May, with long evenings and little rain; the fjord is worth a day. ".repeat(12);
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"});
    Bytes::from(json!({"id": "c", "object": "chat.completion", "model": "m", "choices": [choice]}).to_string())
}

fn chunk(delta: &Value, finish: &Value) -> Bytes {
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
    let chunk = json!({
        "id": "chatcmpl-0001", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "model-1",
        "system_fingerprint": "fp_1", "choices": [choice],
    });
    Bytes::from(format!("data: {chunk}\n\n"))
}

fn text_stream() -> Vec<Bytes> {
    let mut pieces: Vec<_> = (0..50).map(|_| chunk(&json!({"content": " the weather"}), &Value::Null)).collect();
    pieces.push(chunk(&json!({}), &json!("stop")));
    pieces.push(Bytes::from_static(b"data: [DONE]\n\n"));
    pieces
}

fn call_stream() -> Vec<Bytes> {
    let head = json!({"name": "get_weather", "arguments": "{\"city\": \"Oslo\", \"note\": \""});
    let mut pieces = vec![chunk(
        &json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": head}]}),
        &Value::Null,
    )];
    let more = json!({"tool_calls": [{"index": 0, "function": {"arguments": "some words "}}]});
    pieces.extend((0..18).map(|_| chunk(&more, &Value::Null)));
    pieces.push(chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"}"}}]}), &Value::Null));
    pieces.push(chunk(&json!({}), &json!("tool_calls")));
    pieces.push(Bytes::from_static(b"data: [DONE]\n\n"));
    pieces
}
