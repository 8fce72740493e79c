//! Keys: what each sees, how often a wrong one may be tried, which ones are too weak, and that a server which had keys
//! never opens by itself.

use crate::access_reviews::key;
use crate::gateway_dialects::{Said, Wire, call};
use crate::gateway_upstream::Upstream;
use crate::gateway_world::{Ask, World, good};
use crate::native_world::session_as;
use crate::serve_world::{Answer, Server, bare, folder, within};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CLAIMS: &str = "{\"text\": \"a\"}";

fn get(server: &Server, key: &str, path: &str) -> Answer {
    server.ask("GET", path, &[("x-api-key", key)], "")
}

// SERVE-1, SERVE-6: verdicts, figures, replays and exports of a key are its own; an operator's key sees all.
#[test]
fn a_key_sees_what_is_its_own() {
    let (data, upstream) = (folder("access-own"), Arc::new(Upstream::start()));
    let [ann, bob, judge, boss] =
        [("ann", "engine,sessions"), ("bob", "engine"), ("judge", "review"), ("boss", "admin")]
            .map(|(name, scopes)| key(&data, name, scopes));
    let (openai, anthropic) = (upstream.openai(), upstream.anthropic());
    let args = ["--upstream-openai", &openai, "--upstream-anthropic", &anthropic];
    let world = World { server: Server::start(&data, &args, &[]), upstream };
    let mut verdicts = BTreeMap::new();
    for (who, calls) in [(&ann, 2), (&bob, 1)] {
        for _ in 0..calls {
            let ask = Ask::new(Wire::Chat, false).header("x-api-key", who);
            let (heard, _) = world.play(&ask, [Said::calls("", &[call("c", "get_weathr", good())])]);
            verdicts.insert(who.clone(), heard.verdict());
        }
    }
    let session = session_as(&world.server, &[("x-api-key", &ann)], json!({}));
    let listed = |key: &str| get(&world.server, key, "/v1/verdicts").json()["verdicts"].as_array().unwrap().len();
    assert_eq!([&ann, &bob, &judge, &boss].map(|key| listed(key)), [2, 1, 0, 3]);
    let lines = |key: &str| get(&world.server, key, "/v1/verdicts?format=jsonl").body.lines().count();
    assert_eq!([&ann, &bob, &judge, &boss].map(|key| lines(key)), [2, 1, 0, 3]);
    let calls = |key: &str| get(&world.server, key, "/v1/stats").json()["calls"].clone();
    assert_eq!([&ann, &bob, &judge, &boss].map(|key| calls(key)), [2, 1, 0, 3].map(|count| json!(count)));
    for (of, id) in &verdicts {
        for (who, sees) in [(&ann, of == &ann), (&bob, of == &bob), (&judge, false), (&boss, true)] {
            let status = get(&world.server, who, &format!("/v1/verdicts/{id}")).status;
            assert_eq!(status, if sees { 200 } else { 404 });
        }
    }
    let asked_for = get(&world.server, &bob, "/v1/verdicts").json()["verdicts"][0]["key"].as_str().unwrap().to_owned();
    assert_eq!(get(&world.server, &ann, &format!("/v1/verdicts?key={asked_for}")).json()["verdicts"], json!([]));
    let policy = json!({"policy": get(&world.server, &boss, "/v1/policy").json()["toml"]}).to_string();
    let replayed = |key: &str| {
        let headers = [("x-api-key", key), ("content-type", "application/json")];
        let answer = world.server.ask("POST", "/v1/policy/replay", &headers, &policy);
        if answer.status == 200 { answer.json()["total"].as_u64() } else { None }
    };
    assert_eq!([&ann, &bob, &judge, &boss].map(|key| replayed(key)), [Some(2), Some(1), Some(0), Some(3)]);
    for (who, status) in [(&ann, 200), (&bob, 403), (&judge, 403), (&boss, 200)] {
        assert_eq!(get(&world.server, who, &format!("/v1/sessions/{session}/export")).status, status);
    }
    // A figure of all is an operator's: how long the routes of everybody took.
    assert_eq!(get(&world.server, &ann, "/v1/stats").json()["latency"]["routes"], json!([]));
    assert_ne!(get(&world.server, &boss, "/v1/stats").json()["latency"]["routes"], json!([]));
}

/// The wrong key in each place where a key may come.
fn wrong(at: usize) -> (&'static str, String) {
    match at % 4 {
        0 => ("x-api-key", format!("guess-{at}")),
        1 => ("authorization", format!("Bearer guess-{at}")),
        2 => ("countersign-key", format!("guess-{at}")),
        // "guess" in the cookie's writing, and a letter more.
        _ => ("cookie", format!("countersign_console=Z3Vlc3M{}", ["w", "x", "y", "z"][at / 4 % 4])),
    }
}

