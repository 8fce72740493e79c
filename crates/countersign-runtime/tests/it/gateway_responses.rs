//! Responses through the gateway's rewriter: read back by a client that is as strict as the strictest one.

#![expect(clippy::indexing_slicing, reason = "what is not there fails the test")]

use bytes::Bytes;
use countersign::parse::KnownTools;
use countersign::wire::tools::read_tools;
use countersign_runtime::gateway::body::WholeAnswer;
use countersign_runtime::gateway::held::{Held, HeldCall, Origin, Released, Settled, SettledChoice};
use countersign_runtime::gateway::rewrite::{Ended, Extend, Options, rewriter};
use countersign_runtime::gateway::sse::{Frames, Output};
use countersign_runtime::gateway::wire::{Fault, Wire};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tools() -> KnownTools {
    let tools =
        r#"[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]"#;
    KnownTools::of(&read_tools(tools).unwrap())
}

fn scanning() -> Options {
    Options { text_tools: Some(tools()), ..Options::default() }
}

/// What a stream became.
#[derive(Debug)]
struct Run {
    /// What went out before the end was decided.
    early: String,
    /// All that went out.
    all: String,
    held: Held,
    /// The number that an error event would have had before anything was decided.
    sequence: u64,
}

fn run(stream: &[u8], size: usize, options: Options, decide: impl Fn(&Held) -> Settled) -> Result<Run, Fault> {
    let mut rewriter = rewriter(Wire::Responses, options);
    let mut frames = Frames::default();
    let (mut list, mut all) = (Vec::new(), Vec::new());
    for part in stream.chunks(size.max(1)) {
        let piece = frames.push(Bytes::copy_from_slice(part), &mut list).unwrap();
        let mut out = Output::new(piece);
        for frame in &list {
            rewriter.frame(frame, &mut out)?;
        }
        all.extend_from_slice(&out.take());
    }
    let sequence = rewriter.sequence();
    let early = String::from_utf8_lossy(&all).into_owned();
    let mut out = Output::new(Bytes::new());
    let held = rewriter.end(Ended::Clean, &mut out)?;
    rewriter.close(&decide(&held), &mut out);
    all.extend_from_slice(&out.take());
    Ok(Run { early, all: String::from_utf8(all).unwrap(), held, sequence })
}

/// Releases every call that is whole, and says so of the others.
fn release(held: &Held) -> Settled {
    let Some(choice) = held.choices.first().filter(|choice| !choice.calls.is_empty()) else {
        return Settled::default();
    };
    let mut decided = SettledChoice::default();
    for (at, call) in choice.calls.iter().enumerate() {
        if call.complete {
            decided.calls.push(Released {
                id: call.id.clone().unwrap_or_else(|| format!("call_made_{at}")),
                name: call.name.clone(),
                arguments: call.written.clone(),
                origin: call.origin,
                form: call.form,
            });
        } else {
            decided.notes.push(format!("The call of {} was cut.", call.name));
            decided.at_limit |= choice.at_limit;
        }
    }
    Settled { choices: vec![decided], verdicts: vec![("v1".to_owned(), "approved")], ..Settled::default() }
}

fn refuse(held: &Held) -> Settled {
    let notes = held.choices[0].calls.iter().map(|call| format!("{} was refused.", call.name)).collect();
    Settled { choices: vec![SettledChoice { notes, ..SettledChoice::default() }], ..Settled::default() }
}

fn nothing(_: &Held) -> Settled {
    Settled::default()
}

/// Events as a server numbers them.
fn stream(events: &[Value]) -> String {
    let numbered = events.iter().enumerate().map(|(at, event)| {
        let mut event = event.clone();
        event["sequence_number"] = at.into();
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
    });
    numbered.collect()
}

fn begun() -> Value {
    json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}})
}

