//! Calls in text against tool-parser, and plain prose in small pieces.
//!
//! tool-parser is told the format and keeps its compiled patterns between outputs; we find the format ourselves and
//! start over each time. It gives arguments as a string, we give the value. Nothing is done to even this out.

use crate::documents::{CHINESE, ENGLISH, MARKED, prose};
use crate::race::{best, race};
use countersign::contract::ToolSpec;
use countersign::parse::{Finish, ParseOptions, Parser, Protocol, read_output};
use countersign::wire::tools::read_tools;
use serde_json::Value;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tool_parser::ToolParser;
use tool_parser::parsers::{KimiK2Parser, MistralParser, PythonicParser, QwenParser, QwenXmlParser};

/// Prints a line for each format, then for each kind of prose.
pub fn run() {
    let tools = tools();
    for (name, parser, text) in formats() {
        let read = || read_output(&Protocol::Auto, &tools, &[black_box(text.as_bytes())], Finish::Stop, None);
        let theirs = || now(parser.parse_complete(black_box(&text))).expect("tool-parser reads it").1;
        let (calls, peer_calls) = (read().calls, theirs());
        assert_eq!(calls.len(), 2, "{name}: {calls:?}");
        assert_eq!(peer_calls.len(), 2, "{name}: {peer_calls:?}");
        for (call, peer) in calls.iter().zip(&peer_calls) {
            let arguments: Value = serde_json::from_str(&peer.function.arguments).expect("JSON");
            assert_eq!((&call.name, Value::from(call.arguments.clone())), (&peer.function.name, arguments), "{name}");
        }
        let outcome = race(|| drop(black_box(read())), || drop(black_box(theirs())));
        println!(
            "two calls in {:>5} bytes, {name:12} {:>7.1} µs {:>7.1} tool-parser {:>5.2}x ({:.2} to {:.2}; asked for {SHARE}){}",
            text.len(),
            outcome.ours * 1e6,
            outcome.peer * 1e6,
            outcome.ratio,
            outcome.spread.0,
            outcome.spread.1,
            verdict(outcome.ratio >= SHARE),
        );
    }
    let begin = best(|| drop(black_box(Parser::new(&Protocol::Auto, &tools, ParseOptions::default()))));
    println!("a parser made and dropped                 {:>7.1} µs", begin * 1e6);
    for (name, sentences) in [("English", &ENGLISH[..]), ("Chinese", &CHINESE), ("marks, code", &MARKED)] {
        let text = prose(sentences, 100_000);
        for protocol in ["auto", "concierge"] {
            let outcome = race(|| push(protocol, &tools, &text), || push_peer(&text));
            let speed = |seconds: f64| text.len() as f64 / seconds / 1e6;
            println!(
                "prose in {PIECE}-byte pieces, {name:12} {protocol:10} {:>5.0} MB/s {:>5.0} tool-parser (qwen) {:>5.2}x ({:.2} to {:.2}; asked for {SPEED:.0} MB/s){}",
                speed(outcome.ours),
                speed(outcome.peer),
                outcome.ratio,
                outcome.spread.0,
                outcome.spread.1,
                verdict(speed(outcome.ours) >= SPEED),
            );
        }
    }
}

/// Reads the output of one format so many times, for a count of instructions.
pub fn repeat(format: &str, times: usize) {
    let tools = tools();
    let text = formats().into_iter().find(|(name, ..)| *name == format).expect("a format").2;
    for _ in 0..times {
        black_box(read_output(&Protocol::Auto, &tools, &[black_box(text.as_bytes())], Finish::Stop, None));
    }
}

/// The tools that the calls mean.
pub fn tools() -> Vec<ToolSpec> {
    read_tools(
        r#"[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"},
            "days": {"type": "integer"}, "units": {"type": "string", "enum": ["metric", "imperial"]}}, "required": ["city"]}},
            {"name": "write_note", "parameters": {"type": "object", "properties": {"title": {"type": "string"},
            "content": {"type": "string"}, "labels": {"type": "array", "items": {"type": "string"}}}}}]"#,
    )
    .expect("tools")
}

fn push(protocol: &str, tools: &[ToolSpec], text: &str) {
    let protocol = Protocol::from_name(protocol, None).expect("a protocol");
    let mut parser = Parser::new(&protocol, tools, ParseOptions::default());
    for piece in text.as_bytes().chunks(PIECE) {
        black_box(parser.push(black_box(piece)));
    }
    black_box(parser.finish(Finish::Stop));
}

/// The peer takes whole characters only.
fn push_peer(text: &str) {
    let mut parser = QwenParser::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.floor_char_boundary(PIECE));
        black_box(now(parser.parse_incremental(black_box(piece), &[])).expect("tool-parser reads it"));
        rest = more;
    }
    black_box(parser.take_unstreamed_normal_text());
}

/// An output of about 1 KB in each format, and the peer's parser for it. Hermes writes as Qwen does.
fn formats() -> Vec<(&'static str, Box<dyn ToolParser>, String)> {
    let before = prose(&ENGLISH, 600);
    let weather = r#"{"city": "Rotterdam", "days": 3, "units": "metric"}"#;
    let note = r#"{"title": "周末安排", "content": "Pack the rain coat.\nTake the 9:14 train; it is \"the fast one\".", "labels": ["trip", "周末", "rain"]}"#;
    let named = |arguments: &str, name: &str, key: &str| format!(r#"{{"name": "{name}", "{key}": {arguments}}}"#);
    let tagged = |call: String| format!("<tool_call>\n{call}\n</tool_call>\n");
    let (first, second) = (named(weather, "get_weather", "arguments"), named(note, "write_note", "arguments"));
    vec![
        ("hermes, qwen", Box::new(QwenParser::new()), format!("{before}{}{}", tagged(first.clone()), tagged(second.clone()))),
        (
            "qwen-coder",
            Box::new(QwenXmlParser::new()),
            format!(
                "{before}{}{}",
                tagged("<function=get_weather>\n<parameter=city>\nRotterdam\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=units>\nmetric\n</parameter>\n</function>".into()),
                tagged("<function=write_note>\n<parameter=title>\n周末安排\n</parameter>\n<parameter=content>\nPack the rain coat, take the 9:14 train.\n</parameter>\n<parameter=labels>\n[\"trip\", \"周末\", \"rain\"]\n</parameter>\n</function>".into()),
            ),
        ),
        (
            "kimi",
            Box::new(KimiK2Parser::new()),
            format!("{before}<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{weather}<|tool_call_end|><|tool_call_begin|>functions.write_note:1<|tool_call_argument_begin|>{note}<|tool_call_end|><|tool_calls_section_end|>"),
        ),
        ("mistral", Box::new(MistralParser::new()), format!("{before}[TOOL_CALLS] [{first}, {second}]")),
        (
            "pythonic",
            Box::new(PythonicParser::new()),
            r#"[get_weather(city="Rotterdam", days=3, units="metric"), write_note(title="周末安排", content="Pack the rain coat.\nTake the 9:14 train.", labels=["trip", "周末", "rain"])]"#.into(),
        ),
    ]
}

fn verdict(reached: bool) -> &'static str {
    if reached { "" } else { "   MISSED" }
}

/// The answer of a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("nothing to wait for"),
    }
}

/// What is asked for: a share of the peer's speed, and megabytes a second of prose.
const SHARE: f64 = 0.8;
const SPEED: f64 = 250.0;
/// About four tokens.
const PIECE: usize = 16;
