//! The streams of `conformance/parse/native.jsonl`: which calls come out, what is text, and what must not run.
// PARSE-3 PARSE-4 PARSE-5

use countersign::parse::native::{Dialect, NativeStream, StreamFacts};
use countersign::parse::{Event, Finish, ParseOptions, Span};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn every_stream_is_read_as_written() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (events, facts) = read(&case, &pieces(&case));
        let seen = summary(&events);
        let mut differs = |what: &str, seen: &Value, wanted: &Value| {
            if seen != wanted {
                wrong.push(format!("{} ({}): {what} is {seen}, not {wanted}", case["id"], case["note"]));
            }
        };
        differs("calls", &without_unnamed_ids(&seen["calls"], &case["expected_calls"]), &case["expected_calls"]);
        for (key, field) in OPTIONAL {
            if let Some(wanted) = case.get(*field) {
                differs(key, &seen[key], wanted);
            }
        }
        for (fact, wanted) in case["facts"].as_object().into_iter().flatten() {
            differs(fact, &self::fact(&facts, fact), wanted);
        }
        // A call that did not come out whole, an error or a lost chunk: the turn is not complete.
        if let Some(complete) = case["complete"].as_bool() {
            let whole = seen["unfinished"] == json!([]) && seen["unrecovered"] == 0;
            differs("complete", &whole.into(), &complete.into());
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_events_cover_the_stream_exactly_once() {
    for case in cases() {
        let (events, _) = read(&case, &pieces(&case));
        let mut at = 0;
        for span in events.iter().filter_map(covering) {
            assert_eq!(span.start, at, "{}: {events:#?}", case["id"]);
            at = span.end;
        }
        assert_eq!(at, pieces(&case).concat().len(), "{}", case["id"]);
    }
}

#[test]
fn a_stream_reads_the_same_however_it_is_cut() {
    for case in cases() {
        let input = pieces(&case).concat();
        let whole = joined(read(&case, &[&input]).0);
        let single: Vec<&str> = input.char_indices().map(|(at, c)| &input[at..at + c.len_utf8()]).collect();
        assert_eq!(joined(read(&case, &single).0), whole, "{} one by one", case["id"]);
        for cut in (1..input.len()).filter(|cut| input.is_char_boundary(*cut)) {
            let (left, right) = input.split_at(cut);
            assert_eq!(joined(read(&case, &[left, right]).0), whole, "{} cut at {cut}", case["id"]);
        }
    }
}

#[test]
fn a_stream_that_is_cut_never_gives_a_call_that_the_whole_does_not_give() {
    for case in cases() {
        let input = pieces(&case).concat();
        let whole = summary(&read(&case, &[&input]).0);
        let calls: Vec<&Value> = whole["calls"].as_array().unwrap().iter().collect();
        for cut in (0..input.len()).filter(|cut| input.is_char_boundary(*cut)) {
            let part = summary(&read(&case, &[&input[..cut]]).0);
            for call in part["calls"].as_array().unwrap() {
                assert!(calls.contains(&call), "{} cut at {cut} gives {call}", case["id"]);
            }
        }
    }
}

#[test]
fn a_small_region_bounds_what_is_kept() {
    for case in cases() {
        let input = pieces(&case).concat();
        for max_region in [0, 5, 64, 200] {
            let mut options = ParseOptions::default();
            options.max_region = max_region;
            let run = |parts: &[&str]| {
                let mut stream = NativeStream::new(dialect(&case), &options);
                let mut events = Vec::new();
                parts.iter().for_each(|part| stream.push(part, &mut events));
                stream.finish(Finish::Stop, &mut events);
                events
            };
            let single: Vec<&str> = input.char_indices().map(|(at, c)| &input[at..at + c.len_utf8()]).collect();
            let events = run(&[&input]);
            assert_eq!(joined(events.clone()), joined(run(&single)), "{}", case["id"]);
            let end = events.iter().filter_map(covering).try_fold(0, |at, span| (span.start == at).then_some(span.end));
            assert_eq!(end, Some(input.len()), "{} at {max_region}: {events:#?}", case["id"]);
        }
    }
}

#[test]
fn hostile_streams_end_and_are_covered() {
    let chunk = |delta: &str| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n");
    let call = |arguments: &str| {
        let call = json!({ "tool_calls": [{ "index": 0, "function": { "name": "f", "arguments": arguments } }] });
        chunk(&call.to_string())
    };
    let mut inputs: Vec<String> = [
        "{",
        "[",
        "\"",
        "\\",
        "{}",
        "[]",
        "\r",
        "\n",
        ":",
        "data:",
        "data: {\n",
        "data: [",
        "{\"a\":",
        "[DONE]\n",
        "\u{feff}",
    ]
    .map(|unit| unit.repeat(100_000))
    .to_vec();
    inputs.extend(["[", "{\"a\":", "\\", "\"", "`"].map(|unit| call(&unit.repeat(100_000)) + "data: [DONE]\n"));
    inputs.push(call(&"{}".repeat(2_000)) + "data: [DONE]\n");
    inputs.push((0..20_000).map(|at| call(if at % 2 == 0 { "{" } else { "}" })).collect());
    inputs.push(chunk(&"[".repeat(100_000)));
    for input in inputs {
        for protocol in ["openai", "anthropic", "responses"] {
            let case = json!({ "protocol": protocol });
            let events = read(&case, &[&input]).0;
            let end = events.iter().filter_map(covering).try_fold(0, |at, span| (span.start == at).then_some(span.end));
            assert_eq!(end, Some(input.len()), "{protocol} {}", input.chars().take(80).collect::<String>());
            let complete = events.iter().any(|event| matches!(event, Event::CallEnd { complete: true, .. }));
            assert!(!complete || input.contains("{}"), "{}", input.chars().take(80).collect::<String>());
        }
    }
}

proptest! {
    /// Damage anywhere: no panic, every byte covered once, the same for every split.
    #[test]
    fn damaged_streams_are_covered_and_cut_alike(
        which in 0..1000_usize,
        damage in proptest::collection::vec((any::<prop::sample::Index>(), ".{0,3}|[\\[\\]{}\",:\\\\\r\n]"), 0..6),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let cases = cases();
        let case = &cases[which % cases.len()];
        let mut input = pieces(case).concat();
        for (place, text) in &damage {
            let at = floor(&input, place.index(input.len().max(1)));
            let end = floor(&input, (at + 2).min(input.len()));
            input.replace_range(at..end.max(at), text);
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| floor(&input, cut.index(input.len() + 1))).collect();
        cuts.extend([0, input.len()]);
        cuts.sort_unstable();
        let parts: Vec<&str> = cuts.windows(2).map(|pair| &input[pair[0]..pair[1]]).collect();
        let events = read(case, &[&input]).0;
        let end = events.iter().filter_map(covering).try_fold(0, |at, span| (span.start == at).then_some(span.end));
        prop_assert_eq!(end, Some(input.len()));
        prop_assert_eq!(joined(read(case, &parts).0), joined(events));
    }
}

fn cases() -> Vec<Value> {
    let lines = include_str!("../../../../conformance/parse/native.jsonl").lines();
    lines.filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn pieces(case: &Value) -> Vec<&str> {
    match case.get("input") {
        Some(input) => vec![input.as_str().unwrap()],
        None => case["chunks"].as_array().unwrap().iter().map(|chunk| chunk.as_str().unwrap()).collect(),
    }
}

fn dialect(case: &Value) -> Dialect {
    Dialect::from_name(case["protocol"].as_str().unwrap()).unwrap()
}

fn read(case: &Value, parts: &[&str]) -> (Vec<Event>, StreamFacts) {
    let finish = match case["finish_reason"].as_str() {
        None | Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        _ => Finish::Cancelled,
    };
    let mut stream = NativeStream::new(dialect(case), &ParseOptions::default());
    let mut events = Vec::new();
    parts.iter().for_each(|part| stream.push(part, &mut events));
    stream.finish(finish, &mut events);
    (events, stream.facts().clone())
}

/// What a reader of the events sees.
fn summary(events: &[Event]) -> Value {
    let (mut text, mut reasoning) = (String::new(), String::new());
    let (mut calls, mut unfinished, mut repairs) = (Vec::new(), Vec::new(), Vec::new());
    let mut names = Vec::new();
    let mut unrecovered = 0;
    for event in events {
        match event {
            Event::Text { text: more, .. } => text.push_str(more),
            Event::Reasoning { text: more, .. } => reasoning.push_str(more),
            Event::CallStart { index, id, name, .. } => {
                assert_eq!(*index, names.len(), "calls are counted from 0");
                names.push((id.clone(), name.clone()));
            }
            Event::CallEnd { index, complete: true, arguments, .. } => {
                let (id, name) = &names[*index];
                calls.push(json!({ "name": name, "arguments": arguments.as_ref().expect("a complete call has them"), "id": id }));
            }
            Event::CallEnd { index, .. } => unfinished.push(names[*index].1.clone()),
            Event::Repair(repair) => repairs.push(repair.kind.code),
            Event::Unrecovered { .. } => unrecovered += 1,
            _ => {}
        }
    }
    json!({ "text": text, "reasoning": reasoning, "calls": calls, "unfinished": unfinished, "repairs": repairs,
            "unrecovered": unrecovered })
}

/// The calls, without the ids that a case does not name.
fn without_unnamed_ids(calls: &Value, wanted: &Value) -> Value {
    let mut calls = calls.clone();
    for (at, call) in calls.as_array_mut().unwrap().iter_mut().enumerate() {
        let call = call.as_object_mut().unwrap();
        if call["id"].is_null() || wanted[at].get("id").is_none() && wanted[at].is_null() {
            call.remove("id");
        }
    }
    calls
}

fn fact(facts: &StreamFacts, name: &str) -> Value {
    match name {
        "model" => json!(facts.model),
        "id" => json!(facts.id),
        "finish_reason" => json!(facts.finish_reason),
        _ => json!(facts.usage),
    }
}

fn covering(event: &Event) -> Option<&Span> {
    match event {
        Event::Text { span, .. }
        | Event::Reasoning { span, .. }
        | Event::ArgDelta { span, .. }
        | Event::Markup { span, .. }
        | Event::Unrecovered { span, .. } => Some(span),
        _ => None,
    }
}

/// Neighbouring deltas of one kind are one.
fn joined(events: Vec<Event>) -> Vec<Event> {
    let mut out: Vec<Event> = Vec::new();
    for event in events {
        match (out.last_mut(), event) {
            (Some(Event::Text { text, span }), Event::Text { text: more, span: next }) => {
                text.push_str(&more);
                span.end = next.end;
            }
            (Some(Event::Markup { text, span }), Event::Markup { text: more, span: next }) => {
                text.push_str(&more);
                span.end = next.end;
            }
            (_, event) => out.push(event),
        }
    }
    out
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// What a case may say beside its calls.
const OPTIONAL: &[(&str, &str)] = &[
    ("text", "expected_text"),
    ("reasoning", "expected_reasoning"),
    ("unfinished", "unfinished"),
    ("repairs", "expected_repairs"),
    ("unrecovered", "unrecovered"),
];