fn message(index: u64, id: &str, pieces: &[&str]) -> Vec<Value> {
    let text = pieces.concat();
    let item = |status: &str, content: Value| json!({"id": id, "type": "message", "role": "assistant", "status": status, "content": content});
    let of = |kind: &str, key: &str, value: Value| json!({"type": kind, "item_id": id, "output_index": index, "content_index": 0, key: value});
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": index, "item": item("in_progress", json!([]))}),
        of("response.content_part.added", "part", part("")),
    ];
    events.extend(pieces.iter().map(|piece| of("response.output_text.delta", "delta", (*piece).into())));
    events.push(of("response.output_text.done", "text", text.clone().into()));
    events.push(of("response.content_part.done", "part", part(&text)));
    let done = item("completed", json!([part(&text)]));
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": done}));
    events
}

fn call(index: u64, id: &str, name: &str, pieces: &[&str]) -> Vec<Value> {
    let item = |status: &str, arguments: &str| {
        json!({"id": format!("fc_{id}"), "type": "function_call", "call_id": format!("call_{id}"), "name": name,
            "arguments": arguments, "status": status, "extra": 1})
    };
    let of = |kind: &str, key: &str, value: &str| json!({"type": kind, "item_id": format!("fc_{id}"), "output_index": index, key: value});
    let whole = pieces.concat();
    let mut events =
        vec![json!({"type": "response.output_item.added", "output_index": index, "item": item("in_progress", "")})];
    events.extend(pieces.iter().map(|piece| of("response.function_call_arguments.delta", "delta", piece)));
    events.push(of("response.function_call_arguments.done", "arguments", &whole));
    let done = json!({"type": "response.output_item.done", "output_index": index, "item": item("completed", &whole)});
    events.push(done);
    events
}

/// An item of which only the beginning and the end are told.
fn other(index: u64, item: Value) -> Vec<Value> {
    ["added", "done"]
        .map(|word| json!({"type": format!("response.output_item.{word}"), "output_index": index, "item": item}))
        .into()
}

fn reasoning() -> Value {
    json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA"})
}

/// The last event, with all items that were done.
fn ended(status: &str, events: &[Value]) -> Value {
    let done = events.iter().filter(|event| event["type"] == "response.output_item.done");
    let output: Vec<Value> = done.map(|event| event["item"].clone()).collect();
    let details = if status == "incomplete" { json!({"reason": "max_output_tokens"}) } else { Value::Null };
    json!({"type": format!("response.{status}"), "response": {
        "id": "resp_1", "status": status, "incomplete_details": details, "output": output,
        "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
    }})
}

fn answer(status: &str, parts: &[Vec<Value>]) -> String {
    let mut events = vec![begun()];
    events.extend(parts.iter().flatten().cloned());
    let last = ended(status, &events);
    events.push(last);
    stream(&events)
}

/// Reads a stream as a strict client does, and gives the last response.
fn client(stream: &str) -> Value {
    let mut items: Vec<Value> = Vec::new();
    let (mut next, mut last) = (0, Value::Null);
    for frame in stream.split("\n\n").filter(|frame| frame.contains("data: ")) {
        let data = frame.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        let event: Value = serde_json::from_str(data).unwrap();
        let kind = event["type"].as_str().unwrap();
        assert!(frame.contains(&format!("event: {kind}\n")), "{frame}");
        assert_eq!(event["sequence_number"], next, "numbers have no gaps: {frame}");
        next += 1;
        let at = event["output_index"].as_u64().map(|at| at as usize);
        let part = event["content_index"].as_u64().unwrap_or(0) as usize;
        match kind.strip_prefix("response.").unwrap() {
            "output_item.added" => {
                assert_eq!(at, Some(items.len()), "items come in order: {frame}");
                items.push(event["item"].clone());
            }
            "content_part.added" => items[at.unwrap()]["content"].as_array_mut().unwrap().push(event["part"].clone()),
            "output_text.delta" => {
                assert_eq!(items[at.unwrap()]["id"], event["item_id"]);
                append(&mut items[at.unwrap()]["content"][part]["text"], &event["delta"]);
            }
            "output_text.done" => assert_eq!(items[at.unwrap()]["content"][part]["text"], event["text"]),
            "content_part.done" => assert_eq!(items[at.unwrap()]["content"][part]["text"], event["part"]["text"]),
            "function_call_arguments.delta" => append(&mut items[at.unwrap()]["arguments"], &event["delta"]),
            "function_call_arguments.done" => assert_eq!(items[at.unwrap()]["arguments"], event["arguments"]),
            "output_item.done" => {
                let known = &mut items[at.unwrap()];
                for key in ["id", "type", "call_id", "name", "arguments", "content"] {
                    assert_eq!(known[key], event["item"][key], "{key} is what was streamed: {frame}");
                }
                *known = event["item"].clone();
            }
            "completed" | "incomplete" => {
                last = event["response"].clone();
                assert_eq!(last["status"], kind.strip_prefix("response.").unwrap());
            }
            _ => {}
        }
    }
    assert_eq!(last["output"], json!(items), "the last event tells what was streamed");
    last
}

