//! The law of the gateway's text, in all dialects: what the client gets is what the upstream said, less the calls. However
//! the bytes are split, wherever the end stands, and whatever is measured of the text.

#![expect(clippy::indexing_slicing, reason = "a part that is missing fails the test")]

use bytes::Bytes;
use countersign::parse::{Finish, KnownTools};
use countersign::wire::tools::read_tools;
use countersign_runtime::gateway::body::WholeAnswer;
use countersign_runtime::gateway::held::{Held, HeldCall, Released, Settled, SettledChoice};
use countersign_runtime::gateway::rewrite::{Ended, Options, rewriter};
use countersign_runtime::gateway::sse::{Frames, Output};
use countersign_runtime::gateway::wire::{Fault, Wire};
use countersign_runtime::models::TextScan;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn tools() -> KnownTools {
    let schema =
        r#"[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]"#;
    KnownTools::of(&read_tools(schema).unwrap())
}

/// What a driver does with an answer, in pieces of these sizes.
fn run(wire: Wire, stream: &str, sizes: &[usize]) -> (String, Option<Fault>) {
    let options = Options { text_tools: Some(tools()), ..Options::default() };
    let (mut frames, mut writer) = (Frames::default(), rewriter(wire, options));
    let (mut list, mut written) = (Vec::new(), Vec::new());
    let (mut rest, mut sizes) = (stream.as_bytes(), sizes.iter().cycle());
    while !rest.is_empty() && !writer.is_over() {
        let (part, more) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
        rest = more;
        let mut out = Output::new(frames.push(Bytes::copy_from_slice(part), &mut list).unwrap());
        for frame in &list {
            writer.frame(frame, &mut out).unwrap();
        }
        written.extend_from_slice(&out.take());
    }
    let mut out = Output::new(Bytes::new());
    let held = writer.end(Ended::Clean, &mut out);
    if let Ok(held) = &held {
        writer.close(&release(held), &mut out);
    }
    written.extend_from_slice(&out.take());
    (String::from_utf8(written).unwrap(), held.err())
}

/// Releases every call that is whole, without a word about the rest.
fn release(held: &Held) -> Settled {
    let choice = |choice: &countersign_runtime::gateway::held::HeldChoice| {
        let whole = choice.calls.iter().enumerate().filter(|(_, call)| call.complete);
        let release = |(at, call): (usize, &HeldCall)| Released {
            id: call.id.clone().unwrap_or_else(|| format!("new_{at}")),
            name: call.name.clone(),
            arguments: call.written.clone(),
            origin: call.origin,
            form: call.form,
        };
        SettledChoice { index: choice.index, calls: whole.map(release).collect(), ..SettledChoice::default() }
    };
    let choices = held.choices.iter().filter(|choice| !choice.calls.is_empty()).map(choice).collect();
    Settled { choices, ..Settled::default() }
}

/// The text less its calls.
fn less_calls(text: &str, finish: Finish) -> String {
    let known = tools();
    let mut scan = TextScan::new(&known);
    let mut shown = scan.push(text).unwrap_or_else(|| text.to_owned());
    shown.push_str(&scan.finish(finish));
    shown
}

fn events(stream: &str) -> Vec<Value> {
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"))).collect()
}

/// Pieces of text that make a reader wait, or that are nothing to it.
fn piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "Hello ",
        "world. ",
        " ",
        "\n",
        "",
        "<",
        "<tool",
        "_call>",
        "</tool_call>",
        "{",
        "}",
        "{\"name\"",
        ": \"x\"}",
        "[",
        "]",
        "```json\n",
        "```\n",
        "x < y ",
        "é未",
        "\\n",
        "functions.",
        "<|",
        "[TOOL_CALLS]",
        "A \"quote\" ",
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}</tool_call>",
        "<tool_call>\n{\"name\": \"get_wea",
        "ther\", \"arguments\": {\"city\": \"Bonn\"}}\n</tool_call>\n",
    ])
    .prop_map(str::to_owned)
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// In the chunk of the last words.
    Shared,
    Apart,
    /// At a limit, in the chunk of the last words.
    Limit,
    /// With an error of the upstream's.
    Error,
    /// Without a word.
    Cut,
}

fn end() -> impl Strategy<Value = End> {
    prop::sample::select(vec![End::Shared, End::Apart, End::Limit, End::Error, End::Cut])
}

impl End {
    fn finish(self) -> Finish {
        match self {
            Self::Shared | Self::Apart => Finish::Stop,
            Self::Limit => Finish::Length,
            Self::Error | Self::Cut => Finish::Cancelled,
        }
    }
}