// SERVE-1: wrong keys are limited by where they come from, on every route and in every place; right ones are not.
#[test]
fn wrong_keys_are_limited_on_every_route() {
    let routes = ["/v1/check", "/v1/models", "/v1/sessions", "/v1/reviews", "/health", "/metrics", "/console/session"];
    for (name, variables, most) in [
        ("access-wrong", &[("COUNTERSIGN_API_KEYS", "right-key")][..], 300),
        ("access-wrong-rate", &[("COUNTERSIGN_API_KEYS", "right-key"), ("COUNTERSIGN_RATE_LIMIT", "5")], 30),
    ] {
        let server = Server::start(&folder(name), &[], variables);
        let ask = |at: usize| {
            let (header, value) = wrong(at);
            server.ask("GET", routes[at % routes.len()], &[(header, &value)], "")
        };
        let first = (0..4).map(|at| ask(at).status).collect::<Vec<_>>();
        assert!(first.iter().all(|status| [401, 200].contains(status)), "{first:?}");
        let limited = (4..most).map(ask).find(|answer| answer.status == 429).expect("a limit");
        let wait: u64 = limited.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        // Every route and every place is closed to more guesses now.
        let mut closed = [[false; 4]; 7];
        within(20, "all of them", || {
            for at in 0..28 {
                closed[at % 7][at % 4] |= ask(at).status == 429;
            }
            closed.iter().flatten().all(|closed| *closed)
        });
        let json = [("content-type", "application/json")];
        within(5, "the sign-in", || {
            server.ask("POST", "/console/session", &json, "{\"key\": \"guess\"}").status == 429
        });
        // The right key, from the same address, is not held up, and the page itself is open.
        let began = Instant::now();
        let right = server.ask("POST", "/v1/claims", &[("x-api-key", "right-key")], CLAIMS);
        assert_eq!(right.status, 200, "{}", right.body);
        assert_eq!(get(&server, "right-key", "/health").status, 200);
        for path in ["/", "/livez", "/readyz"] {
            assert_eq!(server.ask("GET", path, &[("x-api-key", "guess")], "").status, 200, "{path}");
        }
        assert_eq!(server.get("/v1/check").status, 401, "no key is no guess");
        // The time is honest.
        std::thread::sleep(Duration::from_secs(wait).saturating_sub(began.elapsed()));
        assert_eq!(ask(0).status, 401);
    }
}

// SERVE-1, SERVE-7: an address that others can reach is not opened with a key that they can guess.
#[test]
fn a_weak_key_is_refused_on_a_public_address() {
    let start = |keys: &str| {
        let data = folder("access-weak").display().to_string();
        let args = ["serve", "--listen", "0.0.0.0:0", "--data-dir", &data];
        let mut child =
            bare(&args, &[("COUNTERSIGN_API_KEYS", keys)]).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut lines = std::io::BufReader::new(child.stderr.take().unwrap());
        while !said.contains("listening on http") && lines.read_line(&mut said).unwrap() > 0 {}
        let _ = child.kill();
        let status = child.wait().unwrap();
        (status.code(), said)
    };
    for weak in [
        "k",
        "secret",
        "short-key-7",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "abababababababababababab",
        "1234567890123456",
        "abcdefghijklmnopqrstuvwxyz",
        "qwertyuiopasdfghjkl",
        "changemechangeme",
        "password-password-1",
        "my-secret-api-key",
        "ops:admin=secret",
        "8f14e45fceea167a5a36dedd4bea2543,weak",
    ] {
        let (code, said) = start(weak);
        assert_eq!(code, Some(2), "{weak}: {said}");
        assert!(said.contains("weak") && said.contains("countersign keys create"), "{weak}: {said}");
        assert!(!said.contains("short-key-7") && !said.contains("qwerty"), "it is not said again: {said}");
    }
    for good in [
        "8f14e45fceea167a5a36dedd4bea2543",
        "correct-horse-battery-staple",
        "Zm9vYmFyMTIzNDU2Nzg5MA",
        "ops:admin=8f14e45fceea167a5a36dedd4bea2543",
    ] {
        let (_, said) = start(good);
        assert!(said.contains("listening on http"), "{good}: {said}");
    }
    // On loopback a key may be what its owner likes.
    let server = Server::start(&folder("access-weak-loopback"), &[], &[("COUNTERSIGN_API_KEYS", "k")]);
    assert_eq!(get(&server, "k", "/health").status, 200);
}