fn append(text: &mut Value, more: &Value) {
    *text = format!("{}{}", text.as_str().unwrap(), more.as_str().unwrap()).into();
}

fn kinds(response: &Value) -> Vec<&str> {
    response["output"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect()
}

fn native(held: &Held) -> &[HeldCall] {
    &held.choices[0].calls
}

const PARIS: &str = "{\"city\":\"Paris\"}";
/// The arguments of [`WRITTEN`], as they are written there.
const WRITTEN_PARIS: &str = "{\"city\": \"Paris\"}";
const WRITTEN: &str = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>";

// SERVE-6: what needs no change passes byte for byte, with and without a search for calls in the text.
#[test]
fn a_stream_without_calls_passes_byte_for_byte() {
    let parts = [
        other(0, reasoning()),
        message(1, "msg_1", &["Hello ", "<b>", " caf\u{e9} { [", "x] } ", "done"]),
        other(2, json!({"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search"}})),
        other(3, json!({"id": "mcp_1", "type": "mcp_call", "name": "sh", "arguments": "{}", "server_label": "s"})),
        vec![json!({"type": "response.new_thing", "what": [1.50, 1e3]})],
    ];
    let text = format!(": hello\n\n{}", answer("completed", &parts)).replace("\n\n", "\r\n\r\n");
    for options in [Options::default(), scanning()] {
        for size in [1, 2, 3, 7, 64, 1000, text.len()] {
            let run = run(text.as_bytes(), size, options.clone(), nothing).unwrap();
            if options.text_tools.is_none() {
                assert_eq!(run.all, text);
                assert_eq!(run.early, text, "and at once");
            } else {
                client(&run.all.replace("\r\n", "\n"));
            }
            let choice = &run.held.choices[0];
            assert!(choice.text.starts_with("Hello <b> caf\u{e9} { [x] } done"), "{}", choice.text);
            assert_eq!(choice.thoughts, [reasoning()]);
            assert_eq!(run.held.usage.unwrap()["total_tokens"], 15);
        }
    }
    // What follows the end is no part of the answer, however the stream is split.
    let marked = format!("{text}data: [DONE]\n\n");
    assert_eq!(run(marked.as_bytes(), 9, Options::default(), nothing).unwrap().all, text);
    let plain = answer("completed", &[message(0, "msg_1", &["Hello ", "you."])]);
    assert_eq!(run(plain.as_bytes(), 9, scanning(), nothing).unwrap().all, plain, "words alone hold nothing back");
}

