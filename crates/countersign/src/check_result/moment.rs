//! Dates and times as tools write them, made comparable. Never guesses a time zone.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde_json::Value;
use std::cmp::Ordering;

/// A point in time, as exact as it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    civil: DateTime,
    instant: Option<Timestamp>,
    has_time: bool,
}

impl Moment {
    /// The moment in a value: RFC 3339, a date, a date with a time, or seconds since 1970.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::read(text),
            Value::Number(number) => Self::epoch(number.as_f64()?),
            _ => None,
        }
    }

    /// The moment in a text.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() < 8 || text.len() > 40 || !text.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let plain = text.replace(['年', '月', '/'], "-").replace('日', " ");
        let plain = plain.trim();
        if let Ok(instant) = plain.parse::<Timestamp>() {
            return Some(Self {
                civil: local(plain).unwrap_or_else(|| utc(instant)),
                instant: Some(instant),
                has_time: true,
            });
        }
        if let Ok(date) = plain.parse::<Date>().or_else(|error| loose(plain).ok_or(error)) {
            // A date-time also reads as a date; keep its time where it has one.
            let whole = plain.parse::<DateTime>().ok().filter(|_| plain.contains(':'));
            let has_time = whole.is_some();
            return Some(Self { civil: whole.unwrap_or_else(|| date.at(0, 0, 0, 0)), instant: None, has_time });
        }
        None
    }

    fn epoch(number: f64) -> Option<Self> {
        let seconds = if number > 1e11 { number / 1000.0 } else { number };
        if !(6e8..4.2e9).contains(&seconds) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked above")]
        let instant = Timestamp::from_second(seconds as i64).ok()?;
        Some(Self { civil: utc(instant), instant: Some(instant), has_time: true })
    }

    /// The calendar date, as written.
    pub fn date(&self) -> Date {
        self.civil.date()
    }

    /// Whether it says which instant is meant, time zone included.
    pub fn is_exact(&self) -> bool {
        self.instant.is_some()
    }

    /// How many hours it lies after another. Dates without time compare as dates.
    pub fn hours_after(&self, other: &Self) -> f64 {
        if let (Some(own), Some(other)) = (self.instant, other.instant) {
            return seconds(own.as_second() - other.as_second()) / 3600.0;
        }
        if self.has_time && other.has_time {
            let of =
                |moment: &Self| moment.civil.to_zoned(jiff::tz::TimeZone::UTC).map_or(0, |z| z.timestamp().as_second());
            return seconds(of(self) - of(other)) / 3600.0;
        }
        f64::from(days(self.date()) - days(other.date())) * 24.0
    }

    /// Whether both may be the same moment, as exactly as they were written.
    pub fn may_be(&self, other: &Self) -> bool {
        if self.has_time && other.has_time && self.is_exact() == other.is_exact() {
            return self.hours_after(other).abs() < 0.02;
        }
        // A zone that only one of them names may move the date.
        let zoned = self.is_exact() || other.is_exact();
        self.date() == other.date() || (zoned && (days(self.date()) - days(other.date())).abs() <= 1)
    }

    /// Before, at or after another.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.hours_after(other).total_cmp(&0.0)
    }
}

/// Days since a fixed day.
fn days(date: Date) -> i32 {
    date.since(jiff::civil::date(1970, 1, 1)).map_or(0, |span| span.get_days())
}

fn seconds(whole: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "seconds of our era fit a double exactly")]
    let exact = whole as f64;
    exact
}

/// The wall-clock reading of an RFC 3339 text, without its offset.
fn local(text: &str) -> Option<DateTime> {
    text.get(..19)?.parse().ok()
}

fn utc(instant: Timestamp) -> DateTime {
    instant.to_zoned(jiff::tz::TimeZone::UTC).datetime()
}

/// `2026-1-5` and the like.
fn loose(text: &str) -> Option<Date> {
    let mut parts = text.split([' ', 'T']).next()?.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = parts.next().is_none() && year.len() == 4;
    whole.then(|| Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn moments_compare_as_they_were_written() {
        let at = |text: &str| Moment::read(text).unwrap();
        assert_eq!(at("2026-10-20T10:00:00Z").compare(&at("2026-10-02T16:00:00Z")), Ordering::Greater);
        assert_eq!(at("2026-10-20T10:00:00+08:00").hours_after(&at("2026-10-20T02:00:00Z")), 0.0);
        assert_eq!(at("2026-10-20").compare(&at("2026-10-20T23:00:00Z")), Ordering::Equal);
        assert_eq!(at("2026年3月5日").date(), at("2026-03-05 08:30").date());
        assert_eq!(at("2026-03-05 08:30").hours_after(&at("2026-03-05 08:00")), 0.5);
        assert_eq!(Moment::of(&json!(1_700_000_000)).unwrap().date(), at("2023-11-14").date());
        assert!(Moment::read("2026-02-30").is_none() && Moment::read("tomorrow").is_none());
        assert!(Moment::of(&json!(12)).is_none());
    }
}
