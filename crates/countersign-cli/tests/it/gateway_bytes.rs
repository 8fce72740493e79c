//! A repair changes the call and nothing else: every other byte of an answer and of a history stays as it came, whatever
//! it is. And of a key that is there twice, what is released is what was judged.

use crate::gateway_dialects::{Tool, Wire, everywhere, user};
use crate::gateway_upstream::{Raw, Step, Upstream};
use crate::gateway_world::{Ask, QUESTION, World, tools, weather};
use serde_json::{Value, json};
use std::sync::Arc;

/// Numbers and blanks that nobody would write again like this.
const ODD: &str = r#"{"a" : 1.10,"b":1e2 , "c":-0.0, "d":123456789012345678901234567890,  "e":[ "caf\u00e9","\/" ]}"#;

/// A tool with an argument of any kind.
fn log_values() -> Tool {
    let schema = json!({"type": "object", "required": ["days"], "properties": {
        "days": {"type": "integer", "minimum": 1}, "data": {}, "number": {"type": "integer"}}});
    Tool { name: "log_values", description: "Log values of the weather for some days.", schema }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// An answer with one call, to the byte. `function` and `vendor` are JSON text: the fields of the call that hold its name
/// and arguments, and what is in fields that are nobody's business.
fn answer(wire: Wire, stream: bool, function: &str, vendor: &str) -> String {
    let event =
        |kind: &str, rest: &str| format!("event: {kind}\ndata: {{\"type\":\"{kind}\",\"x\":{vendor},{rest}}}\n\n");
    match (wire, stream) {
        (Wire::Chat, false) => format!(
            r#"{{"id":"up", "x":{vendor},"choices":[ {{"index":0,"message":{{"role":"assistant","content":"Hi.","tool_calls":[{{"id":"c1", "type":"function","x":{vendor},"function":{{{function}}}}}],"x":{vendor}}},"logprobs":{vendor},"finish_reason":"tool_calls"}} ],"usage":{{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"x":{vendor}}}}}"#
        ),
        (Wire::Chat, true) => {
            let chunk = |delta: &str, finish: &str| {
                format!(
                    "data: {{\"id\":\"up\", \"x\":{vendor},\"choices\":[{{\"index\":0,\"delta\":{delta},\"logprobs\":{vendor},\"finish_reason\":{finish}}}]}}\n\n"
                )
            };
            let call =
                format!(r#"{{"tool_calls":[{{"index":0,"id":"c1","type":"function","function":{{{function}}}}}]}}"#);
            chunk(r#"{"role":"assistant","content":"Hi."}"#, "null")
                + &chunk(&call, "null")
                + &chunk("{}", "\"tool_calls\"")
                + "data: [DONE]\n\n"
        }
        (Wire::Messages, false) => format!(
            r#"{{"id":"up","type":"message", "x":{vendor},"role":"assistant","model":"m","content":[{{"type":"text","text":"Hi.","x":{vendor}}}, {{"type":"tool_use","id":"c1", "x":{vendor},{function}}}],"stop_reason":"tool_use","usage":{{"input_tokens":1,"output_tokens":2}}}}"#
        ),
        (Wire::Messages, true) => {
            event(
                "message_start",
                r#""message":{"id":"up","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}"#,
            ) + &event("content_block_start", r#""index":0,"content_block":{"type":"text","text":""}"#)
                + &event("content_block_delta", r#""index":0,"delta":{"type":"text_delta","text":"Hi."}"#)
                + &event("content_block_stop", r#""index":0"#)
                + &event(
                    "content_block_start",
                    &format!(r#""index":1,"content_block":{{"type":"tool_use","id":"c1",{function}}}"#),
                )
                + &event("content_block_stop", r#""index":1"#)
                + &event("message_delta", r#""delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}"#)
                + &event("message_stop", r#""y":0"#)
        }
        (Wire::Responses, _) => responses(stream, function, vendor),
    }
}

/// The same as responses.
fn responses(stream: bool, function: &str, vendor: &str) -> String {
    let event =
        |kind: &str, rest: &str| format!("event: {kind}\ndata: {{\"type\":\"{kind}\",\"x\":{vendor},{rest}}}\n\n");
    let said = format!(
        r#"{{"id":"m1","type":"message","status":"completed","role":"assistant","x":{vendor},"content":[{{"type":"output_text","text":"Hi.","annotations":[],"x":{vendor}}}]}}"#
    );
    let call =
        format!(r#"{{"id":"f1","type":"function_call","call_id":"c1", "x":{vendor},{function},"status":"completed"}}"#);
    let response = format!(
        r#"{{"id":"up","object":"response","status":"completed", "x":{vendor},"output":[{said}, {call}],"usage":{{"input_tokens":1,"output_tokens":2,"total_tokens":3}}}}"#
    );
    if !stream {
        return response;
    }
    event("response.created", r#""sequence_number":0,"response":{"id":"up","status":"in_progress","output":[]}"#)
        + &event(
            "response.output_item.added",
            r#""sequence_number":1,"output_index":0,"item":{"id":"m1","type":"message","status":"in_progress","role":"assistant","content":[]}"#,
        )
        + &event(
            "response.output_text.delta",
            r#""sequence_number":2,"output_index":0,"item_id":"m1","content_index":0,"delta":"Hi.""#,
        )
        + &event("response.output_item.done", &format!(r#""sequence_number":3,"output_index":0,"item":{said}"#))
        + &event("response.output_item.done", &format!(r#""sequence_number":4,"output_index":1,"item":{call}"#))
        + &event("response.completed", &format!(r#""sequence_number":5,"response":{response}"#))
}

/// The name and the arguments of a call, as a dialect writes them.
fn function(wire: Wire, name: &str, arguments: &str) -> String {
    match wire {
        Wire::Messages => format!(r#""name":"{name}","input":{arguments}"#),
        _ => format!(r#""name":"{name}","arguments":{}"#, quoted(arguments)),
    }
}

/// What the client gets, to the byte.
fn carried(world: &World, wire: Wire, stream: bool, said: &str) -> (u16, String) {
    let all: Vec<Tool> = tools().into_iter().chain([log_values()]).collect();
    let raw = if stream { Raw::stream([Step::Bytes(said.into())]) } else { Raw::body(200, said) };
    let mark = world.upstream.on([raw]);
    let mut live = world.open(&Ask::of(wire, stream, &[user(QUESTION)], &all), &mark);
    let status = live.head().0;
    live.rest();
    (status, live.text())
}

/// The arguments of the one call that was released, as they are written.
fn arguments(wire: Wire, stream: bool, text: &str) -> Option<String> {
    let word = |text: &str| serde_json::from_str::<String>(text).unwrap();
    let behind = |key: &str| text.rsplit_once(key).map(|(_, rest)| rest);
    match (wire, stream) {
        (Wire::Messages, false) => {
            let rest = behind("\"input\":")?;
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&serde_json::value::RawValue>();
            Some(values.next()?.unwrap().get().to_owned())
        }
        _ => {
            let rest = behind(if wire == Wire::Messages { "\"partial_json\":" } else { "\"arguments\":" })?;
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&serde_json::value::RawValue>();
            Some(word(values.next()?.unwrap().get()))
        }
    }
}

// CALL-1, SERVE-6: of a key that is there twice, what is released is what was judged and shown, and nothing else.
#[test]
fn a_key_twice_in_arguments_is_released_once() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        for (written, released) in [
            (r#"{"city": "Berlin", "days": 10, "city": "Paris"}"#, r#"{"days": 10, "city": "Paris"}"#),
            (r#"{"city": "Berlin", "\u0063ity": "Paris"}"#, r#"{"\u0063ity": "Paris"}"#),
        ] {
            let said = answer(wire, stream, &function(wire, "get_weather", written), "1");
            let (_, text) = carried(&world, wire, stream, &said);
            assert_eq!(arguments(wire, stream, &text).as_deref(), Some(released), "{wire:?} {stream}: {text}");
        }
        let written = r#"{"days": 10, "data": {"a": 1, "b": [{"x": 1.10, "x": 2.20}], "a": 2}}"#;
        let said = answer(wire, stream, &function(wire, "log_values", written), "1");
        let (_, text) = carried(&world, wire, stream, &said);
        let released = r#"{"days": 10, "data": {"b": [{"x": 2.20}], "a": 2}}"#;
        assert_eq!(arguments(wire, stream, &text).as_deref(), Some(released), "{wire:?} {stream}: {text}");
    }
}

// CALL-1, SERVE-6: the same where the name, the arguments or what holds them stand there twice.
#[test]
fn a_key_twice_around_a_call_is_released_once() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        let good = function(wire, "get_weather", r#"{"city":"Paris","days":10}"#);
        let evil = function(wire, "search_flights", r#"{"origin":"BER","destination":"CDG"}"#);
        let said = answer(wire, stream, &format!("{evil},{good}"), "1");
        let (_, text) = carried(&world, wire, stream, &said);
        assert!(text.contains("get_weather"), "{wire:?} {stream}: {text}");
        assert!(!text.contains("search_flights") && !text.contains("CDG"), "{wire:?} {stream}: {text}");
    }
}

// CALL-3, SERVE-6: a repair replaces the bytes of the call, and no others.
#[test]
fn a_repair_replaces_the_call_and_nothing_else() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        let written = format!(r#"{{"days" : "10", "data":{ODD} }}"#);
        let mended = format!(r#"{{"days" : 10, "data":{ODD} }}"#);
        let said = answer(wire, stream, &function(wire, "log_values", &written), ODD);
        let (status, text) = carried(&world, wire, stream, &said);
        assert_eq!(status, 200, "{text}");
        assert_eq!(arguments(wire, stream, &text).as_deref(), Some(mended.as_str()), "{wire:?} {stream}: {text}");
        if stream {
            // Each frame that came and is no piece of the call is there with its odd fields as they were.
            let odd = said.split("\n\n").filter(|frame| frame.contains("Hi.") && !frame.contains("log_values"));
            odd.for_each(|frame| assert!(text.contains(frame), "{wire:?}: {frame} is not in {text}"));
            assert!(!text.contains(r#""a":1.1,"#) && !text.contains("e29"), "{wire:?}: {text}");
        } else {
            let expected = answer(wire, stream, &function(wire, "log_values", &mended), ODD);
            assert_eq!(text, expected, "{wire:?}");
        }
    }
}

// CALL-2, CALL-3: an integer of any length is an integer, and keeps its digits.
#[test]
fn integers_beyond_64_bits_pass() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        for number in ["123456789012345678901234567890", "18446744073709551616", "-9223372036854775809"] {
            let written = format!(r#"{{"days":1,"number":{number}}}"#);
            let said = answer(wire, stream, &function(wire, "log_values", &written), "1");
            let (_, text) = carried(&world, wire, stream, &said);
            assert_eq!(arguments(wire, stream, &text), Some(written), "{wire:?} {stream}: {text}");
        }
    }
}

/// What JSON does not have, or what a reader of ours does not take.
fn strange() -> Vec<String> {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    ["1e400", "NaN", "-Infinity", r#""\ud83d""#, r#"["\ude00","\ud83d\ude00"]"#]
        .map(str::to_owned)
        .into_iter()
        .chain([deep])
        .collect()
}

// SERVE-6: what is none of our business neither ends a stream nor makes an error of an answer.
#[test]
fn strange_values_beside_a_call_pass() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        for odd in strange() {
            let said = answer(wire, stream, &function(wire, "get_weather", r#"{"city":"Paris","days":"10"}"#), &odd);
            let (status, text) = carried(&world, wire, stream, &said);
            assert_eq!(status, 200, "{wire:?} {stream} {odd}: {text}");
            let released = arguments(wire, stream, &text);
            assert_eq!(released.as_deref(), Some(r#"{"city":"Paris","days":10}"#), "{wire:?} {stream} {odd}: {text}");
            assert!(text.contains(&format!("\"x\":{odd}")) && !text.contains("\"error\""), "{wire:?} {stream}: {text}");
        }
    }
}

// CALL-1, SERVE-6: where the call itself holds such a value it is judged and refused, and the answer is whole.
#[test]
fn strange_values_in_a_call_are_refused() {
    let world = World::own("strange-calls", &[], &[("COUNTERSIGN_GATEWAY_CORRECTIONS", "0")]);
    for (wire, stream) in everywhere() {
        for odd in strange().iter().filter(|odd| !odd.starts_with("[\"")) {
            let written = format!(r#"{{"city":"Paris","days":{odd}}}"#);
            let said = answer(wire, stream, &function(wire, "get_weather", &written), "1");
            let (status, text) = carried(&world, wire, stream, &said);
            assert_eq!(status, 200, "{wire:?} {stream} {odd}: {text}");
            assert_eq!(
                arguments(wire, stream, &text).filter(|text| !text.is_empty()),
                None,
                "{wire:?} {stream} {odd}: {text}"
            );
            assert!(
                text.contains("The tool call `get_weather`") && !text.contains("\"error\""),
                "{wire:?} {odd}: {text}"
            );
        }
    }
}

// CALL-11, SERVE-6: of a history, what is repaired is written again, and nothing else.
#[test]
fn a_repaired_history_keeps_every_other_byte() {
    let world = World::shared();
    for (wire, history, before, after) in [
        (
            Wire::Chat,
            format!(
                r#"[ {{"role":"user", "content":"Hi","x":{ODD}}}, {{"role":"assistant","content":null,"x":{ODD},"tool_calls":[{{"id":"a","type":"function", "x":{ODD},"function":{{"name":"f","arguments":"@"}}}}]}},{{"role":"tool","tool_call_id":"a","content":"ok", "x":{ODD}}} , {{"role":"user","content":"Go","x":{ODD}}}]"#
            ),
            "",
            "{}",
        ),
        (
            Wire::Messages,
            format!(
                r#"[ {{"role":"user", "content":"Hi","x":{ODD}}}, {{"role":"assistant","x":{ODD},"content":[{{"type":"tool_use","id":"a","name":"f", "x":{ODD},"input":{{"v":{ODD}}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"@","content":"ok", "x":{ODD}}} , {{"type":"text","text":"Go","x":{ODD}}}]}}]"#
            ),
            "",
            "a",
        ),
        (
            Wire::Responses,
            format!(
                r#"[ {{"role":"user", "content":"Hi","x":{ODD}}}, {{"type":"function_call","call_id":"a","name":"f", "x":{ODD},"arguments":"@"}},{{"type":"function_call_output","call_id":"a","output":"ok", "x":{ODD}}} , {{"role":"user","content":"Go","x":{ODD}}}]"#
            ),
            "",
            "{}",
        ),
    ] {
        let body =
            |history: &str| format!(r#"{{"model" : "m","x":{ODD},"{}":{history}, "y":1.50}}"#, wire.conversation());
        let mark = world.upstream.on([Raw::body(500, "{}")]);
        let sent = body(&history.replace('@', before));
        world.open_bytes(wire, wire.path(), &[], &mark, sent.as_bytes()).rest();
        let asked = String::from_utf8(world.upstream.asked(&mark)[0].body.clone()).unwrap();
        assert_eq!(asked, body(&history.replace('@', after)), "{wire:?}");
    }
}

// SERVE-6: an answer that nobody here can read is refused unless the operator lets it pass, and what is written here is
// never called compressed.
#[test]
fn answers_in_an_unknown_compression_are_refused_or_pass() {
    let upstream = Arc::new(Upstream::start());
    let strict = World::before(&upstream, "compressed-refuse", &[], &[]);
    let open = World::before(&upstream, "compressed-pass", &[], &[("COUNTERSIGN_GATEWAY_COMPRESSED_ANSWERS", "pass")]);
    for (wire, stream) in everywhere() {
        for coding in ["br", "zstd", "gzip, br"] {
            let bytes = b"\x0b\x02\x80not to be read\x03".to_vec();
            let raw = if stream { Raw::stream([Step::Bytes(bytes.clone())]) } else { Raw::body(200, bytes.clone()) };
            let mark = upstream.on([raw.header("content-encoding", coding)]);
            let ask = Ask::of(wire, stream, &[user(QUESTION)], &[weather()]);
            let heard = strict.ask(&ask, &mark);
            assert_eq!((heard.status, heard.header("content-encoding")), (502, None), "{wire:?} {coding}: {heard:?}");
            assert!(heard.error.is_some() && heard.raw.contains("gateway.compressed_answers"), "{heard:?}");
            let mut live = open.open(&ask, &mark);
            let (status, headers) = live.head();
            live.rest();
            assert_eq!((status, &live.body), (200, &bytes), "{wire:?} {coding}");
            assert!(headers.contains(&("content-encoding".to_owned(), coding.to_owned())), "{headers:?}");
        }
        // An answer that calls itself plain is.
        let said = answer(wire, stream, &function(wire, "get_weather", r#"{"city":"Paris"}"#), "1");
        let raw = if stream { Raw::stream([Step::Bytes(said.into())]) } else { Raw::body(200, said) };
        let mark = upstream.on([raw.header("content-encoding", "identity")]);
        let heard = strict.ask(&Ask::of(wire, stream, &[user(QUESTION)], &[weather()]), &mark);
        assert_eq!((heard.status, heard.names()), (200, vec!["get_weather"]), "{heard:?}");
    }
}