// SERVE-6, PARSE-3, PARSE-4: any split gives the same bytes; calls come whole, at the end, under numbers without gaps.
#[test]
fn calls_are_held_and_come_whole_whatever_the_split() {
    let parts = [
        other(0, reasoning()),
        message(1, "msg_1", &["Let me", " look."]),
        call(2, "a", "get_weather", &["{\"ci", "ty\":", "\"Paris\"}"]),
        other(3, json!({"id": "ws_1", "type": "web_search_call", "status": "completed"})),
        call(4, "b", "get_weather", &[PARIS]),
        message(5, "msg_2", &["And ", "more."]),
    ];
    let text = answer("completed", &parts);
    let whole = run(text.as_bytes(), text.len(), scanning(), release).unwrap();
    for size in 1..200 {
        assert_eq!(run(text.as_bytes(), size, scanning(), release).unwrap().all, whole.all, "{size}");
    }
    for size in 200..text.len() {
        assert_eq!(run(text.as_bytes(), size, Options::default(), release).unwrap().all, whole.all, "{size}");
    }
    assert!(!whole.early.contains("Paris") && !whole.early.contains("get_weather"));
    assert!(whole.early.contains("more."), "text behind a call flows at once");
    let last = client(&whole.all);
    assert_eq!(kinds(&last), ["reasoning", "message", "web_search_call", "message", "function_call", "function_call"]);
    let first = &last["output"][4];
    assert_eq!((&first["id"], &first["call_id"]), (&json!("fc_a"), &json!("call_a")));
    assert_eq!((&first["arguments"], &first["extra"]), (&json!(PARIS), &json!(1)));
    assert_eq!(native(&whole.held).len(), 2);
    assert!(native(&whole.held).iter().all(|call| call.complete && call.written == PARIS));
    assert_eq!(whole.held.choices[0].text, "Let me look.And more.");
    assert!(whole.all.contains(": countersign-verdict v1 approved\n\n"));
    assert_eq!(whole.sequence, 1 + 2 + 7 + 2 + 7, "an error would be the next event");
}

// CALL-11: parallel calls that are mixed up are put together one by one, and one refusal keeps its siblings.
#[test]
fn parallel_calls_are_told_apart() {
    let (one, two) = (call(0, "a", "f", &["{\"x\"", ":1}"]), call(1, "b", "g", &["{\"y\"", ":2}"]));
    let mixed: Vec<Value> = one.into_iter().zip(two).flat_map(|(one, two)| [one, two]).collect();
    let text = answer("completed", &[mixed]);
    let keep_second = |held: &Held| {
        let mut settled = release(held);
        settled.choices[0].calls.remove(0);
        settled.choices[0].notes.push("f was refused.".to_owned());
        settled
    };
    let run = run(text.as_bytes(), 50, Options::default(), keep_second).unwrap();
    let written: Vec<_> = native(&run.held).iter().map(|call| (call.name.as_str(), call.written.as_str())).collect();
    assert_eq!(written, [("f", "{\"x\":1}"), ("g", "{\"y\":2}")]);
    let last = client(&run.all);
    assert_eq!(kinds(&last), ["function_call", "message"]);
    assert_eq!(last["output"][0]["name"], "g");
    assert_eq!(last["output"][1]["content"][0]["text"], "f was refused.");
    assert_eq!(last["status"], "completed");
}

// SERVE-6: a cut stream is a fault and releases nothing, wherever it is cut.
#[test]
fn a_cut_stream_never_releases_a_call() {
    let text = answer("completed", &[message(0, "m", &["Hi \u{e9}"]), call(1, "a", "f", &["{\"x\"", ":1}"])]);
    for cut in 0..text.len() {
        let fault = run(&text.as_bytes()[..cut], 4096, scanning(), release).unwrap_err();
        assert_eq!((fault.status, fault.code), (502, "upstream_cut"), "{cut}");
    }
    let mut broken = rewriter(Wire::Responses, Options::default());
    let fault = broken.end(Ended::Broken("reset".to_owned()), &mut Output::new(Bytes::new())).unwrap_err();
    assert!(fault.message.contains("reset"));
    let garbage = format!("{}data: {{\"type\": \n\n", stream(&[begun()]));
    assert_eq!(run(garbage.as_bytes(), 10, scanning(), release).unwrap_err().code, "upstream_unreadable");
    assert_eq!(run(b"data: [1]\n\n", 10, scanning(), release).unwrap_err().code, "upstream_unreadable");
}