// SERVE-1: keys that were there and are gone are a loss, not a wish: the server stays closed, also after a restart.
#[test]
fn a_server_that_had_keys_does_not_open_itself() {
    let refuses = |server: &Server, what: &str| {
        assert_eq!(server.post("/v1/claims", CLAIMS).status, 401, "{what}");
        let health = server.get("/v1/sessions");
        assert_eq!(health.status, 401, "{what}");
        within(5, "a word in the log", || server.log().contains("had keys"));
    };
    for (at, loss) in ["missing", "{\"keys\": []}"].into_iter().enumerate() {
        let data = folder(&format!("access-had-{at}"));
        let first = key(&data, "ci", "engine");
        let server = Server::start(&data, &[], &[]);
        assert_eq!(server.ask("POST", "/v1/claims", &[("x-api-key", &first)], CLAIMS).status, 200);
        assert_eq!(server.end().code(), Some(0));
        let file = data.join("keys.json");
        if loss == "missing" {
            std::fs::remove_file(&file).unwrap()
        } else {
            std::fs::write(&file, loss).unwrap()
        }
        let server = Server::start(&data, &[], &[]);
        refuses(&server, loss);
        // A new key opens it again, for whoever has it.
        let second = key(&data, "new", "engine");
        within(5, "the new key", || server.ask("POST", "/v1/claims", &[("x-api-key", &second)], CLAIMS).status == 200);
        assert_eq!(server.ask("POST", "/v1/claims", &[("x-api-key", &first)], CLAIMS).status, 401);
    }
    let data = folder("access-had-variable");
    let server = Server::start(&data, &[], &[("COUNTERSIGN_API_KEYS", "one")]);
    assert_eq!(server.end().code(), Some(0));
    let server = Server::start(&data, &[], &[]);
    refuses(&server, "the variable is gone");
    assert!(server.log().contains("keys-were-set"), "it says what to remove: {}", server.log());
    assert_eq!(server.end().code(), Some(0));
    std::fs::remove_file(data.join("keys-were-set")).unwrap();
    let server = Server::start(&data, &[], &[]);
    assert_eq!(server.post("/v1/claims", CLAIMS).status, 200, "an operator who wants it open says so");
}

// SERVE-1: keys of the configuration may carry a name and scopes; plain ones stay what they are.
#[test]
fn configured_keys_can_carry_scopes() {
    let keys = "plain-key,ops:admin=boss-secret,people:review=judge-secret,ci:engine+sessions=ci=secret==";
    let server = Server::start(&folder("access-scopes"), &[], &[("COUNTERSIGN_API_KEYS", keys)]);
    let scopes = |key: &str| get(&server, key, "/console/session").json()["scopes"].clone();
    assert_eq!(scopes("plain-key"), json!(["engine", "sessions", "upstream"]));
    assert_eq!(scopes("judge-secret"), json!(["review"]));
    assert_eq!(scopes("ci=secret=="), json!(["engine", "sessions"]));
    assert_eq!(scopes("boss-secret"), json!(["engine", "sessions", "review", "upstream", "admin"]));
    assert_eq!(get(&server, "people:review=judge-secret", "/health").status, 401, "the secret alone is the key");
    assert_eq!(get(&server, "judge-secret", "/console/session").json()["reviewer"], "people");
    assert_eq!(get(&server, "plain-key", "/console/session").json()["locked"], true);
    assert!(!server.log().contains("secret"), "{}", server.log());
    for (wrong, about) in [
        ("ci:engin=secret", "engin"),
        ("ci:engine+=secret", "scope"),
        ("ci:=secret", "scope"),
        ("ci:review=", "secret"),
        (":review=secret", "name"),
        ("a,ci:engine,sessions=secret", "scope"),
    ] {
        let data = folder("access-scopes-wrong").display().to_string();
        let args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", &data];
        let out = bare(&args, &[("COUNTERSIGN_API_KEYS", wrong)]).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(2) && said.contains(about), "{wrong}: {said}");
        assert!(!said.contains("=secret"), "{said}");
    }
    // What only looks a little like it is a key like any other.
    for plain in ["aGVsbG8=", "a:b", "http://x", "x=y", "cs_1:2", "a:b:c=d"] {
        let server = Server::start(&folder("access-scopes-plain"), &[], &[("COUNTERSIGN_API_KEYS", plain)]);
        assert_eq!(get(&server, plain, "/health").status, 200, "{plain}");
    }
}

/// What a route answers to one key, as a class: refused for want of a key, of a scope, not there, or answered.
fn told(answer: &Answer) -> u16 {
    match answer.status {
        401 | 403 | 404 => answer.status,
        _ => 200,
    }
}

