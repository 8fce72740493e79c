//! The events' JSON Schema and TypeScript types in `docs/` are those of the code, and real events keep to them.

use crate::serve_world::{Server, bare, folder};
use serde_json::Value;
use std::path::PathBuf;

fn printed(what: &str) -> String {
    let output = bare(&["events", what], &[]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

// STREAM-1: drift fails the build. UPDATE_DOCS=1 writes the pages.
#[test]
fn the_pages_of_the_events_are_those_of_the_code() {
    let pages =
        [("schema", "docs/events.schema.json"), ("types", "docs/events.d.ts"), ("types", "console/src/contract.ts")];
    for (what, file) in pages {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        let text = printed(what);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(kept, text, "{file} is not what the code says; run UPDATE_DOCS=1 make test");
    }
}

// STREAM-1, SERVE-7: a turn of the demo model, event by event.
#[test]
fn real_events_keep_to_the_schema() {
    let schema: Value = serde_json::from_str(&printed("schema")).unwrap();
    let schema = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let server = Server::start(&folder("events-schema"), &[], &[]);
    let session = server.post("/v1/sessions", r#"{"agent": "concierge"}"#).json();
    let path = format!("/v1/sessions/{}", session["session_id"].as_str().unwrap());
    let stream = server.post(&format!("{path}/messages"), r#"{"content": "How did the market do?"}"#);
    server.post(&format!("{path}/relay"), r#"{"from": "a", "to": "b", "content": "It grew by 25% in 2024."}"#);
    let replay = server.ask("GET", &format!("{path}/events?after=9.9"), &[], "");
    let mut seen = Vec::new();
    for line in stream.body.lines().chain(replay.body.lines()) {
        let Some(event) = line.strip_prefix("data: ").filter(|data| *data != "[DONE]") else { continue };
        let event: Value = serde_json::from_str(event).unwrap();
        let wrong: Vec<_> = schema.iter_errors(&event).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?} in {event}");
        seen.push(event["event_type"].as_str().unwrap().to_owned());
    }
    for kind in ["message", "text_delta", "note", "completed", "reset"] {
        assert!(seen.iter().any(|known| known == kind), "{kind} in {seen:?}");
    }
    let broken = serde_json::json!({"version": 1, "id": "x", "event_type": "message"});
    assert!(!schema.is_valid(&broken), "a schema that takes anything shows nothing");
}
