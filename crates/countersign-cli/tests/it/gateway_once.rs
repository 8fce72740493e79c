//! Nothing is released twice: a model that corrects one call and repeats the others is told that they are kept.

use crate::gateway_dialects::{Call, Said, Wire, call, everywhere, user};
use crate::gateway_world::{Ask, World, bad, good, tools};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn flight(id: &str) -> Call {
    call(id, "search_flights", json!({"origin": "BER", "destination": "CDG"}))
}

fn weather(id: &str, city: &str) -> Call {
    call(id, "get_weather", json!({"city": city, "days": 10}))
}

fn wrong(id: &str) -> Call {
    call(id, "get_weather", bad())
}

// CALL-10: a model that repeats the good call, alone, beside its correction, before or behind it, has it run once.
#[test]
fn a_repeat_of_a_kept_call_is_answered_and_not_released() {
    let world = World::shared();
    let right = call("call_g", "get_weather", good());
    let other_writing = call("call_r", "search_flights", "{\"destination\": \"CDG\",  \"origin\": \"BER\"}");
    let corrections: [(&str, Vec<Call>, Vec<&str>); 7] = [
        ("only the good one", vec![flight("call_x")], vec!["search_flights"]),
        ("both", vec![flight("call_x"), right.clone()], vec!["search_flights", "get_weather"]),
        ("both, turned round", vec![right.clone(), flight("call_f")], vec!["search_flights", "get_weather"]),
        ("twice", vec![flight("a"), flight("b"), right.clone()], vec!["search_flights", "get_weather"]),
        ("in another writing", vec![other_writing, right.clone()], vec!["search_flights", "get_weather"]),
        (
            "the correction twice",
            vec![right.clone(), call("y", "get_weather", good())],
            vec!["search_flights", "get_weather"],
        ),
        (
            "split",
            vec![weather("a", "Paris"), weather("b", "Rome")],
            vec!["search_flights", "get_weather", "get_weather"],
        ),
    ];
    for (wire, stream) in everywhere() {
        for (told, correction, released) in &corrections {
            let first = Said::calls("Both.", &[flight("call_f"), wrong("call_b")]);
            let (heard, mark) = world.play(&Ask::new(wire, stream), [first, Said::calls("again", correction)]);
            assert_eq!(heard.names(), *released, "{told} {wire:?} {stream}: {}", heard.raw);
            assert_eq!(heard.calls[0].id, "call_f", "{told}");
            let mut ids: Vec<&str> = heard.calls.iter().map(|call| call.id.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), heard.calls.len(), "{told}: {}", heard.raw);
            let (calls, results) = wire.pairs(&world.upstream.asked(&mark)[1].json());
            assert_eq!(calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["call_f", "call_b"], "{told}");
            assert!(results[0].1.contains("kept") && results[1].1.contains("city"), "{results:?}");
        }
    }
}

// CALL-10: over several attempts, after a repair, and in the conversation's language.
#[test]
fn what_is_kept_stays_kept_over_all_attempts() {
    let world = World::shared();
    // Mended by the engine: the arguments that run are not those that were written.
    let mended = |id: &str, days: Value| call(id, "get_weather", json!({"city": "Rome", "days": days}));
    for (wire, stream) in everywhere() {
        let scripts = [
            Said::calls("a", &[mended("call_m", json!("3")), wrong("call_b")]),
            Said::calls("b", &[mended("call_n", json!(3)), call("call_c", "launch_rocket", json!({}))]),
            Said::calls("c", &[mended("call_m", json!("3")), mended("call_o", json!(3.0)), weather("call_d", "Paris")]),
        ];
        let (heard, mark) = world.play(&Ask::new(wire, stream), scripts);
        let seen: Vec<Value> = heard.calls.iter().map(Call::json).collect();
        assert_eq!(seen, [json!({"city": "Rome", "days": 3}), json!({"city": "Paris", "days": 10})], "{}", heard.raw);
        let asked = world.upstream.asked(&mark);
        assert_eq!(asked.len(), 3);
        let (calls, results) = wire.pairs(&asked[2].json());
        assert_eq!((calls.len(), results.len()), (4, 4), "every call of every answer has its result");
        assert!(results[2].1.contains("kept"), "{results:?}");
        let repeated = world.attempts(&heard.verdict());
        let count = |outcome: &str| repeated.iter().filter(|record| record["outcome"] == outcome).count();
        assert_eq!((count("repeated"), count("released"), count("sent_back")), (3, 2, 2), "{repeated:?}");
    }
    let ask =
        Ask::of(Wire::Chat, false, &[user("请告诉我巴黎未来十天的天气预报，并查询从 BER 到 CDG 的航班。")], &tools());
    let (_, mark) = world.play(&ask, [Said::calls("", &[flight("call_f"), wrong("call_b")]), Said::text("不行。")]);
    let (_, results) = Wire::Chat.pairs(&world.upstream.asked(&mark)[1].json());
    assert!(results[0].1.contains("保留"), "{results:?}");
}

