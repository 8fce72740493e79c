//! Dates and times that cannot exist: 2026-02-30, 31.04.2026, 25:61.
//!
//! A field that is merely called `date` need not be ISO: "tomorrow" and "March 3rd" pass. Only what looks like a date
//! and is none in any reading is found.

use super::value::Held;
use crate::check_call::prose::shape::{date_exists, digits};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::BAD_DATE;
use crate::contract::{Finding, Severity};
use crate::localized;

/// The finding on a date that cannot exist.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    let text = held.text().filter(|text| text.len() >= 4 && text.as_bytes().first().is_some_and(u8::is_ascii_digit))?;
    if matches!(held.param.format.as_deref(), Some("date" | "date-time" | "time")) {
        return None;
    }
    let dated =
        held.is(Role::Date) || held.is(Role::Time) || held.param.prose.formats.as_ref().is_some_and(|f| f.are_dates());
    let elsewhere = !dated && !ELSEWHERE_NOT.iter().any(|role| held.is(*role)) && is_plain_iso(text);
    if !(dated || elsewhere) || exists(text) || held.is_declared() || held.is_named_by_tool() {
        return None;
    }
    let value = held.quote();
    let evidence =
        localized!(held.language, "`{value}` is no date or time that exists", "`{value}` 不是存在的日期或时间");
    let finding = held.finding(&BAD_DATE, evidence);
    Some(if dated { finding.sure(0.95) } else { finding.sure(0.7).graded(Severity::Warning) })
}

/// Whether a text that looks like a date or a time can be one. What looks like neither can.
fn exists(text: &str) -> bool {
    let cut = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (first, second) = text.split_at_checked(cut).unwrap_or((text, ""));
    let time = second.trim_start_matches(['T', 't', ' ']);
    match numbers(first) {
        Some((mark, [year, month, day])) if mark != ':' && year.1 == 4 => {
            date_exists(i32::try_from(year.0).ok(), Some(month.0), Some(day.0)) && clock_exists(time)
        }
        Some((mark, [a, b, year])) if mark != ':' && year.1 == 4 => {
            let year = i32::try_from(year.0).ok();
            let readings = date_exists(year, Some(a.0), Some(b.0)) || date_exists(year, Some(b.0), Some(a.0));
            readings && clock_exists(time)
        }
        _ => clock_exists(first),
    }
}

/// Three numbers with the same mark between them, and how many digits each has.
fn numbers(text: &str) -> Option<(char, [(u32, usize); 3])> {
    let (first, rest) = read_count(text)?;
    let mark = rest.chars().next().filter(|mark| matches!(mark, '-' | '/' | '.' | ':'))?;
    let (second, rest) = read_count(rest.strip_prefix(mark)?)?;
    let (third, rest) = read_count(rest.strip_prefix(mark)?)?;
    rest.is_empty().then_some((mark, [first, second, third]))
}

fn read_count(text: &str) -> Option<((u32, usize), &str)> {
    let (number, rest) = digits(text, 1, 4)?;
    Some(((number, text.len() - rest.len()), rest))
}

/// A clock's minutes and seconds are below sixty, whether it shows a time or a duration.
fn clock_exists(text: &str) -> bool {
    let Some((_, rest)) = digits(text, 1, 2) else { return true };
    let mut rest = rest;
    while let Some((number, left)) = rest.strip_prefix(':').and_then(|rest| digits(rest, 2, 2)) {
        if number > 60 || (number == 60 && !left.is_empty()) {
            return false;
        }
        rest = left;
    }
    true
}

/// Exactly `YYYY-MM-DD` of our time, with a month that could be meant.
fn is_plain_iso(text: &str) -> bool {
    text.len() == 10 && matches!(numbers(text), Some(('-', [(1900..=2100, 4), (_, 2), (_, 2)])))
}

/// The day of an ISO date, as (year, month, day), where it exists.
pub(crate) fn day_of(text: &str) -> Option<(i32, u32, u32)> {
    let Some((mark, [(year, 4), (month, 1..=2), (day, 1..=2)])) = numbers(text) else { return None };
    let year = i32::try_from(year).ok()?;
    (mark == '-' && date_exists(Some(year), Some(month), Some(day))).then_some((year, month, day))
}

/// The day of a date in numbers, where every reading of it gives the same one.
pub(crate) fn plain_day(text: &str) -> Option<(i32, u32, u32)> {
    let (year, first, second) = match numbers(text) {
        Some((mark, [(year, 4), (month, _), (day, _)])) if mark != ':' => return exact(year, month, day),
        Some((mark, [(first, _), (second, _), (year, 4)])) if mark != ':' => (year, first, second),
        _ => return None,
    };
    match (exact(year, first, second), exact(year, second, first)) {
        (Some(american), Some(european)) => (american == european).then_some(american),
        (one, other) => one.or(other),
    }
}

fn exact(year: u32, month: u32, day: u32) -> Option<(i32, u32, u32)> {
    let year = i32::try_from(year).ok()?;
    date_exists(Some(year), Some(month), Some(day)).then_some((year, month, day))
}

/// What may be written like a date and is none.
const ELSEWHERE_NOT: &[Role] =
    &[Role::Id, Role::Phone, Role::FreeText, Role::Path, Role::Url, Role::Name, Role::Secret];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_exist_is_found() {
        // CALL-4, T8
        for bad in [
            "2026-02-30",
            "2026-13-01",
            "31/04/2026",
            "13/45/2024",
            "2026/02/30",
            "2026-02-30T10:00:00Z",
            "25:61",
            "2026-02-01 10:75",
        ] {
            assert!(!exists(bad), "{bad}");
        }
        for good in [
            "2024-02-29",
            "tomorrow",
            "March 3rd",
            "3/14/2026",
            "14.3.2026",
            "2026",
            "12:30 PM",
            "90:00",
            "2026-W05-1",
            "10-12",
            "1.2.3",
            "23:59:60",
        ] {
            assert!(exists(good), "{good}");
        }
        assert_eq!(day_of("2026-02-28"), Some((2026, 2, 28)));
        assert_eq!(day_of("2026-02-30"), None);
        assert_eq!(plain_day("05/15/2026"), Some((2026, 5, 15)));
        assert_eq!(plain_day("15.5.2026"), Some((2026, 5, 15)));
        assert_eq!(plain_day("05/04/2026"), None);
    }
}