/// What a model says: text of a choice, a thought, or a call.
#[derive(Debug, Clone)]
enum Said {
    Text(u64, String),
    Thought(u64, String),
    Call(u64),
}

fn said() -> impl Strategy<Value = Vec<Said>> {
    let one = prop_oneof![
        8 => (0u64..2, piece()).prop_map(|(choice, text)| Said::Text(choice, text)),
        1 => (0u64..2, piece()).prop_map(|(choice, text)| Said::Thought(choice, text)),
        1 => (0u64..2).prop_map(Said::Call),
    ];
    prop::collection::vec(one, 1..14)
}

/// Log-probabilities of a text, character by character.
fn measured(text: &str) -> Vec<Value> {
    text.chars().map(|c| json!({"token": c.to_string(), "logprob": -0.5, "bytes": null, "top_logprobs": []})).collect()
}

fn chat_stream(said: &[Said], end: End, measure: bool) -> String {
    let chunk = |choices: Vec<Value>| json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices});
    let mut chunks: Vec<Value> = Vec::new();
    let mut calls: BTreeMap<u64, u64> = BTreeMap::new();
    for one in said {
        let mut choice = match one {
            Said::Text(index, text) => {
                let mut choice = json!({"index": index, "delta": {"content": text}, "finish_reason": null});
                if measure {
                    choice["logprobs"] = json!({"content": measured(text), "refusal": null});
                }
                choice
            }
            Said::Thought(index, text) => {
                json!({"index": index, "delta": {"reasoning_content": text}, "finish_reason": null})
            }
            Said::Call(index) => {
                let number = calls.entry(*index).or_default();
                *number += 1;
                let function = json!({"name": "get_weather", "arguments": "{\"city\": \"Rome\"}"});
                let call = json!({"index": *number - 1, "id": format!("call_{index}_{number}"), "type": "function", "function": function});
                json!({"index": index, "delta": {"tool_calls": [call]}, "finish_reason": null})
            }
        };
        if let Some(fields) = choice.as_object_mut() {
            fields.entry("logprobs").or_insert(Value::Null);
        }
        chunks.push(chunk(vec![choice]));
    }
    let mut indices: Vec<u64> = chunks.iter().map(|chunk| chunk["choices"][0]["index"].as_u64().unwrap()).collect();
    indices.sort_unstable();
    indices.dedup();
    let reason = if end == End::Limit { "length" } else { "stop" };
    for index in indices {
        match end {
            End::Shared | End::Limit => {
                let last = chunks.iter_mut().rev().find(|chunk| chunk["choices"][0]["index"] == index).unwrap();
                last["choices"][0]["finish_reason"] = json!(reason);
            }
            End::Apart => chunks.push(chunk(vec![json!({"index": index, "delta": {}, "finish_reason": reason})])),
            End::Error | End::Cut => {}
        }
    }
    let mut stream: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    match end {
        End::Error => stream.push_str("data: {\"error\": {\"message\": \"overloaded\"}}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"LATE\"}}]}\n\n: late\n\ndata: [DONE]\n\n"),
        End::Cut => {}
        _ => stream.push_str("data: [DONE]\n\n: late\n\n"),
    }
    stream
}

