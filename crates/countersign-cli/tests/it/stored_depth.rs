//! What is stored can be read again: however deep a model or a client nests its JSON, and whatever became of a row on the
//! disk, the audit, the reviews, the figures and the replay go on answering.

use crate::gateway_dialects::{Said, Tool, Wire, call, everywhere, user};
use crate::gateway_world::{Ask, World};
use crate::native_upstream::{calls, text};
use crate::native_world::{World as Native, kinds};
use crate::serve_world::{Server, folder, within};
use serde_json::{Value, json};
use std::path::Path;

/// A value nested so deep.
fn nested(depth: usize) -> Value {
    (1..depth).fold(json!("end"), |inner, _| json!({ "a": inner }))
}

/// A tool that takes anything.
fn save() -> Tool {
    let schema = json!({"type": "object", "properties": {"data": {}}, "additionalProperties": true});
    Tool { name: "save_draft", description: "Keeps a draft for later.", schema }
}

/// Every route that reads stored rows.
fn all_routes_answer(server: &Server) {
    for path in ["/v1/stats", "/v1/verdicts?of=all", "/v1/verdicts?format=jsonl", "/v1/reviews", "/v1/sessions"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    let replayed = server.post("/v1/policy/replay", r#"{"policy": ""}"#);
    assert_eq!(replayed.status, 200, "{}", replayed.body);
    let listed = server.get("/v1/verdicts?of=all&limit=1000").json();
    for verdict in listed["verdicts"].as_array().unwrap() {
        let id = verdict["verdict_id"].as_str().unwrap();
        let one = server.get(&format!("/v1/verdicts/{id}"));
        assert_eq!(one.status, 200, "{id}: {}", one.body);
    }
}

// CALL-2, SERVE-4: arguments that are nested too deep are refused with a finding, on every route, and stay readable.
#[test]
fn a_call_that_is_nested_too_deep_is_refused_and_spoils_no_list() {
    let world = World::own("depth", &["--set", "gateway.corrections=0"], &[]);
    for (wire, stream) in everywhere() {
        for depth in [70, 122, 123, 124, 125, 126, 127, 128, 200, 5_000] {
            // The model that the test plays cannot nest an object of its own more deeply.
            if depth > 120 && (wire, stream) == (Wire::Messages, false) {
                continue;
            }
            let ask = Ask::of(wire, stream, &[user("Keep this draft.")], &[save()]);
            let written = format!("{{\"data\":{}1{}}}", "{\"a\":".repeat(depth - 1), "}".repeat(depth - 1));
            let (heard, _) = world.play(&ask, [Said::calls("", &[call("c1", "save_draft", written)])]);
            // A whole answer that is nested deeper than any reader takes is an answer that cannot be read.
            assert!([200, 502].contains(&heard.status), "{wire:?} {stream} {depth}: {}", heard.raw);
            assert_eq!(heard.names().len(), 0, "{wire:?} {stream} {depth}: {}", heard.raw);
        }
        // The look-alike: deep, and not too deep.
        let ask = Ask::of(wire, stream, &[user("Keep this draft.")], &[save()]);
        let deep = json!({ "data": nested(60) });
        let (heard, _) = world.play(&ask, [Said::calls("", &[call("c1", "save_draft", &deep)])]);
        assert_eq!(heard.names(), ["save_draft"], "{wire:?} {stream}: {}", heard.raw);
        assert_eq!(heard.calls[0].json(), deep);
    }
    let found = world.server.get("/v1/verdicts?code=call.too-deep&limit=1000").json();
    assert!(found["verdicts"].as_array().unwrap().len() >= 6 * 5, "{}", found["verdicts"].as_array().unwrap().len());
    all_routes_answer(&world.server);
}

// CALL-2, REVIEW-1: the same where a person would decide, and for what a client nests in its own request.
#[test]
fn deep_requests_and_reviews_are_readable() {
    let world = World::own("depth-requests", &["--set", "gateway.after_corrections=review"], &[]);
    for (wire, stream) in everywhere() {
        for depth in [90, 110, 118, 120, 122, 124] {
            let schema =
                json!({"type": "object", "properties": {"path": {"type": "string", "default": nested(depth - 8)}}});
            let tool =
                Tool { name: "delete_file", description: "Delete a file for good. This cannot be undone.", schema };
            let mut ask = Ask::of(wire, stream, &[user("Delete notes.txt")], &[tool]);
            ask = ask.field("metadata", json!({ "deep": nested(depth) }));
            let (heard, _) =
                world.play(&ask, [Said::calls("", &[call("c1", "delete_file", json!({"path": "notes.txt"}))])]);
            assert_eq!(heard.status, 200, "{wire:?} {stream} {depth}: {}", heard.raw);
        }
    }
    all_routes_answer(&world.server);
    let reviews = world.server.get("/v1/reviews").json();
    for review in reviews["reviews"].as_array().unwrap() {
        let one = world.server.get(&format!("/v1/reviews/{}", review["review_id"].as_str().unwrap()));
        assert_eq!(one.status, 200, "{}", one.body);
    }
}

// CALL-2, STREAM-1: hosted turns: the model's call, the client's result, tools and messages.
#[test]
fn hosted_sessions_with_deep_values_are_readable() {
    let world = Native::own("depth-hosted", &[], &[]);
    let tool = json!({"type": "function", "function": {"name": "save_draft", "description": "Keeps a draft.",
        "parameters": {"type": "object", "properties": {"data": {}}, "additionalProperties": true}}});
    for depth in [70, 118, 122, 125, 127] {
        let session = world.session(json!({"tools": [tool]}));
        let deep = json!({ "data": nested(depth) });
        let events = world.turn(&session, "Keep it.", vec![calls(&[("c1", "save_draft", deep)]), text(&["No."])]);
        assert!(!kinds(&events).contains(&"tool_call"), "{depth}: {:?}", kinds(&events));
        let exported = world.server.get(&format!("/v1/sessions/{session}/export"));
        assert_eq!(exported.status, 200);
        assert_eq!(exported.json()["events"].as_array().unwrap().len(), events.len(), "no event is left out");
    }
    // What a client sends itself is either refused at the door or can be read again.
    for depth in [90, 110, 118, 122, 126, 140] {
        let body = json!({"tools": [tool], "context": {"deep": nested(depth)}}).to_string();
        let made = world.server.post("/v1/sessions", &body);
        assert!([201, 400].contains(&made.status), "{depth}: {}", made.body);
        if made.status == 201 {
            let id = made.json()["session_id"].as_str().unwrap().to_owned();
            assert_eq!(world.server.get(&format!("/v1/sessions/{id}")).status, 200, "{depth}");
        }
    }
    // The look-alike: 60 deep is a call like any other.
    let session = world.session(json!({"tools": [tool]}));
    let mark = world.upstream.on(vec![calls(&[("c1", "save_draft", json!({ "data": nested(60) }))]), text(&["Kept."])]);
    let mut reader = world.say(&session, &format!("Keep it. {mark}"));
    let shown = reader.until("tool_call");
    assert_eq!(shown.last().unwrap().payload("arguments")["data"], nested(60));
    assert_eq!(world.result(&session, "c1", nested(90)).status, 200);
    reader.rest();
    all_routes_answer(&world.server);
}

// CALL-2: `check` over HTTP and over lines says the same.
#[test]
fn the_engine_refuses_depth_with_a_finding() {
    let server = Server::start(&folder("depth-engine"), &[], &[]);
    for depth in [65, 100, 120] {
        let line = json!({"tools": [], "call": {"name": "x", "arguments": {"data": nested(depth)}}});
        let line = json!({"call": line["call"]}).to_string();
        let judged = server.post("/v1/check", &line).json();
        let codes: Vec<_> = judged["findings"].as_array().unwrap().iter().map(|found| found["code"].clone()).collect();
        assert!(codes.contains(&json!("call.too-deep")), "{depth}: {judged}");
        assert_eq!(judged["status"], "validation_failed", "{depth}");
    }
    let fine = json!({"call": {"name": "x", "arguments": {"data": nested(60)}}}).to_string();
    assert!(!server.post("/v1/check", &fine).body.contains("too-deep"));
}

/// Puts rows into a data directory as an older version, or a damaged disk, would leave them.
fn put(data: &Path, rows: &[(&str, &str, &str)]) {
    let file = rusqlite::Connection::open(data.join("countersign.db")).unwrap();
    let now = jiff::Timestamp::now().as_millisecond();
    for (kind, id, body) in rows {
        let sql = "INSERT INTO records (kind, id, parent, state, created_at, version, body) VALUES (?1, ?2, '', 'approved', ?4, 1, ?3)";
        file.execute(sql, (kind, id, body, now)).unwrap();
    }
}

// SERVE-4, SERVE-5: one bad row is one bad row: it is listed with its id, and the rest goes on.
#[test]
fn one_bad_row_is_one_bad_row() {
    let data = folder("depth-rows");
    let first = Server::start(&data, &[], &[]);
    let good = first.post("/v1/sessions", "{}").json()["session_id"].as_str().unwrap().to_owned();
    assert!(first.end().success());
    let deep = format!(r#"{{"verdict_id":"ver_deep","tool":"t","call":{}}}"#, json!({"arguments": 1}))
        .replace('1', &format!("{}1{}", "{\"a\":".repeat(140), "}".repeat(140)));
    put(
        &data,
        &[
            ("verdict", "ver_deep", &deep),
            ("verdict", "ver_torn", r#"{"verdict_id":"ver_torn","tool":"#),
            (
                "verdict",
                "ver_good",
                r#"{"verdict_id":"ver_good","tool":"t","call":{},"verdict":{"status":"approved","findings":[]}}"#,
            ),
            ("examination", "res_torn", "{"),
            ("review", "rev_torn", "{\"review_id\":"),
            ("session", "ses_torn", "{\"session_id\""),
            ("audit", "aud_torn", "]"),
        ],
    );
    let server = Server::start(&data, &[], &[]);
    all_routes_answer(&server);
    let listed = server.get("/v1/verdicts?of=all").json();
    let of = |id: &str| listed["verdicts"].as_array().unwrap().iter().find(|row| row["verdict_id"] == id).cloned();
    assert!(of("ver_torn").unwrap()["unreadable"].is_string(), "{listed}");
    assert!(of("res_torn").unwrap()["unreadable"].is_string(), "{listed}");
    assert!(of("ver_good").unwrap()["unreadable"].is_null(), "{listed}");
    assert_eq!(of("ver_deep").unwrap()["tool"], "t", "deep rows of older versions can be read");
    let reviews = server.get("/v1/reviews").json();
    assert!(reviews["unreadable"].as_array().unwrap().contains(&json!("rev_torn")), "{reviews}");
    let sessions = server.get("/v1/sessions").json();
    assert!(sessions["unreadable"].as_array().unwrap().contains(&json!("ses_torn")), "{sessions}");
    assert!(sessions.to_string().contains(&good));
    within(5, "the row's name in the log", || server.log().contains("ver_torn"));
}
