//! Upstreams at their worst: cut anywhere, silent, slow, wrong, too long, compressed, gone. A client never gets a call
//! that was not whole, and always an end that its SDK understands.

use crate::gateway_dialects::{Said, WIRES, Wire, call, everywhere};
use crate::gateway_upstream::{Framing, Gate, Raw, Script, Step, Upstream, gzip};
use crate::gateway_world::{Ask, End, World, bad, good};
use crate::serve_world::within;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An answer's frames: words that are not ASCII, and a call.
fn frames(wire: Wire) -> Vec<String> {
    let ask = Ask::new(wire, true);
    wire.frames(&Said::calls("Für 巴黎.", &[call("call_1", "get_weather", json!({"city": "巴黎"}))]), &ask.body)
}

fn bytes(frames: &[String]) -> Step {
    Step::Bytes(frames.concat().into_bytes())
}

/// Up to which byte an answer has no finish. What follows may be lost without harm.
fn finish(wire: Wire, frames: &[String]) -> usize {
    let marker = match wire {
        Wire::Chat => "\"finish_reason\":\"tool_calls\"",
        Wire::Responses => "response.completed",
        Wire::Messages => "message_delta",
    };
    let at = frames.iter().position(|frame| frame.contains(marker)).unwrap();
    frames[..=at].concat().trim_end().len()
}

// SERVE-6, PARSE-4, PARSE-5: cut at every byte, within characters too, by a broken connection or by a silent end:
// never a call, the dialect's error event, and no finish beside it.
#[test]
fn a_stream_cut_at_any_byte_gives_an_error_and_no_call() {
    let world = World::shared();
    let mut cuts = Vec::new();
    for wire in WIRES {
        let frames = frames(wire);
        let end = finish(wire, &frames);
        let whole = frames.concat().into_bytes();
        for at in 0..=whole.len() {
            for framing in [Framing::Chunked, Framing::Close] {
                let raw = Raw::stream([Step::Bytes(whole[..at].to_vec()), Step::Cut]).framing(framing);
                cuts.push((wire, raw, at < end, at));
            }
        }
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((wire, raw, unfinished, at)) = cuts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (heard, _) = world.play(&Ask::new(*wire, true), [raw.clone()]);
                    let told = format!("{wire:?} cut at byte {at}, {:?}: {}", raw.framing, heard.raw);
                    assert!("Für 巴黎.".starts_with(&heard.text), "{told}");
                    if *unfinished || heard.error.is_some() {
                        assert!(heard.error.is_some() && heard.calls.is_empty(), "{told}");
                    } else {
                        assert_eq!(heard.calls[0].json(), json!({"city": "巴黎"}), "{told}");
                    }
                }
            });
        }
    });
}

// PARSE-4: any split of the bytes gives the same answer.
#[test]
fn byte_by_byte_gives_the_same_answer() {
    let world = World::shared();
    for wire in WIRES {
        for ends in ["\n", "\r\n"] {
            let whole = frames(wire).concat().replace('\n', ends).into_bytes();
            let drops = whole.iter().map(|byte| Step::Bytes(vec![*byte]));
            let (heard, _) = world.play(&Ask::new(wire, true), [Raw::stream(drops)]);
            assert_eq!((heard.text.as_str(), heard.names()), ("Für 巴黎.", vec!["get_weather"]), "{}", heard.raw);
            assert_eq!(heard.calls[0].json(), json!({"city": "巴黎"}));
        }
    }
}

// SERVE-6: a body that was cut is an error in the dialect's form.
#[test]
fn a_body_that_was_cut_is_an_error() {
    let world = World::shared();
    for wire in WIRES {
        let body = wire.whole(&Said::calls("", &[call("call_1", "get_weather", good())]), &json!({})).to_string();
        for at in [0, 1, body.len() / 2, body.len() - 1] {
            let cut = Raw::body(200, &body.as_bytes()[..at]).framing(Framing::LongerBy(body.len() - at));
            let (heard, mark) = world.play(&Ask::new(wire, false), [cut]);
            assert_eq!(heard.status, 502, "{}", heard.raw);
            assert!(heard.error.is_some() && heard.calls.is_empty());
            assert_eq!(world.upstream.asked(&mark).len(), 1);
        }
    }
}

