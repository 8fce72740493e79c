//! The server ends while answers flow: they come to their end, or their clients are told.

use crate::gateway_dialects::{Said, WIRES, Wire, call};
use crate::gateway_upstream::{Gate, Raw, Step};
use crate::gateway_world::{Ask, End, Live, World, good};
use crate::serve_world::within;
use std::time::{Duration, Instant};

fn streams(world: &World, gate: &Gate) -> Vec<(Wire, Live)> {
    let open = |wire: Wire| {
        let ask = Ask::new(wire, true);
        let frames = wire.frames(&Said::calls("Words.", &[call("c", "get_weathr", good())]), &ask.body);
        let at = frames.iter().position(|frame| frame.contains("get_weathr")).unwrap() + 1;
        let (first, second) = frames.split_at(at);
        let steps = [Step::Bytes(first.concat().into()), Step::Gate(gate.clone()), Step::Bytes(second.concat().into())];
        let mark = world.upstream.on([Raw::stream(steps)]);
        let mut live = world.open(&ask, &mark);
        live.until("Words.");
        (wire, live)
    };
    WIRES.into_iter().map(open).collect()
}

// SERVE-6: within the grace time a stream ends with its answer, held calls and all.
#[test]
fn a_stream_ends_with_its_answer() {
    let world = World::own("end-answer", &[], &[]);
    let gate = Gate::default();
    let streams = streams(&world, &gate);
    world.server.signal("TERM");
    within(5, "new connections to be refused", || {
        std::net::TcpStream::connect(&world.server.address).is_err() || {
            std::thread::sleep(Duration::from_millis(100));
            true
        }
    });
    gate.open();
    for (_, live) in streams {
        let heard = live.heard();
        assert_eq!((heard.text.as_str(), heard.names()), ("Words.", vec!["get_weather"]), "{}", heard.raw);
    }
    assert_eq!(world.server.end_already(), Some(0));
}

// SERVE-6: where the upstream takes longer, the client is told in its dialect, and gets no half of a call.
#[test]
fn a_stream_that_takes_too_long_is_told() {
    let world = World::own("end-grace", &[], &[("COUNTERSIGN_SHUTDOWN_GRACE", "1s")]);
    let streams = streams(&world, &Gate::default());
    let began = Instant::now();
    world.server.signal("TERM");
    for (wire, mut live) in streams {
        assert_eq!(live.rest(), End::Clean, "{wire:?}: {}", live.text());
        let heard = live.heard();
        assert!(heard.error.is_some() && heard.calls.is_empty(), "{wire:?}: {}", heard.raw);
        assert_eq!(heard.text, "Words.");
    }
    assert_eq!(world.server.end_already(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
