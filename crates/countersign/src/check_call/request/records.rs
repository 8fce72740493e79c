//! What results said, as records: objects with their fields, and which of them stand beside each other in a list.

use super::argument::{Argument, read_moment};
use super::qualifiers::kin_of;
use crate::check_call::role::{Role, Roles};
use crate::contract::language::is_han;
use crate::text::cues::Cue;
use crate::text::lists::word_list;
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::cell::OnceCell;

/// One object of a result.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// The list that it is in; records of one list have the same.
    pub list: usize,
    /// Its fields, those of objects inside it too.
    pub fields: Vec<(&'a str, &'a Value)>,
    /// Its telling words, read when they are first asked for.
    pub words: OnceCell<FxHashSet<String>>,
    /// Its id, where it stands in prose and has no fields.
    pub id: Option<String>,
}

impl Record<'_> {
    /// Whether a field holds a text, whole; an id may be a number.
    pub(crate) fn has(&self, lower: &str) -> bool {
        let number: Option<i64> = lower.parse().ok();
        self.id.as_deref() == Some(lower)
            || self.fields.iter().any(|(key, value)| match value {
                Value::String(text) => text.eq_ignore_ascii_case(lower),
                Value::Number(own) => number.is_some_and(|id| own.as_i64() == Some(id)) && is_label(key),
                _ => false,
            })
    }

    /// The same, also for a number under a field that is called like the argument: `zone` and an item of `zones`.
    pub(crate) fn has_under(&self, lower: &str, argument: &Argument<'_>) -> bool {
        let number: Option<i64> = lower.parse().ok();
        let called = |key: &str| {
            let last = identifier_words(key).pop().unwrap_or_default();
            argument.words.last().is_some_and(|word| stem(word) == stem(&last))
        };
        self.has(lower)
            || number.is_some_and(|id| self.fields.iter().any(|(key, value)| value.as_i64() == Some(id) && called(key)))
    }

    /// Whether a short text of it has a word, in lower case, anywhere.
    pub(crate) fn tells(&self, word: &str) -> bool {
        let mut texts =
            self.fields.iter().filter_map(|(_, value)| value.as_str()).filter(|text| text.len() <= MAX_FIELD);
        texts.any(|text| text.to_lowercase().contains(word))
    }

    /// The number of a field of money, where there is just one.
    pub(crate) fn money(&self) -> Option<f64> {
        let mut found = self.fields.iter().filter(|(key, _)| is_money(key)).filter_map(|(_, value)| value.as_f64());
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// The records of results. Their number is bounded.
pub(crate) fn collect<'a>(results: &[&'a Value]) -> Vec<Record<'a>> {
    let mut records = Vec::new();
    let mut open: Vec<(&'a Value, usize)> = results.iter().map(|result| (*result, 0)).collect();
    let mut lists = 0;
    let mut seen = 0;
    while let Some((value, list)) = open.pop() {
        seen += 1;
        if records.len() >= MAX_RECORDS || seen > MAX_VALUES {
            break;
        }
        match value {
            Value::Array(items) => {
                lists += 1;
                open.extend(items.iter().take(MAX_RECORDS).map(|item| (item, lists)));
            }
            Value::Object(map) => {
                lists += 1;
                let own = if list == 0 { lists } else { list };
                let mut fields = Vec::with_capacity(map.len());
                for (key, value) in map {
                    match value {
                        Value::Object(inner) => {
                            fields.extend(
                                inner
                                    .iter()
                                    .filter(|(_, value)| is_leaf(value))
                                    .map(|(key, value)| (key.as_str(), value)),
                            );
                            open.extend(inner.values().filter(|value| !is_leaf(value)).map(|value| (value, 0)));
                        }
                        Value::Array(items) if items.iter().all(is_leaf) => {
                            fields.extend(items.iter().map(|item| (key.as_str(), item)))
                        }
                        Value::Array(_) => open.push((value, 0)),
                        _ => fields.push((key.as_str(), value)),
                    }
                }
                records.push(Record { list: own, fields, words: OnceCell::new(), id: None });
            }
            _ => {}
        }
    }
    records
}

/// The telling words of a record: those of its texts, short texts whole, its dates and times; no ids and no bare numbers.
pub(crate) fn words_of<'r>(record: &'r Record<'_>) -> &'r FxHashSet<String> {
    record.words.get_or_init(|| {
        let mut found = FxHashSet::default();
        for (key, value) in &record.fields {
            let Value::String(text) = value else { continue };
            if text.len() > MAX_FIELD {
                continue;
            }
            found.extend(kind_of_two_letters(key, text).or_else(|| code_of(key, text)));
            match read_moment(text) {
                Some(moment) => {
                    found.extend(moment.date.map(|date| date.to_string()));
                    found.extend(moment.minutes.map(show_minutes));
                }
                None => words_in(&text.to_ascii_lowercase(), &mut found),
            }
        }
        found
    })
}

/// "DJ", "MC": what a record is, in two capitals.
fn kind_of_two_letters(key: &str, text: &str) -> Option<String> {
    let kind = |word: &String| matches!(word.as_str(), "type" | "kind" | "role" | "job" | "category" | "department");
    let lower = text.to_ascii_lowercase();
    let idle = Cue::named("clause-words").has(&lower) || Cue::named("names-nothing").has(&lower);
    let two = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    (two && !idle && identifier_words(key).iter().any(kind)).then_some(lower)
}

