//! Finding claims: the rows of `conformance/claims`, the laws, and input that is made to cost.

use super::conformance::folder;
use crate::stopwatch::Stopwatch;
use countersign::claims::find::find;
use countersign::contract::Claim;
use proptest::prelude::*;
use serde_json::Value;
use std::time::Duration;

// CLAIM-1
#[test]
fn typed_spans_are_found_in_both_languages() {
    for (language, least) in [("english", 0.98), ("chinese", 0.98)] {
        let rows = rows(language);
        assert!(rows.len() >= 150, "{language}: only {} rows", rows.len());
        let (mut found, mut missed, mut extra, mut quiet, mut nagged, mut wrong) = (0u32, 0u32, 0u32, 0, 0, Vec::new());
        for row in &rows {
            let (got, want) = (find(row["text"].as_str().unwrap()), row["claims"].as_array().unwrap());
            let hits = want.iter().filter(|want| got.iter().any(|got| meets(got, want))).count();
            let spare = got.iter().filter(|got| !want.iter().any(|want| meets(got, want))).count();
            (found, missed, extra) = (found + hits as u32, missed + (want.len() - hits) as u32, extra + spare as u32);
            quiet += usize::from(want.is_empty());
            nagged += usize::from(want.is_empty() && !got.is_empty());
            if hits < want.len() || spare > 0 {
                wrong.push(format!("{} {}", row["id"], row["text"]));
            }
        }
        let score = 2.0 * f64::from(found) / f64::from(2 * found + missed + extra);
        println!("{language}: F1 {score:.3}, {nagged} of {quiet} rows without a claim got one");
        assert!(score >= least, "{language}: F1 {score:.3}\n{}", wrong.join("\n"));
        assert!(nagged * 33 <= quiet, "{language}: {nagged} of {quiet} rows without a claim got one");
    }
}

/// The same kind at an overlapping place.
fn meets(got: &Claim, want: &Value) -> bool {
    let at = |name: &str| want[name].as_u64().unwrap() as usize;
    got.kind.name() == want["kind"] && got.start < at("end") && at("start") < got.end
}

fn rows(language: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join(format!("claims/{language}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Spans are in order, do not overlap, and stand where they say, in bytes and in UTF-16.
fn sound(text: &str, claims: &[Claim]) -> Result<(), TestCaseError> {
    let mut end = 0;
    for claim in claims {
        prop_assert!(claim.start >= end && claim.end > claim.start, "{text:?}: {claim:?}");
        prop_assert_eq!(text.get(claim.start..claim.end), Some(claim.text.as_str()));
        prop_assert_eq!(text[..claim.start].encode_utf16().count(), claim.utf16_start);
        prop_assert_eq!(text[..claim.end].encode_utf16().count(), claim.utf16_end);
        let finite = claim
            .value
            .as_ref()
            .is_none_or(|value| [value.number, value.upper, value.precision].into_iter().flatten().all(f64::is_finite));
        prop_assert!(finite, "{:?}", claim.value);
        end = claim.end;
    }
    Ok(())
}

/// Rows of the data, cut, repeated and joined with what could confuse.
fn mangled() -> impl Strategy<Value = String> {
    let texts = || ["english", "chinese"].iter().flat_map(|language| rows(language));
    let texts: Vec<String> = texts().map(|row| row["text"].as_str().unwrap().to_owned()).collect();
    let cut = |(text, skip, take): (String, usize, usize)| {
        text.chars().skip(skip % text.chars().count()).take(take).collect::<String>()
    };
    let piece = prop_oneof![
        4 => (proptest::sample::select(texts), 0usize..200, 1usize..120).prop_map(cut),
        2 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    proptest::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    // CLAIM-1
    #[test]
    fn spans_are_sound_whatever_comes(text in mangled()) {
        let claims = find(&text);
        sound(&text, &claims)?;
        prop_assert_eq!(&claims, &find(&text));
    }

    // CLAIM-1
    #[test]
    fn lines_are_read_by_themselves(first in mangled(), second in mangled()) {
        prop_assume!(!first.contains('`') && !second.contains('`'));
        let both = find(&format!("{first}\n{second}"));
        let said = |claims: &[Claim]| claims.iter().map(|claim| (claim.text.clone(), claim.kind.clone())).collect::<Vec<_>>();
        let apart: Vec<_> = said(&find(&first)).into_iter().chain(said(&find(&second))).collect();
        prop_assert_eq!(said(&both), apart);
    }
}

// CLAIM-1
#[test]
fn much_of_anything_is_read_in_time() {
    for piece in PIECES {
        // A megabyte of each is what the bench reads; this is the test's build.
        let text = piece.repeat(200_000 / piece.len());
        let began = Stopwatch::start();
        let claims = find(&text);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(30), "{piece:?}: {took:?}");
        assert!(claims.len() <= text.len());
    }
}

const PIECES: &[&str] = &[
    "1234567890",
    "根据",
    "$",
    "12% ",
    "[1](",
    "三千五百",
    "比",
    "`a ``b ",
    "http://a.b/)",
    "more than ",
    "\"A ",
    "最",
    "1.2.",
    "3-4-",
    "the report says that ",
    "１２，",
    "百分之",
    "Q1 ",
    "v1.",
    "«",
    "1/3/",
    "第三",
    "US$",
    "from 3 to ",
    "，",
    "（",
    "...",
    "\u{200b}",
    "e\u{301}",
    "🙂 5 km ",
    "每五户中有",
    "-1",
    "《",
    "_=1",
];
