//! Records told apart by a year: "the 2016 one", "the one from the fifties", 五几年出生的那位.

use super::argument::read_moment;
use super::records::Record;
use crate::text::mentions::role::is_excluded;
use crate::text::mentions::{Reading, What, numerals};
use crate::text::words::identifier_words;
use serde_json::Value;
use std::ops::RangeInclusive;

/// A year or ten of them, as they were said.
pub(super) struct Years {
    text: String,
    range: RangeInclusive<i64>,
}

impl Years {
    /// The words, where they tell a record from one beside it.
    pub(super) fn name(&self, record: &Record<'_>, all: &[&Record<'_>]) -> Option<String> {
        let within = |record: &Record<'_>| year_of(record).is_some_and(|year| self.range.contains(&year));
        (within(record) && !all.iter().all(|other| within(other))).then(|| self.text.clone())
    }
}

/// The years that a text tells by, without those of full dates and those that it takes out.
pub(super) fn years_in(reading: &Reading) -> Vec<Years> {
    let lower = reading.lower.as_str();
    let mut found: Vec<(usize, usize, i64, i64)> = Vec::new();
    let mut at = 0;
    for word in lower.split(|c: char| !c.is_ascii_alphanumeric()) {
        found.extend(read_word(reading, at, word).map(|(first, last)| (at, at + word.len(), first, last)));
        at += word.len();
        at += lower.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    found.extend(short_years_zh(lower));
    found.extend(DECADES_ZH.iter().flat_map(|sign| decades_zh(lower, sign)));
    found.retain(|(at, ..)| !is_excluded(lower, *at));
    let text = |from: usize, until: usize| lower.get(from..until).unwrap_or_default().to_owned();
    found.into_iter().map(|(from, until, first, last)| Years { text: text(from, until), range: first..=last }).collect()
}

/// The first and the last year that a word means: 2016, "1950s", "the 50s", "the fifties".
fn read_word(reading: &Reading, at: usize, word: &str) -> Option<(i64, i64)> {
    let full = |text: &str| text.parse::<i64>().ok().filter(|year| text.len() == 4 && (1900..2100).contains(year));
    if let Some(year) = full(word) {
        let decade = reading.lower.get(at + word.len()..).is_some_and(|rest| rest.starts_with("年代"));
        return (!is_of_date(reading, at)).then_some((year, if decade { year + 9 } else { year }));
    }
    // "The '62 volume".
    let short = reading.lower.get(..at).is_some_and(|before| before.ends_with("the '") || before.ends_with("the ’"));
    if let Some(year) = word.parse::<i64>().ok().filter(|year| short && word.len() == 2 && *year >= FIRST_SHORT) {
        return Some((1900 + year, 1900 + year));
    }
    let tens = word.strip_suffix('s')?;
    if let Some(first) = full(tens) {
        return Some((first, first + 9));
    }
    // Without the article it is an age: "in her fifties".
    let led = reading.lower.get(..at).is_some_and(|before| before.ends_with("the ") || before.ends_with("the '"));
    let spelled =
        word.strip_suffix("ies").and_then(|stem| numerals::small(&format!("{stem}y"))).map(|tens| tens as i64);
    let tens =
        spelled.or_else(|| tens.parse().ok()).filter(|tens| led && (20..100).contains(tens) && tens % 10 == 0)?;
    Some((1900 + tens, 1909 + tens))
}

/// Whether a year belongs to a date with its month.
fn is_of_date(reading: &Reading, at: usize) -> bool {
    reading.mentions.iter().filter(|mention| mention.range.contains(&at)).any(|mention| {
        let text = reading.text(mention);
        let bare =
            text.bytes().filter(u8::is_ascii_digit).count() == 4 && !text.contains(|c: char| c.is_ascii_alphabetic());
        !matches!(mention.what, What::Date(_) | What::Number(_)) || !bare
    })
}

/// 五几年, 80后, 七十年代: the place, the end, and the ten years.
fn decades_zh<'t>(lower: &'t str, sign: &'t str) -> impl Iterator<Item = (usize, usize, i64, i64)> + 't {
    lower.match_indices(sign).filter_map(move |(at, _)| {
        let mut before = lower.get(..at)?.char_indices().rev();
        let (from, ten) = before.next().and_then(|(from, c)| Some((from, digit_of(c)?)))?;
        // 十几年 and 8点30后 are no years.
        let alone = before.next().is_none_or(|(_, c)| digit_of(c).is_none() && !matches!(c, '十' | ':' | '点'));
        (alone && ten >= 3).then_some((from, at + sign.len(), 1900 + ten * 10, 1909 + ten * 10))
    })
}

/// 62年那册, 78年的: two digits, the sign for a year, and what the thing is told by.
fn short_years_zh(lower: &str) -> impl Iterator<Item = (usize, usize, i64, i64)> + '_ {
    lower.match_indices('年').filter_map(move |(at, sign)| {
        let digits = lower.get(..at)?.bytes().rev().take_while(u8::is_ascii_digit).count();
        let year: i64 = lower.get(at - digits..at)?.parse().ok().filter(|year| digits == 2 && *year >= FIRST_SHORT)?;
        let end = at + sign.len();
        let told = lower.get(end..)?.starts_with(['那', '的', '版', '款', '出', '生', '产', '建', '份']);
        told.then_some((at - digits, end, 1900 + year, 1900 + year))
    })
}

fn digit_of(c: char) -> Option<i64> {
    let digit = c.to_digit(10).map(i64::from);
    digit.or_else(|| "零一二三四五六七八九".chars().position(|own| own == c).and_then(|at| i64::try_from(at).ok()))
}

/// The year that a record is told by: of a birth, of a make.
fn year_of(record: &Record<'_>) -> Option<i64> {
    let named = |key: &str| identifier_words(key).iter().any(|word| YEARLY.contains(&word.as_str()));
    record.fields.iter().filter(|(key, _)| named(key)).find_map(|(_, value)| {
        let year = match value {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => {
                text.parse().ok().or_else(|| read_moment(text)?.date.map(|date| i64::from(date.year())))
            }
            _ => None,
        };
        year.filter(|year| (1900..2100).contains(year))
    })
}

const DECADES_ZH: &[&str] = &["几年", "0后", "零后", "〇后", "0年代", "十年代"];
/// A smaller number before 年 is a length.
const FIRST_SHORT: i64 = 30;
const YEARLY: &[&str] = &[
    "year",
    "born",
    "birth",
    "birthday",
    "birthdate",
    "dob",
    "built",
    "made",
    "founded",
    "vintage",
    "joined",
    "since",
    "released",
    "published",
    "graduated",
    "model",
];

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn years_are_read() {
        let read = |text: &str| -> Vec<(i64, i64)> {
            years_in(&Reading::of(text)).iter().map(|years| (*years.range.start(), *years.range.end())).collect()
        };
        assert_eq!(read("the 2016 one, not the 2019 one"), [(2016, 2016)]);
        assert_eq!(read("the one from the fifties"), [(1950, 1959)]);
        assert_eq!(read("the 70s flat, or a 1980s one"), [(1970, 1979), (1980, 1989)]);
        assert_eq!(read("就是五几年出生的那位"), [(1950, 1959)]);
        assert_eq!((read("那个80后"), read("七十年代建的")), (vec![(1980, 1989)], vec![(1970, 1979)]));
        for text in ["she is in her fifties", "住了十几年", "book it for 3 may 2026", "8点30后", "order 66-2016"]
        {
            assert!(read(text).is_empty(), "{text}");
        }
    }
}
