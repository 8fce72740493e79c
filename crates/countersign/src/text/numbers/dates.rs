//! Dates and years, in parts: what a text does not say stays open.

use super::scan::{Scan, latin};
use crate::text::lists::word_list;
use std::ops::Range;

/// A date, or as much of it as was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Date {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// The year.
    pub year: Option<u16>,
    /// The month, 1 to 12.
    pub month: Option<u8>,
    /// The day, 1 to 31.
    pub day: Option<u8>,
}

impl Date {
    /// Whether two dates say nothing that differs.
    pub fn agrees(&self, other: &Date) -> bool {
        fn same<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            matches!((&a, &b), (Some(a), Some(b)) if a == b) || a.is_none() || b.is_none()
        }
        same(self.year, other.year) && same(self.month, other.month) && same(self.day, other.day)
    }

    /// Whether another date holds everything that this one says.
    pub fn is_in(&self, other: &Date) -> bool {
        (self.year.is_none() || self.year == other.year)
            && (self.month.is_none() || self.month == other.month)
            && (self.day.is_none() || self.day == other.day)
    }
}

/// The date that begins here and the place after it.
pub fn read(scan: &Scan, at: usize) -> Option<(Date, usize)> {
    let c = scan.at(at)?;
    let glued =
        scan.before(at).is_some_and(|b| b.is_ascii_digit() || latin(b) || matches!(b, '.' | '$' | '€' | '£' | '¥'));
    if glued {
        return None;
    }
    let found = if c.is_ascii_digit() { numeric(scan, at) } else { read_named(scan, at) };
    let (year, month, day, end) = found?;
    let valid = month.is_none_or(|m| (1..=12).contains(&m)) && day.is_none_or(|d| (1..=31).contains(&d));
    valid.then(|| (Date { range: scan.bytes(at..end), year, month, day }, end))
}

type Parts = (Option<u16>, Option<u8>, Option<u8>, usize);

/// `2024-03-05`, `2024年3月5日`, `3月5日`, `16 October 1898`, `2019`.
fn numeric(scan: &Scan, at: usize) -> Option<Parts> {
    let (value, width, end) = scan.digits(at)?;
    match (width, scan.at(end)) {
        (4, Some('-' | '–' | '/')) if season(scan, value, end) => Some((Some(year(value)?), None, None, end + 3)),
        (4, Some(separator @ ('-' | '/' | '.'))) => {
            if let Some((month, 1..=2, next)) = scan.digits(end + 1) {
                let (day, behind) = match scan.digits(next + 1).filter(|_| scan.at(next) == Some(separator)) {
                    Some((day, 1..=2, behind)) => (Some(narrow(day)?), behind),
                    _ => (None, next),
                };
                // A clock after the day belongs to the date.
                let clock = matches!(scan.at(behind), Some('T' | 't')) && scan.digit(behind + 1);
                let behind = if clock { clock_end(scan, behind + 1) } else { behind };
                let written = day.is_some() || separator != '.';
                return (written && (1..=12).contains(&month)).then_some((
                    Some(year(value)?),
                    Some(narrow(month)?),
                    day,
                    behind,
                ));
            }
            bare_year(scan, value, end)
        }
        (4, Some('年')) => match scan.digits(end + 1) {
            Some((month, 1..=2, next)) if scan.at(next) == Some('月') => {
                let (day, behind) = han_day(scan, next + 1);
                Some((Some(year(value)?), Some(narrow(month)?), day, behind))
            }
            _ => Some((Some(year(value)?), None, None, end + 1)),
        },
        (1..=2, Some('月')) if scan.at(end + 1) != Some('份') || width < 3 => {
            let (day, behind) = han_day(scan, end + 1);
            Some((None, Some(narrow(value)?), day, behind))
        }
        (1..=2, _) => day_first(scan, value, end),
        (4, _) => bare_year(scan, value, end),
        _ => None,
    }
}

/// `2018–19` is a season and no month.
fn season(scan: &Scan, value: u64, end: usize) -> bool {
    matches!(scan.digits(end + 1), Some((next, 2, behind)) if next == (value + 1) % 100
        && !matches!(scan.at(behind), Some('-' | '/' | '.')) || (behind == end + 3 && next > 12 && next > value % 100))
}

