//! What a person cannot have and what must be: "he is allergic to chicken", "I can only drive automatics". They hold for
//! whatever record a later call picks, by the record's own fields.

use super::argument::mask;
use super::asked::{Asked, find_whole, stands_in};
use super::records::Record;
use crate::contract::language::is_han;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use std::ops::Range;

/// What a record breaks of the user's demands: the words of the user, and the value that breaks them.
pub(super) fn broken_by(asked: &Asked<'_>, record: &Record<'_>) -> Option<(String, String)> {
    // What is taken away may well be what nobody can have.
    if asked.takes_away() {
        return None;
    }
    asked.user().find_map(|reading| has_avoided(reading, record).or_else(|| lacks_only(asked, reading, record)))
}

/// The things of a text that its speaker cannot have.
pub(super) fn avoided(lower: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (word, at) in Cue::named("cannot-have").places_in(lower) {
        let ascii = word.is_ascii();
        found.extend(if ascii {
            things_behind(lower, at + word.len())
        } else {
            things_behind_zh(lower, at + word.len())
        });
    }
    for (word, at) in Cue::named("allergy").places_in(lower) {
        found.extend(if word.is_ascii() {
            thing_before(lower, at).into_iter().collect()
        } else {
            things_before_zh(lower, at)
        });
    }
    found
}

/// "Chicken, nuts or shellfish": a row of things of one or two words.
fn things_behind(lower: &str, start: usize) -> Vec<Range<usize>> {
    let rest = lower.get(start..).unwrap_or_default();
    let end = rest.find(['.', ';', '!', '?', '\n', '(', ':']).unwrap_or(rest.len());
    let mut found = Vec::new();
    let mut at = start;
    for part in rest
        .get(..end)
        .unwrap_or_default()
        .split_inclusive([','])
        .flat_map(|part| part.split_inclusive(" and "))
        .flat_map(|part| part.split_inclusive(" or "))
    {
        let own = at..at + part.len();
        at = own.end;
        let bare = part.trim_end_matches(" and ").trim_end_matches(" or ").trim_matches([',', ' ']);
        let bare = ["any ", "the ", "anything with "].iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
        let words: Vec<&str> = bare.split(' ').filter(|word| !word.is_empty()).collect();
        let thing = (1..=2).contains(&words.len())
            && words.iter().all(|word| word.len() >= 3 && !Cue::named("clause-words").has(word));
        let Some(place) = lower.get(own.clone()).and_then(|text| text.find(bare)).filter(|_| thing) else { break };
        found.push(own.start + place..own.start + place + bare.len());
    }
    found
}

/// "A nut allergy": the word before.
fn thing_before(lower: &str, at: usize) -> Option<Range<usize>> {
    let before = lower.get(..at)?.trim_end();
    let start = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    (before.len() - start >= 3).then_some(start..before.len())
}

/// 不吃羊肉和香菜.
fn things_behind_zh(lower: &str, start: usize) -> Vec<Range<usize>> {
    let rest = lower.get(start..).unwrap_or_default();
    let end = rest.find(|c: char| !is_han(c) && c != '、' || "的了吧也都就呢".contains(c)).unwrap_or(rest.len());
    members_zh(lower, start..start + end)
}