// SERVE-6: an error of the upstream's own passes, and no call behind or before it.
#[test]
fn a_failure_passes_and_releases_nothing() {
    let mut events = vec![begun()];
    events.extend(call(0, "a", "f", &["{}"]));
    let item = events[events.len() - 1]["item"].clone();
    events.push(json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error"}, "output": [item]}}));
    events.extend(call(1, "b", "g", &["{}"]));
    let failed = run(stream(&events).as_bytes(), 30, scanning(), release).unwrap();
    assert!(failed.all.contains("server_error") && !failed.all.contains("function_call"), "{}", failed.all);
    assert!(failed.all.contains("\"sequence_number\":1}"), "{}", failed.all);
    assert!(!failed.held.has_calls());
    let text = stream(&[begun(), json!({"type": "error", "code": "x", "message": "no", "param": null})]);
    assert_eq!(run(text.as_bytes(), 30, scanning(), release).unwrap().all, text);
    let bare = "data: {\"error\": {\"message\": \"overloaded\"}}\n\n";
    assert_eq!(run(bare.as_bytes(), 30, scanning(), release).unwrap().all, bare);
}

// PARSE-3, PARSE-4: calls that were written into the text become calls, and everything tells the text without them.
#[test]
fn calls_in_the_text_become_calls() {
    let said = format!("I look.\n{WRITTEN} Then <b");
    for size in 1..said.len() {
        let pieces: Vec<&str> = said.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
        let text = answer("completed", &[message(0, "msg_1", &pieces), other(1, reasoning())]);
        let run = run(text.as_bytes(), 100, scanning(), release).unwrap();
        let last = client(&run.all);
        assert_eq!(kinds(&last), ["message", "reasoning", "function_call"]);
        assert_eq!(last["output"][0]["content"][0]["text"], "I look.\n Then <b", "{size}");
        assert_eq!(last["output"][2]["arguments"], WRITTEN_PARIS);
        assert_eq!(last["output"][2]["id"], "fc_call_made_0");
        assert_eq!(native(&run.held)[0].origin, Origin::Text);
        assert_eq!(run.held.choices[0].text, "I look.\n Then <b");
    }
    let late = message(0, "msg_1", &["x", WRITTEN]).into_iter().filter(|event| event["delta"].is_null()).collect();
    let run = run(answer("completed", &[late]).as_bytes(), 100, scanning(), release).unwrap();
    assert_eq!(kinds(&client(&run.all)), ["message", "function_call"], "a text without pieces is read too");
}

// SERVE-6: a call that a limit cut is no call; the response stays incomplete.
#[test]
fn a_call_that_a_limit_cut_is_dropped() {
    let mut cut = call(0, "a", "f", &["{\"x\"", ":"]);
    cut[4]["item"]["status"] = "incomplete".into();
    let text = answer("incomplete", &[cut]);
    let run_cut = run(text.as_bytes(), 100, Options::default(), release).unwrap();
    assert!(run_cut.held.choices[0].at_limit && !native(&run_cut.held)[0].complete);
    let last = client(&run_cut.all);
    assert_eq!((kinds(&last), &last["status"]), (vec!["message"], &json!("incomplete")));
    assert_eq!(last["incomplete_details"]["reason"], "max_output_tokens");
    let kept = answer("incomplete", &[call(0, "b", "g", &["{}"]), call(1, "a", "f", &["{\"x\":"])]);
    let last = client(&run(kept.as_bytes(), 100, Options::default(), release).unwrap().all);
    assert_eq!((kinds(&last), &last["status"]), (vec!["function_call", "message"], &json!("completed")));
    assert_eq!(last["incomplete_details"], Value::Null);
    let written = answer("incomplete", &[message(0, "m", &["<tool_call>{\"name\": \"get_weather\", \"argu"])]);
    let run = run(written.as_bytes(), 100, scanning(), release).unwrap();
    assert!(native(&run.held).iter().all(|call| !call.complete));
    assert_eq!(client(&run.all)["status"], "incomplete");
}

// SERVE-6: a refused call alone ends as text; usage adds up; the extension stands in the response.
#[test]
fn refusals_usage_and_the_extension_are_told_at_the_end() {
    let text = answer("completed", &[call(0, "a", "f", &["{}"])]);
    let decide = |held: &Held| Settled {
        more_usage: vec![
            json!({"input_tokens": 1, "output_tokens": 2}),
            json!({"input_tokens": 1, "output_tokens": 0, "total_tokens": 1}),
        ],
        extension: Some(json!({"claims": []})),
        ..refuse(held)
    };
    let options = Options { extend: Extend::Field, ..Options::default() };
    let last = client(&run(text.as_bytes(), 100, options.clone(), decide).unwrap().all);
    assert_eq!((kinds(&last), &last["status"]), (vec!["message"], &json!("completed")));
    assert_eq!(last["usage"], json!({"input_tokens": 12, "output_tokens": 7, "total_tokens": 19}));
    assert_eq!(last["countersign"], json!({"claims": []}));
    let plain = answer("completed", &[message(0, "m", &["Hi"])]);
    let extended = |_: &Held| Settled { extension: Some(json!(1)), ..Settled::default() };
    let run = run(plain.as_bytes(), 100, options, extended).unwrap();
    assert!(plain.starts_with(&run.early) && !run.early.contains("completed\ndata"));
    assert_eq!(client(&run.all)["countersign"], 1);
}

// SERVE-6, PARSE-3: servers that leave things out: a call is found wherever it is told, once, and is never passed.
#[test]
fn calls_of_sloppy_servers_are_found_once() {
    let whole = call(0, "a", "f", &["{\"x\"", ":1}"]);
    let without = |drop: &[usize]| -> Vec<Value> {
        whole.iter().enumerate().filter(|(at, _)| !drop.contains(at)).map(|(_, event)| event.clone()).collect()
    };
    let last = ended("completed", &whole);
    let mut cases = Vec::new();
    for drop in [&[][..], &[0], &[1, 2], &[3], &[4], &[0, 1, 2, 3], &[0, 1, 2, 3, 4], &[1, 2, 3, 4], &[0, 3, 4]] {
        let mut events = vec![begun()];
        events.extend(without(drop));
        events.push(last.clone());
        cases.push(events);
    }
    let mut empty = vec![begun()];
    empty.extend(whole.clone());
    empty.push(ended("completed", &[]));
    cases.push(empty);
    // Another id with every event, as one large provider does it.
    let mut rotating = cases[0].clone();
    for (at, event) in rotating.iter_mut().enumerate() {
        if event["item"].is_object() {
            event["item"]["id"] = format!("r{at}").into();
        } else if !event["item_id"].is_null() {
            event["item_id"] = format!("r{at}").into();
        }
    }
    rotating[6]["response"]["output"][0]["id"] = "r99".into();
    cases.push(rotating);
    for events in cases {
        let text = stream(&events);
        let run_numbered = run(text.as_bytes(), 64, Options::default(), release).unwrap();
        let calls = native(&run_numbered.held);
        assert_eq!(calls.len(), 1, "{text}");
        assert_eq!((calls[0].written.as_str(), calls[0].complete), ("{\"x\":1}", true), "{text}");
        assert!(!run_numbered.early.contains("function_call"), "{}", run_numbered.early);
        assert_eq!(kinds(&client(&run_numbered.all)), ["function_call"]);
        let bare: String = events
            .iter()
            .map(|event| {
                let mut event = event.clone();
                event.as_object_mut().unwrap().shift_remove("output_index");
                format!("data: {event}\n\n")
            })
            .collect();
        let run = run(bare.as_bytes(), 64, Options::default(), release).unwrap();
        assert!(!run.early.contains("function_call"), "{}", run.early);
        assert_eq!(native(&run.held).iter().filter(|call| call.complete).count(), 1, "{bare}");
    }
}

// PARSE-3: a call without a name is told of, and what only the last event lists is shown like all else.
#[test]
fn what_only_the_end_tells_is_not_lost() {
    let mut events = vec![begun()];
    events.extend(call(0, "a", "", &["{}"]));
    events.extend(call(1, "b", "f", &["{}"]));
    let mut last = ended("completed", &events);
    last["response"]["output"].as_array_mut().unwrap().push(message(2, "m", &["late"]).pop().unwrap()["item"].clone());
    events.push(last);
    let run = run(stream(&events).as_bytes(), 64, Options::default(), release).unwrap();
    let named: Vec<_> = native(&run.held).iter().map(|call| (call.name.as_str(), call.complete)).collect();
    assert_eq!(named, [("f", true), ("", false)]);
    assert_eq!(kinds(&client(&run.all)), ["message", "function_call", "message"]);
}

fn body(status: &str, output: Value) -> String {
    let details = if status == "incomplete" { json!({"reason": "max_output_tokens"}) } else { Value::Null };
    let usage = json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15});
    // Written as a server might, not as we would.
    serde_json::to_string_pretty(
        &json!({"id": "resp_1", "status": status, "incomplete_details": details, "output": output, "usage": usage}),
    )
    .unwrap()
}

