//! The messages dialect of the gateway: streams cut anywhere, servers that count badly, calls of every kind.

#![expect(clippy::indexing_slicing, clippy::string_slice, reason = "a part that is missing fails the test")]

use bytes::Bytes;
use countersign::parse::KnownTools;
use countersign::wire::tools::read_tools;
use countersign_runtime::gateway::body::WholeAnswer;
use countersign_runtime::gateway::held::{Held, HeldCall, Released, Settled, SettledChoice};
use countersign_runtime::gateway::rewrite::{Ended, Extend, Options, rewriter};
use countersign_runtime::gateway::sse::{Frames, Output};
use countersign_runtime::gateway::wire::{Fault, Wire};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// What became of a stream: the bytes for the client, and what was held.
type Ran = (String, Result<Held, Fault>);

fn run(stream: &[u8], size: usize, options: &Options, ended: &Ended, settle: impl Fn(&Held) -> Settled) -> Ran {
    let mut frames = Frames::default();
    let mut writer = rewriter(Wire::Messages, options.clone());
    let (mut list, mut written) = (Vec::new(), Vec::new());
    for part in stream.chunks(size) {
        let mut out = Output::new(frames.push(Bytes::copy_from_slice(part), &mut list).unwrap());
        for frame in &list {
            if let Err(fault) = writer.frame(frame, &mut out) {
                written.extend_from_slice(&out.take());
                return (String::from_utf8(written).unwrap(), Err(fault));
            }
        }
        written.extend_from_slice(&out.take());
    }
    let mut out = Output::new(Bytes::new());
    let held = writer.end(ended.clone(), &mut out);
    if let Ok(held) = &held {
        writer.close(&settle(held), &mut out);
    }
    written.extend_from_slice(&out.take());
    (String::from_utf8(written).unwrap(), held)
}

/// Releases what is whole and says that the rest was refused.
fn settle(held: &Held) -> Settled {
    let choices = held.choices.iter().filter(|choice| !choice.calls.is_empty()).map(|choice| {
        let (whole, rest): (Vec<_>, Vec<_>) = choice.calls.iter().enumerate().partition(|(_, call)| call.complete);
        let release = |(at, call): (usize, &HeldCall)| Released {
            id: call.id.clone().unwrap_or_else(|| format!("toolu_new{at}")),
            name: call.name.clone(),
            arguments: call.written.clone(),
            origin: call.origin,
            form: call.form,
        };
        let notes: Vec<_> = rest.iter().map(|(_, call)| format!("{} was refused.", call.name)).collect();
        let calls = whole.into_iter().map(release).collect();
        SettledChoice {
            index: choice.index,
            calls,
            at_limit: choice.at_limit && !notes.is_empty(),
            notes,
            replacement: None,
        }
    });
    Settled { choices: choices.collect(), ..Settled::default() }
}

fn plain(stream: &str) -> Ran {
    run(stream.as_bytes(), stream.len().max(1), &Options::default(), &Ended::Clean, settle)
}

fn scanning() -> Options {
    let tools =
        r#"[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]"#;
    Options { text_tools: Some(KnownTools::of(&read_tools(tools).unwrap())), ..Options::default() }
}

fn scanned(stream: &str) -> Ran {
    run(stream.as_bytes(), stream.len(), &scanning(), &Ended::Clean, settle)
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

fn begin() -> String {
    let usage = json!({"input_tokens": 25, "cache_read_input_tokens": 7, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m",
        "stop_reason": null, "stop_sequence": null, "usage": usage});
    event(&json!({"type": "message_start", "message": message})) + "event: ping\ndata: {\"type\": \"ping\"}\n\n"
}

fn start(index: u64, block: Value) -> String {
    event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(index: u64, delta: Value) -> String {
    event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: u64) -> String {
    event(&json!({"type": "content_block_stop", "index": index}))
}

fn text(index: u64, pieces: &[&str]) -> String {
    let pieces: String = pieces.iter().map(|text| delta(index, json!({"type": "text_delta", "text": text}))).collect();
    start(index, json!({"type": "text", "text": ""})) + &pieces + &stop(index)
}

fn call(index: u64, id: &str, pieces: &[&str]) -> String {
    let piece = |json: &&str| delta(index, json!({"type": "input_json_delta", "partial_json": json}));
    let begun = start(index, json!({"type": "tool_use", "id": id, "name": "get_weather", "input": {}}));
    begun + &pieces.iter().map(piece).collect::<String>() + &stop(index)
}

fn finish(reason: &str) -> String {
    event(
        &json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 15}}),
    ) + &event(&json!({"type": "message_stop"}))
}

