//! Histories on their way upstream: put right where a provider would refuse them, the same way every time, and not
//! touched where nothing is wrong.

use crate::gateway_dialects::{Call, Past, Said, WIRES, Wire, call, result, says, user};
use crate::gateway_world::{Ask, World, tools};
use bytes::Bytes;
use countersign_runtime::gateway::asked::Asked;
use countersign_runtime::gateway::wire::Wire as Dialect;
use serde_json::{Value, json};
use std::collections::HashSet;

fn paris(id: &str) -> Call {
    call(id, "get_weather", json!({"city": "Paris"}))
}

/// Every call has one result, right after it where the dialect wants that, and every result has a call.
fn paired(wire: Wire, body: &Value) -> Result<(), String> {
    let (calls, results) = wire.pairs(body);
    let ids: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    let answered: HashSet<&str> = results.iter().map(|(id, _)| id.as_str()).collect();
    if ids.len() != calls.len() || answered.len() != results.len() || ids != answered {
        return Err(format!("calls {calls:?}, results {results:?}"));
    }
    if let Some(call) =
        calls.iter().find(|call| !serde_json::from_str(&call.arguments).is_ok_and(|args: Value| args.is_object()))
    {
        return Err(format!("{call:?}"));
    }
    if wire == Wire::Responses {
        return Ok(());
    }
    let messages = body["messages"].as_array().unwrap();
    for (at, message) in messages.iter().enumerate() {
        let (asks, _) = wire.pairs(&json!({"messages": [message]}));
        if asks.is_empty() {
            continue;
        }
        let role = if wire == Wire::Chat { "tool" } else { "user" };
        let next: Vec<&Value> = messages.iter().skip(at + 1).take_while(|message| message["role"] == role).collect();
        let (_, results) = wire.pairs(&json!({ "messages": next }));
        let near: HashSet<&str> = results.iter().map(|(id, _)| id.as_str()).collect();
        if asks.iter().any(|call| !near.contains(call.id.as_str())) {
            return Err(format!("results stand elsewhere than behind {message}"));
        }
    }
    Ok(())
}

struct Case {
    name: &'static str,
    past: Vec<Past>,
    /// Words that must be there still.
    kept: &'static [&'static str],
    /// Words that must be gone.
    gone: &'static [&'static str],
}

/// A history in short: `u words`, `c ids of calls`, `e` and `b` a call with empty and with broken arguments, `r id words`.
fn past(short: &str) -> Vec<Past> {
    let turn = |turn: &str| {
        let (kind, rest) = turn.split_once(' ').unwrap();
        match kind {
            "u" => user(rest),
            "c" => says("Looking.", &rest.split(' ').map(paris).collect::<Vec<_>>()),
            "e" => says("", &[call(rest, "get_weather", "")]),
            "b" => says("", &[call(rest, "get_weather", "{\"city\": ")]),
            _ => rest.split_once(' ').map(|(id, words)| result(id, words)).unwrap(),
        }
    };
    short.split('|').map(turn).collect()
}

fn cases() -> Vec<Case> {
    let case = |name, short, kept, gone| Case { name, past: past(short), kept, gone };
    vec![
        case("orphan result", "u hi|r nobody ORPHAN|u weather?|c a|r a R1|u thanks", &["R1"], &["ORPHAN"]),
        case("result first", "r nobody ORPHAN|u weather?", &[], &["ORPHAN"]),
        case("missing result", "u weather?|c a b|r a R1|u go on", &["R1"], &[]),
        case("no results at all", "u weather?|c a b|u never mind", &[], &[]),
        case("second result", "u weather?|c a|r a FIRST|r a SECOND|u thanks", &["FIRST"], &["SECOND"]),
        case("one id twice in a turn", "u weather?|c d d|r d ONE|r d TWO|u thanks", &["ONE", "TWO"], &[]),
        case("one id in two turns", "u weather?|c d|r d ONE|u again|c d|r d TWO|u thanks", &["ONE", "TWO"], &[]),
        case("result far away", "u weather?|c a|u wait|r a LATE|u thanks", &[], &[]),
        case("empty arguments", "u weather?|e a|r a R1|u thanks", &["R1"], &[]),
        case("broken arguments", "u weather?|b a|r a R1|u thanks", &["R1"], &[]),
        case("ends with a call", "u weather?|c a", &[], &[]),
    ]
}