// SERVE-6: statuses, error bodies and their headers pass, and are not tried again.
#[test]
fn statuses_of_the_upstream_pass_through() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        for status in [400, 401, 404, 408, 409, 413, 422, 429, 500, 502, 503, 529] {
            let body = format!(
                "{{\"type\":\"error\",  \"error\":{{\"type\":\"t\",\"message\":\"no {status}\",\"code\":null,\"param\":null}}}}"
            );
            let raw = Raw::body(status, body.clone())
                .header("retry-after", "7")
                .header("retry-after-ms", "6500")
                .header("x-should-retry", "true")
                .header("request-id", "req_1")
                .header("x-request-id", "req_2")
                .header("anthropic-ratelimit-tokens-remaining", "0")
                .header("x-ratelimit-remaining-requests", "1");
            let sent = raw.headers.clone();
            let (heard, mark) = world.play(&Ask::new(wire, stream), [raw]);
            assert_eq!((heard.status, &heard.raw), (status, &body), "{wire:?}");
            for (name, value) in sent {
                let got: Vec<&str> =
                    heard.headers.iter().filter(|(key, _)| key == name).map(|(_, v)| v.as_str()).collect();
                assert_eq!(got, [value], "{name} of {status} in {wire:?}");
            }
            assert!(heard.header("x-process-time").is_some());
            assert_eq!(world.upstream.asked(&mark).len(), 1, "no retries of our own");
        }
    }
}

// SERVE-6: an upstream that says nothing is given up, before its answer and in the middle of it.
#[test]
fn silence_has_a_limit() {
    let limits = [("COUNTERSIGN_UPSTREAM_SILENCE", "1s"), ("COUNTERSIGN_UPSTREAM_TIMEOUT", "1s")];
    let world = World::own("silence", &[], &limits);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for (wire, stream) in everywhere() {
            let world = &world;
            scope.spawn(move || {
                let (heard, mark) = world.play(&Ask::new(wire, stream), [Raw::silence()]);
                assert_eq!(heard.status, 504, "{}", heard.raw);
                assert!(heard.error.is_some());
                within(3, "the request to end", || world.upstream.asked(&mark)[0].left.is_some());
            });
            scope.spawn(move || {
                let frames = frames(wire);
                let in_call = frames.iter().position(|frame| frame.contains("get_weather")).unwrap();
                for upto in [2, in_call + 1] {
                    let raw = if stream {
                        Raw::stream([bytes(&frames[..upto]), Step::Hang])
                    } else {
                        Raw { steps: vec![Step::Bytes(b"{\"id\":".to_vec()), Step::Hang], ..Raw::body(200, "") }
                            .framing(Framing::Chunked)
                    };
                    let (heard, _) = world.play(&Ask::new(wire, stream), [raw]);
                    assert!(heard.error.is_some() && heard.calls.is_empty(), "{}", heard.raw);
                    assert_eq!(heard.status, if stream { 200 } else { 502 }, "{}", heard.raw);
                }
            });
        }
    });
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

// SERVE-6: text arrives while the upstream still writes; a call only when it is whole.
#[test]
fn text_flows_while_a_call_is_held() {
    let world = World::shared();
    for wire in WIRES {
        let frames = frames(wire);
        let in_call = frames.iter().position(|frame| frame.contains("get_weather")).unwrap() + 2;
        let gates = [Gate::default(), Gate::default()];
        let raw = Raw::stream([
            bytes(&frames[..4]),
            Step::Gate(gates[0].clone()),
            bytes(&frames[4..in_call]),
            Step::Gate(gates[1].clone()),
            bytes(&frames[in_call..]),
        ]);
        let mark = world.upstream.on([raw]);
        let mut live = world.open(&Ask::new(wire, true), &mark);
        live.until("Für");
        gates[0].open();
        std::thread::sleep(Duration::from_millis(50));
        gates[1].open();
        let raw = live.text();
        assert!(!raw.contains("get_weather"), "held from its first piece: {raw}");
        let heard = live.heard();
        assert_eq!((heard.text.as_str(), heard.names()), ("Für 巴黎.", vec!["get_weather"]), "{}", heard.raw);
    }
}

