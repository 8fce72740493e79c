//! Who may use the gateway, and whose credentials go upstream: ours never, the client's only where they are its own.

use crate::gateway_dialects::{Said, WIRES, Wire, call, everywhere};
use crate::gateway_world::{Ask, World, bad, good};
use crate::serve_world::within;
use serde_json::json;

const UPSTREAM: [(&str, &str); 2] = [("OPENAI_API_KEY", "up-openai"), ("ANTHROPIC_API_KEY", "up-anthropic")];

type Headers<'a> = &'a [(&'static str, &'a str)];

/// The credentials of every request under a mark, corrections too.
fn credentials(world: &World, mark: &str) -> Vec<Vec<(String, String)>> {
    let is_one = |name: &str| ["authorization", "x-api-key", "countersign-key", "cookie"].contains(&name);
    let of =
        |one: &crate::gateway_upstream::Asked| one.headers.iter().filter(|(name, _)| is_one(name)).cloned().collect();
    world.upstream.asked(mark).iter().map(of).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

// SERVE-1, SERVE-6: without keys of ours the client's own go upstream, and none is invented.
#[test]
fn an_open_gateway_passes_the_clients_credentials() {
    let world = World::own("keys-open", &[], &UPSTREAM);
    for (wire, stream) in everywhere() {
        let both = [("authorization", "Bearer own"), ("x-api-key", "own-too")];
        for given in [&both[..], &both[..1], &both[1..], &[]] {
            let mut ask = Ask::new(wire, stream);
            for (name, value) in given {
                ask = ask.header(name, value);
            }
            let (heard, mark) = world.play(
                &ask,
                [
                    Said::calls("", &[call("c", "get_weather", bad())]),
                    Said::calls("", &[call("c", "get_weather", good())]),
                ],
            );
            assert_eq!(heard.names(), ["get_weather"]);
            let expected: Vec<_> = given.iter().map(|(name, value)| pair(name, value)).collect();
            assert_eq!(credentials(&world, &mark), [expected.clone(), expected], "{wire:?}");
        }
    }
}

// SERVE-1: with keys of ours, ours stay here, the configured one goes upstream, and a client may bring its own beside.
#[test]
fn a_locked_gateway_uses_the_configured_key() {
    let variables = [UPSTREAM[0], UPSTREAM[1], ("COUNTERSIGN_API_KEYS", "cs-key-a,cs-key-b")];
    let world = World::own("keys-locked", &[], &variables);
    for (wire, stream) in everywhere() {
        let configured = match wire {
            Wire::Messages => pair("x-api-key", "up-anthropic"),
            _ => pair("authorization", "Bearer up-openai"),
        };
        let cases: [(Headers, (String, String)); 5] = [
            (&[("authorization", "Bearer cs-key-a")], configured.clone()),
            (&[("x-api-key", "cs-key-b")], configured.clone()),
            (&[("countersign-key", "cs-key-a")], configured.clone()),
            (&[("countersign-key", "cs-key-a"), ("authorization", "Bearer own")], pair("authorization", "Bearer own")),
            (&[("countersign-key", "cs-key-a"), ("x-api-key", "own")], pair("x-api-key", "own")),
        ];
        for (given, expected) in cases {
            let ask = given.iter().fold(Ask::new(wire, stream), |ask, (name, value)| ask.header(name, value));
            let (heard, mark) = world.play(
                &ask,
                [
                    Said::calls("", &[call("c", "get_weather", bad())]),
                    Said::calls("", &[call("c", "get_weather", good())]),
                ],
            );
            assert_eq!(heard.names(), ["get_weather"], "{given:?}: {}", heard.raw);
            assert_eq!(credentials(&world, &mark), [[expected.clone()], [expected]], "{given:?} in {wire:?}");
            let sent = world.upstream.asked(&mark);
            assert!(sent.iter().all(|one| !format!("{:?}", one.headers).contains("cs-key")));
        }
        let wrong: [Headers; 5] = [
            &[],
            &[("authorization", "Bearer wrong")],
            &[("x-api-key", "wrong")],
            &[("authorization", "Basic cs-key-a")],
            &[("countersign-key", "wrong"), ("authorization", "Bearer cs-key-a")],
        ];
        for given in wrong {
            let ask = given.iter().fold(Ask::new(wire, stream), |ask, (name, value)| ask.header(name, value));
            let (heard, mark) = world.play(&ask, [Said::text("ok")]);
            assert_eq!(heard.status, 401, "{given:?}");
            let error = heard.error.expect("in the dialect's form");
            assert!(wire != Wire::Messages || error["type"] == "authentication_error", "{error}");
            assert!(world.upstream.asked(&mark).is_empty(), "it fails closed");
        }
    }
    for path in ["/v1/models", "/v1/embeddings", "/v1/messages/count_tokens", "/v1/anything"] {
        assert_eq!(world.server.get(path).status, 401, "{path}");
        let got = world.server.ask("GET", path, &[("x-api-key", "cs-key-a"), ("x-mark", path)], "");
        assert_eq!(got.status, 200, "{path}: {}", got.body);
        let key = if path.contains("messages") {
            pair("x-api-key", "up-anthropic")
        } else {
            pair("authorization", "Bearer up-openai")
        };
        assert_eq!(credentials(&world, path), [[key]], "{path}");
    }
    let log = world.server.log();
    for secret in ["cs-key-a", "up-openai", "up-anthropic", "Bearer own"] {
        assert!(!log.contains(secret), "{log}");
    }
}

// SERVE-1: our own limit, in the dialect's form, with an honest time to wait.
#[test]
fn our_limit_speaks_the_dialect() {
    let world = World::own("keys-limit", &[], &[("COUNTERSIGN_RATE_LIMIT", "4")]);
    for (wire, stream) in everywhere() {
        let mut limited = None;
        within(10, "the limit", || {
            let heard = world.ask(&Ask::new(wire, stream), "none");
            limited = (heard.status == 429).then_some(heard);
            limited.is_some()
        });
        let heard = limited.unwrap();
        let wait: u64 = heard.header("retry-after").expect("a time").parse().unwrap();
        assert!((1..=2).contains(&wait), "{wait}");
        let error = heard.error.expect("an error");
        assert!(wire != Wire::Messages || error["type"] == "rate_limit_error", "{error}");
    }
}

// SERVE-6: what cannot be read or is too large is refused in the dialect's form, and nothing goes upstream.
#[test]
fn bodies_that_cannot_be_taken_are_refused() {
    let world = World::own("keys-bodies", &[], &[("COUNTERSIGN_BODY_SIZE", "64KiB")]);
    for wire in WIRES {
        for body in ["", "{", "[]", "null", "\u{0}", "{\"messages\": [}", "{\"a\":1}}"] {
            let mark = world.upstream.on([Said::text("ok")]);
            let heard = world.open_bytes(wire, wire.path(), &[], &mark, body.as_bytes()).heard();
            assert_eq!(heard.status, 400, "{body:?}: {}", heard.raw);
            let error = heard.error.expect("an error");
            assert_eq!(error["type"], "invalid_request_error");
            assert!(world.upstream.asked(&mark).is_empty());
        }
        let mark = world.upstream.on([Said::text("ok")]);
        let large = Ask::new(wire, false).field("x", json!("x".repeat(80_000)));
        let heard = world.ask(&large, &mark);
        assert_eq!(heard.status, 413, "{}", heard.raw);
        let error = heard.error.expect("an error");
        assert!(wire != Wire::Messages || error["type"] == "request_too_large", "{error}");
        assert!(world.upstream.asked(&mark).is_empty());
        let context = Ask::new(wire, false).header("countersign-context", "no JSON");
        assert_eq!(world.ask(&context, &mark).status, 400);
    }
    // Without a setting there is room for 20 MB.
    let world = World::shared();
    let large = Ask::new(Wire::Chat, false).field("x", json!("x".repeat(19_000_000)));
    let (heard, _) = world.play(&large, [Said::text("ok")]);
    assert_eq!(heard.text, "ok");
}