// CALL-10, CALL-11: two calls that the first answer makes on purpose are two calls.
#[test]
fn the_same_call_twice_in_the_first_answer_is_two_calls() {
    let world = World::shared();
    for (wire, stream) in everywhere() {
        let (heard, _) = world.play(&Ask::new(wire, stream), [Said::calls("", &[flight("a"), flight("b")])]);
        assert_eq!(heard.names(), ["search_flights", "search_flights"], "{}", heard.raw);
        let twice = Said::calls("", &[flight("a"), flight("b"), wrong("c")]);
        let again = Said::calls("", &[flight("d"), flight("e"), flight("f"), weather("g", "Paris")]);
        let (heard, _) = world.play(&Ask::new(wire, stream), [twice, again]);
        assert_eq!(heard.names(), ["search_flights", "search_flights", "get_weather"], "{}", heard.raw);
    }
}

/// A small generator, so that every run plays the same games.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

const CITIES: [&str; 4] = ["Paris", "Rome", "Oslo", "Bern"];

// CALL-10, CALL-11: the law. Whatever is good, bad and repeated, nothing is released more often than the first answer and
// the corrected calls ask for, and every good call of the first answer is released as often as it was made.
#[test]
fn nothing_is_released_more_often_than_it_was_asked_for() {
    let world = World::shared();
    let mut dice = Dice(17);
    let wires: Vec<(Wire, bool)> = everywhere().collect();
    for game in 0..120 {
        let (wire, stream) = wires[game % wires.len()];
        let mut number = 0;
        let mut answer = |dice: &mut Dice, most: u64, bad_of: u64| -> Vec<Call> {
            let mut calls = Vec::new();
            for _ in 0..=dice.roll(most) {
                number += 1;
                let id = format!("call_{number}");
                match dice.roll(bad_of) {
                    0 => calls.push(call(&id, "get_weather", json!({"days": dice.roll(9) + 1}))),
                    1 => calls.push(flight(&id)),
                    _ => calls.push(weather(&id, CITIES[dice.roll(4) as usize])),
                }
            }
            calls
        };
        let first = answer(&mut dice, 4, 3);
        let rest = [answer(&mut dice, 5, 4), answer(&mut dice, 5, 4)];
        let wrong = first.iter().filter(|call| call.json().get("city").is_none() && call.name == "get_weather").count();
        let scripts: Vec<Said> = [first.clone()].iter().chain(&rest).map(|calls| Said::calls("", calls)).collect();
        let (heard, _) = world.play(&Ask::new(wire, stream), scripts);
        let count = |calls: &[Call]| {
            let mut found: BTreeMap<String, usize> = BTreeMap::new();
            calls.iter().for_each(|call| *found.entry(format!("{} {}", call.name, call.json())).or_default() += 1);
            found
        };
        let (asked, released) = (count(&first), count(&heard.calls));
        let told = format!("game {game} {wire:?} {stream}: {first:?}, then {rest:?}: {}", heard.raw);
        for (call, times) in &released {
            match asked.get(call) {
                Some(first) => assert_eq!(times, first, "{call}: {told}"),
                None => assert!(*times <= wrong.max(1), "{call}: {told}"),
            }
        }
        for call in first.iter().filter(|call| call.name == "search_flights" || call.json().get("city").is_some()) {
            assert!(released.contains_key(&format!("{} {}", call.name, call.json())), "{call:?} is gone: {told}");
        }
        assert!(wrong > 0 || released == asked, "{told}");
    }
}