// SERVE-6, PARSE-4: a slow drip arrives as it is written, not at the end.
#[test]
fn a_slow_drip_arrives_drop_by_drop() {
    let world = World::shared();
    for wire in WIRES {
        let ask = Ask::new(wire, true);
        let frames = wire.frames(&Said::text("One two three four five six seven eight nine ten."), &ask.body);
        let drip = |frame: String| [Step::Bytes(frame.into_bytes()), Step::Pause(Duration::from_millis(30))];
        let mark = world.upstream.on([Raw::stream(frames.into_iter().flat_map(drip))]);
        let mut live = world.open(&ask, &mark);
        live.until("One");
        let first = Instant::now();
        let heard = live.heard();
        assert_eq!(heard.text, "One two three four five six seven eight nine ten.");
        assert!(first.elapsed() > Duration::from_millis(150), "{wire:?}: {:?}", first.elapsed());
    }
}

// SERVE-6, PARSE-5: what is no answer never becomes one.
#[test]
fn garbage_is_no_answer() {
    let world = World::shared();
    let html = b"<html><body>502 Bad Gateway</body></html>".to_vec();
    for (wire, stream) in everywhere() {
        for garbage in
            [html.clone(), b"data: {broken\n\n".to_vec(), vec![0xff, 0xfe, 0, 1, 2], b"[]".to_vec(), Vec::new()]
        {
            let mut raw =
                if stream { Raw::stream([Step::Bytes(garbage.clone())]) } else { Raw::body(200, garbage.clone()) };
            let (heard, _) = world.play(&Ask::new(wire, stream), [raw.clone()]);
            assert!(heard.error.is_some() && heard.calls.is_empty(), "{wire:?} {stream} {garbage:?}: {}", heard.raw);
            // In the middle of an answer it ends the answer.
            if stream && garbage.starts_with(b"data") {
                let frames = frames(wire);
                raw.steps = vec![bytes(&frames[..5]), Step::Bytes(garbage), bytes(&frames[5..])];
                let (heard, _) = world.play(&Ask::new(wire, stream), [raw]);
                assert!(heard.error.is_some() && heard.calls.is_empty(), "{wire:?}: {}", heard.raw);
            }
        }
    }
}

// SERVE-6: lines of a megabyte, in text and in arguments, whole.
#[test]
fn long_lines_pass() {
    let world = World::shared();
    let long = "word ".repeat(200_000);
    for wire in WIRES {
        let ask = Ask::new(wire, true);
        let marked = wire.frames(&Said::text("HERE!!"), &ask.body);
        let frames: Vec<String> = marked.iter().map(|frame| frame.replace("HERE!!", &long)).collect();
        let (heard, _) = world.play(&ask, [Raw::stream([bytes(&frames)])]);
        assert!(heard.text == long && heard.done, "{wire:?}: {} bytes", heard.text.len());
        let marked = wire.frames(&Said::calls("", &[call("c", "get_weather", "{\"city\":\"X!\"}")]), &ask.body);
        let frames: Vec<String> = marked.iter().map(|frame| frame.replace("X!", &long)).collect();
        let (heard, _) = world.play(&ask, [Raw::stream([bytes(&frames)])]);
        assert_eq!(heard.calls.len(), 1, "{wire:?}");
        assert!(heard.calls[0].json()["city"] == long, "{wire:?}: {} bytes", heard.calls[0].arguments.len());
    }
}