/// A client as strict as the official ones: names on frames, blocks in a list, JSON that can be read.
fn client(stream: &str) -> Value {
    let mut message = Value::Null;
    let mut pieces: Vec<String> = Vec::new();
    for frame in stream.split("\n\n").filter(|frame| !frame.is_empty() && !frame.starts_with(':')) {
        // Official clients skip what has no name.
        let Some((name, data)) = frame.split_once('\n') else { continue };
        let data: Value = serde_json::from_str(data.strip_prefix("data:").unwrap()).unwrap();
        let kind = data["type"].as_str().unwrap();
        assert_eq!(name, format!("event: {kind}"));
        let index = data["index"].as_u64().unwrap_or(0) as usize;
        match kind {
            "message_start" => message = data["message"].clone(),
            "content_block_start" => {
                let content = message["content"].as_array_mut().unwrap();
                assert_eq!(content.len(), index, "{stream}");
                content.push(data["content_block"].clone());
                pieces.push(String::new());
            }
            "content_block_delta" => {
                let block = &mut message["content"][index];
                match data["delta"]["type"].as_str().unwrap() {
                    "text_delta" => {
                        let more = data["delta"]["text"].as_str().unwrap();
                        block["text"] = format!("{}{more}", block["text"].as_str().unwrap()).into();
                    }
                    "input_json_delta" => {
                        pieces[index].push_str(data["delta"]["partial_json"].as_str().unwrap());
                    }
                    _ => {}
                }
            }
            "content_block_stop" if !pieces[index].is_empty() => {
                message["content"][index]["input"] = serde_json::from_str(&pieces[index]).unwrap();
            }
            "message_delta" => {
                message["stop_reason"] = data["delta"]["stop_reason"].clone();
                for (key, value) in data["usage"].as_object().unwrap() {
                    message["usage"][key] = value.clone();
                }
            }
            _ => {}
        }
    }
    message
}

const HERMES: &str = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>";

/// Streams of every kind, with the options that they need.
fn streams() -> Vec<(String, Options)> {
    let paris = ["", "{\"city\": ", "\"Par", "is\"}"];
    let thought = start(0, json!({"type": "thinking", "thinking": "", "signature": ""}))
        + &delta(0, json!({"type": "thinking_delta", "thinking": "Hm."}))
        + &delta(0, json!({"type": "signature_delta", "signature": "c2ln"}))
        + &stop(0)
        + &start(1, json!({"type": "redacted_thinking", "data": "eA=="}))
        + &stop(1);
    let server = start(0, json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}))
        + &delta(0, json!({"type": "input_json_delta", "partial_json": "{\"query\": \"x\"}"}))
        + &stop(0)
        + &start(1, json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"a": 1}]}))
        + &stop(1);
    vec![
        (begin() + &text(0, &["Hello, ", "café 未来!"]) + &finish("end_turn"), Options::default()),
        (begin() + &text(0, &["a > b", " & (c)"]) + &finish("end_turn"), scanning()),
        (begin() + &text(0, &["I look."]) + &call(1, "toolu_1", &paris) + &finish("tool_use"), Options::default()),
        (
            begin()
                + &call(0, "toolu_1", &paris)
                + &text(1, &["and"])
                + &call(2, "toolu_2", &paris)
                + &finish("tool_use"),
            scanning(),
        ),
        (begin() + &thought + &call(2, "toolu_1", &paris) + &finish("tool_use"), Options::default()),
        (begin() + &server + &text(2, &["Found."]) + &finish("end_turn"), scanning()),
        (
            begin() + &text(0, &["Now.\n<tool", HERMES.strip_prefix("<tool").unwrap(), " ok"]) + &finish("end_turn"),
            scanning(),
        ),
        (begin() + &call(0, "toolu_1", &["{\"city\": \"Par"]) + &finish("max_tokens"), Options::default()),
    ]
}

