//! The record that was meant: an id belongs to the record that the user's words name, not to its neighbour.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::records::{Record, collect};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_RECORD;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::mentions::Reading;
use crate::text::mentions::role::is_excluded;
use rustc_hash::FxHashSet;
use serde_json::Value;

/// Finds ids of a record whose neighbour was named.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let records = collect(&asked.results);
    if records.len() < 2 {
        return;
    }
    for argument in &asked.arguments {
        let Some(text) = argument.text().filter(|text| text.len() <= MAX_VALUE && !text.contains(char::is_whitespace))
        else {
            continue;
        };
        let Some(own) = records.iter().find(|record| record.has(text)) else { continue };
        if asked.user().any(|reading| stands_in(&reading.lower, text)) {
            continue;
        }
        let siblings: Vec<&Record<'_>> =
            records.iter().filter(|record| record.list == own.list && !record.has(text)).collect();
        if siblings.is_empty() || is_about_several(asked, argument) {
            continue;
        }
        if let Some((other, word)) = find_better(asked, own, &siblings) {
            slips.push(slip(asked, argument, text, other, &word));
        }
    }
}

/// Whether the call or the request is about more than one of them.
fn is_about_several(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    let listed = argument.node.is_item()
        && asked.arguments.iter().filter(|other| other.node.key == argument.node.key).count() > 1;
    listed
        && asked.in_force().any(|reading| {
            SEVERAL
                .iter()
                .any(|word| stands_in(&reading.lower, word) || (!word.is_ascii() && reading.lower.contains(word)))
        })
}

/// A sibling that the words name, where they name nothing of this record.
fn find_better<'r, 'a>(
    asked: &Asked<'_>,
    own: &Record<'a>,
    siblings: &[&'r Record<'a>],
) -> Option<(&'r Record<'a>, String)> {
    for reading in asked.in_force().chain(asked.earlier.iter().copied().take(1)) {
        let all: Vec<&Record<'_>> = siblings.iter().copied().chain([own]).collect();
        let named = |record: &Record<'_>| named_by(reading, record, &all);
        let mine = named(own);
        let best = siblings.iter().map(|record| (*record, named(record))).max_by_key(|(_, words)| words.len())?;
        if mine.is_empty() && !best.1.is_empty() {
            let rivals = siblings.iter().filter(|record| named(record).len() == best.1.len()).count();
            return (rivals < siblings.len() || siblings.len() == 1)
                .then(|| (best.0, best.1.first().cloned().unwrap_or_default()));
        }
        if !mine.is_empty() {
            return None;
        }
    }
    None
}

/// The words of a text that name a record and not all the others beside it.
fn named_by(reading: &Reading, record: &Record<'_>, all: &[&Record<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    for word in words_of(record) {
        let shared = all.iter().filter(|other| words_of(other).contains(&word)).count();
        if shared == all.len() {
            continue;
        }
        let place = place_of(&reading.lower, &word);
        if place.is_some_and(|at| !is_excluded(&reading.lower, at)) {
            found.push(word);
        }
    }
    found
}

/// Where a word stands, in the singular or the plural.
fn place_of(text: &str, word: &str) -> Option<usize> {
    if word.starts_with(is_han) {
        return text.find(word);
    }
    let whole = super::asked::find_whole;
    whole(text, word)
        .or_else(|| whole(text, &format!("{word}s")))
        .or_else(|| whole(text, word.strip_suffix('s').filter(|stem| stem.len() >= 4)?))
}

/// The telling words of a record: those of its texts, no ids, numbers or times.
fn words_of(record: &Record<'_>) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    for (_, value) in &record.fields {
        let Value::String(text) = value else { continue };
        if text.len() > MAX_FIELD {
            continue;
        }
        let lower = text.to_ascii_lowercase();
        let run = |c: char| c.is_alphanumeric() || c == '\'';
        for word in lower.split(|c: char| !run(c)).filter(|word| !word.is_empty()) {
            if word.contains(is_han) {
                found.extend(han_names(word));
            } else if word.chars().count() >= 3
                && !word.contains(|c: char| c.is_ascii_digit())
                && !COMMON.contains(&word)
            {
                found.insert(word.to_owned());
            } else if word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() >= 3 && lower == word {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

/// A Chinese name whole, and its pairs of characters.
fn han_names(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let pairs = chars.windows(2).map(|pair| pair.iter().collect::<String>());
    if chars.len() <= 4 { pairs.chain([word.to_owned()]).collect() } else { pairs.collect() }
}

fn slip(asked: &Asked<'_>, argument: &Argument<'_>, text: &str, other: &Record<'_>, word: &str) -> Slip {
    let key = argument.node.key;
    let field = other.fields.iter().find(|(name, _)| {
        *name == key || argument.words.last().is_some_and(|last| name.to_ascii_lowercase().ends_with(last.as_str()))
    });
    let meant = field.and_then(|(_, value)| value.as_str()).map(|value| format!(" (`{value}`)")).unwrap_or_default();
    let evidence = localized!(
        asked.subject.language,
        "the user's words name another record{meant}: \"{word}\"; `{key}` is `{text}`, a record that they do not name",
        "用户的话指的是另一条记录{meant}：“{word}”；而 `{key}` 是 `{text}`，用户并没有提到它"
    );
    let hint = localized!(
        asked.subject.language,
        "take `{key}` from the record that was named, or ask the user",
        "请使用用户所指记录的 `{key}`，或询问用户"
    );
    Slip::on(asked, argument, &OTHER_RECORD, Strength::Strong, Says { evidence, hint })
}

const MAX_VALUE: usize = 80;
const MAX_FIELD: usize = 120;
/// Words that ask for more than one.
const SEVERAL: &[&str] = &[
    "all", "both", "every", "each", "them", "these", "those", "others", "rest", "and", "全部", "所有", "都", "两",
    "和", "这些", "那些", "其他",
];
/// Words that name no record.
const COMMON: &[&str] = &[
    "the",
    "and",
    "for",
    "with",
    "from",
    "yes",
    "not",
    "new",
    "one",
    "open",
    "active",
    "closed",
    "pending",
    "true",
    "false",
    "none",
    "null",
    "you",
    "your",
    "are",
    "was",
    "has",
    "have",
    "can",
    "will",
    "this",
    "that",
    "get",
    "per",
    "day",
    "com",
    "org",
    "net",
    "example",
    "www",
    "http",
    "https",
    "status",
    "name",
    "time",
    "date",
    "today",
    "tomorrow",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "please",
    "all",
    "any",
    "out",
    "off",
    "its",
    "but",
    "now",
    "how",
    "what",
    "who",
    "when",
    "where",
    "usd",
    "eur",
    "book",
    "order",
    "want",
];
