//! How strict the gateway is, and where it sends what: modes by route, key and tool; upstreams by name, by model, one
//! after the other.

use crate::gateway_dialects::{Said, Wire, call, everywhere};
use crate::gateway_upstream::{Raw, Upstream};
use crate::gateway_world::{Ask, World, good};
use crate::serve_world::{bare, folder, within};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call that the gateway would mend, and one that it would refuse.
fn said() -> Said {
    let misspelt = call("call_1", "get_weathr", json!({"city": "Paris", "days": "10"}));
    Said::calls("Words.", &[misspelt, call("call_2", "launch_rocket", json!({"x": 1}))])
}

/// What the upstream sends for `said`, to the byte.
fn sent(ask: &Ask) -> String {
    if ask.body["stream"] == true {
        return ask.wire.frames(&said(), &ask.body).concat();
    }
    ask.wire.whole(&said(), &ask.body).to_string()
}

// CALL-9: in advise and shadow every byte passes, and the verdicts are named and written down; off, nothing is looked at.
#[test]
fn modes_that_only_watch_change_nothing() {
    for mode in ["advise", "shadow", "off"] {
        let world = World::own(&format!("mode-{mode}"), &[], &[("COUNTERSIGN_GATEWAY_MODE", mode)]);
        for (wire, stream) in everywhere() {
            let ask = Ask::new(wire, stream);
            let mark = world.upstream.on([said()]);
            let mut live = world.open(&ask, &mark);
            live.rest();
            let (text, (_, headers)) = (live.text(), live.head());
            let named = headers.iter().any(|(name, _)| name == "countersign-verdict");
            let comments: Vec<&str> =
                text.lines().filter_map(|line| line.strip_prefix(": countersign-verdict ")).collect();
            let bytes: String = text.split_inclusive("\n\n").filter(|frame| !frame.starts_with(':')).collect();
            assert_eq!(bytes, sent(&ask), "{mode} in {wire:?}");
            assert_eq!(named, mode != "off" && !stream, "{mode}: {headers:?}");
            assert_eq!(comments.len(), if mode != "off" && stream { 2 } else { 0 }, "{mode}: {text}");
            assert_eq!(world.upstream.asked(&mark).len(), 1);
            if let Some((id, status)) = comments.first().and_then(|comment| comment.split_once(' ')) {
                let record = world.verdict(id);
                assert_eq!((record["mode"].as_str(), record["status"].as_str()), (Some(mode), Some(status)));
                assert_eq!((status, record["released"].as_bool()), ("caution", Some(true)));
            }
            let broken = Ask::of(wire, stream, &[crate::gateway_dialects::result("nobody", "ORPHAN")], &[]);
            let (_, mark) = world.play(&broken, [Said::text("ok")]);
            assert!(world.upstream.asked(&mark)[0].json().to_string().contains("ORPHAN"), "histories pass too");
        }
    }
}

// CALL-9: a key's mode before the route's, the route's before the gateway's; tools that are only watched pass.
#[test]
fn modes_by_route_key_and_tool() {
    let data = folder("gateway-mode-keys");
    let make = |name: &str| {
        let place = data.display().to_string();
        let made = bare(&["keys", "create", "--name", name, "--scope", "engine,review", "--data-dir", &place], &[])
            .output()
            .unwrap();
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let (strict, loose) = (make("strict"), make("loose"));
    let kept: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(data.join("keys.json")).unwrap()).unwrap();
    let list = kept.as_array().or(kept["keys"].as_array()).expect("keys");
    let id = |name: &str| list.iter().find(|key| key["name"] == name).expect(name)["id"].as_str().unwrap().to_owned();
    let settings = format!(
        "[gateway]\nmode = \"enforce\"\n[gateway.routes]\nchat = \"shadow\"\nmessages = \"off\"\n[gateway.keys]\n{} = \"enforce\"\n{} = \"off\"\n",
        id("strict"),
        id("loose")
    );
    let upstream = Arc::new(Upstream::start());
    let file = crate::run::scratch("gateway-modes.toml", &settings);
    let (openai, anthropic) = (upstream.openai(), upstream.anthropic());
    let args = ["--upstream-openai", &openai, "--upstream-anthropic", &anthropic, "--config", &file];
    let server = crate::serve_world::Server::start(&data, &args, &[("COUNTERSIGN_API_KEYS", "plain-key")]);
    let world = World { server, upstream };
    for (wire, stream) in everywhere() {
        for (key, mode) in [("plain-key", None), (strict.as_str(), Some("enforce")), (loose.as_str(), Some("off"))] {
            let mode = mode.unwrap_or(match wire {
                Wire::Chat => "shadow",
                Wire::Responses => "enforce",
                Wire::Messages => "off",
            });
            let ask = Ask::new(wire, stream).header("countersign-key", key);
            let mark = world.upstream.on([said()]);
            let mut live = world.open(&ask, &mark);
            live.rest();
            let text = live.text();
            assert_eq!(text.contains("get_weathr"), mode != "enforce", "{mode} in {wire:?}: {text}");
            let named = text.contains("countersign-verdict")
                || live.head().1.iter().any(|(name, _)| name == "countersign-verdict");
            assert_eq!(named, mode != "off", "{mode} in {wire:?}: {text}");
        }
    }
}

