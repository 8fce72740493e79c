//! The shell of the server: its start and end, its errors, and what strangers may try.

use crate::serve_world::{Server, bare, folder, within};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

// SERVE-7: one command, no network; it says where it is and ends in order.
#[test]
fn it_starts_answers_and_ends_in_order() {
    let server = Server::start(&folder("shell-start"), &[], &[]);
    for path in ["/livez", "/readyz", "/health", "/metrics", "/openapi.json", "/"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    assert!(server.get("/").body.contains("Countersign"));
    assert_eq!(server.end().code(), Some(0));
}

#[test]
fn it_refuses_to_be_open_to_a_network_without_keys() {
    let data = folder("shell-public").display().to_string();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let out = bare(&["serve", "--listen", address, "--data-dir", &data], &[]).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(2) && said.contains("without API keys"), "{said}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let out = bare(&["serve", "--listen", &address, "--data-dir", &data], &[]).output().unwrap();
    assert!(out.status.code() == Some(2) && String::from_utf8(out.stderr).unwrap().contains("--listen"));
}

// SERVE-4: one body for every error, a name and a time on every answer.
#[test]
fn every_error_has_one_form() {
    let server = Server::start(&folder("shell-errors"), &["--set", "limits.body_size=2000"], &[]);
    let form = [("content-type", "multipart/form-data; boundary=x")];
    for (answer, status, code) in [
        (server.get("/nowhere"), 404, "not_found"),
        (server.get("/v1/nothing/here"), 404, "not_found"),
        (server.get("/v1/check"), 405, "method_not_allowed"),
        (server.post("/livez", "{}"), 405, "method_not_allowed"),
        (server.post("/v1/check", "{"), 400, "invalid_request"),
        (server.post("/v1/check", ""), 400, "invalid_request"),
        (server.post("/v1/check", "[{},"), 400, "invalid_request"),
        (server.post("/v1/check", "7"), 400, "invalid_request"),
        (server.post("/v1/claims", &"x".repeat(3000)), 413, "too_large"),
        (server.ask("POST", "/v1/check", &form, "--x--"), 415, "unsupported_media_type"),
    ] {
        assert_eq!((answer.status, answer.error().as_str()), (status, code), "{}", answer.body);
        assert!(answer.header("x-request-id").starts_with("req_"));
        let seconds: f64 = answer.header("x-process-time").parse().unwrap();
        assert!((0.0..10.0).contains(&seconds) && !answer.header("x-process-time").contains('e'));
        assert_eq!(answer.header("content-type"), "application/json");
    }
    assert_eq!(server.get("/v1/check").header("allow"), "POST");
    assert_eq!(server.post("/livez", "").header("allow"), "GET,HEAD");
    let (one, two) = (server.get("/livez"), server.get("/livez"));
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[test]
fn a_body_that_is_too_large_is_answered_and_not_just_cut() {
    let server = Server::start(&folder("shell-large"), &["--set", "limits.body_size=1MiB"], &[]);
    // The client sends everything before it reads.
    let answer = server.post("/v1/claims", &format!("{{\"text\": \"{}\"}}", "x".repeat(8 << 20)));
    assert_eq!(answer.error(), "too_large");
    let mut stream = server.connect();
    let host = &server.address;
    let head =
        format!("POST /v1/claims HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..40 {
        stream.write_all(format!("10000\r\n{}\r\n", "x".repeat(0x10000)).as_bytes()).unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let mut heard = String::new();
    stream.read_to_string(&mut heard).unwrap();
    assert!(heard.starts_with("HTTP/1.1 413"), "{heard}");
    // Inside the limit, a large body works.
    let text = "Sales rose 12% in 2025. ".repeat(30_000);
    assert_eq!(server.post("/v1/claims", &serde_json::json!({ "text": text }).to_string()).status, 200);
}

#[test]
fn deep_and_hostile_json_is_refused_and_the_server_lives() {
    let server = Server::start(&folder("shell-bombs"), &[], &[]);
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let objects = "{\"a\":".repeat(50_000) + "1" + &"}".repeat(50_000);
    for path in ["/v1/check", "/v1/verify", "/v1/score", "/v1/claims", "/v1/parse", "/v1/step"] {
        for body in [
            deep(200_000),
            format!("{{\"tools\": {}, \"call\": {{\"name\": \"x\", \"arguments\": {{}}}}}}", deep(100_000)),
            format!("{{\"text\": \"a\", \"response\": {objects}, \"call\": {objects}}}"),
            format!("{{\"input\": \"{}\"}}", "[".repeat(100_000)),
        ] {
            let answer = server.post(path, &body);
            assert!([200, 400].contains(&answer.status), "{path}: {}", answer.status);
        }
        assert_eq!(server.post(path, &format!("[{}]", deep(5000))).status, 400, "nothing in it can be read");
    }
    assert_eq!(server.post("/v1/check", "{\"call\": \"\u{0}\"}").status, 400);
    assert_eq!(server.get("/livez").status, 200);
}

#[test]
fn pages_from_elsewhere_and_borrowed_names_are_refused() {
    let args = ["--set", "access.allowed_origins=https://console.example.com"];
    let server = Server::start(&folder("shell-origin"), &args, &[]);
    let claims = |headers: &[(&str, &str)]| server.ask("POST", "/v1/claims", headers, "{\"text\": \"a\"}");
    assert_eq!(claims(&[("origin", "https://evil.example")]).error(), "origin_not_allowed");
    assert_eq!(claims(&[("origin", "null")]).status, 403);
    let browser = ("user-agent", "Mozilla/5.0 (X11; Linux x86_64)");
    assert_eq!(claims(&[("host", "evil.example"), browser]).error(), "host_not_allowed");
    assert_eq!(claims(&[("host", "evil.example")]).status, 200, "only a page can be sent to us under another name");
    let local = claims(&[("origin", "http://localhost:3000")]);
    assert!(local.status == 200 && !local.has("access-control-allow-origin"));
    let page = claims(&[("origin", "https://console.example.com")]);
    assert_eq!((page.status, page.header("access-control-allow-origin")), (200, "https://console.example.com"));
    let headers = [("origin", "https://console.example.com"), ("access-control-request-method", "POST")];
    let question = server.ask("OPTIONS", "/v1/claims", &headers, "");
    assert!(question.status == 204 && question.header("access-control-allow-headers").contains("x-api-key"));
    let headers = [("origin", "https://evil.example"), ("access-control-request-method", "POST")];
    assert_eq!(server.ask("OPTIONS", "/v1/claims", &headers, "").status, 403);
}

#[test]
fn heads_that_are_too_large_or_too_slow_are_cut() {
    let server = Server::start(&folder("shell-loris"), &[], &[]);
    let long = "x".repeat(100_000);
    assert_eq!(server.ask("GET", "/livez", &[("x-long", &long)], "").status, 431);
    let mut silent = server.connect();
    silent.write_all(b"GET /livez HTT").unwrap();
    let mut slow = server.connect();
    let began = Instant::now();
    slow.write_all(b"GET /livez HTTP/1.1\r\nhost: localhost\r\n").unwrap();
    let mut heard = Vec::new();
    // A header every second keeps nothing alive: the whole head has one deadline.
    slow.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    loop {
        let mut piece = [0; 64];
        match slow.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => heard.extend_from_slice(&piece[..read]),
            Err(_) if slow.write_all(b"x-more: 1\r\n").is_err() => break,
            Err(_) => {}
        }
        assert!(began.elapsed() < Duration::from_secs(15), "a slow head was waited for");
    }
    assert!(began.elapsed() > Duration::from_secs(5));
    // One that says nothing more at all is cut as well.
    silent.set_read_timeout(Some(Duration::from_secs(6))).unwrap();
    let mut rest = Vec::new();
    assert!(silent.read_to_end(&mut rest).is_ok(), "a silent head was waited for");
}

#[test]
fn connections_above_the_limit_are_told_at_once() {
    let server = Server::start(&folder("shell-connections"), &["--set", "limits.connections=2"], &[]);
    let held = [server.connect(), server.connect()];
    within(5, "the limit", || server.get("/livez").status == 503);
    let told = server.get("/livez");
    assert_eq!((told.error().as_str(), told.header("retry-after")), ("too_many_connections", "1"));
    drop(held);
    within(5, "room again", || server.get("/livez").status == 200);
}

#[test]
fn requests_on_one_connection_are_answered_one_after_the_other() {
    let server = Server::start(&folder("shell-keepalive"), &[], &[]);
    let mut stream = server.connect();
    let body = "{\"text\": \"Sales rose 12%.\"}";
    let host = &server.address;
    let one = format!("POST /v1/claims HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(one.repeat(5).as_bytes()).unwrap();
    stream.write_all(format!("GET /livez HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut heard = String::new();
    stream.read_to_string(&mut heard).unwrap();
    assert_eq!(heard.matches("HTTP/1.1 200").count(), 6, "{heard}");
}