// CALL-1, SERVE-6: a call that comes after another value of its key is not passed to who reads the first one.
#[test]
fn a_call_that_hides_behind_its_own_key_is_passed_to_nobody() {
    let chat = r#"{"id":"c", "choices":[{"index":0,"KEY":{"content":"Hi","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"get_weather","arguments":"{}"}}],"tool_calls":null},"finish_reason":"stop"}],"x":1.10}"#;
    let block = r#"{"type":"tool_use","id":"t","name":"get_weather","input":{},"type":"text","text":"Hi"}"#;
    let item = r#"{"id":"i","type":"function_call","call_id":"c","name":"get_weather","arguments":"{}","type":"reasoning","summary":[]}"#;
    let frame = |event: &str, data: &str| format!("event: {event}\ndata: {data}\n\n");
    for (wire, hidden, stream, body) in [
        (
            Wire::Chat,
            "tool_calls\":[",
            format!("data: {}\n\ndata: [DONE]\n\n", chat.replace("KEY", "delta")),
            chat.replace("KEY", "message"),
        ),
        (
            Wire::Messages,
            "tool_use",
            frame(
                "content_block_start",
                &format!(r#"{{"type":"content_block_start","index":0,"content_block":{block},"x":1.10}}"#),
            ) + &frame("message_delta", r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#)
                + &frame("message_stop", r#"{"type":"message_stop"}"#),
            format!(r#"{{"type":"message","content":[{block}],"stop_reason":"end_turn","x":1.10}}"#),
        ),
        (
            Wire::Responses,
            "function_call",
            frame(
                "response.output_item.done",
                &format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item},"x":1.10}}"#),
            ) + &frame(
                "response.completed",
                r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#,
            ),
            format!(r#"{{"status":"completed","output":[{item}],"x":1.10}}"#),
        ),
    ] {
        let (written, fault) = run(wire, &stream, &[usize::MAX]);
        assert!(fault.is_none() && !written.contains(hidden) && written.contains("\"x\":1.10"), "{wire:?}: {written}");
        let options = Options { text_tools: Some(tools()), ..Options::default() };
        let answer = WholeAnswer::read(wire, Bytes::from(body), &options).unwrap();
        assert!(!answer.held.has_calls());
        let written = String::from_utf8(answer.write(&Settled::default()).to_vec()).unwrap();
        assert!(!written.contains(hidden) && written.contains("\"x\":1.10"), "{wire:?}: {written}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    // SERVE-6, STREAM-1, PARSE-4
    #[test]
    fn chat_text_is_what_was_said_less_the_calls(
        said in said(), end in end(), measure in any::<bool>(), sizes in prop::collection::vec(1usize..400, 1..6),
    ) {
        let stream = chat_stream(&said, end, measure);
        let (whole, fault) = run(Wire::Chat, &stream, &[usize::MAX]);
        prop_assert_eq!(fault.is_some(), end == End::Cut);
        prop_assert_eq!(&run(Wire::Chat, &stream, &sizes).0, &whole, "the split changes what is delivered");
        prop_assert!(!whole.contains("LATE") && !whole.contains(": late"), "{}", whole);
        let (mut text, mut tokens, mut indices) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::<u64, Vec<u64>>::new());
        for event in events(&whole) {
            for choice in event["choices"].as_array().into_iter().flatten() {
                let index = choice["index"].as_u64().unwrap();
                text.entry(index).or_insert_with(String::new).push_str(choice["delta"]["content"].as_str().unwrap_or_default());
                for entry in choice["logprobs"]["content"].as_array().into_iter().flatten() {
                    tokens.entry(index).or_insert_with(String::new).push_str(entry["token"].as_str().unwrap());
                }
                for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
                    indices.entry(index).or_default().push(call["index"].as_u64().unwrap());
                }
            }
        }
        for index in 0..2u64 {
            let upstream: String = said.iter().filter_map(|one| match one {
                Said::Text(choice, text) if *choice == index => Some(text.as_str()),
                _ => None,
            }).collect();
            let expected = less_calls(&upstream, end.finish());
            let delivered = text.remove(&index).unwrap_or_default();
            prop_assert_eq!(&delivered, &expected, "choice {} of {}\n{}", index, stream, whole);
            if measure {
                prop_assert_eq!(tokens.remove(&index).unwrap_or_default(), expected, "{}\n{}", stream, whole);
            }
            let numbers = indices.remove(&index).unwrap_or_default();
            prop_assert_eq!(&numbers, &(0..numbers.len() as u64).collect::<Vec<_>>(), "{}", whole);
        }
    }

    // SERVE-6, STREAM-1, PARSE-4
    #[test]
    fn messages_text_is_what_was_said_less_the_calls(
        said in said(), end in end(), sizes in prop::collection::vec(1usize..400, 1..6),
    ) {
        let (stream, blocks) = messages_stream(&said, end);
        let (whole, fault) = run(Wire::Messages, &stream, &[usize::MAX]);
        prop_assert_eq!(fault.is_some(), end == End::Cut);
        prop_assert_eq!(&run(Wire::Messages, &stream, &sizes).0, &whole, "the split changes what is delivered");
        prop_assert!(!whole.contains("LATE") && !whole.contains(": late"), "{}", whole);
        let mut shown = Vec::new();
        let mut begun = Vec::new();
        for event in events(&whole) {
            match event["type"].as_str().unwrap() {
                "content_block_start" => begun.push(event["index"].as_u64().unwrap()),
                "content_block_delta" if event["delta"]["type"] == "text_delta" => {
                    shown.push(event["delta"]["text"].as_str().unwrap().to_owned());
                }
                _ => {}
            }
        }
        let last = blocks.len().wrapping_sub(1);
        let expected = blocks.iter().enumerate().map(|(at, text)| {
            less_calls(text, if at == last { end.finish() } else { Finish::Stop })
        });
        prop_assert_eq!(shown.concat(), expected.collect::<String>(), "{}\n{}", stream, whole);
        prop_assert_eq!(&begun, &(0..begun.len() as u64).collect::<Vec<_>>(), "{}", whole);
    }

    // SERVE-6, STREAM-1, PARSE-4
    #[test]
    fn responses_text_is_what_was_said_less_the_calls(
        said in said(), end in end(), measure in any::<bool>(), sizes in prop::collection::vec(1usize..400, 1..6),
    ) {
        let (stream, texts) = responses_stream(&said, end, measure);
        let (whole, fault) = run(Wire::Responses, &stream, &[usize::MAX]);
        prop_assert_eq!(fault.is_some(), end == End::Cut);
        prop_assert_eq!(&run(Wire::Responses, &stream, &sizes).0, &whole, "the split changes what is delivered");
        prop_assert!(!whole.contains("LATE") && !whole.contains(": late"), "{}", whole);
        let (mut shown, mut tokens, mut places) = (String::new(), String::new(), Vec::new());
        for event in events(&whole) {
            match event["type"].as_str().unwrap() {
                "response.output_text.delta" => {
                    shown.push_str(event["delta"].as_str().unwrap());
                    for entry in event["logprobs"].as_array().into_iter().flatten() {
                        tokens.push_str(entry["token"].as_str().unwrap());
                    }
                }
                "response.output_item.added" => places.push(event["output_index"].as_u64().unwrap()),
                _ => {}
            }
        }
        let expected: Vec<String> = texts.iter().map(|text| less_calls(text, end.finish())).collect();
        // Texts that wait for the end of the answer come after those that do not.
        let mut sorted: Vec<char> = shown.chars().collect();
        sorted.sort_unstable();
        let mut wanted: Vec<char> = expected.concat().chars().collect();
        wanted.sort_unstable();
        prop_assert_eq!(sorted, wanted, "{}\n{}", stream, whole);
        if measure {
            prop_assert_eq!(&tokens, &shown, "{}\n{}", stream, whole);
        }
        places.sort_unstable();
        prop_assert_eq!(&places, &(0..places.len() as u64).collect::<Vec<_>>(), "{}", whole);
        let last = events(&whole).into_iter().rev().find(|event| event["response"]["output"].is_array());
        if let (Some(last), false) = (last, matches!(end, End::Error | End::Cut)) {
            let parts = last["response"]["output"].as_array().unwrap().iter().filter(|item| item["type"] == "message");
            let told: Vec<String> = parts.map(|item| item["content"][0]["text"].as_str().unwrap_or_default().to_owned()).collect();
            prop_assert_eq!(told, expected, "{}\n{}", stream, whole);
        }
    }
}

/// A messages stream, and the texts of its blocks in order.
fn messages_stream(said: &[Said], end: End) -> (String, Vec<String>) {
    let mut stream = String::new();
    let mut event = |value: Value| {
        stream.push_str(&format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap()));
    };
    event(json!({"type": "message_start", "message": {"id": "m", "content": [], "usage": {"input_tokens": 1}}}));
    let mut blocks: Vec<String> = Vec::new();
    let mut open: Option<u64> = None;
    let mut next = 0;
    let mut is_text = false;
    for one in said {
        let (kind, text) = match one {
            Said::Text(choice, text) => (*choice, text),
            Said::Thought(_, text) => (2, text),
            Said::Call(_) => (3, &String::new()),
        };
        // Another choice is another block.
        if open != Some(kind) || kind == 3 {
            if open.take().is_some() {
                event(json!({"type": "content_block_stop", "index": next - 1}));
            }
            let block = match kind {
                2 => json!({"type": "thinking", "thinking": "", "signature": ""}),
                3 => json!({"type": "tool_use", "id": format!("toolu_{next}"), "name": "get_weather", "input": {}}),
                _ => json!({"type": "text", "text": ""}),
            };
            event(json!({"type": "content_block_start", "index": next, "content_block": block}));
            is_text = kind < 2;
            if is_text {
                blocks.push(String::new());
            }
            (open, next) = (Some(kind), next + 1);
        }
        let delta = match kind {
            2 => json!({"type": "thinking_delta", "thinking": text}),
            3 => json!({"type": "input_json_delta", "partial_json": "{\"city\": \"Rome\"}"}),
            _ => {
                blocks.last_mut().unwrap().push_str(text);
                json!({"type": "text_delta", "text": text})
            }
        };
        event(json!({"type": "content_block_delta", "index": next - 1, "delta": delta}));
    }
    // How the answer ends is told to the last block alone, and only where that is a text.
    if !is_text {
        blocks.push(String::new());
    }
    match end {
        End::Error => {
            event(json!({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}));
            event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "LATE"}}));
            stream.push_str(": late\n\n");
        }
        End::Cut => {}
        _ => {
            event(json!({"type": "content_block_stop", "index": next - 1}));
            let reason = if end == End::Limit { "max_tokens" } else { "end_turn" };
            event(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}));
            event(json!({"type": "message_stop"}));
            stream.push_str(": late\n\n");
        }
    }
    (stream, blocks)
}

