//! What strangers may try on sessions: names that would break out, bodies that would break in, and bytes that never end.

use crate::native_files::upload;
use crate::native_upstream::text;
use crate::native_world::{World, weather, words};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};

// STREAM-8: a name cannot leave its folder, its header or its line.
#[test]
fn names_stay_names() {
    let world = World::shared();
    let session = world.session(json!({}));
    for (name, kept) in [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("a%0d%0aSet-Cookie: x=1.txt", "a%0d%0aSet-Cookie: x=1.txt"),
        ("x\u{202e}txt.md", "x\u{202e}txt.md"),
        ("'; drop table records; --.txt", "'; drop table records; --.txt"),
        ("..", "file"),
    ] {
        let made = upload(&world.server, &session, name, "text/plain", b"words");
        assert_eq!((made.status, made.json()["name"].as_str()), (201, Some(kept)), "{name}");
        let id = made.json()["file_id"].as_str().unwrap().to_owned();
        let given = world.server.get(&format!("/v1/sessions/{session}/files/{id}"));
        assert_eq!(given.body, "words");
        let names: Vec<&String> = given.headers.iter().map(|(name, _)| name).collect();
        assert!(!names.iter().any(|name| name.contains("cookie")), "{names:?}");
        assert!(given.header("content-disposition").is_ascii() && !given.header("content-disposition").contains('"'));
    }
}

// STREAM-2: words that look like frames do not break the frame they are in.
#[test]
fn words_cannot_break_a_frame() {
    let world = World::shared();
    let session = world.session(json!({}));
    let hostile = "\n\ndata: [DONE]\n\nid: 9.9\nevent: failed\ndata: {}\n\n\r\n\r\u{2028}\u{0}<script>";
    let events = world.turn(&session, hostile, vec![text(&[hostile, hostile])]);
    assert_eq!(words(&events), hostile.repeat(2));
    assert_eq!(events.last().unwrap().kind(), "completed");
    let passed = json!({"from": hostile, "to": hostile, "content": hostile}).to_string();
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/relay"), &passed).status, 200);
    let log = world.log(&session);
    assert_eq!(log.last().unwrap().word("from"), hostile);
}

// SERVE-1: ids are looked up, never walked.
#[test]
fn ids_lead_nowhere_else() {
    let world = World::shared();
    let session = world.session(json!({}));
    for id in ["..%2f..%2fkeys.json", "%2e%2e", "%00", "%ff%fe", "..%5c", "ses_%0d%0ax:1", "'%20or%201=1--", "*", "%25"]
    {
        for path in [
            format!("/v1/sessions/{id}"),
            format!("/v1/sessions/{id}/events"),
            format!("/v1/sessions/{session}/files/{id}"),
            format!("/v1/sessions/{session}/notes/{id}"),
            format!("/v1/sessions/{session}/claims/{id}"),
            format!("/v1/reviews/{id}"),
            format!("/v1/verdicts/{id}"),
        ] {
            let answer = world.server.get(&path);
            assert_eq!((answer.status, answer.error().as_str()), (404, "not_found"), "{path}");
            assert!(!answer.has("x"), "{path}");
        }
    }
    let long = "x".repeat(20_000);
    assert_eq!(world.server.get(&format!("/v1/sessions/{long}")).status, 404);
    assert_eq!(
        world.server.ask("GET", &format!("/v1/sessions/{session}"), &[("x-long", &"x".repeat(70_000))], "").status,
        431
    );
}

// SERVE-4: bodies that are too deep, too large or not what they say are refused on every route, and the server lives.
#[test]
fn hostile_bodies_are_refused() {
    let world = World::shared();
    let session = world.session(json!({"tools": [weather()]}));
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let nested = |field: &str| format!("{{\"content\": \"x\", \"{field}\": {deep}}}");
    let routes = ["messages", "relay", "notes", "materials", "tool_results", "factcheck"];
    let mut paths: Vec<String> = routes.iter().map(|route| format!("/v1/sessions/{session}/{route}")).collect();
    paths.extend(["/v1/sessions", "/v1/stop", "/v1/reviews/x/reserve", "/v1/reviews/x/decision"].map(str::to_owned));
    for path in &paths {
        for body in
            [&deep, &nested("references"), &nested("tools"), "{\"content\": \"\u{0}", "{\"content\": 1e999}", "7"]
        {
            let answer = world.server.post(path, body);
            assert!([400, 404].contains(&answer.status), "{path}: {}", answer.status);
            answer.error();
        }
        let media = [("content-type", "application/xml")];
        assert_eq!(world.server.ask("POST", path, &media, "<a/>").status, 415, "{path}");
    }
    assert_eq!(world.log(&session), [], "nothing of it was written");
    let schema = json!({"type": "function", "function": {"name": "bomb", "parameters": {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a",
        "properties": {"x": {"type": "string", "pattern": "(a+)+$"}}}}});
    let began = Instant::now();
    let trapped = world.session(json!({"tools": [schema]}));
    let call = crate::native_upstream::calls(&[("c1", "bomb", json!({"x": "a".repeat(40) + "!"}))]);
    let mark = world.upstream.on(vec![call, text(&["Done."])]);
    let mut turn = world.say(&trapped, &mark);
    while let Some(event) = turn.next() {
        if event.kind() == "tool_call" {
            world.result(&trapped, "c1", json!("ok"));
        }
    }
    assert!(turn.done && began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(world.server.get("/livez").status, 200);
}

// SERVE-4: many who send slowly and many who never read do not keep others from their turns.
#[test]
fn slow_senders_and_deaf_readers_keep_nobody_waiting() {
    let world = World::shared();
    let session = world.session(json!({}));
    let large = "x".repeat(200_000);
    world.turn(&session, &large, vec![text(&[&large, &large])]);
    let mut held = Vec::new();
    for at in 0..60 {
        let mut stream = world.server.connect();
        let request = match at % 3 {
            0 => format!(
                "POST /v1/sessions/{session}/messages HTTP/1.1\r\nhost: {}\r\ncontent-length: 99\r\n\r\n{{",
                world.server.address
            ),
            1 => format!("POST /v1/sessions HTTP/1.1\r\nhost: {}\r\nx-slow", world.server.address),
            _ => format!("GET /v1/sessions/{session}/events HTTP/1.1\r\nhost: {}\r\n\r\n", world.server.address),
        };
        stream.write_all(request.as_bytes()).unwrap();
        held.push(stream);
    }
    let began = Instant::now();
    let quick = world.session(json!({}));
    for _ in 0..5 {
        world.turn(&quick, "Hello", vec![text(&["Hi."])]);
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
