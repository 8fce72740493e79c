//! The laws of the push parser on the formats of open models: any split gives the same, spans cover the input, time is
//! linear, nothing panics.

use crate::stopwatch::Stopwatch;
use countersign::contract::ToolSpec;
use countersign::parse::{Event, Finish, ParseOptions, Parser, Protocol, join_deltas};
use countersign::wire::tools::read_tools;
use proptest::prelude::*;
use std::time::Duration;

fn tools() -> Vec<ToolSpec> {
    let tools = r#"[
        {"name": "get_weather", "parameters": {"type": "object", "properties":
            {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}},
        {"name": "write_file", "parameters": {"type": "object", "properties":
            {"path": {"type": "string"}, "content": {"type": "string"}}}},
        {"name": "ping", "parameters": {"type": "object", "properties": {}}}
    ]"#;
    read_tools(tools).unwrap()
}

/// All events of an input that comes in these pieces, neighbouring deltas joined.
pub(crate) fn events(protocol: &Protocol, pieces: &[&[u8]], reason: Finish) -> Vec<Event> {
    events_with(protocol, &tools(), pieces, reason)
}

/// The same with these tools.
pub(crate) fn events_with(protocol: &Protocol, tools: &[ToolSpec], pieces: &[&[u8]], reason: Finish) -> Vec<Event> {
    let mut parser = Parser::new(protocol, tools, ParseOptions::default());
    let mut all = Vec::new();
    for piece in pieces {
        all.extend(parser.push(piece));
    }
    all.extend(parser.finish(reason));
    join_deltas(all)
}

/// The covering spans follow each other from the beginning to the end.
pub(crate) fn covers(events: &[Event], length: usize) -> Result<(), String> {
    let mut at = 0;
    for event in events {
        let Some(span) = event.covered() else { continue };
        if span.start != at || span.end < span.start {
            return Err(format!("after {at} comes {span:?} of {event:?}"));
        }
        at = span.end;
    }
    if at == length { Ok(()) } else { Err(format!("covered {at} of {length}")) }
}

/// Pieces of every format, whole and broken.
pub(crate) const FRAGMENTS: &[&str] = &[
    "Hello. ",
    "\n",
    " ",
    "天气 ",
    "`",
    "```json\n",
    "```",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<function=get_weather>",
    "<parameter=city>",
    "Oslo",
    "</parameter>",
    "</function>",
    "<FUNCTION=ping>",
    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}",
    "{\"name\": \"get_weather\"",
    "{\"a\": 1}",
    ", \"arguments\": {",
    "\"city\": \"Os",
    "\"}}",
    "}",
    "]",
    "[get_weather(city='Oslo')]",
    "[get_weather(",
    "city='x'",
    ")]",
    "[TOOL_CALLS]",
    "[ARGS]",
    "get_weather",
    "[link](url)",
    "<|tool_call_begin|>",
    "functions.get_weather:0",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁sep｜>",
    "<invoke name=\"ping\">",
    "</invoke>",
    "<write_file><path>",
    "</path>",
    "</write_file>",
    "<arg_key>city</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<|channel|>analysis<|message|>",
    "<|start|>assistant to=functions.get_weather<|message|>",
    "<|end|>",
    "<|call|>",
    "]<]minimax[>[",
    "<|\"|>",
    "call:get_weather{city:",
    "<|tool_call>",
    "<tool_call|>",
    "&lt;tool_call&gt;",
    "＜function=ping＞",
    " to=self<|message|>",
    "functools[",
    "<",
    "</",
    "<|",
    "&lt",
    "\"",
    "'",
    "\\",
    "{",
    "[",
    "(",
    "<function=",
    "<parameter",
    "“",
    "”",
    "「",
    "」",
    "It says: ",
    "- ",
    "1. ",
    "\n\n",
    "~~~\n",
    "</s>",
    "{\"name\": \"other\", \"x\": 1}",
];