// CALL-9: a tool that is only watched passes with its faults; the others are held as ever.
#[test]
fn a_tool_may_be_only_watched() {
    let upstream = Arc::new(Upstream::start());
    let world = World::with_settings(&upstream, "tools", "[gateway.tools]\nget_weather = \"advise\"\n", &[]);
    for (wire, stream) in everywhere() {
        let loose = call("call_1", "get_weather", json!({"city": "Paris", "days": "10"}));
        let fly = call("call_2", "searchFlights", json!({"origin": "BER", "destination": "CDG"}));
        let (heard, _) = world.play(&Ask::new(wire, stream), [Said::calls("", &[loose.clone(), fly])]);
        assert_eq!(heard.names(), ["get_weather", "search_flights"], "{}", heard.raw);
        assert_eq!(heard.calls[0].json(), loose.json(), "as it was written");
    }
}

// SERVE-6: by the model's name, by the header, else the usual one; who is named wrongly is told.
#[test]
fn requests_go_where_they_belong() {
    let upstreams: Vec<Arc<Upstream>> = (0..4).map(|_| Arc::new(Upstream::start())).collect();
    let named = |name: &str, api: &str, url: &str, rest: &str| {
        format!("[upstreams.{name}]\napi = \"{api}\"\nurl = \"{url}\"\n{rest}\n")
    };
    let settings = [
        named(
            "local",
            "openai",
            &upstreams[1].openai(),
            "models = [\"llama-*\", \"qwen\"]\napi_key_env = \"LOCAL_KEY\"",
        ),
        named("claude", "anthropic", &upstreams[2].anthropic(), "models = [\"claude-*\"]"),
        named("spare", "openai", &upstreams[3].openai(), "models = [\"never\"]"),
        named("weak", "openai", "http://127.0.0.1:9/v1", "models = [\"weak-*\"]\nfallback = \"spare\""),
        named("busy", "openai", &upstreams[1].openai(), "models = [\"busy-*\"]\nfallback = \"spare\""),
        named("alone", "openai", &upstreams[1].openai(), "models = [\"alone-*\"]\nretries = 2"),
    ];
    let world = World::with_settings(&upstreams[0], "named", &settings.concat(), &[("LOCAL_KEY", "sk-local")]);
    let went = |ask: &Ask, script: Vec<Raw>| {
        let marks: Vec<String> = upstreams.iter().map(|one| one.on([Said::text("ok")])).collect();
        assert!(marks.iter().all(|mark| *mark == marks[0]), "one mark for all");
        if !script.is_empty() {
            upstreams[1].again(&marks[0], script);
        }
        let heard = world.ask(ask, &marks[0]);
        let counts: Vec<usize> = upstreams.iter().map(|one| one.asked(&marks[0]).len()).collect();
        (heard, counts)
    };
    let model = |wire: Wire, model: &str| Ask::new(wire, false).field("model", json!(model));
    assert_eq!(went(&model(Wire::Chat, "gpt-x"), vec![]).1, [1, 0, 0, 0]);
    assert_eq!(went(&model(Wire::Chat, "llama-3-8b"), vec![]).1, [0, 1, 0, 0]);
    assert_eq!(went(&model(Wire::Responses, "qwen"), vec![]).1, [0, 1, 0, 0]);
    assert_eq!(went(&model(Wire::Responses, "qwen2"), vec![]).1, [1, 0, 0, 0]);
    assert_eq!(went(&model(Wire::Messages, "claude-9"), vec![]).1, [0, 0, 1, 0]);
    assert_eq!(went(&model(Wire::Messages, "llama-3"), vec![]).1, [1, 0, 0, 0], "a model of another API");
    assert_eq!(went(&model(Wire::Chat, "gpt-x").header("countersign-upstream", "local"), vec![]).1, [0, 1, 0, 0]);
    let (heard, counts) = went(&model(Wire::Chat, "gpt-x").header("countersign-upstream", "nowhere"), vec![]);
    assert!((400..500).contains(&heard.status) && counts == [0; 4], "{}", heard.raw);
    // Fallbacks, only where they are configured: for one that is unavailable, and for one that fails.
    assert_eq!(went(&model(Wire::Chat, "weak-1"), vec![]).1, [0, 0, 0, 1]);
    let busy = || Raw::body(529, "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":null,\"param\":null}}");
    let (heard, counts) = went(&model(Wire::Chat, "busy-1"), vec![busy()]);
    assert_eq!((heard.status, counts), (200, vec![0, 1, 0, 1]));
    let wrong = Raw { status: 400, ..busy() };
    let (heard, counts) = went(&model(Wire::Chat, "busy-1"), vec![wrong]);
    assert_eq!((heard.status, counts), (400, vec![0, 1, 0, 0]), "what the client did wrong is wrong everywhere");
    // Retries, only where they are configured, with the pause that the upstream asks for.
    let began = Instant::now();
    let busy = busy().header("retry-after-ms", "300");
    let ok = Raw::body(200, Wire::Chat.whole(&Said::text("ok"), &json!({})).to_string());
    let (heard, counts) = went(&model(Wire::Chat, "alone-1"), vec![busy.clone(), ok]);
    assert_eq!((heard.status, counts), (200, vec![0, 2, 0, 0]), "{}", heard.raw);
    assert!(began.elapsed() >= Duration::from_millis(290), "{:?}", began.elapsed());
    let (heard, counts) = went(&model(Wire::Chat, "alone-1"), vec![busy]);
    assert_eq!((heard.status, counts), (529, vec![0, 3, 0, 0]));
}

