//! What finding claims costs, beside serde_json's parse of the same lines in the same rounds.
//!
//! `claims` prints the share of serde_json's speed for prose in both languages and for a megabyte of what could hurt.
//! `claims CASE BYTES` runs one hostile case once, for `bench/run` to count its instructions.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark ends at the first surprise"
)]

use countersign::claims::find::find;
use serde_json::Value;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [name, bytes] = arguments.as_slice() {
        let (_, piece) = HOSTILE.iter().find(|(case, _)| case == name).unwrap();
        black_box(find(&piece.repeat(bytes.parse::<usize>().unwrap() / piece.len())));
        return;
    }
    let wanted = |name: &str| arguments.first().is_none_or(|filter| name.starts_with(filter.as_str()));
    for (name, data) in [
        ("english", include_str!("../../../conformance/claims/english.jsonl")),
        ("chinese", include_str!("../../../conformance/claims/chinese.jsonl")),
    ]
    .into_iter()
    .filter(|(name, _)| wanted(name))
    {
        let texts: Vec<String> = data
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned())
            .collect();
        let lines: Vec<String> =
            texts.iter().map(|text| serde_json::json!({"id": "x", "text": text}).to_string()).collect();
        report(name, &texts, &lines);
        let whole = vec![texts.join("\n")];
        let lines = vec![serde_json::json!({"id": "x", "text": whole[0]}).to_string()];
        report(&format!("{name}, one text"), &whole, &lines);
    }
    for (name, piece) in HOSTILE.iter().filter(|(name, _)| wanted(name)) {
        let texts = vec![piece.repeat(1_000_000 / piece.len())];
        let lines = vec![serde_json::json!({"id": "x", "text": texts[0]}).to_string()];
        report(name, &texts, &lines);
    }
}

/// Ours and serde_json's in turn, the best of many rounds.
fn report(name: &str, texts: &[String], lines: &[String]) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..40 {
        let began = Instant::now();
        texts.iter().for_each(|text| _ = black_box(find(text)));
        ours = ours.min(began.elapsed().as_secs_f64());
        let began = Instant::now();
        lines.iter().for_each(|line| _ = black_box(serde_json::from_str::<Value>(line).unwrap()));
        theirs = theirs.min(began.elapsed().as_secs_f64());
    }
    let speed = |seconds: f64| bytes as f64 / seconds / 1e6;
    println!("{name:24} {:>8.1} MB/s   serde_json {:>8.1} MB/s   {:.2}x", speed(ours), speed(theirs), theirs / ours);
}

const HOSTILE: &[(&str, &str)] = &[
    ("digits", "1234567890"),
    ("gen-ju", "根据"),
    ("dollars", "$"),
    ("words", "the report says that "),
    ("percent", "12% "),
    ("brackets", "[1]("),
    ("han-numerals", "三千五百"),
    ("bi", "比"),
    ("ticks", "`a ``b "),
    ("address", "http://a.b/)"),
    ("than", "more than "),
    ("quotes", "\"A "),
    ("most", "最"),
    ("dots", "1.2."),
    ("dashes", "3-4-"),
];
