//! The Rust of README.md and docs/, compiled and run. `tools/test-docs` holds each line of the pages against this file.

use countersign::check_call::Guard;
use countersign::claims::find::find;
use countersign::claims::lineage::Lineage;
use countersign::claims::mark::mark;
use countersign::contract::{Answers, Status};
use countersign::inspect;
use countersign::parse::{Event, Finish, ParseOptions, Parser, Protocol};
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use countersign::wire::tools::read_tools;
use serde_json::json;
use std::error::Error;

// CALL-9
#[test]
fn the_library_as_the_readme_shows_it() -> Result<(), Box<dyn Error>> {
    let tools_json =
        r#"[{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]"#;
    let request = json!({"call": {"name": "get_weather", "arguments": {"city": "Oslo"}}});
    let guard = Guard::new(Some(read_tools(tools_json)?), Policy::standard());
    let verdict = inspect::check(&guard, &read_check(&request)?, &Answers::default());
    assert_eq!(verdict.status, Status::Approved);
    Ok(())
}

// PARSE-1
#[test]
fn the_parser_as_its_page_shows_it() {
    let tools = read_tools(r#"[{"name": "ping", "input_schema": {"type": "object", "properties": {}}}]"#).unwrap();
    let stream = [&b"Let me look.\n<tool_call>{\"name\": \"pi"[..], b"ng\", \"arguments\": {}}</tool_call>"];
    let mut seen = Vec::new();
    let mut parser = Parser::new(&Protocol::Auto, &tools, ParseOptions::default());
    for chunk in stream {
        for event in parser.push(chunk) {
            seen.push(event);
        }
    }
    for event in parser.finish(Finish::Stop) {
        seen.push(event);
    }
    assert!(seen.iter().any(|event| matches!(event, Event::CallEnd { .. })), "{seen:?}");
}

// CLAIM-2
#[test]
fn a_trace_as_its_page_shows_it() -> Result<(), Box<dyn Error>> {
    let [first, second] =
        [("m1", "Revenue was $40 million in 2022 and $50 million in 2023."), ("m2", "Revenue grew by 25%.")]
            .map(|(id, text)| mark(id, text, find(text)));
    let mut graph = Lineage::default();
    graph.add(&first, "researcher", "analyst", &[])?;
    graph.add(&second, "analyst", "writer", &["m1"])?;
    for step in graph.trace("m2.0") {
        println!("{step}");
    }
    let printed: Vec<String> = graph.trace("m2.0").iter().map(ToString::to_string).collect();
    let shown = "
m2.0 “25%” (analyst → writer), pending, derives from m1.2 (50/40 − 1), derives from m1.0 (50/40 − 1)
m1.2 “$50 million” (researcher → analyst), pending, begins here
m1.0 “$40 million” (researcher → analyst), pending, begins here
";
    assert_eq!(printed.join("\n"), shown.trim());
    Ok(())
}
