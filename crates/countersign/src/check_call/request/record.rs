//! The record that was meant: an id belongs to the record that the user's words name, not to its neighbour.

use super::argument::{Argument, read_moment};
use super::asked::{Asked, find_whole, stands_in};
use super::records::Record;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::{LEFT_OUT, OTHER_RECORD};
use crate::contract::language::is_han;
use crate::localized;
use crate::text::mentions::Reading;
use crate::text::mentions::role::is_excluded;
use rustc_hash::FxHashSet;
use serde_json::Value;

/// Finds ids of a record whose neighbour was named, and lists that lack one of those that were.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let records = asked.records();
    if records.len() < 2 {
        return;
    }
    for argument in &asked.arguments {
        let Some(text) = argument.text().filter(|text| is_reference(text)) else { continue };
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
    slips.extend(find_missing(asked, records).or_else(|| find_other_named(asked, records)));
}

/// Whether a text points at a record: one word, or a number with blanks in it.
fn is_reference(text: &str) -> bool {
    text.len() <= MAX_VALUE && (!text.contains(char::is_whitespace) || !text.contains(char::is_alphabetic))
}

/// Whether the call or the request is about more than one of them.
fn is_about_several(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    let listed = argument.node.is_item()
        && asked.arguments.iter().filter(|other| other.node.key == argument.node.key).count() > 1;
    listed && asked.in_force().any(|reading| says_any(reading, SEVERAL))
}

fn says_any(reading: &Reading, words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| if word.is_ascii() { stands_in(&reading.lower, word) } else { reading.lower.contains(word) })
}

/// A sibling that the words name, where all that they say of this record they say of the sibling too.
fn find_better<'r, 'a>(
    asked: &Asked<'_>,
    own: &Record<'a>,
    siblings: &[&'r Record<'a>],
) -> Option<(&'r Record<'a>, String)> {
    let all: Vec<&Record<'_>> = siblings.iter().copied().chain([own]).collect();
    for reading in asked.in_force().chain(asked.earlier.iter().copied().take(MAX_EARLIER)) {
        let said = Said::of(asked, reading);
        let named = |record: &Record<'_>| said.names(record, &all);
        let mine = named(own);
        let (best, words) =
            siblings.iter().map(|record| (*record, named(record))).max_by_key(|(_, words)| words.len())?;
        let more = words.len() > mine.len() && mine.iter().all(|word| words.contains(word));
        if more {
            let word = words.into_iter().find(|word| !mine.contains(word)).unwrap_or_default();
            return Some((best, word));
        }
        if !mine.is_empty() {
            return None;
        }
    }
    None
}

/// What a message says that may name a record.
struct Said<'a> {
    reading: &'a Reading,
    /// Its dates and times, as records have them.
    moments: FxHashSet<String>,
}

impl<'a> Said<'a> {
    fn of(asked: &Asked<'_>, reading: &'a Reading) -> Self {
        let mut moments: FxHashSet<String> = FxHashSet::default();
        for (_, words) in reading.dates().filter(|(mention, _)| !mention.excluded) {
            moments.extend(
                words.resolve(asked.today).iter().filter(|days| days.is_one()).map(|days| days.first.to_string()),
            );
        }
        for (_, clock) in reading.clocks().filter(|(mention, _)| !mention.excluded) {
            let shown = |minutes: u16| format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60);
            moments.insert(shown(clock.minutes));
            moments.extend((!clock.sure).then(|| shown(clock.minutes + 720)));
        }
        Self { reading, moments }
    }

    /// The words that name a record and not all the others beside it.
    fn names(&self, record: &Record<'_>, all: &[&Record<'_>]) -> Vec<String> {
        let telling = words_of(record).iter().filter(|word| {
            let place = || {
                place_of(&self.reading.lower, word)
                    .is_some_and(|at| !is_excluded(&self.reading.lower, at) && !is_negated(&self.reading.lower, at))
            };
            let named = self.moments.contains(*word) || place();
            named && all.iter().filter(|other| words_of(other).contains(*word)).count() < all.len()
        });
        telling.cloned().collect()
    }
}

/// "Nothing explicit", 不要辣的: the word names what is not wanted.
fn is_negated(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    ["nothing", "no", "never", "without", "不要", "不吃", "别"].iter().any(|word| before.ends_with(word))
}

/// Where a word stands, in the singular or the plural.
fn place_of(text: &str, word: &str) -> Option<usize> {
    if word.starts_with(is_han) {
        return text.find(word);
    }
    find_whole(text, word)
        .or_else(|| find_whole(text, &format!("{word}s")))
        .or_else(|| find_whole(text, word.strip_suffix('s').filter(|stem| stem.len() >= 4)?))
}

/// The telling words of a record: those of its texts, short texts whole, its dates and times; no ids and no numbers.
fn words_of<'r>(record: &'r Record<'_>) -> &'r FxHashSet<String> {
    record.words.get_or_init(|| read_words(record))
}

