//! Cut and resumed: what was missed, in order, once, for every reader.

use crate::native_upstream::{Gate, Step, Upstream, finish, piece, text};
use crate::native_world::{Event, World, contents, kinds, words};
use crate::serve_world::{folder, within};
use serde_json::json;
use std::sync::Arc;

fn finished(world: &World, deltas: &[&str]) -> (String, Vec<Event>) {
    let session = world.session(json!({}));
    let mut script = Vec::new();
    for delta in deltas {
        script.extend([piece(delta), Step::Pause(50)]);
    }
    script.push(finish("stop"));
    let events = world.turn(&session, "Hello", vec![script]);
    (session, events)
}

// STREAM-3: every mode and cursor on an idle session.
#[test]
fn an_idle_session_is_read_from_any_place() {
    let world = World::shared();
    let (session, whole) = finished(&world, &["a", "b", "c"]);
    assert!(whole.len() >= 6, "{:?}", kinds(&whole));
    for query in ["", "?mode=hybrid", "?mode=replay", "?after=1.0", "?after=", "?mode=replay&after=1.0"] {
        assert_eq!(contents(&world.events(&session, query).rest()), contents(&whole), "{query}");
    }
    assert_eq!(world.events(&session, "?mode=none").rest(), []);
    assert_eq!(world.events(&session, "?mode=none&after=1.1").rest(), []);
    for (at, event) in whole.iter().enumerate() {
        let rest = contents(&whole[at + 1..]);
        for mode in ["replay", "hybrid"] {
            let query = format!("?mode={mode}&after={}", event.id());
            assert_eq!(contents(&world.events(&session, &query).rest()), rest, "{query}");
            let header = world.events_after(&session, "?after=1.1", event.id()).rest();
            assert_eq!(contents(&header), rest, "Last-Event-ID wins over after");
        }
    }
}

// STREAM-3: what is no cursor is refused, what means nothing here is told so and then given everything.
#[test]
fn a_bad_cursor_is_never_silence() {
    let world = World::shared();
    let (session, whole) = finished(&world, &["a"]);
    for query in ["?after=x", "?after=1", "?after=1.", "?after=1.1.1", "?after=-1.1", "?after=1.1e3", "?mode=all"] {
        let (status, told) = world.events(&session, query).refusal();
        assert_eq!(status, 400, "{query}: {told}");
    }
    assert_eq!(world.events_after(&session, "?after=1.1", "nonsense").refusal().0, 400);
    assert_eq!(world.events("ses_nobody", "").refusal().0, 404);
    let (oldest, newest) = (whole[0].id(), whole[whole.len() - 1].id());
    for (cursor, reason) in [("1.999", "past_head"), ("9.1", "unknown_epoch"), ("0.2", "unknown_epoch")] {
        for mode in ["replay", "hybrid"] {
            let mut reader = world.events(&session, &format!("?mode={mode}&after={cursor}"));
            let events = reader.rest();
            let reset = &events[0];
            assert_eq!((reset.kind(), &reset.json["id"]), ("reset", &json!(null)), "{cursor}");
            assert_eq!(reset.word("reason"), reason, "{cursor}");
            assert_eq!((reset.word("oldest").as_str(), reset.word("newest").as_str()), (oldest, newest));
            assert_eq!(contents(&events[1..]), contents(&whole), "{cursor}");
            assert!(!String::from_utf8(reader.bytes).unwrap().starts_with("id:"), "a reset moves no cursor");
        }
    }
}