/// Which scopes a route is open to: sessions, review, engine.
fn opens(method: &str, path: &str) -> [bool; 3] {
    let Some(rest) = path.strip_prefix("/v1/") else { return [true; 3] };
    match rest.split('/').next().unwrap() {
        "sessions" | "stop" => [true, false, false],
        "reviews" => [method == "GET", true, method == "GET"],
        "verdicts" | "stats" | "conversations" => [true; 3],
        // To change the policy in force, and to see who changed it, is for operators.
        "policy" => [(method, rest) != ("POST", "policy") && !rest.starts_with("policy/versions"); 3],
        _ => [false, false, true],
    }
}

/// Every method of every path that the server describes, but for streams and for removing what the others are asked about.
fn routes(server: &Server, key: &str) -> Vec<(String, String)> {
    let paths = get(server, key, "/openapi.json").json()["paths"].clone();
    let methods = |(path, methods): (&String, &Value)| {
        let each = methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone()));
        each.collect::<Vec<_>>()
    };
    let all = paths.as_object().unwrap().iter().flat_map(methods);
    let looked_at = |(method, path): &(String, String)| {
        !path.ends_with("/events") && (method.as_str(), path.as_str()) != ("DELETE", "/v1/sessions/{id}")
    };
    all.filter(looked_at).collect()
}

// SERVE-1: every route, for every sort of key.
#[test]
fn law_every_route_asks_for_its_key() {
    let (data, upstream) = (folder("access-routes"), Arc::new(Upstream::start()));
    let [ann, bob, judge, boss, checks] =
        [("ann", "sessions"), ("bob", "sessions"), ("judge", "review"), ("boss", "admin"), ("ci", "engine")]
            .map(|(name, scopes)| key(&data, name, scopes));
    let (openai, anthropic) = (upstream.openai(), upstream.anthropic());
    let args = ["--upstream-openai", &openai, "--upstream-anthropic", &anthropic];
    let server = Server::start(&data, &args, &[("COUNTERSIGN_RATE_LIMIT", "100000")]);
    let session = session_as(&server, &[("x-api-key", &ann)], json!({}));
    let routes = routes(&server, &boss);
    assert!(routes.len() > 45, "{}", routes.len());
    for (method, path) in &routes {
        let (what, mut real) = (format!("{method} {path}"), path.replace("{id}", &session));
        for part in ["{thing}", "{file}", "{claim}"] {
            real = real.replace(part, "x");
        }
        let ask = |headers: &[(&str, &str)]| {
            let all = [&[("content-type", "application/json")][..], headers].concat();
            server.ask(method, &real, &all, "{}")
        };
        if ["/", "/livez", "/readyz"].contains(&path.as_str()) || path.starts_with("/console/") {
            assert_ne!(ask(&[]).status, 401, "{what}");
            continue;
        }
        if path == "/review/{link}" {
            // A link is its own key: a wrong one opens nothing, whatever else is brought.
            for headers in [vec![], vec![("x-api-key", "wrong")], vec![("x-api-key", boss.as_str())]] {
                assert_eq!(ask(&headers).status, 404, "{what}");
            }
            continue;
        }
        assert_eq!(ask(&[]).status, 401, "{what} without a key");
        for (header, value) in [
            ("x-api-key", "wrong"),
            ("countersign-key", "wrong"),
            ("authorization", "Bearer wrong"),
            ("cookie", "countersign_console=d3Jvbmc"),
        ] {
            assert_eq!(ask(&[(header, value)]).status, 401, "{what} with a wrong {header}");
        }
        let with = |key: &str| told(&ask(&[("x-api-key", key)]));
        assert!([200, 404].contains(&with(&boss)), "{what} with the operator's key");
        for (who, opens) in [&ann, &judge, &checks].into_iter().zip(opens(method, path)) {
            assert_eq!(with(who) != 403, opens, "{what}: {}", with(who));
        }
        if path.starts_with("/v1/sessions/{id}") {
            // A body that cannot be read is refused before anything is looked up.
            let status = ask(&[("x-api-key", &bob)]).status;
            assert!([404, 400, 415].contains(&status), "{what} with another's key: {status}");
        }
    }
    for path in ["/v1/reviews/events", &format!("/v1/sessions/{session}/events")] {
        assert_eq!(server.get(path).status, 401, "{path}");
        assert_eq!(get(&server, "wrong", path).status, 401, "{path}");
    }
    assert_eq!(get(&server, &bob, &format!("/v1/sessions/{session}/events")).status, 404);
    assert_eq!(get(&server, &bob, "/v1/reviews").json()["reviews"], json!([]));
}
