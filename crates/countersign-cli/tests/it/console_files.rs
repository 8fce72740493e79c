//! The console as a browser gets it: the page and its files out of the binary, and the headers that fence them in.

use crate::serve_world::{Answer, Server, folder, within};
use std::io::{Read, Write};
use std::path::PathBuf;

/// What was built: the path of each file on the server, and its bytes.
fn built() -> Vec<(String, Vec<u8>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../console/dist");
    let mut open = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            let at = if name == "index.html" { "/".to_owned() } else { format!("/console/{name}") };
            found.push((at, std::fs::read(&path).unwrap()));
        }
    }
    found
}

/// Asks for bytes that need be no text.
fn bytes(server: &Server, path: &str, headers: &str) -> (String, Vec<u8>) {
    let mut stream = server.connect();
    let host = &server.address;
    let head = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).unwrap();
    let end = heard.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let body = heard.split_off(end + 4);
    (String::from_utf8(heard).unwrap().to_ascii_lowercase(), body)
}

fn fenced(answer: &Answer) {
    let policy = answer.header("content-security-policy");
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ] {
        assert!(policy.split("; ").any(|known| known == part), "{part} in {policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
        ("cache-control", "no-cache"),
        ("vary", "accept-encoding"),
    ] {
        assert_eq!(answer.header(name), value);
    }
}

// SERVE-7: one command, and a person has a page; it says where.
#[test]
fn the_server_says_where_the_console_is() {
    let server = Server::start(&folder("console-where"), &[], &[]);
    let line = format!("  console  http://{}/\n", server.address);
    within(5, "the line", || server.log().contains(&line));
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.body.contains("Countersign") && page.body.contains("/console/console.js"), "{}", page.body);
    // Nothing in the page itself needs more than the headers allow.
    for forbidden in ["<style", "style=", "onclick", "onload", "javascript:"] {
        assert!(!page.body.contains(forbidden), "{forbidden} in {}", page.body);
    }
    let advertised = Server::start(&folder("console-known"), &["--set", "advertise=https://guard.example.com"], &[]);
    within(5, "the line", || advertised.log().contains("  console  https://guard.example.com/\n"));
}

// SERVE-7, SERVE-1: every built file, open, fenced in, told apart and sent once.
#[test]
fn every_file_is_served_as_it_was_built() {
    let variables = [("COUNTERSIGN_API_KEYS", "a-key")];
    let server = Server::start(&folder("console-files"), &[], &variables);
    for (path, content) in built() {
        let (_, whole) = bytes(&server, &path, "");
        assert!(whole == content, "{path} is not what was built");
        let answer = server.ask("HEAD", &path, &[], "");
        assert_eq!((answer.status, answer.body.as_str()), (200, ""), "{path}");
        assert_eq!(answer.header("content-length"), content.len().to_string(), "{path}");
        fenced(&answer);
        let kind = match path.rsplit_once('.').map_or("html", |(_, ending)| ending) {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            "html" => "text/html; charset=utf-8",
            _ => answer.header("content-type"),
        };
        assert_eq!(answer.header("content-type"), kind, "{path}");
        let tag = answer.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 20, "{tag}");
        let same = server.ask("GET", &path, &[("if-none-match", &tag)], "");
        assert_eq!((same.status, same.body.as_str(), same.header("etag")), (304, "", tag.as_str()), "{path}");
        fenced(&same);
        assert_eq!(server.ask("HEAD", &path, &[("if-none-match", "\"old\"")], "").status, 200, "{path}");
    }
}

#[test]
fn a_browser_that_takes_gzip_gets_it() {
    let server = Server::start(&folder("console-gzip"), &[], &[]);
    let plain = server.get("/");
    let (head, small) = bytes(&server, "/", "accept-encoding: br, gzip\r\n");
    assert!(head.contains("content-encoding: gzip") && small.starts_with(&[0x1f, 0x8b]), "{head}");
    assert!(small.len() < plain.body.len());
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    assert_ne!(tag, plain.header("etag"), "other bytes have another strong tag");
    let headers = [("accept-encoding", "gzip"), ("if-none-match", tag.as_str())];
    assert_eq!(server.ask("GET", "/", &headers, "").status, 304);
    assert!(!server.ask("GET", "/", &[("accept-encoding", "gzip;q=0")], "").has("content-encoding"));
    assert!(!plain.has("content-encoding"));
}

#[test]
fn there_is_no_other_file() {
    let server = Server::start(&folder("console-none"), &[], &[]);
    for path in [
        "/console/nothing.js",
        "/console/index.html",
        "/console/../Cargo.toml",
        "/console/%2e%2e/%2e%2e/Cargo.toml",
        "/console//etc/passwd",
        "/console/..%2f..%2fCargo.toml",
        "/console/session/x",
        "/console/%ff",
        "/console/%00",
        "/console/",
        "/console",
    ] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.error().as_str()), (404, "not_found"), "{path}");
    }
    assert_eq!(server.post("/console/console.js", "{}").status, 405);
    assert_eq!(server.post("/", "{}").status, 405);
}