/// So many, or as many as `PROPTEST_CASES` says.
pub(crate) fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::collection::vec(prop::sample::select(FRAGMENTS), 0..14).prop_map(|parts| parts.concat()),
        1 => "[ -~\\n天＜｜]{0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(800)))]

    // PARSE-4: any split of the input gives the same events.
    #[test]
    fn any_split_gives_the_same_events(text in texts(), cuts in prop::collection::vec(0usize..400, 0..6)) {
        let whole = events(&Protocol::Auto, &[text.as_bytes()], Finish::Stop);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        prop_assert_eq!(&whole, &events(&Protocol::Auto, &bytes, Finish::Stop), "one byte at a time: {:?}", text);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&text.as_bytes()[from..cut]);
            from = cut;
        }
        pieces.push(&text.as_bytes()[from..]);
        prop_assert_eq!(&whole, &events(&Protocol::Auto, &pieces, Finish::Stop), "cut: {:?}", text);
    }

    // PARSE-5: the spans cover the input exactly once, so nothing is lost.
    #[test]
    fn spans_cover_the_input(text in texts(), reason in prop::sample::select(vec![Finish::Stop, Finish::Length])) {
        let read = events(&Protocol::Auto, &[text.as_bytes()], reason);
        if let Err(problem) = covers(&read, text.len()) {
            prop_assert!(false, "{problem} in {text:?}: {read:#?}");
        }
    }

    // PARSE-4: memory is bounded, and the bound changes nothing about splits and spans.
    #[test]
    fn a_small_limit_keeps_the_laws(
        text in texts(),
        limit in 0usize..80,
        name in prop::sample::select(vec!["auto", "json", "concierge", "openai"]),
    ) {
        let protocol = Protocol::from_name(name, None).unwrap();
        let read = |pieces: &[&[u8]]| {
            let mut options = ParseOptions::default();
            options.max_region = limit;
            let mut parser = Parser::new(&protocol, &tools(), options);
            let mut all: Vec<Event> = pieces.iter().flat_map(|piece| parser.push(piece)).collect();
            all.extend(parser.finish(Finish::Stop));
            join_deltas(all)
        };
        let whole = read(&[text.as_bytes()]);
        if let Err(problem) = covers(&whole, text.len()) {
            prop_assert!(false, "{problem} in {text:?}: {whole:#?}");
        }
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        prop_assert_eq!(&whole, &read(&bytes), "{} limit {}: {:?}", name, limit, text);
    }

    // PARSE-5: a call cut by length is never complete.
    #[test]
    fn what_is_cut_by_length_never_runs(at in 1usize..200) {
        let text = "Sure. <tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>";
        let cut = at % (text.find("</function>").unwrap() + "</function>".len());
        let read = events(&Protocol::Auto, &[&text.as_bytes()[..cut]], Finish::Length);
        let ran = read.iter().any(|event| matches!(event, Event::CallEnd { complete: true, .. }));
        prop_assert!(!ran, "{cut}: {read:?}");
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let whole = events(&Protocol::Auto, &[&bytes], Finish::Stop);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(whole, events(&Protocol::Auto, &single, Finish::Stop));
    }
}

// PARSE-4: what a wrapper may begin with is decided by its own length, not by how much of the rest has come.
#[test]
fn what_follows_far_behind_changes_nothing() {
    let far = "x ".repeat(120);
    for head in [
        "l\n\n{\"name\": 1, ",
        "get_weather   {",
        "```json\n{",
        "```jsonjsonjson\n  \n",
        "\n\n\n\n[1, ",
        "function=ping>\n",
    ] {
        let text = format!("<tool_cal>{head}{far}</tool_call> end");
        let whole = events(&Protocol::Auto, &[text.as_bytes()], Finish::Stop);
        for cut in 1..text.len() {
            let pieces = [&text.as_bytes()[..cut], &text.as_bytes()[cut..]];
            assert_eq!(whole, events(&Protocol::Auto, &pieces, Finish::Stop), "cut at {cut}: {text}");
        }
    }
}

// PARSE-4: a byte of prose is held no longer than the longest marker that could begin there.
#[test]
fn prose_is_not_held() {
    let mut parser = Parser::new(&Protocol::Auto, &tools(), ParseOptions::default());
    let text =
        "if a < b and c[0] > 3 then {x} is 'fine', see [link](url) & more — 天气 <b>bold</b> `code`. ".repeat(20);
    let (mut given, mut out) = (0, 0);
    for piece in text.as_bytes().chunks(3) {
        given += piece.len();
        for event in parser.push(piece) {
            if let Event::Text { text, .. } = event {
                out += text.len();
            }
        }
        assert!(
            given - out <= 70,
            "{} bytes are held after {given}: {:?}",
            given - out,
            &text[out..given.min(out + 80)]
        );
    }
}

// PARSE-4: linear time on what hurts others.
#[test]
fn time_is_linear_on_hostile_input() {
    let families = [
        "<",
        "</",
        "[",
        "{",
        "\"",
        "`",
        "<tool_call>",
        "</tool_call>",
        "<function=get_weather>",
        "<parameter=city>",
        "{\"name\":",
        "[get_weather(",
        "<|tool_call_begin|>",
        "<tool_call>{\"a\": \"",
        "<tool_call>{\"a\": \"</tool_call>",
        "&lt;",
        "＜",
        "]<]minimax[>[",
        "<think>",
        "<|channel|>",
        "<function=get_weather><parameter=city></parameter> x ",
        "<write_file><path></path> y ",
        "\\",
        "<tool_call>get_weather<arg_key>",
        "<function=get_weather",
        "[TOOL_CALLS]",
        "<invoke name=\"",
        " to=",
        "{}",
        "<arg_value>",
        "<tool_call> ",
        "<tool_call>{} ",
        "<parameter=city></function> z ",
        "x <tool_call>{} ",
        "x [get_weather(city='y')] ",
        "a: <tool_call>{\"name\": \"get_weather\", \"arguments\": {}}</tool_call>\n",
        "“<tool_call>",
        "\"<|python_tag|>{",
        "{\"name\": \"other\", ",
    ];
    for family in families {
        let time = |size: usize, piece: usize| {
            let text = family.repeat(size / family.len());
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(piece).collect();
            let begun = Stopwatch::start();
            events(&Protocol::Auto, &pieces, Finish::Stop);
            begun.elapsed()
        };
        for piece in [usize::MAX >> 1, 7] {
            // A machine that was busy with something else for a moment is asked again.
            let attempts = (0..4).map(|_| (time(50_000, piece), time(200_000, piece)));
            let slow = attempts.take_while(|(small, large)| *large >= (*small).max(Duration::from_millis(20)) * 10);
            let slow: Vec<_> = slow.collect();
            assert!(slow.len() < 4, "{family:?} in pieces of {piece}, 50k and 200k: {slow:?}");
        }
    }
}
