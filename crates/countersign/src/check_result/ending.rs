//! How a call ended, and what an answer says of it, by the wording of both.
//!
//! [`super::outcome`] reads the fields and the words that it knows. What a tool says in words of its own is weighed here: whether
//! its result speaks of anything but success, and whether an answer tells its user that all is done. See [`crate::text::wording`].

use super::outcome::{Ending, read, spaced};
use super::trace::Done;
use crate::text::wording::{Features, Sink, Weights, read_words};
use crate::text::words::identifier_words;
use serde_json::Value;
use std::fmt::Write;
use std::sync::LazyLock;

/// How much a result sounds like a call that failed, changed nothing, did a part or waits.
pub(super) fn sounds_undone(call: &Done<'_>) -> f32 {
    UNDONE.weigh(&read_result::<Features>(call))
}

/// How much an answer sounds like one that tells of success.
pub(super) fn sounds_done(response: &str) -> f32 {
    DONE.weigh(&read_answer::<Features>(response))
}

/// What is weighed in a result: its words and keys, what the rules read in it, whether it speaks of the tool's own deed.
pub(crate) fn read_result<S: Sink>(call: &Done<'_>) -> S {
    let mut text = String::new();
    flatten("", call.content, &mut text, 0);
    let lower = text.to_lowercase();
    let mut features = S::default();
    read_words(&lower, &mut features);
    let ending = match read(call).map(|outcome| outcome.ending) {
        Some(Ending::Failed) => "failed",
        Some(Ending::Nothing) => "nothing",
        Some(Ending::Part) => "part",
        Some(Ending::Waiting) => "waiting",
        None => "none",
    };
    features.add(&["%read:", ending]);
    let own = identifier_words(call.name);
    own.iter().for_each(|word| features.add(&["%tool:", word]));
    let stem = |word: &String| word.get(..5).filter(|stem| lower.contains(*stem)).is_some();
    if own.iter().any(stem) {
        features.add(&["%own"]);
    }
    features
}

/// What is weighed in an answer.
pub(crate) fn read_answer<S: Sink>(response: &str) -> S {
    let mut features = S::default();
    read_words(&response.to_lowercase(), &mut features);
    features
}

/// A result as lines of keys and values, names cut into their words.
fn flatten(key: &str, value: &Value, text: &mut String, depth: usize) {
    if depth > MAX_DEPTH || text.len() > MAX_TEXT {
        return;
    }
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(key, value)| flatten(key, value, text, depth + 1));
        }
        Value::Array(list) if !list.is_empty() => list.iter().for_each(|value| flatten(key, value, text, depth + 1)),
        value => {
            let key = identifier_words(key).join(" ");
            let shown = value.as_str().map(spaced);
            let shown = shown.unwrap_or_else(|| value.to_string());
            let _ = if key.is_empty() { writeln!(text, "{shown}") } else { writeln!(text, "{key}: {shown}") };
        }
    }
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&UNDONE);
    LazyLock::force(&DONE);
}

const MAX_DEPTH: usize = 16;
const MAX_TEXT: usize = 8_000;
static UNDONE: LazyLock<Weights> =
    LazyLock::new(|| Weights::from_lines(include_str!("../text/data/wording/results.tsv")));
static DONE: LazyLock<Weights> =
    LazyLock::new(|| Weights::from_lines(include_str!("../text/data/wording/answers.tsv")));