/// The class 4B, shelf C12: a letter with a number, which is a whole field and no id.
fn code_of(key: &str, text: &str) -> Option<String> {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let mixed = (2..=4).contains(&text.len()) && digits > 0 && digits < text.len();
    let code = mixed && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (code && !Roles::of(key, "", None).has(Role::Id)).then(|| text.to_ascii_lowercase())
}

/// Minutes after midnight as records have them.
pub(crate) fn show_minutes(minutes: u16) -> String {
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

/// Adds the telling words of a text in lower case.
pub(crate) fn words_in(lower: &str, found: &mut FxHashSet<String>) {
    if (4..=MAX_NAME).contains(&lower.len())
        && lower.contains(char::is_alphabetic)
        && lower.contains(|c: char| c.is_ascii_digit() || c == ' ' || c == '-')
    {
        found.insert(lower.to_owned());
    }
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    for word in &words {
        if word.contains(is_han) {
            found.extend(han_names(word, *word == lower));
            found.extend(kin_of(word).map(str::to_owned));
            continue;
        }
        let digits = word.bytes().any(|byte| byte.is_ascii_digit());
        let telling = word.chars().count() >= 3 && !digits && !Cue::named("names-nothing").has(word);
        let number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() >= 3 && lower == *word;
        found.extend((telling || number).then(|| (*word).to_owned()));
        found.extend(kin_of(word).map(str::to_owned));
    }
    // "Class 2" and 五（2）班 are names with a number in them.
    for pair in words.windows(2) {
        if let [one, two] = pair
            && two.len() <= 4
            && two.bytes().all(|byte| byte.is_ascii_digit())
            && one.len() >= 3
            && one.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            found.insert(format!("{one} {two}"));
        }
    }
    if lower.contains(is_han) {
        let squashed: Vec<char> = squash(lower).chars().collect();
        let mixed = |pair: &&[char]| matches!(pair, [a, b] if is_han(*a) != is_han(*b) && (a.is_ascii_digit() || b.is_ascii_digit()));
        found.extend(squashed.windows(2).filter(mixed).map(|pair| pair.iter().collect::<String>()));
    }
}

/// A text without the signs and blanks between its letters and digits.
pub(crate) fn squash(lower: &str) -> String {
    lower.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A Chinese name whole, and its pairs of characters; one character only where it is the whole field.
fn han_names(word: &str, whole: bool) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    if chars.len() == 1 {
        return if whole { vec![word.to_owned()] } else { Vec::new() };
    }
    let pairs = chars.windows(2).map(|pair| pair.iter().collect::<String>());
    // 孙立 is 孙老师 to those who speak of him.
    if let (true, Some(first)) = (whole && chars.len() <= 3, chars.first()) {
        let titled = TITLES_ZH.iter().map(|title| format!("{first}{title}"));
        let kin = chars.get(1).filter(|second| *second == first).map(|_| format!("我{first}"));
        return pairs.chain([word.to_owned()]).chain(titled).chain(kin).collect();
    }
    if chars.len() <= 4 { pairs.chain([word.to_owned()]).collect() } else { pairs.collect() }
}

fn is_leaf(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Whether a field is called what money is called.
pub(crate) fn is_money(key: &str) -> bool {
    // `due_days` are days.
    let dated = identifier_words(key)
        .last()
        .is_some_and(|last| matches!(last.as_str(), "days" | "date" | "day" | "at" | "on" | "weeks" | "months"));
    if dated {
        return false;
    }
    Roles::of(key, "", None).has(Role::Amount)
        || identifier_words(key).iter().any(|word| {
            matches!(
                word.as_str(),
                "paid"
                    | "due"
                    | "fine"
                    | "fines"
                    | "charge"
                    | "subtotal"
                    | "premium"
                    | "refund"
                    | "tariff"
                    | "worth"
                    | "debt"
                    | "bill"
                    | "rent"
                    | "copay"
                    | "charges"
                    | "fees"
                    | "wage"
                    | "bonus"
            )
        })
}

/// Whether a field is called what nobody counts with: an id, a room, a year.
pub(crate) fn is_label(key: &str) -> bool {
    let words = identifier_words(key);
    // `unit_price` and `room_rate` are prices.
    let priced = words.last().is_some_and(|last| PRICES.contains(&last.as_str()));
    Roles::of(key, "", None).has(Role::Id)
        || words.iter().any(|word| {
            matches!(
                word.as_str(),
                "room"
                    | "no"
                    | "number"
                    | "year"
                    | "zip"
                    | "postal"
                    | "phone"
                    | "seat"
                    | "row"
                    | "table"
                    | "code"
                    | "index"
                    | "version"
                    | "gate"
                    | "platform"
                    | "unit"
            ) && !priced
        })
}

/// Heads of names of prices.
const PRICES: &[&str] = &["price", "cost", "fee", "fare", "rate", "total", "amount", "deposit", "charge"];
const MAX_RECORDS: usize = 200;
const MAX_VALUES: usize = 2000;
const TITLES_ZH: &[&str] = word_list!("check_call", "request/records/titles-zh");
const MAX_FIELD: usize = 120;
const MAX_NAME: usize = 40;
