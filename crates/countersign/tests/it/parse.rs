//! Runs `conformance/parse`: outputs in, text, calls, tags and values out.

use crate::conformance::{folder, known_failures};
use crate::parse_formats::{FRAGMENTS, cases, covers, events_with};
use countersign::contract::ToolSpec;
use countersign::inspect::parse::parse;
use countersign::parse::{Finish, Protocol};
use countersign::policy::Policy;
use countersign::wire::outputs::read_parse;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

// PARSE-1 PARSE-2 PARSE-3 PARSE-5
#[test]
fn every_output_is_read_as_written() {
    let known = known_failures();
    let (mut ran, mut wrong) = (0, Vec::new());
    for file in FILES {
        for case in rows(file) {
            ran += 1;
            let id = case["id"].as_str().unwrap().to_owned();
            let fault = fault(&case);
            match (fault, known.contains_key(&id)) {
                (Some(fault), false) => wrong.push(format!("{id} ({}): {fault}", case["note"])),
                (None, true) => wrong.push(format!("{id} passes now: take it out of known-failures.toml")),
                _ => {}
            }
        }
    }
    assert!(ran > 800, "only {ran} cases were found");
    assert!(wrong.is_empty(), "{} of {ran} cases:\n{}", wrong.len(), wrong.join("\n"));
}

// PARSE-4: each output once more, one character at a time and seven at a time.
#[test]
fn the_pieces_do_not_matter() {
    for file in FILES {
        for case in rows(file) {
            let whole = answer(&case, None);
            for size in [1, 7] {
                assert_eq!(whole, answer(&case, Some(size)), "{} in pieces of {size}", case["id"]);
            }
        }
    }
}