fn read_words(record: &Record<'_>) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    for (_, value) in &record.fields {
        let Value::String(text) = value else { continue };
        if text.len() > MAX_FIELD {
            continue;
        }
        if let Some(moment) = read_moment(text) {
            found.extend(moment.date.map(|date| date.to_string()));
            found.extend(moment.minutes.map(|minutes| format!("{:02}:{:02}", minutes / 60, minutes % 60)));
            continue;
        }
        let lower = text.to_ascii_lowercase();
        if lower.len() >= 4
            && lower.len() <= MAX_NAME
            && lower.contains(char::is_alphabetic)
            && lower.contains(|c: char| c.is_ascii_digit() || c == ' ' || c == '-')
        {
            found.insert(lower.clone());
        }
        let run = |c: char| c.is_alphanumeric() || c == '\'';
        for word in lower.split(|c: char| !run(c)).filter(|word| !word.is_empty()) {
            if word.contains(is_han) {
                found.extend(han_names(word, word == lower));
            } else {
                let telling = word.chars().count() >= 3
                    && !word.contains(|c: char| c.is_ascii_digit())
                    && !COMMON.contains(&word);
                let number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() >= 3 && lower == word;
                found.extend((telling || number).then(|| word.to_owned()));
            }
        }
    }
    found
}

/// A Chinese name whole, and its pairs of characters; one character only where it is the whole field.
fn han_names(word: &str, whole: bool) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    if chars.len() == 1 {
        return if whole { vec![word.to_owned()] } else { Vec::new() };
    }
    let pairs = chars.windows(2).map(|pair| pair.iter().collect::<String>());
    if chars.len() <= 4 { pairs.chain([word.to_owned()]).collect() } else { pairs.collect() }
}

/// "All of them", and a list that has only some of those that the words name.
fn find_missing(asked: &Asked<'_>, records: &[Record<'_>]) -> Option<Slip> {
    if !asked.in_force().any(|reading| says_any(reading, ALL)) {
        return None;
    }
    let listed: Vec<&Argument<'_>> =
        asked.arguments.iter().filter(|argument| argument.node.is_item() && argument.text().is_some()).collect();
    let has = |record: &Record<'_>| listed.iter().any(|argument| argument.text().is_some_and(|text| record.has(text)));
    let taken: Vec<&Record<'_>> = records.iter().filter(|record| has(record)).collect();
    let (first, argument) = (taken.first()?, listed.first()?);
    if taken.len() < 2 || taken.len() < listed.len() || !taken.iter().all(|record| record.list == first.list) {
        return None;
    }
    let all: Vec<&Record<'_>> = records.iter().filter(|record| record.list == first.list).collect();
    let said = Said::of(asked, asked.last);
    let common: Vec<String> = said
        .names(first, &all)
        .into_iter()
        .filter(|word| taken.iter().all(|record| words_of(record).contains(word)))
        .collect();
    let named = |record: &Record<'_>| !common.is_empty() && common.iter().all(|word| words_of(record).contains(word));
    let unnamed = all.iter().all(|record| said.names(record, &all).is_empty());
    let missing = all.iter().find(|record| !has(record) && (unnamed || named(record)))?;
    let shown = missing.fields.iter().find_map(|(_, value)| value.as_str()).unwrap_or_default();
    let evidence = localized!(
        asked.subject.language,
        "the user asked for all of them, and `{shown}` is left out",
        "用户要求的是全部，而 `{shown}` 被遗漏了"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    Some(Slip::on(asked, argument, &LEFT_OUT, Strength::Strong, Says { evidence, hint }))
}

/// Two records were named, each by words of its own, and the list has only one of them.
fn find_other_named(asked: &Asked<'_>, records: &[Record<'_>]) -> Option<Slip> {
    let items: Vec<&Argument<'_>> = asked
        .arguments
        .iter()
        .filter(|argument| argument.node.is_item() && argument.text().is_some_and(is_reference))
        .collect();
    let has = |record: &Record<'_>| items.iter().any(|argument| argument.text().is_some_and(|text| record.has(text)));
    let (argument, own) = (items.first()?, records.iter().find(|record| has(record))?);
    let all: Vec<&Record<'_>> = records.iter().filter(|record| record.list == own.list).collect();
    let said = Said::of(asked, asked.last);
    let unique = |record: &Record<'_>| {
        let words = said.names(record, &all);
        words.into_iter().find(|word| all.iter().filter(|other| words_of(other).contains(word)).count() == 1)
    };
    unique(own)?;
    let (missing, word) =
        all.iter().filter(|record| !has(record)).find_map(|record| Some((record, unique(record)?)))?;
    let joined = asked.last.lower.contains(" and ")
        || ["和", "、", "跟", "都"].iter().any(|word| asked.last.lower.contains(word));
    let shown = missing.fields.iter().find_map(|(_, value)| value.as_str()).unwrap_or_default();
    let evidence = localized!(
        asked.subject.language,
        "the user also named `{shown}` (\"{word}\"), which is left out",
        "用户还提到了 `{shown}`（“{word}”），而它被遗漏了"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    joined.then(|| Slip::on(asked, argument, &LEFT_OUT, Strength::Weak, Says { evidence, hint }))
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
const MAX_NAME: usize = 40;
const MAX_EARLIER: usize = 5;
const ALL: &[&str] = &["all", "everything", "every", "each", "both", "全部", "所有", "都", "全"];
/// Words that ask for more than one.
const SEVERAL: &[&str] = &[
    "all",
    "both",
    "every",
    "each",
    "them",
    "these",
    "those",
    "others",
    "rest",
    "and",
    "everything",
    "全部",
    "所有",
    "都",
    "两",
    "和",
    "这些",
    "那些",
    "其他",
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