fn whole(text: &str, decide: impl Fn(&Held) -> Settled) -> (Held, String) {
    let answer = WholeAnswer::read(Wire::Responses, Bytes::copy_from_slice(text.as_bytes()), &scanning()).unwrap();
    let held = answer.held.clone();
    let settled = decide(&held);
    (held, String::from_utf8(answer.write(&settled).to_vec()).unwrap())
}

fn item_of(events: Vec<Value>) -> Value {
    events.last().unwrap()["item"].clone()
}

// SERVE-6: a body that needs no change keeps its bytes, calls that are right included.
#[test]
fn a_body_that_needs_no_change_keeps_its_bytes() {
    let output = json!([
        reasoning(), item_of(message(1, "m", &["Hi <b>"])), item_of(call(2, "a", "f", &["{ \"x\": 1.0 }"])),
        {"type": "web_search_call", "id": "ws"}, item_of(call(4, "b", "f", &["{}"])),
    ]);
    let text = body("completed", output);
    let (held, written) = whole(&text, release);
    assert_eq!(written, text);
    assert_eq!(native(&held).len(), 2);
    assert_eq!((held.choices[0].text.as_str(), &held.choices[0].thoughts), ("Hi <b>", &vec![reasoning()]));
    assert_eq!(whole(&body("completed", json!([])), nothing).1, body("completed", json!([])));
}

