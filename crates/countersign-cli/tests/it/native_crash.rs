//! The process dies, or is told to end: nobody waits forever, and nothing that was shown is lost.

use crate::native_upstream::{Gate, Step, Upstream, finish, piece, text};
use crate::native_world::{Reader, World, check_turn, contents, kinds};
use crate::serve_world::folder;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

// STREAM-2, STREAM-3: kill -9: what was seen is there to the byte, the turn is `lost`, and the session goes on.
#[test]
fn after_a_kill_every_turn_is_lost_and_nothing_else_is() {
    let (data, upstream) = (folder("native-kill"), Arc::new(Upstream::start()));
    let mut world = World::again(&data, &upstream, &[], &[]);
    let sessions: Vec<String> = (0..5).map(|_| world.session(json!({}))).collect();
    let quiet = world.session(json!({}));
    let finished = world.turn(&quiet, "Hello", vec![text(&["done ", "before"])]);
    for round in 1..=3 {
        let pieces = (0..100).flat_map(|at| [piece(&format!("r{round}p{at} ")), Step::Pause(5)]);
        let mark = upstream.on(vec![pieces.chain([Step::Hang]).collect()]);
        let mut readers: Vec<Reader> = sessions.iter().map(|session| world.say(session, &mark)).collect();
        let mut seen: Vec<_> = readers.iter_mut().map(|reader| reader.until("text_delta")).collect();
        for (seen, reader) in seen.iter_mut().zip(&mut readers).take(3) {
            seen.extend((0..4).map(|_| reader.next().unwrap()));
        }
        let logs: Vec<_> = sessions.iter().map(|session| contents(&world.log(session))).collect();
        drop(world);
        world = World::again(&data, &upstream, &[], &[]);
        let ready = Instant::now();
        assert_eq!(world.server.get("/readyz").status, 200);
        for ((session, seen), before) in sessions.iter().zip(&seen).zip(&logs) {
            let last = seen[seen.len() - 1].id();
            let rest = world.events_after(session, "", last).rest();
            assert_eq!(rest.last().unwrap().kind(), "lost");
            assert!(rest.iter().all(|event| event.kind() != "reset"), "its cursor still means something");
            check_turn(session, &[seen.clone(), rest].concat());
            let log = world.log(session);
            assert_eq!(contents(&log)[..before.len()], before[..], "what was seen is there, to the byte");
            assert_eq!(log.last().unwrap().id().split('.').next(), Some((round + 1).to_string().as_str()));
        }
        assert!(ready.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(contents(&world.log(&quiet)), contents(&finished), "what was finished is not touched");
    let next = world.turn(&sessions[0], "Go on", vec![text(&["here"])]);
    assert_eq!(next.last().unwrap().kind(), "completed");
    let terminals = world.log(&sessions[0]).iter().filter(|event| event.is_terminal()).count();
    assert_eq!(terminals, 4, "one for each turn");
}

// STREAM-2: SIGTERM with many open streams: every reader gets its terminal event and [DONE]; exit 0; nothing is lost.
#[test]
fn at_the_end_every_reader_is_told() {
    let (data, upstream) = (folder("native-term"), Arc::new(Upstream::start()));
    let world = World::again(&data, &upstream, &["--set", "sessions.shutdown_grace=1s"], &[]);
    let gate = Gate::default();
    let hang = upstream.on(vec![vec![piece("begun"), Step::Hang]]);
    let soon = upstream.on(vec![vec![piece("begun"), Step::Gate(gate.clone()), piece("whole"), finish("stop")]]);
    let mut readers: Vec<(String, &str, Reader)> = Vec::new();
    for at in 0..20 {
        let session = world.session(json!({}));
        let (mark, end) = if at % 4 == 0 { (&soon, "completed") } else { (&hang, "stopped") };
        let mut posting = world.say(&session, mark);
        posting.until("text_delta");
        readers.extend((0..9).map(|_| (session.clone(), end, world.events(&session, ""))));
        readers.push((session, end, posting));
    }
    assert_eq!(readers.len(), 200);
    let mut reviews = Reader::open(&world.server, "GET", "/v1/reviews/events", &[], "");
    let began = Instant::now();
    world.server.signal("TERM");
    std::thread::sleep(Duration::from_millis(200));
    gate.open();
    for (session, end, reader) in &mut readers {
        let events = reader.rest();
        let last = events.last().unwrap();
        assert_eq!(last.kind(), *end, "{session}");
        assert_eq!(last.word("reason"), if *end == "stopped" { "shutdown" } else { "" });
    }
    assert_eq!(reviews.rest(), [], "the stream of reviews ends too");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(world.server.end_already(), Some(0));
    let again = World::again(&data, &upstream, &[], &[]);
    for (session, end, _) in readers.iter().step_by(10) {
        let log = again.log(session);
        check_turn(session, &log);
        assert_eq!(log.last().unwrap().kind(), *end, "{:?}", kinds(&log));
    }
}
