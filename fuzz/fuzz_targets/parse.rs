//! A model's output in any protocol, whole and cut anywhere: the events are the same, they cover the input exactly
//! once, and what a length cut is never complete. The first byte chooses the protocol, the second the cut.
#![no_main]

use countersign::contract::ToolSpec;
use countersign::parse::{Event, Finish, ParseOptions, Parser, Protocol, join_deltas};
use countersign::wire::tools::read_tools;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TOOLS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| {
    read_tools(
        r#"[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"},
            "days": {"type": "integer"}}, "required": ["city"]}},
            {"name": "write_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"},
            "content": {"type": "string"}, "lines": {"type": "array", "items": {"type": "object"}}}}}, {"name": "ping"}]"#,
    )
    .unwrap_or_default()
});

const PROTOCOLS: [&str; 8] =
    ["auto", "json", "concierge", "openai", "anthropic", "responses", "qwen-coder", "kimi-k2"];

fuzz_target!(|bytes: &[u8]| {
    let [which, cut, rest @ ..] = bytes else { return };
    let name = PROTOCOLS[usize::from(*which) % PROTOCOLS.len()];
    let Some(protocol) = Protocol::from_name(name, None) else { return };
    let reason = if which & 0x80 == 0 { Finish::Stop } else { Finish::Length };
    let whole = read(&protocol, &[rest], reason);
    let at = rest.len() * usize::from(*cut) / 256;
    let (front, back) = rest.split_at(at);
    assert_eq!(whole, read(&protocol, &[front, back], reason), "{name}: cut at {at}");
    if rest.len() <= 512 {
        let single: Vec<&[u8]> = rest.chunks(1).collect();
        assert_eq!(whole, read(&protocol, &single, reason), "{name}: one byte at a time");
    }
    covers(&whole, String::from_utf8_lossy(rest).len());
});

fn read(protocol: &Protocol, pieces: &[&[u8]], reason: Finish) -> Vec<Event> {
    let mut parser = Parser::new(protocol, &TOOLS, ParseOptions::default());
    let mut all: Vec<Event> = pieces.iter().flat_map(|piece| parser.push(piece)).collect();
    all.extend(parser.finish(reason));
    join_deltas(all)
}

fn covers(events: &[Event], length: usize) {
    let mut at = 0;
    for event in events {
        let Some(span) = event.covered() else { continue };
        assert!(span.start == at && span.end >= at, "after {at} comes {event:?}");
        at = span.end;
    }
    assert_eq!(at, length, "all of the input is covered");
}
