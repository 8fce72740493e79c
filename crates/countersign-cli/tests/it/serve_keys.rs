//! Keys and limits: who may ask, and how often. Nothing here may fail open.

use crate::serve_world::{Receiver, Server, bare, folder, within};
use std::path::Path;

/// Runs `countersign keys …` on a data directory.
fn keys(data: &Path, args: &[&str]) -> (i32, String, String) {
    let data = data.display().to_string();
    let mut all = vec!["keys"];
    all.extend(args);
    all.extend(["--data-dir", &data]);
    let out = bare(&all, &[]).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout).trim().to_owned(), text(out.stderr))
}

fn asked(server: &Server, path: &str, key: &str) -> u16 {
    let method = if path.starts_with("/v1/") { "POST" } else { "GET" };
    let bearer = format!("Bearer {key}");
    server.ask(method, path, &[("authorization", &bearer)], "{\"text\": \"a\"}").status
}

// SERVE-1
#[test]
fn configured_keys_close_every_route_but_three() {
    let server = Server::start(&folder("keys-configured"), &[], &[("COUNTERSIGN_API_KEYS", "alpha-key,beta-key")]);
    for path in ["/livez", "/readyz", "/"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    for path in ["/health", "/metrics", "/openapi.json", "/nowhere", "/v1/claims", "/v1/sessions", "/v1/stop"] {
        let refused = server.get(path);
        assert_eq!((refused.status, refused.error().as_str()), (401, "missing_api_key"), "{path}");
        assert!(refused.header("www-authenticate").starts_with("Bearer") && refused.has("x-request-id"));
        assert_eq!(asked(&server, path, "alpha-kex"), 401, "{path}");
    }
    let body = "{\"text\": \"a\"}";
    for header in [
        ("authorization", "Bearer alpha-key"),
        ("authorization", "bearer beta-key"),
        ("x-api-key", "beta-key"),
        ("countersign-key", "alpha-key"),
    ] {
        assert_eq!(server.ask("POST", "/v1/claims", &[header], body).status, 200, "{header:?}");
    }
    for header in [("authorization", "alpha-key"), ("x-api-key", ""), ("countersign-key", "alpha-key,beta-key")] {
        assert_eq!(server.ask("POST", "/v1/claims", &[header], body).status, 401, "{header:?}");
    }
    // A page has no key, so with keys its origin does not matter.
    let page = [("origin", "https://elsewhere.example"), ("x-api-key", "alpha-key"), ("host", "my.name")];
    assert_eq!(server.ask("POST", "/v1/claims", &page, body).status, 200);
    // Keys are in no log.
    let log = server.log();
    assert!(!log.contains("alpha-key") && !log.contains("alpha-kex"), "{log}");
}

// SERVE-1: a running server sees keys that are made and revoked, and a key opens its scope only.
#[test]
fn keys_are_made_listed_and_revoked_beside_a_running_server() {
    let data = folder("keys-made");
    let server = Server::start(&data, &[], &[]);
    assert_eq!(server.post("/v1/claims", "{\"text\": \"a\"}").status, 200);
    let (code, engine, said) = keys(&data, &["create", "--name", "ci", "--scope", "engine"]);
    assert!(code == 0 && engine.starts_with("cs_") && !said.contains(&engine), "{said}");
    within(5, "the door to close", || server.post("/v1/claims", "{\"text\": \"a\"}").status == 401);
    assert_eq!(asked(&server, "/v1/claims", &engine), 200);
    let (_, review, _) = keys(&data, &["create", "--name", "people", "--scope", "review,sessions"]);
    within(5, "the second key", || asked(&server, "/health", &review) == 200);
    assert_eq!(asked(&server, "/v1/claims", &review), 403);
    assert_eq!(asked(&server, "/v1/reviews", &engine), 403);
    let (_, list, _) = keys(&data, &["list"]);
    assert!(list.contains("ci\tengine") && list.contains("review,sessions") && !list.contains(&engine), "{list}");
    let kept = std::fs::read_to_string(data.join("keys.json")).unwrap();
    assert!(!kept.contains(engine.trim_start_matches("cs_")), "{kept}");
    assert_eq!(keys(&data, &["revoke", "nobody"]).0, 2);
    assert_eq!(keys(&data, &["revoke", "ci"]).0, 0);
    within(5, "the key to be useless", || asked(&server, "/v1/claims", &engine) == 401);
    assert_eq!(keys(&data, &["revoke", "people"]).0, 0);
    within(5, "the last key to be useless", || asked(&server, "/health", &review) == 401);
    assert_eq!(server.post("/v1/claims", "{\"text\": \"a\"}").status, 401, "revoking the last key must not open");
    assert_eq!(server.end().code(), Some(0));
    let again = Server::start(&data, &[], &[]);
    assert_eq!(again.post("/v1/claims", "{\"text\": \"a\"}").status, 401, "nor may a restart");
}

#[cfg(unix)]
#[test]
fn the_file_of_keys_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let data = folder("keys-mode");
    keys(&data, &["create"]);
    assert_eq!(std::fs::metadata(data.join("keys.json")).unwrap().permissions().mode() & 0o777, 0o600);
}

