//! Paths and bodies of the drop-in routes: however a path is written, what a model calls is checked or nothing goes
//! upstream; a key opens no route that it was not made for; and a request's length and its body agree.

use crate::gateway_dialects::{Said, WIRES, Wire, call};
use crate::gateway_upstream::Upstream;
use crate::gateway_world::{Ask, World, good};
use crate::serve_world::{Server, bare, folder};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A call whose name is misspelled: whoever checks it corrects it.
fn misspelled() -> Said {
    Said::calls("", &[call("c1", "get_weathr", good())])
}

/// Asks on a path as it is written, and checks that the answer was guarded or that nobody was asked.
fn is_guarded_or_refused(world: &World, wire: Wire, path: &str) -> u16 {
    let ask = Ask::new(wire, false);
    let mark = world.upstream.on([misspelled()]);
    let mut live = world.open_bytes(wire, path, &[], &mark, ask.body.to_string().as_bytes());
    live.rest();
    let ((status, _), text) = (live.head(), live.text());
    assert!(!text.contains("get_weathr"), "{path} was carried unguarded: {text}");
    if status == 200 {
        assert!(text.contains("get_weather"), "{path}: {text}");
        let target = world.upstream.asked(&mark)[0].target.clone();
        assert!(target.split('?').next().unwrap().ends_with(wire.path()), "{path} went to {target}");
    } else {
        assert!((400..500).contains(&status), "{path}: {status}");
        assert!(world.upstream.asked(&mark).is_empty(), "{path} was refused, and carried");
    }
    status
}