/// A responses stream, and the texts of its messages in order.
#[expect(clippy::too_many_lines, reason = "a script of events, read from top to bottom")]
fn responses_stream(said: &[Said], end: End, measure: bool) -> (String, Vec<String>) {
    let mut stream = String::new();
    let mut sequence = 0;
    let mut event = |mut value: Value| {
        value["sequence_number"] = json!(sequence);
        sequence += 1;
        stream.push_str(&format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap()));
    };
    event(json!({"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}}));
    let log = |text: &str| if measure { measured(text) } else { Vec::new() };
    let (mut texts, mut output): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    let runs: Vec<Vec<&Said>> = said.iter().fold(Vec::new(), |mut runs: Vec<Vec<&Said>>, one| {
        let same = runs.last().and_then(|run| run.first()).is_some_and(|first| match (first, one) {
            (Said::Text(a, _), Said::Text(b, _)) => a == b,
            _ => false,
        });
        if same {
            runs.last_mut().unwrap().push(one)
        } else {
            runs.push(vec![one])
        }
        runs
    });
    let ends = !matches!(end, End::Error | End::Cut);
    for (place, run) in runs.iter().enumerate() {
        let id = format!("item_{place}");
        let done = ends || place + 1 < runs.len();
        match run[0] {
            Said::Text(..) => {
                let item =
                    json!({"id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": []});
                event(json!({"type": "response.output_item.added", "output_index": place, "item": item}));
                let of = |kind: &str, key: &str, value: Value| json!({"type": kind, "item_id": id, "output_index": place, "content_index": 0, key: value});
                event(of(
                    "response.content_part.added",
                    "part",
                    json!({"type": "output_text", "text": "", "annotations": []}),
                ));
                let mut whole = String::new();
                for one in run {
                    let Said::Text(_, text) = one else { continue };
                    whole.push_str(text);
                    let mut delta = of("response.output_text.delta", "delta", json!(text));
                    delta["logprobs"] = json!(log(text));
                    event(delta);
                }
                texts.push(whole.clone());
                let part = json!({"type": "output_text", "text": whole, "annotations": [], "logprobs": log(&whole)});
                let item =
                    json!({"id": id, "type": "message", "status": "completed", "role": "assistant", "content": [part]});
                if done {
                    let mut text_done = of("response.output_text.done", "text", json!(whole));
                    text_done["logprobs"] = json!(log(&whole));
                    event(text_done);
                    event(of("response.content_part.done", "part", part));
                    event(json!({"type": "response.output_item.done", "output_index": place, "item": item}));
                }
                output.push(item);
            }
            Said::Thought(..) => {
                let item = json!({"id": id, "type": "reasoning", "summary": []});
                event(json!({"type": "response.output_item.added", "output_index": place, "item": item}));
                event(json!({"type": "response.output_item.done", "output_index": place, "item": item}));
                output.push(item);
            }
            Said::Call(..) => {
                let mut item = json!({"id": id, "type": "function_call", "call_id": format!("call_{place}"), "name": "get_weather", "arguments": ""});
                event(json!({"type": "response.output_item.added", "output_index": place, "item": item}));
                let arguments = "{\"city\": \"Rome\"}";
                event(
                    json!({"type": "response.function_call_arguments.delta", "item_id": id, "output_index": place, "delta": arguments}),
                );
                item["arguments"] = json!(arguments);
                item["status"] = json!("completed");
                event(json!({"type": "response.output_item.done", "output_index": place, "item": item}));
                output.push(item);
            }
        }
    }
    match end {
        End::Error => {
            event(json!({"type": "error", "message": "overloaded"}));
            event(
                json!({"type": "response.output_text.delta", "item_id": "item_0", "output_index": 0, "content_index": 0, "delta": "LATE"}),
            );
            stream.push_str(": late\n\n");
        }
        End::Cut => {}
        _ => {
            let (kind, status) = if end == End::Limit {
                ("response.incomplete", "incomplete")
            } else {
                ("response.completed", "completed")
            };
            event(json!({"type": kind, "response": {"id": "r", "status": status, "output": output}}));
            stream.push_str(": late\n\ndata: [DONE]\n\n");
        }
    }
    (stream, texts)
}