// PARSE-4: any split gives the same bytes.
#[test]
fn any_split_gives_the_same_answer() {
    for (stream, options) in streams() {
        let stream = stream.replace('\n', "\r\n").replacen("\r\n", "\n", 2);
        let (whole, held) = run(stream.as_bytes(), stream.len(), &options, &Ended::Clean, settle);
        let held = held.unwrap();
        for size in (1..40).chain([97, 250]) {
            let (pieces, again) = run(stream.as_bytes(), size, &options, &Ended::Clean, settle);
            assert_eq!(pieces, whole, "pieces of {size}");
            assert_eq!(again.unwrap().choices[0].calls, held.choices[0].calls);
        }
    }
}

// SERVE-6: what is not touched passes byte for byte.
#[test]
fn untouched_streams_keep_their_bytes() {
    let odd = "\u{feff}: hello\n\nevent: message_start\nid: 7\ndata:{ \"type\":\"message_start\", \"message\":{\"content\":[],\"x\":1.50}}\n\n\
        event: content_block_start\ndata: {\"index\":0,\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"\",\"citations\":null}}\n\n\
        event: ping\ndata: {}\n\n: comment\n\n\
        event: content_block_delta\ndata: {\"delta\":{\"text\":\"caf\\u00e9\",\"type\":\"text_delta\",\"n\":1e3},\"index\":0,\"type\":\"content_block_delta\"}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"citations_delta\",\"citation\":{}}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\ndata: \"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" \"}}\n\n\
        event: news\ndata: {\"type\":\"news\",\"index\":9}\n\n\
        event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0 }\n\n\
        event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"},\"usage\":null}\n\n\
        event: message_stop\ndata: {\"type\":\"message_stop\"  }\n\n";
    for options in [Options::default(), scanning(), Options { extend: Extend::Field, ..Options::default() }] {
        let (written, held) = run(odd.as_bytes(), odd.len(), &options, &Ended::Clean, settle);
        assert_eq!(written, odd);
        assert_eq!(held.unwrap().choices[0].text, "café ");
    }
    for (stream, options) in
        streams().into_iter().filter(|(stream, _)| !stream.contains("tool_use\",\"id") && !stream.contains("<tool"))
    {
        assert_eq!(run(stream.as_bytes(), 7, &options, &Ended::Clean, settle).0, stream);
    }
}

// SERVE-6: the end mark of another dialect, and whatever else comes after the end, does no harm.
#[test]
fn what_follows_the_end_does_no_harm() {
    let stream = begin() + &text(0, &["Hi"]) + &finish("end_turn");
    let longer = format!("{stream}data: [DONE]\n\n{}", event(&json!({"type": "message_stop"})));
    assert_eq!(plain(&longer).0, stream);
}

// PARSE-3: a call is released as one block with one delta, and the end says so.
#[test]
fn a_call_is_released_as_one() {
    let before = begin() + &text(0, &["I look."]);
    let (written, held) =
        plain(&(before.clone() + &call(1, "toolu_1", &["", "{\"city\": ", "\"Paris\"}"]) + &finish("end_turn")));
    let expected = before + &call(1, "toolu_1", &["{\"city\": \"Paris\"}"]) + &finish("tool_use");
    assert_eq!(written, expected);
    let held = held.unwrap();
    assert_eq!(held.choices[0].text, "I look.");
    assert_eq!(held.usage, Some(json!({"input_tokens": 25, "cache_read_input_tokens": 7, "output_tokens": 15})));
}

// PARSE-3: servers that send all of the input at once, none of it, or both at once and in pieces.
#[test]
fn input_may_come_at_once() {
    let block = |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "get_weather", "input": input});
    let pieces = delta(2, json!({"type": "input_json_delta", "partial_json": "{\"city\":\"Oslo\"}"}));
    let stream = begin()
        + &start(0, block("a", json!({"city": "Paris"})))
        + &stop(0)
        + &start(1, block("b", json!({})))
        + &stop(1)
        + &start(2, block("c", json!({"city": "Oslo"})))
        + &pieces
        + &stop(2)
        + &finish("tool_use");
    let message = client(&plain(&stream).0);
    let inputs: Vec<_> = message["content"].as_array().unwrap().iter().map(|block| block["input"].clone()).collect();
    assert_eq!(inputs, [json!({"city": "Paris"}), json!({}), json!({"city": "Oslo"})]);
}