// SERVE-6, CALL-11: the ways of writing a path that were carried past the guard.
#[test]
fn a_path_is_guarded_however_it_is_written() {
    let world = World::shared();
    for (wire, paths) in [
        (
            Wire::Chat,
            &[
                "/v1/%63hat/completions",
                "/v1/chat%2Fcompletions",
                "/v1/chat%2fcompletions",
                "/v1/%43hat/completions",
                "/v1/Chat/Completions",
                "//v1/chat/completions",
                "/v1//chat/completions",
                "/v1/chat//completions",
                "/v1/chat/completions/",
                "/v1/chat/completions//",
                "/v1/chat/completions%2f",
                "/v1/chat/completions;x=1",
                "/v1/chat;x/completions",
                "/v1/%2563hat/completions",
                "/v1/chat%252Fcompletions",
                "/v1/chat%255C%252Fcompletions",
                "/v1/chat%5Ccompletions",
                "/v1/chat\\completions",
                "/v1/chat/completions%20",
                "/v1/chat/completions%00",
                "/v1/chat/completions%3fx=1",
                "/v1/chat/completions%23x",
                "/%76%31/chat/completions",
            ][..],
        ),
        (Wire::Responses, &["/v1/%72esponses", "/v1/responses/", "/v1//responses", "/v1/responses%2F"]),
        (Wire::Messages, &["/v1/%6Dessages", "/v1/messages/", "/v1//messages", "/v1%2Fmessages", "/v1/messages%2f"]),
    ] {
        for path in paths {
            assert!([200, 400, 404].contains(&is_guarded_or_refused(&world, wire, path)), "{path}");
        }
    }
    // A slash too many is no reason to turn a client away.
    for (wire, path) in
        [(Wire::Chat, "/v1//chat/completions"), (Wire::Responses, "/v1/responses/"), (Wire::Messages, "/v1/%6dessages")]
    {
        assert_eq!(is_guarded_or_refused(&world, wire, path), 200, "{path}");
    }
    for path in [
        "/v1/x/..%2fchat/completions",
        "/v1/x/../chat/completions",
        "/v1/./chat/completions",
        "/v1/x/%2e%2e/chat/completions",
        "/v1/x/%252e%252e/chat/completions",
        "/v1/x\\..\\chat/completions",
        "/v1/x/..;/chat/completions",
        "/v1/models/..%2fchat%2fcompletions",
    ] {
        assert_eq!(is_guarded_or_refused(&world, Wire::Chat, path), 400, "{path}");
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// A character as somebody may write it in a path.
    fn written(&mut self, letter: char) -> String {
        let hex = |letter: char, upper: bool| {
            if upper { format!("%{:02X}", letter as u32) } else { format!("%{:02x}", letter as u32) }
        };
        let upper = self.roll(2) == 0;
        match (letter, self.roll(24)) {
            ('/', 0) => "//".to_owned(),
            ('/', 1) => "\\".to_owned(),
            ('/', 2) => "/./".to_owned(),
            ('/', 3) => "/x/../".to_owned(),
            ('/', 4) => "/x/..%2f".to_owned(),
            ('/', 5) => ";a=b/".to_owned(),
            ('/', 6) => "%5c".to_owned(),
            (_, 7 | 8) => hex(letter, upper),
            (_, 9) => hex(letter, upper).replace('%', "%25"),
            (_, 10) => hex(letter, upper).replace('%', "%2525"),
            (letter, 11) => letter.to_ascii_uppercase().to_string(),
            _ => letter.to_string(),
        }
    }
}

// SERVE-6: over random ways of writing a path: guarded, or refused and not carried.
#[test]
fn law_no_way_of_writing_a_path_gets_past_the_guard() {
    let world = World::own("paths-law", &[], &[]);
    let mut dice = Dice(17);
    let mut guarded = 0;
    for at in 0..400 {
        let wire = WIRES[at % 3];
        let mut path: String = wire.path().chars().map(|letter| dice.written(letter)).collect();
        if !path.starts_with('/') {
            path.insert(0, '/');
        }
        path.push_str(["", "/", "//", "%2f", "?x=1"][dice.roll(5) as usize]);
        let status = is_guarded_or_refused(&world, wire, &path);
        guarded += u32::from(status == 200);
    }
    assert!(guarded > 40, "most ways are known for what they are: {guarded}");
}

// SERVE-6: what needs no guard is carried as it is written, encoded slashes in names too.
#[test]
fn other_paths_are_carried_as_they_are_written() {
    let world = World::shared();
    for (path, target) in [
        ("/v1/models/org%2Fname", "/oai/v1/models/org%2Fname"),
        ("/v1/models/ft:gpt-4o:acme::7p4l", "/oai/v1/models/ft:gpt-4o:acme::7p4l"),
        ("/v1/files/file-1/content?a=%2e%2e", "/oai/v1/files/file-1/content?a=%2e%2e"),
        ("/v1/vector_stores/vs%20one", "/oai/v1/vector_stores/vs%20one"),
        ("/v1/responses/resp_1/input_items", "/oai/v1/responses/resp_1/input_items"),
    ] {
        let mark = world.upstream.on([crate::gateway_upstream::Raw::body(200, "{}")]);
        assert_eq!(world.server.ask("GET", path, &[("x-mark", &mark)], "").status, 200, "{path}");
        assert_eq!(world.upstream.asked(&mark)[0].target, target);
    }
}

// SERVE-6, CALL-11: a route whose answers nobody reads here gets no tools, and no other name of a guarded route passes.
#[test]
fn tools_go_to_guarded_routes_only() {
    let upstream = Arc::new(Upstream::start());
    let world = World::before(&upstream, "paths-tools", &[], &[]);
    let chat = Ask::new(Wire::Chat, false).body;
    let without: Value = json!({"model": "m", "prompt": "The list of tools: \"tools\"", "tools": []});
    let json = ("content-type", "application/json");
    let asked = |world: &World, path: &str, body: &Value| {
        let mark = world.upstream.on([misspelled()]);
        let answer = world.server.ask("POST", path, &[json, ("x-mark", &mark)], &body.to_string());
        let carried = !world.upstream.asked(&mark).is_empty();
        assert_eq!(carried, answer.status == 200, "{path}: {} {}", answer.status, answer.body);
        (answer.status, answer.body)
    };
    let runs = json!({"assistant_id": "a", "tools": chat["tools"]});
    let batch = json!({"requests": [{"custom_id": "1", "params": {"tools": chat["tools"], "messages": []}}]});
    for (path, body) in [
        ("/v1/engines/x/chat/completions", &chat),
        ("/v1/v1/chat/completions", &chat),
        ("/v1/openai/deployments/d/chat/completions", &without),
        ("/v1/x/responses", &without),
        ("/v1/completions", &chat),
        ("/v1/threads/t/runs", &runs),
        ("/v1/messages/batches", &batch),
        ("/v1/x/messages", &chat),
    ] {
        let (status, body) = asked(&world, path, body);
        assert_eq!(status, 403, "{path}: {body}");
        assert!(body.contains("is not guarded") && body.contains("gateway.other_routes"), "{body}");
    }
    // A key of an object may be written with escapes, and means the same.
    let escaped = chat.to_string().replace("\"tools\"", "\"t\\u006fols\"");
    let mark = world.upstream.on([misspelled()]);
    let answer = world.server.ask("POST", "/v1/completions", &[json, ("x-mark", &mark)], &escaped);
    assert_eq!((answer.status, world.upstream.asked(&mark).len()), (403, 0), "{}", answer.body);
    for (path, body) in [
        ("/v1/completions", &without),
        ("/v1/embeddings", &json!({"model": "m", "input": "tools"})),
        ("/v1/messages/count_tokens", &Ask::new(Wire::Messages, false).body),
        ("/v1/responses/input_tokens", &Ask::new(Wire::Responses, false).body),
    ] {
        assert_eq!(asked(&world, path, body).0, 200, "{path}");
    }
    let open = World::before(&upstream, "paths-open", &["--set", "gateway.other_routes=pass"], &[]);
    assert_eq!(asked(&open, "/v1/engines/x/chat/completions", &chat).0, 200);
    let off = World::before(&upstream, "paths-off", &["--set", "gateway.mode=off"], &[]);
    assert_eq!(asked(&off, "/v1/threads/t/runs", &runs).0, 200);
}

/// Makes a key.
fn key(data: &std::path::Path, scopes: &[&str]) -> String {
    let place = data.display().to_string();
    let mut args = vec!["keys", "create", "--data-dir", &place];
    args.extend(scopes);
    String::from_utf8(bare(&args, &[]).output().unwrap().stdout).unwrap().trim().to_owned()
}

// SERVE-1: the operator's key is used for what a key was made for, and for nothing else.
#[test]
fn a_narrow_key_reaches_no_other_route_of_the_upstream() {
    let (data, upstream) = (folder("gateway-paths-narrow"), Arc::new(Upstream::start()));
    let (openai, anthropic) = (upstream.openai(), upstream.anthropic());
    let [review, sessions, engine, carrying, usual] =
        [&["--scope", "review"][..], &["--scope", "sessions"], &["--scope", "engine"], &["--scope", "upstream"], &[]]
            .map(|scopes| key(&data, scopes));
    let args = ["--upstream-openai", &openai, "--upstream-anthropic", &anthropic];
    let server = Server::start(&data, &args, &[("OPENAI_API_KEY", "up-openai"), ("ANTHROPIC_API_KEY", "up-ant")]);
    let asked = |key: &str, method: &str, path: &str, more: &[(&str, &str)]| {
        let mark = upstream.on([crate::gateway_upstream::Raw::body(200, "{}")]);
        let mut headers = vec![("countersign-key", key), ("x-mark", &mark)];
        headers.extend(more);
        let status = server.ask(method, path, &headers, "").status;
        assert_eq!(!upstream.asked(&mark).is_empty(), status == 200, "{method} {path}: {status}");
        status
    };
    for path in [
        "/v1/files",
        "/v1/reviews/..%2ffiles",
        "/v1/reviews/x/y/z",
        "/v1/verdicts/%2e%2e%2ffiles",
        "/v1/stats/x",
        "/v1/sessions/..%2ffiles",
        "/v1/sessions/x/unknown",
        "/v1/sessions%2f..%2ffiles",
        "//v1/files",
        "/v1/%66iles",
        "/v1/stop/x",
        "/v1/fine_tuning/jobs",
        "/v1/organization/admin_api_keys",
    ] {
        for narrow in [&review, &sessions, &engine] {
            let status = asked(narrow, "GET", path, &[]);
            assert!([400, 403, 404].contains(&status), "{path}: {status}");
        }
    }
    assert_eq!(asked(&engine, "DELETE", "/v1/files/file-1", &[]), 403);
    for allowed in [&carrying, &usual] {
        assert_eq!(asked(allowed, "GET", "/v1/files", &[]), 200);
        assert_eq!(asked(allowed, "GET", "/v1/%66iles", &[]), 200);
    }
    // What a client of a model needs beside the guarded routes is the engine's.
    for (method, path) in [("GET", "/v1/models"), ("GET", "/v1/models/m"), ("POST", "/v1/embeddings")] {
        assert_eq!(asked(&engine, method, path, &[]), 200, "{path}");
        assert_eq!(asked(&review, method, path, &[]), 403, "{path}");
    }
    assert_eq!(asked(&engine, "POST", "/v1/messages/count_tokens", &[]), 200);
    // With a credential of its own a client reaches what that credential opens.
    assert_eq!(asked(&engine, "GET", "/v1/files", &[("authorization", "Bearer its-own")]), 200);
    assert_eq!(asked(&review, "GET", "/v1/files", &[("authorization", "Bearer its-own")]), 403);
    // Our own part of `/v1` goes to no upstream, whoever asks.
    assert_eq!(asked(&usual, "GET", "/v1/sessions/x/unknown", &[]), 404);
}

/// A server as most are: it answers a GET at once, and then takes so many bytes for its body as were announced.
fn ordinary_server() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let kept = Arc::clone(&kept);
            std::thread::spawn(move || answer_at_once(stream, &kept));
        }
    });
    (port, seen)
}