// SERVE-6: an upstream that speaks HTTP/2 only, its calls held and mended as any other's; a reset is a cut.
#[test]
fn an_upstream_may_speak_http2() {
    let upstream = Arc::new(crate::gateway_http2::start());
    let world = World::before(&upstream, "http2", &["--set", "upstream.http2=only"], &[]);
    for (wire, stream) in everywhere() {
        let (heard, mark) = world.play(
            &Ask::new(wire, stream).header("x-own", "v"),
            [Said::calls("Words.", &[call("c", "get_weathr", good())])],
        );
        assert_eq!((heard.text.as_str(), heard.names()), ("Words.", vec!["get_weather"]), "{}", heard.raw);
        let asked = &world.upstream.asked(&mark)[0];
        assert_eq!((asked.all("x-own"), asked.all(":version")), (vec!["v"], vec!["HTTP/2.0"]));
        let (heard, _) = world.play(
            &Ask::new(wire, stream),
            [Raw::body(
                429,
                "{\"type\":\"error\",\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":null,\"param\":null}}",
            )
            .header("retry-after", "3")],
        );
        assert_eq!((heard.status, heard.header("retry-after")), (429, Some("3")));
        if stream {
            let frames = wire.frames(&said(), &Ask::new(wire, true).body);
            let cut = Raw::stream([
                crate::gateway_upstream::Step::Bytes(frames[..6].concat().into_bytes()),
                crate::gateway_upstream::Step::Cut,
            ]);
            let (heard, _) = world.play(&Ask::new(wire, true), [cut]);
            assert!(heard.error.is_some() && heard.calls.is_empty(), "{}", heard.raw);
            assert_eq!((heard.status, heard.text.as_str()), (200, "Words."), "{}", heard.raw);
        }
    }
    within(5, "the server to be there still", || world.server.get("/readyz").status == 200);
}