// CALL-11: parallel calls are held and judged one by one; text between and after them flows at once.
#[test]
fn calls_are_apart_and_text_flows_between_them() {
    let stream = begin()
        + &call(0, "a", &["{\"city\": \"Paris\"}"])
        + &text(1, &["meanwhile"])
        + &call(2, "b", &["{\"city\": \"Oslo\"}"])
        + &finish("tool_use");
    let (written, held) = plain(&stream);
    assert_eq!(held.unwrap().choices[0].calls.len(), 2);
    assert!(written.starts_with(&(begin() + &text(0, &["meanwhile"]))));
    let message = client(&written);
    assert_eq!(message["content"][1]["input"], json!({"city": "Paris"}));
    assert_eq!(message["content"][2]["id"], "b");
    let refuse = |held: &Held| {
        let mut settled = settle(held);
        settled.choices[0].calls.remove(0);
        settled.choices[0].notes.push("No Paris.".into());
        settled.verdicts.push(("v1".into(), "refused"));
        settled
    };
    let (written, _) = run(stream.as_bytes(), 50, &Options::default(), &Ended::Clean, refuse);
    assert!(written.contains(": countersign-verdict v1 refused\n\nevent: message_delta"));
    let message = client(&written);
    assert_eq!(message["content"][1]["id"], "b");
    assert_eq!(message["content"][2]["text"], "\n\nNo Paris.");
    assert_eq!(message["stop_reason"], "tool_use");
}

// PARSE-3: a refused call alone ends as text; one that was cut at the limit says so.
#[test]
fn refused_calls_end_as_text() {
    let (written, held) = plain(&(begin() + &call(0, "a", &["{\"city\": \"Par"]) + &finish("max_tokens")));
    assert!(!held.unwrap().choices[0].calls[0].complete);
    let message = client(&written);
    assert_eq!(message["content"], json!([{"type": "text", "text": "get_weather was refused."}]));
    assert_eq!(message["stop_reason"], "max_tokens");
    let refuse = |_: &Held| Settled {
        choices: vec![SettledChoice { notes: vec!["No.".into()], ..SettledChoice::default() }],
        ..Settled::default()
    };
    let stream = begin() + &call(0, "a", &["{}"]) + &finish("tool_use");
    let message = client(&run(stream.as_bytes(), 9, &Options::default(), &Ended::Clean, refuse).0);
    assert_eq!(message["stop_reason"], "end_turn");
    // What a limit has cut may look whole.
    let (_, held) = plain(&(begin() + &call(0, "a", &["{}"]) + &finish("max_tokens")));
    assert!(!held.unwrap().choices[0].calls[0].complete);
    // A limit that was met after a call has not cut it.
    let (_, held) = plain(&(begin() + &call(0, "a", &["{}"]) + &text(1, &["and th"]) + &finish("max_tokens")));
    assert!(held.unwrap().choices[0].calls[0].complete);
}

// SERVE-6: thoughts pass untouched, and are remembered as the provider wants them back.
#[test]
fn thoughts_pass_and_are_remembered() {
    let (stream, options) = streams().swap_remove(4);
    let (written, held) = run(stream.as_bytes(), 11, &options, &Ended::Clean, settle);
    let expected = [
        json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}),
        json!({"type": "redacted_thinking", "data": "eA=="}),
    ];
    assert_eq!(held.unwrap().choices[0].thoughts, expected);
    let passed =
        stream.find("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2").unwrap();
    assert!(written.starts_with(&stream[..passed]));
}

// PARSE-3, PARSE-4: a call that was written into the text becomes a real one.
#[test]
fn calls_in_texts_become_calls() {
    let (stream, _) = streams().swap_remove(6);
    let message = client(&scanned(&stream).0);
    assert_eq!(message["content"][0]["text"], "Now.\n ok");
    assert_eq!(message["content"][1]["input"], json!({"city": "Paris"}));
    assert_eq!(message["stop_reason"], "tool_use");
    // Text that is held back and turns out to be text is shown before its block stops, and nothing else changes.
    let held_back = scanned(&(begin() + &text(0, &["1 <tool"]) + &text(1, &["2 <tool"]) + &finish("end_turn")));
    let message = client(&held_back.0);
    assert_eq!(message["content"], json!([{"type": "text", "text": "1 <tool"}, {"type": "text", "text": "2 <tool"}]));
    assert!(held_back.0.ends_with(&(stop(1) + &finish("end_turn"))));
    // One that a limit has cut is none.
    let (written, held) =
        scanned(&(begin() + &text(0, &["<tool_call>\n{\"name\": \"get_weather\", \"arg"]) + &finish("max_tokens")));
    assert!(held.unwrap().choices[0].calls.iter().all(|call| !call.complete));
    assert!(client(&written)["content"].as_array().unwrap().iter().all(|block| block["type"] == "text"));
}