fn answer_at_once(mut stream: TcpStream, seen: &Mutex<Vec<String>>) {
    let (mut wire, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let Some(end) = wire.windows(4).position(|window| window == b"\r\n\r\n") else {
            match stream.read(&mut piece) {
                Ok(read) if read > 0 => wire.extend_from_slice(&piece[..read]),
                _ => return,
            }
            continue;
        };
        let head = String::from_utf8_lossy(&wire[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        wire.drain(..end + 4);
        let first = head.lines().next().unwrap_or_default().to_owned();
        let body = if first.starts_with("head") { "" } else { "{}" };
        seen.lock().unwrap().push(first);
        let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{body}").as_bytes());
        let mut left = length.unwrap_or(0);
        while left > 0 {
            if wire.is_empty() {
                match stream.read(&mut piece) {
                    Ok(read) if read > 0 => wire.extend_from_slice(&piece[..read]),
                    _ => return,
                }
            }
            let taken = left.min(wire.len());
            wire.drain(..taken);
            left -= taken;
        }
    }
}

// SERVE-6: a GET or HEAD with a body: what is announced upstream is what is sent, so that no other request is eaten.
#[test]
fn a_get_with_a_body_eats_nobodys_request() {
    let (port, seen) = ordinary_server();
    let base = format!("http://127.0.0.1:{port}/v1");
    let server = Server::start(&folder("gateway-paths-body"), &["--upstream-openai", &base], &[]);
    let body = "x".repeat(200);
    for method in ["GET", "HEAD", "GET", "HEAD"] {
        for path in ["/v1/models", "/v1/files"] {
            let head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", server.address);
            for framed in [
                format!("{head}content-length: {}\r\n\r\n{body}", body.len()),
                format!("{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
            ] {
                assert_eq!(server.say(framed.as_bytes()).status, 200, "{method} {path}");
                std::thread::sleep(Duration::from_millis(30));
                let mut stream = server.connect();
                stream.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
                let next = format!("GET /v1/next HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.address);
                stream.write_all(next.as_bytes()).unwrap();
                let mut heard = String::new();
                let read = stream.read_to_string(&mut heard);
                assert!(read.is_ok() && heard.starts_with("HTTP/1.1 200"), "the next request was eaten: {heard}");
            }
        }
    }
    let lines = seen.lock().unwrap().clone();
    let next = lines.iter().filter(|line| line.starts_with("get /v1/next http/1.1")).count();
    assert_eq!((next, lines.len()), (16, 32), "{lines:?}");
}