// CALL-11: what providers refuse is put right before it goes upstream, and written down.
#[test]
fn broken_histories_are_repaired() {
    let world = World::shared();
    for wire in WIRES {
        for case in cases() {
            let ask = Ask::of(wire, false, &case.past, &tools());
            let (heard, mark) = world.play(&ask, [Said::text("ok")]);
            assert_eq!(heard.text, "ok", "{} in {wire:?}: {}", case.name, heard.raw);
            let sent = world.upstream.asked(&mark)[0].json();
            paired(wire, &sent).unwrap_or_else(|why| panic!("{} in {wire:?}: {why}\n{sent}", case.name));
            let text = sent.to_string();
            for word in case.kept {
                assert!(text.contains(word), "{} in {wire:?}: {text}", case.name);
            }
            for word in case.gone {
                assert!(!text.contains(word), "{} in {wire:?}: {text}", case.name);
            }
            for past in &case.past {
                if let Past::User(words) = past {
                    assert!(text.contains(words), "a user's words stay: {text}");
                }
            }
            // The same way every time.
            let (_, again) = world.play(&ask, [Said::text("ok")]);
            assert_eq!(world.upstream.asked(&again)[0].body, world.upstream.asked(&mark)[0].body);
        }
    }
}

// CALL-11, SERVE-6: nothing wrong, nothing touched.
#[test]
fn good_histories_pass_byte_for_byte() {
    let world = World::shared();
    let past = [
        user("weather?"),
        says(
            "Looking.",
            &[paris("a"), call("b", "search_flights", "{ \"origin\":\"BER\", \"destination\" :\"CDG\" }")],
        ),
        result("a", "{\"temp\": 20.0}"),
        result("b", "none"),
        says("20 degrees.", &[]),
        user("thanks, caf\u{e9}"),
    ];
    for wire in WIRES {
        // Results of one turn stand in one message of this dialect.
        let mut body = wire.body(&past, &tools(), false);
        if wire == Wire::Messages {
            let second = body["messages"][3]["content"][0].take();
            body["messages"][2]["content"].as_array_mut().unwrap().push(second);
            body["messages"].as_array_mut().unwrap().remove(3);
        }
        for upto in 1..=body[wire.conversation()].as_array().unwrap().len() {
            let mut shorter = body.clone();
            shorter[wire.conversation()].as_array_mut().unwrap().truncate(upto);
            if paired(wire, &shorter).is_err() {
                continue;
            }
            let text = shorter.to_string().replace("\":", "\" : ").replace("é", "\\u00e9");
            let mark = world.upstream.on([Said::text("ok")]);
            world.open_bytes(wire, wire.path(), &[], &mark, text.as_bytes()).rest();
            assert_eq!(String::from_utf8_lossy(&world.upstream.asked(&mark)[0].body), text, "{wire:?}");
        }
    }
}

/// Small numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A history as agents leave them: ids twice, results lost, late, twice or of nobody.
fn wild(dice: &mut Dice) -> Vec<Past> {
    let mut past = vec![user("begin")];
    for at in 0..2 + dice.roll(10) {
        let id = format!("c{}", dice.roll(5));
        match dice.roll(6) {
            0 => past.push(user(&format!("words {at}"))),
            1 => past.push(says(&format!("said {at}"), &[])),
            2 => past.push(result(&id, &format!("result {at}"))),
            _ => {
                let calls: Vec<Call> = (0..1 + dice.roll(3)).map(|_| paris(&format!("c{}", dice.roll(5)))).collect();
                past.push(says("", &calls));
                for call in &calls {
                    if dice.roll(4) > 0 {
                        past.push(result(&call.id, &format!("result {at} of {}", call.id)));
                    }
                }
            }
        }
        if dice.roll(2) == 0 {
            past.push(user(&format!("next {at}")));
        }
    }
    past
}

fn repaired(wire: Wire, past: &[Past]) -> String {
    let dialect = match wire {
        Wire::Chat => Dialect::Chat,
        Wire::Responses => Dialect::Responses,
        Wire::Messages => Dialect::Messages,
    };
    let body = wire.body(past, &tools(), false).to_string();
    let mut asked = Asked::read(dialect, Bytes::from(body)).unwrap();
    asked.repair();
    let once = asked.body.clone();
    assert!(asked.repair().is_empty() && asked.body == once, "a repaired history needs nothing: {once:?}");
    let body: Value = serde_json::from_slice(&once).unwrap();
    paired(wire, &body).unwrap_or_else(|why| panic!("{why}\n{past:?}\n{body}"));
    body[wire.conversation()].to_string()
}

// CALL-11: a history that grows is repaired to the same beginning, because prompt caches live on it.
#[test]
fn the_beginning_of_a_growing_history_stays() {
    let mut dice = Dice(0x5eed_cafe);
    for _ in 0..150 {
        let past = wild(&mut dice);
        for wire in WIRES {
            let whole = repaired(wire, &past);
            // A client asks when its user has spoken.
            let ends = (1..past.len()).filter(|at| matches!(past[at - 1], Past::User(_)));
            for end in ends {
                let shorter = repaired(wire, &past[..end]);
                let prefix = shorter.strip_suffix(']').unwrap();
                assert!(whole.starts_with(prefix), "{wire:?}, {end} of {past:?}\n{shorter}\n{whole}");
            }
        }
    }
}