// SERVE-1: authentication never fails open, and a short loss of the key store refuses nobody who is known.
#[test]
fn a_key_store_that_fails_opens_nothing() {
    let data = folder("keys-lost");
    let (_, key, _) = keys(&data, &["create"]);
    let server = Server::start(&data, &[], &[]);
    let file = data.join("keys.json");
    let good = std::fs::read(&file).unwrap();
    for loss in ["{ damaged", "{\"keys\": []}", ""] {
        std::fs::write(&file, loss).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        assert_eq!(server.post("/v1/claims", "{\"text\": \"a\"}").status, 401, "{loss}");
        assert_eq!(asked(&server, "/v1/claims", "cs_wrong"), 401, "{loss}");
        std::fs::write(&file, &good).unwrap();
        within(5, "the key again", || asked(&server, "/v1/claims", &key) == 200);
    }
    std::fs::remove_file(&file).unwrap();
    within(5, "the complaint", || {
        let health = server.ask("GET", "/health", &[("x-api-key", &key)], "");
        health.status == 200 && health.json()["layers"]["config"]["status"] == "degraded"
    });
    assert_eq!(asked(&server, "/v1/claims", &key), 200, "a known key goes on for a time");
    assert_eq!(server.post("/v1/claims", "{\"text\": \"a\"}").status, 401);
    // At the start there is nothing to go on with.
    drop(server);
    std::fs::write(&file, "{ damaged").unwrap();
    let place = data.display().to_string();
    let out = bare(&["serve", "--listen", "127.0.0.1:0", "--data-dir", &place], &[]).output().unwrap();
    assert!(out.status.code() == Some(2) && String::from_utf8(out.stderr).unwrap().contains("damaged"));
}

// SERVE-1, SERVE-2, T37: over the limit is 429 with an honest time, and people are told once.
#[test]
fn a_caller_over_the_limit_is_told_when_to_come_back() {
    let hook = Receiver::start();
    let url = format!("http://{}/hook?secret=hunter2", hook.address);
    let variables = [
        ("COUNTERSIGN_RATE_LIMIT", "3"),
        ("COUNTERSIGN_API_KEYS", "one-key,two-key"),
        ("COUNTERSIGN_ALERT_WEBHOOK", &url),
    ];
    let server = Server::start(&folder("keys-limit"), &[], &variables);
    let ask = |key| server.ask("POST", "/v1/claims", &[("x-api-key", key)], "{\"text\": \"a\"}");
    let answers: Vec<_> = (0..12).map(|_| ask("one-key")).collect();
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(answers[0].status == 200 && refused.len() >= 5, "{}", refused.len());
    assert_eq!((refused[0].error().as_str(), refused[0].header("retry-after")), ("rate_limit_exceeded", "1"));
    assert_eq!(ask("two-key").status, 200, "each key has its own quota");
    assert_eq!(server.get("/livez").status, 200, "only /v1 is limited");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(ask("one-key").status, 200, "the time was honest");
    within(10, "the alert", || !hook.texts().is_empty());
    std::thread::sleep(std::time::Duration::from_millis(500));
    let told = hook.texts();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("over_limit") && told[0].contains("key_") && !told[0].contains("one-key"), "{told:?}");
    let metrics = server.ask("GET", "/metrics", &[("x-api-key", "two-key")], "").body;
    let limited = metrics.lines().find(|line| line.starts_with("countersign_limited_total")).unwrap();
    assert!(!limited.ends_with(" 0"), "{limited}");
    assert!(!server.log().contains("hunter2"), "{}", server.log());
}

// SERVE-1: without keys the quota is the peer's.
#[test]
fn without_keys_each_address_has_a_quota() {
    let server = Server::start(&folder("keys-peer"), &[], &[("COUNTERSIGN_RATE_LIMIT", "2")]);
    let statuses: Vec<u16> = (0..8).map(|_| server.post("/v1/claims", "{\"text\": \"a\"}").status).collect();
    assert!(statuses[0] == 200 && statuses.contains(&429), "{statuses:?}");
}