// SERVE-6: numbers that begin at 1, are missing or are all the same, and frames that come twice, are put right.
#[test]
fn broken_numbers_are_put_right() {
    let paris = ["{\"city\":", "\"Paris\"}"];
    let good = begin() + &text(0, &["One"]) + &call(1, "a", &paris) + &text(2, &["Two"]) + &finish("tool_use");
    let expected = client(&plain(&good).0);
    let from_one = begin() + &text(1, &["One"]) + &call(2, "a", &paris) + &text(3, &["Two"]) + &finish("tool_use");
    let all_zero = begin() + &text(0, &["One"]) + &call(0, "a", &paris) + &text(0, &["Two"]) + &finish("tool_use");
    let missing = all_zero.replace("\"index\":0,", "").replace(",\"index\":0", "");
    let nameless: String =
        good.lines().filter(|line| !line.starts_with("event")).map(|line| format!("{line}\n")).collect();
    let twice = begin()
        + &begin()
        + &start(0, json!({"type": "text", "text": ""}))
        + &text(0, &["One"])
        + &stop(0)
        + &start(1, json!({"type": "tool_use", "id": "a", "name": "get_weather", "input": {}}))
        + &call(1, "a", &paris)
        + &delta(7, json!({"type": "text_delta", "text": "Two"}))
        + &stop(7)
        + &finish("tool_use");
    for stream in [from_one, all_zero, missing, nameless, twice] {
        assert_eq!(client(&plain(&stream).0), expected, "{stream}");
    }
    // Only the number is written again.
    let odd = "event: content_block_delta\ndata: {\"delta\": {\"type\":\"text_delta\", \"text\":\"caf\\u00e9\"}, \"index\": 41 , \"type\":\"content_block_delta\"}\n\n";
    let stream = begin() + &start(41, json!({"type": "text", "text": ""})) + odd + &stop(41) + &finish("end_turn");
    assert!(plain(&stream).0.contains(&odd.replace("41", "0")));
}