// STREAM-3, T32: readers of a running turn: two tabs that see all, one that came late, one that wants only the new.
#[test]
fn every_tab_sees_the_whole_turn() {
    let world = World::shared();
    let (session, before) = finished(&world, &["old"]);
    let gate = Gate::default();
    let script =
        vec![piece("one "), Step::Gate(gate.clone()), piece("two "), Step::Pause(50), piece("three"), finish("stop")];
    let mark = world.upstream.on(vec![script]);
    let mut posting = world.say(&session, &mark);
    let begun = posting.until("text_delta");
    let last = begun[begun.len() - 1].id().to_owned();
    let mut tabs = [world.events(&session, ""), world.events(&session, "?mode=hybrid")];
    let mut late = world.events_after(&session, "", &last);
    let mut fresh = world.events(&session, "?mode=none");
    let mut lost = world.events(&session, "?after=7.1");
    let now = world.log(&session);
    assert_eq!(now.len(), before.len() + begun.len(), "replay of a running turn gives what exists now, then [DONE]");
    gate.open();
    let rest = posting.rest();
    let whole = [before, begun, rest.clone()].concat();
    for tab in &mut tabs {
        let seen = tab.rest();
        assert_eq!(contents(&seen), contents(&whole));
        let live = seen.iter().position(|event| event.json["meta"]["phase"] == "live").unwrap();
        assert!(seen[..live].iter().all(|event| event.json["meta"]["is_replay"] == true));
        assert!(seen[live..].iter().all(|event| event.json["meta"]["is_realtime"] == true), "no replay follows live");
        assert_eq!(seen[live].id(), rest[0].id());
    }
    assert_eq!(contents(&late.rest()), contents(&rest));
    assert_eq!(contents(&fresh.rest()), contents(&rest));
    let told = lost.rest();
    assert_eq!((told[0].kind(), contents(&told[1..])), ("reset", contents(&whole)), "and then followed to the end");
}

// STREAM-3, T32: a named reader's place is kept on the server, apart from every other's, also over a restart.
#[test]
fn a_named_reader_goes_on_where_it_was() {
    let (data, upstream) = (folder("native-reader"), Arc::new(Upstream::start()));
    let world = World::again(&data, &upstream, &[], &[]);
    let (session, first) = finished(&world, &["a", "b"]);
    assert_eq!(contents(&world.events(&session, "?reader=ann").rest()), contents(&first));
    assert_eq!(world.events(&session, "?reader=ann").rest(), [], "each event once");
    let second = world.turn(&session, "More", vec![text(&["c"])]);
    assert_eq!(world.server.end().code(), Some(0));
    let world = World::again(&data, &upstream, &[], &[]);
    assert_eq!(contents(&world.events(&session, "?reader=ann&mode=replay").rest()), contents(&second));
    let both = contents(&[first.clone(), second].concat());
    assert_eq!(contents(&world.events(&session, "?reader=bob").rest()), both, "another reader has its own place");
    assert_eq!(contents(&world.events(&session, "").rest()), both);
    let back = world.events_after(&session, "?reader=ann", first[0].id()).rest();
    assert_eq!(contents(&back), both[1..], "its own cursor wins");
    for name in ["", &"n".repeat(129)] {
        assert_eq!(world.events(&session, &format!("?reader={name}")).refusal().0, 400);
    }
}

// STREAM-3: what a named reader saw live is behind it, as if it had been replayed.
#[test]
fn a_named_reader_that_saw_it_live_is_not_told_again() {
    let world = World::shared();
    let session = world.session(json!({}));
    let gate = Gate::default();
    let mark = world.upstream.on(vec![vec![piece("one "), Step::Gate(gate.clone()), piece("two"), finish("stop")]]);
    let mut posting = world.say(&session, &mark);
    posting.until("text_delta");
    let mut named = world.events(&session, "?mode=hybrid&reader=tv");
    let begun = named.until("text_delta");
    gate.open();
    let seen = [begun, named.rest()].concat();
    assert!(seen.iter().any(|event| event.json["meta"]["phase"] == "live"), "{:?}", kinds(&seen));
    assert_eq!(contents(&seen), contents(&world.log(&session)));
    assert_eq!(world.events(&session, "?mode=replay&reader=tv").rest(), [], "nothing but [DONE]");
    assert_eq!(contents(&world.events(&session, "?mode=replay&reader=phone").rest()), contents(&seen));
}