fn han_day(scan: &Scan, at: usize) -> (Option<u8>, usize) {
    match scan.digits(at) {
        Some((day, 1..=2, next)) if matches!(scan.at(next), Some('日' | '号')) => (narrow(day), next + 1),
        _ => (None, at),
    }
}

/// `16 October 1898`, `16th of October`.
fn day_first(scan: &Scan, day: u64, end: usize) -> Option<Parts> {
    let (suffix, behind) = scan.word(end);
    let end = if matches!(suffix.as_str(), "st" | "nd" | "rd" | "th") { behind } else { end };
    let mut from = scan.past_blanks(end);
    if scan.starts(from, "of ") {
        from += 3;
    }
    let (month, behind) = month_at(scan, from)?;
    let (year, behind) = year_behind(scan, behind);
    Some((year, Some(month), Some(narrow(day)?), behind))
}

/// `October 16, 1898`, `October 1898`, `October 16`. A month's name alone is a date only where it can be nothing else.
fn read_named(scan: &Scan, at: usize) -> Option<Parts> {
    let (month, end) = month_at(scan, at)?;
    let from = scan.past_blanks(end);
    if let Some((day, 1..=2, next)) = scan.digits(from).filter(|_| scan.at(from - 1) != Some(',')) {
        let (suffix, behind) = scan.word(next);
        let next = if matches!(suffix.as_str(), "st" | "nd" | "rd" | "th") { behind } else { next };
        if scan.at(next) == Some(':') {
            return None;
        }
        let (year, behind) = year_behind(scan, next);
        return Some((year, Some(month), Some(narrow(day)?), behind));
    }
    let (year, behind) = year_behind(scan, end);
    let alone = !matches!(month, 3 | 5) || year.is_some();
    alone.then_some((year, Some(month), None, behind))
}

/// The month whose name begins here with a capital, its full stop passed.
fn month_at(scan: &Scan, at: usize) -> Option<(u8, usize)> {
    if !scan.at(at)?.is_uppercase() {
        return None;
    }
    let (word, end) = scan.word(at);
    let month = MONTHS.iter().position(|name| *name == word || (word.len() >= 3 && short(name, &word)))?;
    let end = if word.len() <= 4 && scan.at(end) == Some('.') { end + 1 } else { end };
    Some((u8::try_from(month + 1).ok()?, end))
}

fn short(name: &str, word: &str) -> bool {
    name.get(..3) == Some(word) || (word == "sept" && name == "september")
}

fn year_behind(scan: &Scan, at: usize) -> (Option<u16>, usize) {
    let comma = usize::from(scan.at(at) == Some(','));
    let from = scan.past_blanks(at + comma);
    match scan.digits(from) {
        Some((value, 4, end)) if from > at && year(value).is_some() => (year(value), end),
        _ => (None, at),
    }
}

/// A number of four digits that reads as a year, and after which no unit or scale stands.
fn bare_year(scan: &Scan, value: u64, end: usize) -> Option<Parts> {
    let behind = scan.at(end);
    let number = match behind {
        Some('.' | ',' | ':' | '/') => scan.digit(end + 1),
        Some('%' | '°' | '℃' | '_') => true,
        Some('s') => false,
        Some(c) if c.is_alphanumeric() => true,
        _ => super::units::read(scan, end).is_some(),
    };
    let plausible = (1500..2100).contains(&value);
    (plausible && !number).then_some((year(value), None, None, end))
}

fn clock_end(scan: &Scan, from: usize) -> usize {
    let part = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | 'Z' | 'z' | '+');
    let mut end = from;
    while scan.at(end).is_some_and(part) {
        end += 1;
    }
    end
}

fn year(value: u64) -> Option<u16> {
    u16::try_from(value).ok().filter(|year| (1000..3000).contains(year))
}

fn narrow(value: u64) -> Option<u8> {
    u8::try_from(value).ok()
}

/// The months, January first.
pub(crate) const MONTHS: &[&str] = word_list!("text", "numbers/dates/months");