// SERVE-6: an upstream that compresses is read all the same, and its calls are checked.
#[test]
fn compressed_answers_are_read() {
    let world = World::shared();
    let said = Said::calls("Zipped words.", &[call("c", "get_weathr", json!({"city": "Paris", "days": "10"}))]);
    for (wire, stream) in everywhere() {
        let ask = Ask::new(wire, stream);
        let raw = if stream {
            let frames = wire.frames(&said, &ask.body);
            let pieces: Vec<&[u8]> = frames.iter().map(String::as_bytes).collect();
            Raw::stream(gzip(&pieces).into_iter().map(Step::Bytes))
        } else {
            Raw::body(200, gzip(&[wire.whole(&said, &ask.body).to_string().as_bytes()]).concat())
        };
        let (heard, mark) = world.play(&ask, [raw.header("content-encoding", "gzip")]);
        assert!(heard.header("content-encoding").is_none(), "{:?}", heard.headers);
        assert_eq!((heard.text.as_str(), heard.names()), ("Zipped words.", vec!["get_weather"]), "{}", heard.raw);
        assert_eq!(heard.calls[0].json(), good());
        assert_eq!(world.upstream.asked(&mark)[0].all("accept-encoding"), ["identity"]);
    }
}

// SERVE-6: a client that goes away ends the upstream request, wherever it stands.
#[test]
fn a_client_that_leaves_ends_the_upstream_request() {
    let world = World::shared();
    let left = |mark: &str, at: usize| {
        let asked = Instant::now();
        within(3, "the upstream request to end", || {
            world.upstream.asked(mark).get(at).is_some_and(|one| one.left.is_some())
        });
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    };
    for wire in WIRES {
        let frames = frames(wire);
        let in_call = frames.iter().position(|frame| frame.contains("get_weather")).unwrap() + 2;
        for upto in [4, in_call] {
            let mark = world.upstream.on([Raw::stream([bytes(&frames[..upto]), Step::Hang])]);
            let mut live = world.open(&Ask::new(wire, true), &mark);
            live.until("Für");
            live.leave();
            left(&mark, 0);
        }
        let mark = world.upstream.on([Raw::silence()]);
        let live = world.open(&Ask::new(wire, false), &mark);
        within(5, "the request", || !world.upstream.asked(&mark).is_empty());
        live.leave();
        left(&mark, 0);
        // While the model is asked again, that request ends too, and no other begins.
        let first: Script = Said::calls("Early words.", &[call("c", "get_weather", bad())]).into();
        let mark = world.upstream.on([first, Raw::silence().into()]);
        let mut live = world.open(&Ask::new(wire, true), &mark);
        live.until("Early");
        within(5, "the correction", || world.upstream.asked(&mark).len() == 2);
        live.leave();
        left(&mark, 1);
        assert_eq!(world.upstream.asked(&mark).len(), 2);
    }
}

// SERVE-6: an upstream that is down gives clean errors at once, with a time to come back, and works again by itself.
#[test]
fn an_upstream_that_is_down_recovers_by_itself() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = Arc::new(Upstream::of(port, Arc::default()));
    let world = World::before(&nobody, "down", &[], &[]);
    for wire in WIRES {
        let mut statuses = Vec::new();
        for at in 0..10 {
            let began = Instant::now();
            let heard = world.ask(&Ask::new(wire, at % 2 == 0), "none");
            assert!(heard.error.is_some() && began.elapsed() < Duration::from_secs(3), "{}", heard.raw);
            if heard.status == 503 {
                let wait: u64 = heard.header("retry-after").expect("a time to come back").parse().unwrap();
                assert!((1..=10).contains(&wait), "{wait}");
            }
            statuses.push(heard.status);
        }
        assert!(statuses.iter().all(|status| [502, 503].contains(status)), "{statuses:?}");
        assert_eq!(statuses.last(), Some(&503), "the circuit opens: {statuses:?}");
    }
    assert_eq!(world.server.get("/readyz").status, 200);
    let back = Upstream::at(TcpListener::bind(("127.0.0.1", port)).unwrap());
    for wire in WIRES {
        within(10, "the recovery", || world.ask(&Ask::new(wire, false), "none").status == 200);
        let (heard, _) = (world.ask(&Ask::new(wire, true), "none"), &back);
        assert_eq!(heard.text, "unmarked");
    }
}