// SERVE-6, CALL-11, PARSE-3: refused and cut calls go, notes and calls from the text come, usage adds up.
#[test]
fn a_body_tells_what_was_decided() {
    let calls = [item_of(call(0, "a", "f", &["{}"])), item_of(call(1, "b", "g", &["{}"]))];
    let message = item_of(message(2, "m", &["Look:\n", WRITTEN]));
    let text = body("completed", json!([calls[0], calls[1], message, item_of(self::message(3, "n", &[WRITTEN]))]));
    let decide = |held: &Held| {
        let mut settled = release(held);
        settled.choices[0].calls.remove(0);
        settled.choices[0].calls[0].arguments = "{\"y\":2}".to_owned();
        settled.choices[0].notes.push("f was refused.".to_owned());
        settled.more_usage.push(json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}));
        settled
    };
    let written: Value = serde_json::from_str(&whole(&text, decide).1).unwrap();
    assert_eq!(kinds(&written), ["message", "function_call", "message", "function_call", "function_call"]);
    assert_eq!(written["output"][0]["content"][0]["text"], "f was refused.");
    assert_eq!((&written["output"][1]["id"], &written["output"][1]["extra"]), (&json!("fc_b"), &json!(1)));
    assert_eq!(written["output"][1]["arguments"], "{\"y\":2}");
    assert_eq!(written["output"][2]["content"][0]["text"], "Look:\n");
    assert_eq!(written["output"][3]["arguments"], WRITTEN_PARIS);
    assert_eq!(written["usage"]["total_tokens"], 17);
    let mut cut = item_of(call(0, "a", "f", &["{\"x\":"]));
    cut["status"] = "incomplete".into();
    let (held, written) = whole(&body("incomplete", json!([cut])), release);
    assert!(!native(&held)[0].complete && held.choices[0].at_limit);
    let written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!((kinds(&written), &written["status"]), (vec!["message"], &json!("incomplete")));
    let going = body("in_progress", json!([item_of(call(0, "a", "f", &["{}"]))]));
    assert!(!native(&whole(&going, release).0)[0].complete, "what is still being made is not whole");
}