// PARSE-4 PARSE-5: the events too are the same for every piece, and they cover each output exactly once.
#[test]
fn the_events_are_the_same_in_any_pieces() {
    for file in FILES.into_iter().chain(["native"]) {
        for case in rows(file) {
            let request = read_parse(&case).unwrap();
            let protocol = Protocol::from_name(request.protocol.as_deref().unwrap_or("auto"), request.schema.as_ref());
            let (protocol, text) = (protocol.unwrap(), request.chunks.concat());
            let tools = request.tools.unwrap_or_default();
            for reason in [Finish::Stop, Finish::Length] {
                let read = |pieces: &[&[u8]]| events_with(&protocol, &tools, pieces, reason);
                let whole = read(&[text.as_bytes()]);
                covers(&whole, text.len()).unwrap_or_else(|problem| panic!("{}: {problem}: {whole:#?}", case["id"]));
                let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
                assert_eq!(whole, read(&bytes), "{} one byte at a time", case["id"]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..ProptestConfig::with_cases(cases(500)) })]

    // PARSE-4 PARSE-5: the laws hold for outputs that are damaged anywhere.
    #[test]
    fn damaged_outputs_keep_the_laws(
        row in 0usize..100_000,
        damage in prop::collection::vec((0usize..5000, 0u8..6, 0usize..FRAGMENTS.len()), 1..5),
        stop in any::<bool>(),
    ) {
        let (protocol, tools, text) = &OUTPUTS[row % OUTPUTS.len()];
        let mut text: Vec<char> = text.chars().collect();
        for (at, what, fragment) in damage {
            let at = at % (text.len() + 1);
            match what {
                0 if at < text.len() => { text.remove(at); }
                1 => text.truncate(at),
                2 if at < text.len() => { let c = text[at]; text.insert(at, c); }
                3 if at + 1 < text.len() => text.swap(at, at + 1),
                4 => { let copy = text[..at.min(40)].to_vec(); text.splice(at..at, copy); }
                _ => { text.splice(at..at, FRAGMENTS[fragment].chars()); }
            }
        }
        let text: String = text.into_iter().collect();
        let reason = if stop { Finish::Stop } else { Finish::Length };
        let whole = events_with(protocol, tools, &[text.as_bytes()], reason);
        if let Err(problem) = covers(&whole, text.len()) {
            prop_assert!(false, "{problem} in {text:?}: {whole:#?}");
        }
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        prop_assert_eq!(&whole, &events_with(protocol, tools, &bytes, reason), "one byte at a time: {:?}", text);
        let thirds: Vec<&[u8]> = text.as_bytes().chunks(text.len() / 3 + 1).collect();
        prop_assert_eq!(&whole, &events_with(protocol, tools, &thirds, reason), "in thirds: {:?}", text);
    }
}

/// Every short output of the conformance data, with its protocol and tools.
static OUTPUTS: LazyLock<Vec<(Protocol, Vec<ToolSpec>, String)>> = LazyLock::new(|| {
    let files = FILES.into_iter().chain(["native"]);
    let all = files.flat_map(rows).map(|case| {
        let request = read_parse(&case).unwrap();
        let protocol = Protocol::from_name(request.protocol.as_deref().unwrap_or("auto"), request.schema.as_ref());
        (protocol.unwrap(), request.tools.unwrap_or_default(), request.chunks.concat())
    });
    all.filter(|(_, _, text)| text.len() < 1500).collect()
});

/// The files whose lines say what comes out.
const FILES: [&str; 12] = [
    "json",
    "qwen-coder",
    "formats",
    "concierge",
    "concierge-blind",
    "messages",
    "second-json",
    "json-dialects",
    "second-tags",
    "second-concierge",
    "second-formats",
    "third-formats",
];

fn rows(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join(format!("parse/{file}.jsonl"))).unwrap();
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn answer(case: &Value, size: Option<usize>) -> Value {
    let mut request = case.clone();
    if let Some(size) = size {
        let characters: Vec<char> = case["input"].as_str().unwrap().chars().collect();
        let chunks: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
        request.as_object_mut().unwrap().shift_remove("input");
        request["chunks"] = json!(chunks);
    }
    let reading = parse(&read_parse(&request).unwrap(), &Policy::standard()).unwrap();
    serde_json::to_value(reading).unwrap()
}

/// What came out otherwise than the case says.
fn fault(case: &Value) -> Option<String> {
    let answer = answer(case, None);
    if let Some(calls) = case.get("expected_calls") {
        let seen: Vec<Value> = answer["calls"].as_array().unwrap().iter().map(call).collect();
        let wanted: Vec<Value> = calls.as_array().unwrap().iter().map(call).collect();
        let text = case.get("expected_text").map(|wanted| (json!(answer["text"].as_str().unwrap().trim()), wanted));
        return differs("calls", &json!(seen), &json!(wanted), &[])
            .or_else(|| text.and_then(|(seen, wanted)| differs("text", &seen, wanted, &[])));
    }
    if let Some(tags) = case.get("expected_tags") {
        let also: Vec<Value> = case.get("also").and_then(Value::as_array).cloned().unwrap_or_default();
        // A case that says so lists what was begun and never finished as well.
        let told = case.get("complete") == Some(&json!(false));
        let unfinished = answer.get("unfinished").and_then(Value::as_array).filter(|_| told).into_iter().flatten();
        let seen: Vec<&Value> = answer["tags"].as_array().unwrap().iter().chain(unfinished).collect();
        return differs("tags", &json!(seen), tags, &also).or_else(|| wrong_text(case, &answer));
    }
    if let Some(messages) = case.get("expected_messages") {
        let alternatives = |key: &str| case.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let complete =
            differs("complete", &answer["complete"], &case["expected_complete"], &alternatives("also_complete"));
        return differs("messages", &answer["messages"], messages, &alternatives("also_messages")).or(complete);
    }
    differs("value", &plain(&answer["value"]), &plain(&case["expected"]), &[])
}

fn wrong_text(case: &Value, answer: &Value) -> Option<String> {
    let text = answer["text"].as_str().unwrap();
    let words = |key: &str| -> Vec<String> {
        let list = case.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let missing = words("expected_text_contains").into_iter().find(|word| !text.contains(word.as_str()));
    let extra = words("expected_text_lacks").into_iter().find(|word| text.contains(word.as_str()));
    missing
        .map(|word| format!("text lacks {word:?}: {text:?}"))
        .or(extra.map(|word| format!("text has {word:?}: {text:?}")))
}

fn differs(what: &str, seen: &Value, wanted: &Value, also: &[Value]) -> Option<String> {
    (seen != wanted && !also.contains(seen)).then(|| format!("{what}: wanted {wanted}, got {seen}"))
}

fn call(call: &Value) -> Value {
    json!({"name": call["name"], "arguments": plain(&call["arguments"])})
}

/// The value with every number as a float: 5 and 5.0 are the same number.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        other => other.clone(),
    }
}