// SERVE-6: statuses are the upstream's, and no reason to turn anybody away.
#[test]
fn errors_of_the_upstream_open_no_circuit() {
    let world = World::own("errors", &[], &[]);
    for status in [500, 429] {
        let mark = world
            .upstream
            .on([Raw::body(status, "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":null,\"param\":null}}")]);
        for _ in 0..20 {
            assert_eq!(world.ask(&Ask::new(Wire::Chat, false), &mark).status, status);
        }
        assert_eq!(world.upstream.asked(&mark).len(), 20);
    }
    assert_eq!(world.ask(&Ask::new(Wire::Chat, false), "none").text, "unmarked");
}

// SERVE-6: pooled connections that the upstream closed hurt nobody; what no route takes passes byte for byte.
#[test]
fn everything_else_passes_byte_for_byte() {
    let world = World::shared();
    let body = br#"{ "input" : "caf\u00e9", "x": 1.50 }"#;
    for (path, target) in [
        ("/v1/embeddings?a=1&b=%20x", "/oai/v1/embeddings?a=1&b=%20x"),
        ("/v1/messages/count_tokens?beta=true", "/ant/v1/messages/count_tokens?beta=true"),
    ] {
        let answer = br#"{"odd" :[1.0,2e3] }"#;
        let mark = world.upstream.on([Raw::body(207, answer.to_vec()).header("x-odd", "yes")]);
        let headers =
            [("x-strange", "1".to_owned()), ("idempotency-key", "k".to_owned()), ("user-agent", "me".to_owned())];
        let mut live = world.open_bytes(Wire::Chat, path, &headers, &mark, body);
        assert_eq!(live.rest(), End::Clean);
        let (status, got) = live.head();
        assert_eq!((status, live.body.as_slice()), (207, &answer[..]));
        assert!(got.contains(&("x-odd".to_owned(), "yes".to_owned())));
        let asked = &world.upstream.asked(&mark)[0];
        assert_eq!((asked.target.as_str(), asked.body.as_slice()), (target, &body[..]));
        for (name, value) in headers {
            assert_eq!(asked.all(name), [value], "{name}");
        }
    }
    let models = world.server.get("/v1/models");
    assert_eq!((models.status, models.body.as_str()), (200, crate::gateway_upstream::MODELS));
    for (wire, stream) in everywhere() {
        // Nothing to change: fields nobody knows, spacing and numbers stay, both ways.
        let body = Ask::new(wire, stream).field("x_unknown", json!({"f": [1.5, null]})).body.to_string();
        let body = format!("{} ", body.replacen('{', "{ ", 1));
        let answer = wire.whole(&Said::calls("ok", &[call("c1", "get_weather", good())]), &Value::Null);
        let answer = answer.to_string().replacen('{', "{  \"x_odd\": 1.50e2, ", 1);
        let mark = if stream {
            world.upstream.on([Said::text("plain words")])
        } else {
            world.upstream.on([Raw::body(200, answer.clone())])
        };
        let mut live = world.open_bytes(
            wire,
            &format!("{}?q=1", wire.path()),
            &[("x-own", "v".to_owned())],
            &mark,
            body.as_bytes(),
        );
        live.rest();
        let asked = &world.upstream.asked(&mark)[0];
        assert_eq!(String::from_utf8_lossy(&asked.body), body, "{wire:?}");
        assert!(asked.target.ends_with("?q=1") && asked.all("x-own") == ["v"]);
        let expected = if stream {
            wire.frames(&Said::text("plain words"), &serde_json::from_str(&body).unwrap()).concat()
        } else {
            answer
        };
        assert_eq!(live.text(), expected, "{wire:?} {stream}");
    }
}