fn hostile() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just("response.output_item.added"),
        Just("response.output_item.done"),
        Just("response.output_text.delta"),
        Just("response.output_text.done"),
        Just("response.content_part.done"),
        Just("response.completed"),
        Just("response.function_call_arguments.delta"),
        Just("response.function_call_arguments.done"),
        Just("response.incomplete"),
        Just("response.created"),
        Just("x"),
        Just(""),
    ];
    let number = prop_oneof![
        Just(Value::Null),
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(u64::MAX)),
        Just(json!("7")),
        Just(json!(-1))
    ];
    let id = prop_oneof![Just(json!("a")), Just(json!("b")), Just(Value::Null), Just(json!(["x"])), Just(json!(""))];
    let word = prop_oneof![
        Just(json!("message")),
        Just(json!("function_call")),
        Just(json!("reasoning")),
        Just(Value::Null),
        Just(json!([1]))
    ];
    let text = prop_oneof![
        Just(json!("<tool_call>")),
        Just(json!(WRITTEN)),
        Just(json!("{")),
        Just(json!({})),
        Just(json!("\n\u{e9}"))
    ];
    let item = (id.clone(), word, text.clone()).prop_map(|(id, word, text)| {
        json!({"id": id, "call_id": id, "type": word, "name": "SECRET", "arguments": text, "content": [{"type": "output_text", "text": text}, 3]})
    });
    (kind, number.clone(), number, id, text, item).prop_map(|(kind, index, part, id, text, item)| {
        let is_item = kind.contains("output_item") || kind.len() < 2;
        json!({"type": kind, "output_index": index, "content_index": part, "item_id": id, "delta": text, "text": text,
            "arguments": text, "part": {"text": text}, "item": if is_item { item.clone() } else { Value::Null },
            "response": {"output": [item, 4], "status": id, "usage": text}})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // PARSE-4: nothing that an upstream sends makes it panic, no split changes the outcome, and no call passes unseen.
    #[test]
    fn hostile_streams_never_panic(events in proptest::collection::vec(hostile(), 0..12), size in 1usize..200) {
        let text = stream_of_any(&events);
        let whole = run(text.as_bytes(), text.len(), scanning(), refuse);
        let split = run(text.as_bytes(), size, scanning(), refuse);
        match (whole, split) {
            (Ok(whole), Ok(split)) => {
                prop_assert_eq!(&whole.all, &split.all);
                let named = |text: &str| text.contains(r#""type":"function_call","name":"SECRET""#);
                prop_assert!(!named(&whole.all), "{}", whole.all);
            }
            (Err(one), Err(two)) => prop_assert_eq!(one, two),
            (one, two) => prop_assert!(false, "{one:?} {two:?}"),
        }
        for event in &events {
            if let Ok(answer) = WholeAnswer::read(Wire::Responses, event["response"].to_string().into(), &scanning()) {
                let settled = refuse(&answer.held);
                answer.write(&settled);
            }
        }
    }
}

fn stream_of_any(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}