/// 对鸡肉过敏; without 对 the two signs before.
fn things_before_zh(lower: &str, at: usize) -> Vec<Range<usize>> {
    let before = lower.get(..at).unwrap_or_default();
    let clause = before
        .rfind(['，', '。', '！', '？', '；', ',', '.', '\n'])
        .map_or(0, |last| last + before.get(last..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let bare = ["严重", "特别", "有点", "比较", "都", "也", "很", "会"]
        .iter()
        .fold(before, |text, word| text.strip_suffix(word).unwrap_or(text));
    match bare.get(clause..).and_then(|text| text.rfind('对')) {
        Some(place) => members_zh(lower, clause + place + '对'.len_utf8()..bare.len()),
        None => {
            let start = bare.char_indices().rev().take(2).last().map_or(0, |(start, _)| start);
            let whole = start >= clause && bare.get(start..).is_some_and(|text| text.chars().all(is_han));
            whole.then_some(start..bare.len()).into_iter().collect()
        }
    }
}

fn members_zh(lower: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = range.start;
    let text = lower.get(range.clone()).unwrap_or_default();
    let joints =
        text.char_indices().filter(|(_, c)| "、和跟与或".contains(*c)).map(|(at, c)| (range.start + at, c.len_utf8()));
    for (at, length) in joints.chain([(range.end, 0)]) {
        if lower.get(start..at).is_some_and(|thing| (2..=5).contains(&thing.chars().count())) {
            found.push(start..at);
        }
        start = at + length;
    }
    found
}

/// A record that has what the speaker cannot have.
fn has_avoided(reading: &Reading, record: &Record<'_>) -> Option<(String, String)> {
    let things = avoided(&reading.lower);
    things.iter().filter_map(|range| reading.lower.get(range.clone())).find_map(|thing| {
        let fields = record.fields.iter().filter(|(key, _)| !tells_without(key));
        let mut texts = fields.filter_map(|(_, value)| value.as_str()).filter(|text| text.len() <= MAX_FIELD);
        let text = texts.find(|text| contains(&text.to_lowercase(), thing))?;
        Some((thing.to_owned(), text.to_owned()))
    })
}

/// `free_from`, `excludes`: the field names what is not in it.
fn tells_without(key: &str) -> bool {
    identifier_words(key)
        .iter()
        .any(|word| matches!(word.as_str(), "free" | "without" | "excludes" | "excluded" | "no"))
}

/// Whether a thing stands in a text of a record, and not as what is left out of it.
fn contains(text: &str, thing: &str) -> bool {
    let singular = thing.strip_suffix('s').filter(|stem| stem.len() >= 3).unwrap_or(thing);
    let place = match thing.is_ascii() {
        true => find_whole(text, thing)
            .or_else(|| find_whole(text, singular))
            .or_else(|| find_whole(text, &format!("{singular}s"))),
        false => text.find(thing),
    };
    place.is_some_and(|at| {
        let (before, behind) = (text.get(..at).unwrap_or_default(), text.get(at..).unwrap_or_default());
        let free = behind.split([' ', ',']).next().is_some_and(|word| word.ends_with("-free"));
        let free = free || behind.split(' ').nth(1).is_some_and(|word| word.starts_with("free"));
        !free && !Cue::named("is-without").ends(before)
    })
}

/// "I can only drive automatics", and the record is a manual one while others beside it are automatic.
fn lacks_only(asked: &Asked<'_>, reading: &Reading, record: &Record<'_>) -> Option<(String, String)> {
    let (wanted, wanted_zh) = (only_words(&reading.lower), only_clauses_zh(&reading.lower));
    if wanted.is_empty() && wanted_zh.is_empty() || speaks_of_another(asked, reading) {
        return None;
    }
    let siblings = || asked.records().iter().filter(|other| other.list == record.list && !std::ptr::eq(*other, record));
    record.fields.iter().filter(|(key, _)| !is_name(key)).find_map(|(key, value)| {
        let own = value.as_str().filter(|own| is_kind(own))?.to_ascii_lowercase();
        let kinds = siblings().flat_map(|other| &other.fields).filter(|(other, _)| other == key);
        let mut kinds =
            kinds.filter_map(|(_, value)| value.as_str()).filter(|kind| is_kind(kind)).map(str::to_ascii_lowercase);
        let is_wanted = |kind: &str| match kind.is_ascii() {
            true => wanted.iter().any(|word| stem(word) == stem(kind)),
            false => wanted_zh.iter().any(|clause| clause.contains(kind)),
        };
        let kind = kinds.find(|kind| *kind != own && is_wanted(kind))?;
        let spoken = asked.user().any(|reading| match own.is_ascii() {
            true => stands_in(&reading.lower, &own),
            false => reading.lower.contains(&own),
        });
        (!spoken).then(|| (format!("only {kind}"), own.clone()))
    })
}

/// The words that "only" bounds: up to four behind it, and the one before it at the end of a clause.
fn only_words(lower: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (word, at) in Cue::named("has-to-be").places_in(lower) {
        let behind = lower.get(at + word.len()..).unwrap_or_default();
        let clause = behind.split(['.', ',', ';', '!', '?', '\n']).next().unwrap_or_default();
        found.extend(clause.split(' ').filter(|word| word.len() >= 4).take(3));
    }
    for (at, only) in lower.match_indices("only") {
        let word = |text: &str| -> bool { text.chars().next_back().is_none_or(|c| !c.is_alphanumeric()) };
        let (before, behind) = (lower.get(..at).unwrap_or_default(), lower.get(at + only.len()..).unwrap_or_default());
        if !word(before) || behind.starts_with(|c: char| c.is_alphanumeric()) || before.trim_end().ends_with("not") {
            continue;
        }
        let clause = behind.split(['.', ',', ';', '!', '?', '\n']).next().unwrap_or_default();
        found.extend(clause.split(' ').filter(|word| word.len() >= 4).take(4));
        if clause.trim().is_empty() {
            found.extend(before.split_whitespace().next_back());
        }
    }
    found
}

/// 只能给内部译者: what stands behind such a word, up to the end of the clause.
fn only_clauses_zh(lower: &str) -> Vec<&str> {
    let words = Cue::named("has-to-be").chinese.iter();
    let behind = words.flat_map(|word| lower.match_indices(word).filter_map(|(at, _)| lower.get(at + word.len()..)));
    behind.filter_map(|rest| rest.split(['，', '。', '；', '！', '？', ',', '.', '\n']).next()).collect()
}

/// Whether a demand names the id of one thing, and the call is about another of its kind.
pub(super) fn speaks_of_another(asked: &Asked<'_>, reading: &Reading) -> bool {
    let ids: Vec<&str> = reading.literals().map(|mention| reading.text(mention)).collect();
    let called = || asked.arguments.iter().filter_map(|argument| argument.reference());
    let same = |one: &str, other: &str| mask(one) == mask(other);
    !ids.is_empty()
        && called().any(|text| ids.iter().any(|id| same(id, &text)))
        && !called().any(|text| ids.contains(&&*text))
}

fn is_kind(text: &str) -> bool {
    if text.chars().all(is_han) {
        return (2..=4).contains(&text.chars().count());
    }
    text.len() >= 4 && text.len() <= MAX_KIND && text.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
}

fn is_name(key: &str) -> bool {
    identifier_words(key).iter().any(|word| matches!(word.as_str(), "name" | "title" | "id" | "city" | "model"))
}

const MAX_FIELD: usize = 400;
const MAX_KIND: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn what_nobody_can_have_is_read() {
        let read = |text: &str| -> Vec<String> {
            avoided(text).into_iter().filter_map(|range| text.get(range).map(str::to_owned)).collect()
        };
        assert_eq!(read("she's allergic to walnuts, sesame and eggs."), ["walnuts", "sesame", "eggs"]);
        assert_eq!(read("i have a nut allergy"), ["nut"]);
        assert_eq!(read("allergic to peanuts, he swells up"), ["peanuts"]);
        assert_eq!(read("我家猫对牛肉和三文鱼过敏"), ["牛肉", "三文鱼"]);
        assert_eq!(read("我爸不吃羊肉，别点"), ["羊肉"]);
        assert_eq!(read("两个客人花生过敏"), ["花生"]);
        assert!(read("the kids love nuts, 我们喜欢吃鱼").is_empty() && read(&"过敏".repeat(2000)).len() <= 2);
        assert!(contains("beef, chicken meal, rice", "chicken") && !contains("chicken-free recipe", "chicken"));
        assert!(!contains("不含牛肉", "牛肉") && contains("contains walnut", "walnuts"));
        assert_eq!(only_words("i can only drive automatics"), ["drive", "automatics"]);
        assert_eq!(only_words("window seats, direct only"), ["direct"]);
    }
}
