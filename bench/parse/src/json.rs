//! JSON answers: valid against serde_json, broken against jsonrepair-rs followed by serde_json, truncated against
//! jiter's partial mode. Every document is first read by both and compared with what it should say.

use crate::documents::{cut, records};
use crate::race::race;
use countersign::parse::ParseOptions;
use countersign::parse::json::{One, read_answer};
use jiter::{JsonValue, PartialMode};
use serde_json::Value;
use std::hint::black_box;

/// Prints a line for each kind and size.
pub fn run() {
    for (size, bytes) in [("1 KB", 1_000), ("100 KB", 100_000)] {
        let whole = records(bytes);
        let compact = whole.to_string();
        let pretty = serde_json::to_string_pretty(&whole).expect("a value can be written");
        valid(&format!("valid {size}, compact"), &compact, &whole);
        valid(&format!("valid {size}, pretty"), &pretty, &whole);
        for (how, text) in damaged(&compact, &pretty) {
            broken(&format!("broken {size}, {how}"), &text, &whole);
        }
        for share in [50, 97] {
            for (how, text) in [("compact", &compact), ("pretty", &pretty)] {
                truncated(&format!("cut at {share}% of {size}, {how}"), cut(text, text.len() * share / 100));
            }
        }
    }
}

fn valid(name: &str, text: &str, meant: &Value) {
    assert_eq!(ours(text).value.as_ref(), Some(meant), "{name}");
    let peer = || drop(black_box(serde_json::from_str::<Value>(black_box(text)).expect("valid")));
    report(name, text, "serde_json", 0.9, peer);
}

fn broken(name: &str, text: &str, meant: &Value) {
    assert!(serde_json::from_str::<Value>(text).is_err(), "{name} is not broken");
    let mended = || {
        let text = jsonrepair_rs::jsonrepair(black_box(text)).expect("jsonrepair-rs reads it");
        serde_json::from_str::<Value>(&text).expect("and gives JSON")
    };
    assert_eq!(ours(text).value.as_ref(), Some(meant), "{name}");
    let note = if mended() == *meant { "jsonrepair-rs" } else { "jsonrepair-rs (reads it wrongly)" };
    report(name, text, note, 1.0, || drop(black_box(mended())));
}

fn truncated(name: &str, text: &str) {
    let read = ours(text);
    assert!(!read.complete && read.value.is_some(), "{name}");
    let peer = || {
        let mode = PartialMode::TrailingStrings;
        drop(black_box(JsonValue::parse_with_config(black_box(text.as_bytes()), true, mode).expect("jiter reads it")));
    };
    report(name, text, "jiter", 0.5, peer);
}

/// The damage that models do, each kind all over the document, and one that strikes in a single place.
fn damaged(compact: &str, pretty: &str) -> [(&'static str, String); 5] {
    let bare = ["id", "name", "price", "active", "tags", "place", "text"]
        .iter()
        .fold(compact.to_owned(), |text, key| text.replace(&format!("\"{key}\":"), &format!("{key}: ")));
    let python = compact.replace(":true", ": True").replace(":false", ": False").replace(":null", ": None");
    let quotes = ["name", "city", "id", "tags"]
        .iter()
        .fold(compact.to_owned(), |text, key| text.replace(&format!("\"{key}\":"), &format!("'{key}':")));
    let commas = pretty.replace("\n    }", ",\n    }").replace("\"tags\"", "// labels\n      \"tags\"");
    [
        ("bare keys", bare),
        ("Python words", python),
        ("single quotes", quotes),
        ("commas, comments", commas),
        ("one comma", format!("{},}}", &compact[..compact.len() - 1])),
    ]
}

fn ours(text: &str) -> One {
    read_answer(text, &ParseOptions::default())
}

fn report(name: &str, text: &str, peer_name: &str, target: f64, peer: impl FnMut()) {
    let options = ParseOptions::default();
    let outcome = race(|| drop(black_box(read_answer(black_box(text), &options))), peer);
    let speed = |seconds: f64| text.len() as f64 / seconds / 1e6;
    let verdict = if outcome.ratio >= target { "" } else { "   MISSED" };
    println!(
        "{name:38} {:>6.0} MB/s {:>6.0} {peer_name:18} {:>5.2}x ({:.2} to {:.2}; asked for {target}){verdict}",
        speed(outcome.ours),
        speed(outcome.peer),
        outcome.ratio,
        outcome.spread.0,
        outcome.spread.1,
    );
}
