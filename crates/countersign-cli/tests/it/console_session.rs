//! Signing in to the console: a key becomes a cookie, the cookie is checked on each request, and no other page can use it.

use crate::gateway_dialects::{Said, Wire};
use crate::gateway_world::{Ask, World};
use crate::serve_world::{Answer, Server, bare, folder, within};
use serde_json::{Value, json};
use std::path::Path;

const KEY: &str = "cs-console-key";

fn locked(name: &str, more: &[(&str, &str)]) -> Server {
    let mut variables = vec![("COUNTERSIGN_API_KEYS", KEY)];
    variables.extend(more);
    Server::start(&folder(name), &[], &variables)
}

fn sign_in(server: &Server, key: &str, headers: &[(&str, &str)]) -> Answer {
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    server.ask("POST", "/console/session", &all, &json!({ "key": key }).to_string())
}

/// What the browser sends back after a sign-in, and what the page knows.
fn signed_in(server: &Server, key: &str) -> (String, String) {
    let answer = sign_in(server, key, &[]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
    (cookie, answer.json()["csrf"].as_str().unwrap().to_owned())
}

/// A key of the data directory.
fn keys(data: &Path, args: &[&str]) -> String {
    let place = data.display().to_string();
    let mut all = vec!["keys"];
    all.extend(args);
    all.extend(["--data-dir", &place]);
    let out = bare(&all, &[]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn asked(server: &Server, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let body = if method == "POST" { "{\"text\": \"Sales rose 12% in 2025.\"}" } else { "" };
    server.ask(method, path, headers, body)
}

// SERVE-1: without a key the page learns that there is a door, and nothing of what is behind.
#[test]
fn who_is_not_signed_in_sees_a_door() {
    let server = locked("console-door", &[]);
    for headers in [&[][..], &[("cookie", "countersign_console=d3Jvbmc")], &[("cookie", "countersign_console=%")]] {
        let answer = server.ask("GET", "/console/session", headers, "");
        assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"));
        let body = answer.json();
        assert_eq!(
            body,
            json!({
                "locked": true, "signed_in": false, "key_id": null, "reviewer": null, "scopes": [], "csrf": null, "demo": true,
                "single_sign_on": false, "version": body["version"], "models": [], "agents": [], "policy_version": null,
            })
        );
        assert!(!answer.has("set-cookie"));
    }
}

// SERVE-1: the right key opens, and the cookie is out of reach of scripts and of other sites.
#[test]
fn a_key_becomes_a_cookie() {
    let server = locked("console-cookie", &[]);
    let answer = sign_in(&server, KEY, &[]);
    let set = answer.header("set-cookie");
    assert!(
        set.starts_with("countersign_console=") && !set.contains("Y3MtY29uc29sZS1rZXk"),
        "the key is sealed: {set}"
    );
    assert!(set.ends_with("; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200"), "{set}");
    let body = answer.json();
    assert_eq!((&body["signed_in"], &body["scopes"]), (&json!(true), &json!(["engine", "sessions", "upstream"])));
    assert!(body["key_id"].as_str().unwrap().starts_with("key_"));
    assert!(body["agents"].as_array().unwrap().contains(&json!("concierge")), "{body}");
    assert!(body["models"].as_array().unwrap().contains(&json!("demo-types")), "{body}");
    assert!(body["policy_version"].is_string() && !answer.body.contains(KEY), "{body}");
    let (cookie, csrf) = signed_in(&server, KEY);
    let looked = asked(&server, "GET", "/console/session", &[("cookie", &format!("theme=dark; {cookie}"))]);
    assert_eq!(looked.json(), body);
    assert_eq!(csrf, body["csrf"].as_str().unwrap());
    for path in ["/v1/sessions", "/v1/reviews", "/v1/verdicts", "/health", "/metrics", "/openapi.json"] {
        assert_eq!(asked(&server, "GET", path, &[("cookie", &cookie)]).status, 200, "{path}");
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    for headers in [&[("x-forwarded-proto", "https")][..], &[("x-forwarded-proto", "HTTPS, http")]] {
        assert!(sign_in(&server, KEY, headers).header("set-cookie").ends_with("; Secure"));
    }
    let advertised = Server::start(
        &folder("console-advertised"),
        &["--set", "advertise=https://guard.example.com"],
        &[("COUNTERSIGN_API_KEYS", KEY)],
    );
    assert!(sign_in(&advertised, KEY, &[]).header("set-cookie").ends_with("; Secure"));
    let own = sign_in(&advertised, KEY, &[("origin", "https://guard.example.com")]);
    assert_eq!(own.status, 200, "the page may be known under another name than the proxy asks for");
}

// SERVE-1: a wrong key opens nothing and is told in the form of every error.
#[test]
fn a_wrong_key_is_refused() {
    let server = locked("console-wrong", &[]);
    for key in ["wrong", "", " ", "cs-console-ke", "cs-console-key2"] {
        let answer = sign_in(&server, key, &[]);
        assert_eq!((answer.status, answer.has("set-cookie")), (401, false), "{key:?}");
        answer.error();
    }
    let json = [("content-type", "application/json")];
    for body in ["", "{", "{}", "[]", "\"cs-console-key\"", "{\"key\": 7}", "{\"key\": [\"cs-console-key\"]}"] {
        let answer = server.ask("POST", "/console/session", &json, body);
        assert_eq!((answer.status, answer.error().as_str()), (400, "invalid_request"), "{body}");
        assert!(!answer.body.contains(KEY), "{}", answer.body);
    }
    let right = json!({ "key": KEY }).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
        let answer = server.ask("POST", "/console/session", &[("content-type", kind)], &right);
        assert_eq!((answer.status, answer.has("set-cookie")), (415, false), "{kind}");
    }
    let large = json!({ "key": "x".repeat(40_000) }).to_string();
    assert_eq!(server.ask("POST", "/console/session", &json, &large).status, 413);
    assert_eq!(server.ask("PUT", "/console/session", &json, &right).status, 405);
}

// SERVE-1: what changes something needs the page's token; what only looks does not.
#[test]
fn a_cookie_alone_changes_nothing() {
    let server = locked("console-csrf", &[]);
    let (cookie, csrf) = signed_in(&server, KEY);
    let cookie = ("cookie", cookie.as_str());
    let json = ("content-type", "application/json");
    let other = sign_in(&locked("console-csrf-other", &[("COUNTERSIGN_API_KEYS", "other")]), "other", &[]);
    let other = other.json()["csrf"].as_str().unwrap().to_owned();
    for wrong in ["", "0", &csrf.to_uppercase(), &format!("{csrf}0"), &other] {
        for (method, path) in [
            ("POST", "/v1/claims"),
            ("POST", "/v1/sessions"),
            ("POST", "/v1/stop"),
            ("DELETE", "/v1/stop"),
            ("PUT", "/v1/anything"),
            ("DELETE", "/console/session"),
        ] {
            let answer = asked(&server, method, path, &[cookie, json, ("x-countersign-csrf", wrong)]);
            assert_eq!((answer.status, answer.error().as_str()), (403, "csrf"), "{method} {path} {wrong}");
        }
    }
    let answer = asked(&server, "POST", "/v1/claims", &[cookie, json]);
    assert_eq!((answer.status, answer.error().as_str()), (403, "csrf"));
    let right = [cookie, json, ("x-countersign-csrf", csrf.as_str())];
    assert_eq!(asked(&server, "POST", "/v1/claims", &right).status, 200);
    assert_eq!(server.ask("POST", "/v1/sessions", &right, "{}").status, 201);
    // A key in a header is nobody's cookie, whatever the browser sends beside it.
    assert_eq!(asked(&server, "POST", "/v1/claims", &[cookie, json, ("x-api-key", KEY)]).status, 200);
    assert_eq!(asked(&server, "GET", "/v1/sessions", &[cookie, ("x-api-key", "wrong")]).status, 401);
    // Signing in again needs no token of the key before.
    assert_eq!(sign_in(&server, KEY, &[cookie]).status, 200);
    let out = asked(&server, "DELETE", "/console/session", &right);
    assert_eq!(out.status, 204);
    assert_eq!(out.header("set-cookie"), "countersign_console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
}

// SERVE-1: a page of another origin can neither sign in nor use a cookie that the browser sends along.
#[test]
fn other_pages_are_refused() {
    let server = locked("console-origin", &[("COUNTERSIGN_ALLOWED_ORIGINS", "https://allowed.example")]);
    let (cookie, csrf) = signed_in(&server, KEY);
    let own = format!("http://{}", server.address);
    let port: u16 = server.address.rsplit_once(':').unwrap().1.parse().unwrap();
    for origin in [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        &format!("http://localhost:{port}"),
        &format!("{own}.evil.example"),
        "https://allowed.example",
    ] {
        let answer = sign_in(&server, KEY, &[("origin", origin)]);
        assert_eq!((answer.status, answer.has("set-cookie")), (403, false), "{origin}");
        for (method, path) in [("GET", "/v1/sessions"), ("POST", "/v1/claims"), ("GET", "/console/session")] {
            let headers = [("cookie", cookie.as_str()), ("origin", origin), ("x-countersign-csrf", csrf.as_str())];
            let answer = asked(&server, method, path, &headers);
            assert_eq!(
                (answer.status, answer.error().as_str()),
                (403, "origin_not_allowed"),
                "{method} {path} {origin}"
            );
        }
        assert_eq!(asked(&server, "DELETE", "/console/session", &[("origin", origin)]).status, 403);
        // A program with a key is not a page that borrows one.
        let program = [("x-api-key", KEY), ("origin", origin)];
        assert_eq!(asked(&server, "GET", "/v1/sessions", &program).status, 200, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(sign_in(&server, KEY, &[("sec-fetch-site", site)]).status, 403, "{site}");
    }
    let page = [("origin", own.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(sign_in(&server, KEY, &page).status, 200);
    let headers = [page[0], page[1], ("cookie", &cookie), ("x-countersign-csrf", &csrf)];
    assert_eq!(asked(&server, "POST", "/v1/claims", &headers).status, 200);
    let plain = [("origin", own.as_str()), ("x-forwarded-proto", "https")];
    assert_eq!(sign_in(&server, KEY, &plain).status, 403, "a page without TLS in front of one with");
}

// SERVE-1: the key is checked again each time: a revoked one stops at once, and scopes hold.
#[test]
fn a_revoked_key_stops_its_cookie() {
    let data = folder("console-revoked");
    let people = keys(&data, &["create", "--name", "people", "--scope", "review"]);
    keys(&data, &["create", "--name", "other"]);
    let server = Server::start(&data, &[], &[]);
    let (cookie, csrf) = signed_in(&server, &people);
    let headers = [("cookie", cookie.as_str()), ("x-countersign-csrf", csrf.as_str())];
    let body = asked(&server, "GET", "/console/session", &headers).json();
    assert_eq!(body["scopes"], json!(["review"]));
    assert_eq!(asked(&server, "GET", "/v1/reviews", &headers).status, 200);
    assert_eq!(asked(&server, "POST", "/v1/claims", &headers).error(), "insufficient_scope");
    keys(&data, &["revoke", "people"]);
    within(5, "the cookie to be useless", || asked(&server, "GET", "/v1/reviews", &headers).status == 401);
    assert_eq!(asked(&server, "GET", "/console/session", &headers).json()["signed_in"], json!(false));
    assert_eq!(asked(&server, "GET", "/", &headers).status, 200, "the page itself stays open");
    assert_eq!(sign_in(&server, &people, &[]).status, 401);
    assert_eq!(asked(&server, "DELETE", "/console/session", &headers).status, 204, "and one can leave");
}

// SERVE-1: guessing is limited like everything else, by where it comes from.
#[test]
fn signing_in_is_limited() {
    let server = locked("console-limit", &[("COUNTERSIGN_RATE_LIMIT", "3")]);
    let (cookie, _) = signed_in(&server, KEY);
    let cookie = ("cookie", cookie.as_str());
    let statuses: Vec<u16> = (0..12).map(|_| sign_in(&server, "guess", &[]).status).collect();
    assert!(statuses[0] == 401 && statuses.iter().filter(|status| **status == 429).count() >= 5, "{statuses:?}");
    // A cookie does not buy more guesses.
    let statuses: Vec<u16> = (0..6).map(|_| sign_in(&server, "guess", &[cookie]).status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.get("/").status, 200);
    assert_eq!(asked(&server, "GET", "/console/session", &[cookie]).status, 200, "looking is not guessing");
    assert_eq!(asked(&server, "GET", "/v1/reviews", &[("x-api-key", KEY)]).status, 200, "others are not held up");
}

// SERVE-1: on a server without keys everybody is in, and there is nothing to keep.
#[test]
fn without_keys_everybody_is_signed_in() {
    let server = Server::start(&folder("console-open"), &[], &[]);
    let looked = server.get("/console/session").json();
    for (field, value) in [
        ("locked", json!(false)),
        ("signed_in", json!(true)),
        ("key_id", Value::Null),
        ("csrf", Value::Null),
        ("scopes", json!(["engine", "sessions", "review", "upstream", "admin"])),
        ("demo", json!(true)),
    ] {
        assert_eq!(looked[field], value, "{field}");
    }
    let answer = sign_in(&server, "anything", &[]);
    assert_eq!((answer.status, answer.has("set-cookie"), answer.json()), (200, false, looked));
    assert_eq!(asked(&server, "DELETE", "/console/session", &[]).status, 204);
    let cookie = [("cookie", "countersign_console=d3Jvbmc")];
    assert_eq!(asked(&server, "POST", "/v1/claims", &cookie).status, 200, "an old cookie is no key here");
    let evil = [("origin", "https://evil.example")];
    assert_eq!(asked(&server, "GET", "/console/session", &evil).status, 403);
}

// SERVE-1, SERVE-6: the cookie is for us; an upstream gets the client's own cookies and nothing of ours.
#[test]
fn the_cookie_never_goes_upstream() {
    let variables = [("COUNTERSIGN_API_KEYS", KEY), ("OPENAI_API_KEY", "up-key"), ("ANTHROPIC_API_KEY", "up-key")];
    let world = World::own("console-upstream", &[], &variables);
    let (cookie, csrf) = signed_in(&world.server, KEY);
    let coded = cookie.split_once('=').unwrap().1.to_owned();
    for wire in [Wire::Chat, Wire::Responses, Wire::Messages] {
        let ask = Ask::new(wire, false)
            .header("cookie", &format!("theirs=1; {cookie}; more=2"))
            .header("x-countersign-csrf", &csrf);
        let (heard, mark) = world.play(&ask, [Said::text("ok")]);
        assert_eq!((heard.status, heard.text.as_str()), (200, "ok"), "{}", heard.raw);
        let sent = world.upstream.asked(&mark);
        let cookies: Vec<_> = sent[0].headers.iter().filter(|(name, _)| name == "cookie").collect();
        assert_eq!(cookies, [&("cookie".to_owned(), "theirs=1; more=2".to_owned())]);
        let all = format!("{:?}", sent[0].headers);
        assert!(!all.contains(&coded) && !all.contains(&csrf) && !all.contains(KEY), "{all}");
        assert!(all.contains("up-key"), "{all}");
    }
    let headers = [("cookie", cookie.as_str()), ("x-mark", "carried")];
    assert_eq!(world.server.ask("GET", "/v1/anything", &headers, "").status, 200);
    let carried = format!("{:?}", world.upstream.asked("carried")[0].headers);
    assert!(!carried.contains("cookie") && !carried.contains(&coded), "{carried}");
    let session = world.server.ask("GET", "/console/session", &headers, "").json();
    assert_eq!((&session["demo"], &session["models"]), (&json!(false), &json!([])));
}

// SERVE-1: the key is in no log, however much is logged.
#[test]
fn the_key_is_in_no_log() {
    let data = folder("console-log");
    let key = keys(&data, &["create", "--name", "people"]);
    let server = Server::start(&data, &[], &[("COUNTERSIGN_LOG_LEVEL", "trace")]);
    let (cookie, csrf) = signed_in(&server, &key);
    let headers = [("cookie", cookie.as_str()), ("x-countersign-csrf", csrf.as_str())];
    asked(&server, "POST", "/v1/claims", &headers);
    sign_in(&server, "wrong-key-word", &[]);
    assert_eq!(server.ask("POST", "/console/session", &[], &key).status, 415);
    let coded = cookie.split_once('=').unwrap().1.to_owned();
    within(5, "a log", || server.log().contains("/console/session"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let log = server.log();
    for secret in [key.as_str(), &coded, &csrf, "wrong-key-word"] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}