// PARSE-3: blocks that are in the beginning of the message already, and calls without a name.
#[test]
fn calls_in_odd_places_are_held_too() {
    let mut first: Value =
        serde_json::from_str(begin().lines().nth(1).unwrap().strip_prefix("data: ").unwrap()).unwrap();
    first["message"]["content"] =
        json!([{"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}]);
    let (written, held) = plain(&(event(&first) + &finish("tool_use")));
    assert_eq!(held.unwrap().choices[0].calls.len(), 1);
    let message = client(&written);
    assert_eq!(
        message["content"],
        json!([{"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}])
    );
    let nameless = start(0, json!({"type": "tool_use", "id": "a", "input": {}}))
        + &delta(0, json!({"type": "input_json_delta", "partial_json": "{}"}))
        + &stop(0);
    let (_, held) = plain(&(begin() + &nameless + &call(1, "b", &["{\"city\": \"Paris\"}"]) + &finish("tool_use")));
    let calls = held.unwrap().choices[0].calls.clone();
    assert_eq!((calls[0].name.as_str(), calls[1].name.as_str()), ("", "get_weather"));
    assert!(calls[1].complete, "pieces of another call do no harm");
    let stray = delta(5, json!({"type": "input_json_delta", "partial_json": ",\"x\":1}"}));
    let (_, held) = plain(&(begin() + &call(0, "a", &["{\"city\": \"Paris\"}"]) + &stray + &finish("tool_use")));
    assert!(!held.unwrap().choices[0].calls[0].complete, "arguments that belong to nobody may be missing here");
}

// SERVE-6: the cost of all attempts adds up, and the end of the message tells it.
#[test]
fn usage_adds_up() {
    let stream = begin() + &call(0, "a", &["{}"]) + &finish("tool_use");
    let more = |held: &Held| Settled {
        more_usage: vec![
            json!({"input_tokens": 40, "output_tokens": 5, "cache_creation": {"ephemeral_5m_input_tokens": 3}}),
        ],
        extension: Some(json!({"claims": []})),
        ..settle(held)
    };
    let (written, _) =
        run(stream.as_bytes(), 30, &Options { extend: Extend::Field, ..Options::default() }, &Ended::Clean, more);
    let usage = json!({"input_tokens": 65, "cache_read_input_tokens": 7, "output_tokens": 20,
        "cache_creation": {"ephemeral_5m_input_tokens": 3}});
    assert_eq!(client(&written)["usage"], usage);
    let end = json!({"type": "message_stop", "countersign": {"claims": []}});
    assert!(written.ends_with(&event(&end)));
}

// PARSE-4, CALL-11: cut at any byte, no call is ever released, and the fault is told.
#[test]
fn a_cut_never_releases_a_call() {
    let broken = Ended::Broken("connection reset".into());
    for (stream, options) in streams() {
        let stop_at = stream.rfind("event: message_stop").unwrap();
        let reason_at = stream.rfind("event: message_delta").unwrap();
        let holds = stream.contains("tool_use\",\"id\":\"toolu_") || stream.contains("<tool");
        for cut in 0..stream.len() {
            let part = &stream.as_bytes()[..cut];
            let (written, held) = run(part, cut.max(1), &options, &broken, settle);
            assert_eq!(held.unwrap_err().code, "upstream_cut", "{cut}");
            assert!(!written.contains("\"type\":\"tool_use\""));
            assert!(!holds || !written.contains("message_delta"), "no end is told before the calls are decided");
            if cut <= stop_at.min(reason_at) {
                assert!(run(part, cut.max(1), &options, &Ended::Clean, settle).1.is_err(), "{cut}");
            }
        }
    }
}

// SERVE-6: an end mark that is missing is accepted as clients do, but not a reason.
#[test]
fn the_end_may_lack_its_mark_but_not_its_reason() {
    let done = event(&json!({"type": "message_stop"}));
    let stream = begin() + &text(0, &["Hi"]) + finish("end_turn").strip_suffix(&done).unwrap();
    let (written, held) = plain(&stream);
    assert!(held.is_ok());
    assert_eq!(written, stream);
    assert!(plain(&(begin() + &call(0, "a", &["{}"]) + &done)).1.is_err());
    assert!(plain(&(begin() + &text(0, &["Hi"]))).1.is_err());
    assert!(plain("").1.is_err());
}

// SERVE-6: an error of the upstream passes as it came, and nothing that was held follows it.
#[test]
fn an_error_passes_and_ends_it() {
    let error = "event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}\n\n";
    let stream = begin() + &call(0, "a", &["{}"]) + error + &finish("tool_use");
    let (written, held) = plain(&stream);
    assert_eq!(written, begin() + error);
    assert!(!held.unwrap().has_calls());
    assert_eq!(plain("event: content_block_delta\ndata: {\"type\":\n\n").1.unwrap_err().code, "upstream_unreadable");
}

fn body(content: &Value, reason: &str) -> Bytes {
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    let body =
        json!({"id": "msg_1", "type": "message", "content": content, "stop_reason": reason, "usage": usage, "x": 1.5});
    Bytes::from(serde_json::to_string_pretty(&body).unwrap())
}

fn whole(bytes: &Bytes) -> (Value, Bytes) {
    let options = scanning();
    let answer = WholeAnswer::read(Wire::Messages, bytes.clone(), &options).unwrap();
    let settled = settle(&answer.held);
    let written = answer.write(&settled);
    (serde_json::from_slice(&written).unwrap(), written)
}

// SERVE-6, PARSE-3: a whole answer that needs nothing keeps its bytes, calls and their unknown fields included.
#[test]
fn whole_answers_keep_their_bytes() {
    let tool = json!({"type": "tool_use", "id": "a", "name": "get_weather", "input": {"city": "Paris"}, "caller": {"type": "direct"}});
    for content in [
        json!([{"type": "text", "text": "a < b", "citations": null}]),
        json!([{"type": "thinking", "thinking": "Hm", "signature": "s"}, tool, {"type": "text", "text": "and"}, tool.clone().as_object_mut().map(|tool| { tool["id"] = "b".into(); tool.clone() })]),
        json!([{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, {"type": "new_block"}]),
        json!([]),
    ] {
        let bytes = body(&content, if content.to_string().contains("\"tool_use") { "tool_use" } else { "end_turn" });
        assert_eq!(whole(&bytes).1, bytes);
    }
    let error = Bytes::from_static(b"{\"type\": \"error\", \"error\": {}}");
    assert_eq!(whole(&error).1, error);
}

// PARSE-3, CALL-11: calls leave the text, wrong ends are put right, and what a limit has cut is refused.
#[test]
fn whole_answers_are_put_right() {
    let answer = whole(&body(&json!([{"type": "text", "text": format!("\n{HERMES}\n")}]), "end_turn")).0;
    assert_eq!(
        answer["content"],
        json!([{"type": "tool_use", "id": "toolu_new0", "name": "get_weather", "input": {"city": "Paris"}}])
    );
    assert_eq!(answer["stop_reason"], "tool_use");
    let tool =
        |id: &str| json!({"type": "tool_use", "id": id, "name": "get_weather", "input": {}, "cache_control": {}});
    let answer =
        whole(&body(&json!([{"type": "text", "text": "Hi"}, tool("a"), tool("a"), tool("b")]), "max_tokens")).0;
    assert_eq!(answer["content"][1], json!({"type": "text", "text": "\n\nget_weather was refused."}));
    assert_eq!(answer["content"][2], tool("a"));
    assert_eq!(answer["content"][3]["id"], "toolu_new1", "one id is not given twice");
    assert_eq!(answer["stop_reason"], "tool_use");
    let answer = whole(&body(&json!([tool("a")]), "model_context_window_exceeded")).0;
    assert_eq!(answer["stop_reason"], "model_context_window_exceeded");
    assert_eq!(answer["content"], json!([{"type": "text", "text": "get_weather was refused."}]));
    let bytes = body(&json!([tool("a")]), "tool_use");
    let answer = WholeAnswer::read(Wire::Messages, bytes, &Options::default()).unwrap();
    let settled = Settled { more_usage: vec![json!({"input_tokens": 3, "output_tokens": 4})], ..settle(&answer.held) };
    let answer: Value = serde_json::from_slice(&answer.write(&settled)).unwrap();
    assert_eq!(answer["usage"], json!({"input_tokens": 13, "output_tokens": 9}));
}

/// Frames as no server should send them.
fn hostile() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
        "error",
        "text",
        "tool_use",
        "thinking",
        "text_delta",
        "input_json_delta",
        "thinking_delta",
        "signature_delta",
        "max_tokens",
        "tool_use",
        "",
        "<tool_call>",
        "{\"a\":",
        "é\n\n",
    ]);
    let leaf = prop_oneof![word.clone().prop_map(Value::from), (0u64..4).prop_map(Value::from), Just(Value::Null)];
    let key = prop::sample::select(vec![
        "type",
        "index",
        "delta",
        "content_block",
        "text",
        "partial_json",
        "thinking",
        "signature",
        "stop_reason",
        "id",
        "name",
        "input",
        "usage",
        "message",
        "content",
    ]);
    let value = leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec((key.clone(), inner.clone()), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
        ]
    });
    let typed = (word.clone(), 0u64..3, value.clone(), word.clone(), value.clone()).prop_map(|(kind, index, part, inner, field)| {
        let mut part = part.as_object().cloned().unwrap_or_else(Map::new);
        part.insert("type".to_owned(), inner.into());
        json!({"type": kind, "index": index, "delta": part, "content_block": part, "message": field, "usage": field})
    });
    let data = prop_oneof![8 => typed.prop_map(|value| value.to_string()), 2 => value.prop_map(|value| value.to_string()), 1 => ".{0,20}"];
    (prop::option::of(word), data).prop_map(|(name, data)| {
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        format!("{name}data: {data}\n\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    // PARSE-4: nothing that a server sends makes it fall over, and no split changes what it says.
    #[test]
    fn hostile_frames_do_no_harm(frames in prop::collection::vec(hostile(), 0..16), size in 1usize..64) {
        let stream = begin() + &frames.concat() + &finish("tool_use");
        for options in [Options::default(), scanning()] {
            let (whole, held) = run(stream.as_bytes(), stream.len(), &options, &Ended::Clean, settle);
            let (pieces, again) = run(stream.as_bytes(), size, &options, &Ended::Clean, settle);
            prop_assert_eq!(whole, pieces);
            prop_assert_eq!(held.is_ok(), again.is_ok());
        }
    }
}