// STREAM-3: the client is cut at every byte of a stored stream; what it got together is the reference.
#[test]
fn a_client_cut_at_every_byte_misses_nothing() {
    let world = World::shared();
    let (session, whole) = finished(&world, &["é", "字"]);
    let mut reference = world.events(&session, "?mode=replay");
    assert_eq!(contents(&reference.rest()), contents(&whole));
    let bytes = reference.bytes;
    let done = bytes.len() - "data: [DONE]\n\n".len();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (world, session, bytes) = (&world, &session, &bytes);
            scope.spawn(move || {
                for cut in (worker..=bytes.len()).step_by(4) {
                    // On a machine that stands still for a moment a sign of life may come first: such a reading is taken again.
                    let read = |_| {
                        Some(world.events(session, "?mode=replay").cut_after(cut)).filter(|bytes| is_undisturbed(bytes))
                    };
                    let got = (0..20).find_map(read).expect("a reading without heartbeats");
                    assert_eq!(got, bytes[..cut], "two readings are equal to the byte");
                    let kept = got.windows(2).rposition(|pair| pair == b"\n\n").map_or(0, |at| at + 2).min(done);
                    let frames = std::str::from_utf8(&got[..kept]).unwrap();
                    let last = frames.lines().rev().find_map(|line| line.strip_prefix("id: ")).unwrap_or_default();
                    let resume = |_| {
                        let mut resumed = world.events_after(session, "?mode=replay", last);
                        resumed.rest();
                        Some(resumed.bytes).filter(|bytes| is_undisturbed(bytes))
                    };
                    let resumed = (0..20).find_map(resume).expect("a reading without heartbeats");
                    assert_eq!([&got[..kept], &resumed].concat(), *bytes, "cut after {cut} bytes");
                }
            });
        }
    });
}

/// Whether no heartbeat is among these bytes.
fn is_undisturbed(bytes: &[u8]) -> bool {
    !bytes.starts_with(b": ") && !contains(bytes, b"\n: ")
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

// STREAM-3: a client that comes and goes while the turn is live, after every event.
#[test]
fn a_live_turn_is_read_piece_by_piece() {
    let world = World::shared();
    let session = world.session(json!({}));
    let pieces: Vec<String> = (0..30).map(|at| format!("p{at} ")).collect();
    let mut script = Vec::new();
    for piece_of in &pieces {
        script.extend([piece(piece_of), Step::Pause(40)]);
    }
    script.push(finish("stop"));
    let mark = world.upstream.on(vec![script]);
    let mut posting = world.say(&session, &mark);
    let mut got: Vec<Event> = Vec::new();
    loop {
        let last = got.last().map(|event| event.id().to_owned()).unwrap_or_default();
        assert!(got.len() < 100, "events come again and again");
        let mut reader = world.events_after(&session, "", &last);
        match reader.next() {
            Some(event) => got.push(event),
            None => break,
        }
    }
    assert_eq!(contents(&got), contents(&posting.rest()));
    assert_eq!(words(&got), pieces.concat());
}

// STREAM-3: what is not kept any more is 410 with the oldest id, and reading from there goes on.
#[test]
fn a_trimmed_cursor_is_gone_and_says_what_is_left() {
    let (data, upstream) = (folder("native-trim"), Arc::new(Upstream::start()));
    let world = World::again(&data, &upstream, &[], &[]);
    let (session, whole) = finished(&world, &["a", "b", "c", "d"]);
    drop(world);
    let world = World::again(&data, &upstream, &["--set", "sessions.retention_size=900"], &[]);
    let cursor = whole[0].id();
    within(10, "old events to go", || world.events(&session, &format!("?after={cursor}")).status == 410);
    let (_, told) = world.events_after(&session, "", cursor).refusal();
    let kept = world.events(&session, "").rest();
    assert!(!kept.is_empty() && kept.len() < whole.len() - 1, "{}", kept.len());
    assert_eq!((&told["error"]["code"], &told["error"]["oldest"]), (&json!("trimmed"), &json!(kept[0].id())));
    assert_eq!(contents(&kept), contents(&whole[whole.len() - kept.len()..]));
    let before = &whole[whole.len() - kept.len() - 1];
    assert_eq!(contents(&world.events(&session, &format!("?after={}", before.id())).rest()), contents(&kept));
    let reset = world.events(&session, "?after=1.999").rest();
    assert_eq!((reset[0].kind(), reset[0].word("oldest").as_str()), ("reset", kept[0].id()));
    let next = world.turn(&session, "Go on", vec![text(&["still here"])]);
    assert_eq!(next[0].seq(), whole.len() as u64 + 1, "numbers go on");
}
