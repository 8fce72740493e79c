//! Runs `conformance/parse/mentions.jsonl`: every format's call at its own place is a call, and text everywhere else.

use crate::conformance::folder;
use crate::parse_formats::{covers, events_with};
use countersign::contract::ToolSpec;
use countersign::inspect::parse::parse;
use countersign::parse::{Elsewhere, Event, Finish, KnownTools, ParseOptions, Parser, Protocol, join_deltas};
use countersign::policy::Policy;
use countersign::wire::outputs::read_parse;
use countersign::wire::tools::read_tools;
use serde_json::{Value, json};

const TOOLS: &str = r#"[{"name": "get_weather", "parameters": {"type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}]"#;

fn tools() -> Vec<ToolSpec> {
    read_tools(TOOLS).unwrap()
}

/// The formats with a call, the places where it is spoken of, the places where it is made.
struct Data {
    calls: Vec<(String, String)>,
    mentions: Vec<(String, String)>,
    genuine: Vec<(String, String)>,
}

fn data() -> Data {
    let text = std::fs::read_to_string(folder().join("parse/mentions.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let pick = |name: &str, value: &str| -> Vec<(String, String)> {
        let pair = |row: &Value| Some((row.get(name)?.as_str()?.to_owned(), row[value].as_str()?.to_owned()));
        rows.iter().filter_map(pair).collect()
    };
    Data { calls: pick("format", "call"), mentions: pick("mention", "text"), genuine: pick("genuine", "text") }
}

fn read(protocol: &str, input: &str) -> Value {
    let request = json!({"input": input, "protocol": protocol, "tools": serde_json::from_str::<Value>(TOOLS).unwrap()});
    serde_json::to_value(parse(&read_parse(&request).unwrap(), &Policy::standard()).unwrap()).unwrap()
}

// PARSE-3 PARSE-5: a call that is spoken of is the text it is, byte for byte, for the format alone too.
#[test]
fn a_call_that_is_spoken_of_is_text() {
    let data = data();
    assert!(data.calls.len() >= 26 && data.mentions.len() >= 8, "the data is there");
    let mut wrong = Vec::new();
    for (format, call) in &data.calls {
        for (place, text) in &data.mentions {
            let input = text.replace("{call}", call);
            for protocol in ["auto", format] {
                let read = read(protocol, &input);
                let exact = place == "a thought" || read["text"] == json!(input);
                if read["calls"] != json!([]) || !exact {
                    wrong.push(format!("{format} as {protocol}, {place}: {read}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

// PARSE-3: at its own place it is a call, whatever was quoted before.
#[test]
fn a_call_at_its_place_is_read() {
    let data = data();
    let wanted = json!([{"name": "get_weather", "arguments": {"city": "Paris"}}]);
    let mut wrong = Vec::new();
    for (format, call) in &data.calls {
        for (place, text) in &data.genuine {
            let mut answer = read("auto", &text.replace("{call}", call));
            if place == "behind a line break" && answer["text"] != json!("Let me check the weather.\n") {
                wrong.push(format!("{format}, beside the call: {}", answer["text"]));
            }
            let calls = answer["calls"].take();
            let calls: Vec<Value> = calls.as_array().unwrap().iter().map(plain).collect();
            if json!(calls) != wanted {
                wrong.push(format!("{format}, {place}: {calls:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn plain(call: &Value) -> Value {
    json!({"name": call["name"], "arguments": call["arguments"]})
}

// PARSE-4 PARSE-5: the same events for every split; each output is covered once.
#[test]
fn no_split_changes_what_is_spoken_of() {
    let data = data();
    let tools = tools();
    let places: Vec<&String> = data.mentions.iter().chain(&data.genuine).map(|(_, text)| text).collect();
    for (number, (_, call)) in data.calls.iter().enumerate() {
        for (place, text) in places.iter().enumerate() {
            let text = text.replace("{call}", call);
            let read = |pieces: &[&[u8]]| events_with(&Protocol::Auto, &tools, pieces, Finish::Stop);
            let whole = read(&[text.as_bytes()]);
            covers(&whole, text.len()).unwrap_or_else(|problem| panic!("{problem}: {text}"));
            for size in [1, 7] {
                let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
                assert_eq!(whole, read(&pieces), "in pieces of {size}: {text}");
            }
            // Every cut in two, of some of them.
            let cuts = if (number + place).is_multiple_of(9) { 1..text.len() } else { 0..0 };
            for cut in cuts {
                let pieces = [&text.as_bytes()[..cut], &text.as_bytes()[cut..]];
                assert_eq!(whole, read(&pieces), "cut at {cut}: {text}");
            }
        }
    }
}

/// The most bytes that are held of a text while it comes, one byte at a time.
fn most_held(text: &str, elsewhere: Elsewhere) -> usize {
    let mut options = ParseOptions::default();
    options.elsewhere = elsewhere;
    let mut parser = Parser::knowing(&KnownTools::of(&tools()), options);
    let (mut given, mut out, mut most) = (0, 0, 0);
    for piece in text.as_bytes().chunks(1) {
        given += 1;
        let events = parser.push(piece);
        out += events.iter().filter_map(Event::covered).map(|span| span.end - span.start).sum::<usize>();
        most = most.max(given - out);
    }
    most
}

// PARSE-4: a fence flows while it is written, whatever stands in it.
#[test]
fn fenced_text_is_not_held() {
    let package = package();
    let call = r#"{"name": "get_weather", "arguments": {"city": "Paris"}}"#;
    for inside in [package.as_str(), call, &format!("<tool_call>\n{call}\n</tool_call>"), "[TOOL_CALLS][{\"name\": "] {
        let fenced = format!("```json\n{inside}\n```\n");
        for text in [format!("Here is the file:\n\n{fenced}"), fenced.clone()] {
            assert!(most_held(&text, Elsewhere::Text) <= HELD_IN_FENCES, "{}", most_held(&text, Elsewhere::Text));
        }
        let behind_words = format!("Here is the file:\n\n{fenced}");
        assert!(most_held(&behind_words, Elsewhere::Tell) <= HELD_IN_FENCES);
    }
}

// PARSE-4: JSON without a fence flows as soon as its name is no tool's, or its members are no call's.
#[test]
fn data_is_not_held() {
    let list = format!("[{}]", r#"{"id": 7, "title": "A long story", "body": "It goes on and on."}, "#.repeat(40));
    for text in [package(), list] {
        assert!(most_held(&text, Elsewhere::Text) <= HELD_OF_DATA, "{}", most_held(&text, Elsewhere::Text));
    }
    // Its look-alike is a call, and is read.
    let call = r#"{"id": "1", "name": "get_weather", "arguments": {"city": "Paris"}}"#;
    assert_eq!(read("auto", call)["calls"][0]["name"], "get_weather");
}

// PARSE-3: data of every shape stays text, and what follows it is read.
#[test]
fn a_call_behind_data_is_read() {
    let call = r#"{"name": "get_weather", "arguments": {"city": "Paris"}}"#;
    let answer = read("auto", &format!("{}\n\n{call}", package()));
    assert_eq!(answer["calls"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(answer["text"], json!(format!("{}\n\n", package())));
}

fn package() -> String {
    let dependencies: Vec<String> = (0..200).map(|n| format!("    \"package-{n}\": \"^1.{n}.0\"")).collect();
    format!(
        "{{\n  \"name\": \"my-app\",\n  \"version\": \"1.0.0\",\n  \"dependencies\": {{\n{}\n  }}\n}}",
        dependencies.join(",\n")
    )
}

/// The most bytes of fenced text that wait for what follows: the longest marker that could begin there.
const HELD_IN_FENCES: usize = 48;
/// The most bytes of JSON data that wait until it is known to be no call.
const HELD_OF_DATA: usize = 64;

// PARSE-4: bytes that are no UTF-8 are told where they stand, whatever is held while they come (found by fuzzing).
#[test]
fn a_mend_of_bytes_has_its_place() {
    let quoted = "Dort steht „<function_calls>\nget_weather(city=\"Paris\")\n</func";
    let mut text = quoted.as_bytes().to_vec();
    text.extend_from_slice(b"\xff\xff_calls>\n");
    text.extend_from_slice("“ und mehr".as_bytes());
    let tools = tools();
    let read = |pieces: &[&[u8]]| events_with(&Protocol::Auto, &tools, pieces, Finish::Stop);
    let whole = read(&[&text]);
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(whole, read(&bytes));
    let place = whole.iter().position(|event| matches!(event, Event::Repair(_))).unwrap();
    let before: usize = whole[..place].iter().filter_map(Event::covered).map(|span| span.end - span.start).sum();
    assert_eq!(before, quoted.len());
}

// PARSE-4: outputs that fuzzing found to be read otherwise in pieces.
#[test]
fn what_fuzzing_found_is_the_same_in_pieces() {
    let tools = tools();
    for text in [
        "<|open|>call tool=getweather <|sep|><|open|>argument g\u{4}<|sep|>>",
        "Oslo → <|open|>tools<|sep|><|open|>call tool=\"get_weather\"<|sep|><|open|>argument key=\"city\"<|\u{4}ep|>Paris\
            <|close|>argument<|sep|><|close|>call<|t\"sep|><|close|>tools<|sep|>",
        "<parameter=city>[get_weather({\"name\": \"get_weather\", \"arguments\": {}}</path><|channel|>analysis<|message|>",
    ] {
        for limit in [13, ParseOptions::default().max_region] {
            let read = |size: usize| {
                let mut options = ParseOptions::default();
                options.max_region = limit;
                let mut parser = Parser::new(&Protocol::Auto, &tools, options);
                let mut events: Vec<Event> =
                    text.as_bytes().chunks(size).flat_map(|piece| parser.push(piece)).collect();
                events.extend(parser.finish(Finish::Stop));
                join_deltas(events)
            };
            assert_eq!(read(text.len()), read(1), "limit {limit}: {text}");
        }
    }
}
