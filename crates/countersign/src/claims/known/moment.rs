//! Dates as spans of days, so that a year holds its months and a quarter its weeks.
//!
//! Days are counted on a calendar of 31 days a month: only order and containment are asked, never a distance.

use crate::text::numbers::dates::Date;
use crate::text::stems::key;

/// A date, or as much of it as was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// From a day to a day, both included.
    Span {
        /// The first day.
        from: i32,
        /// The last day.
        to: i32,
    },
    /// A month and perhaps a day of no year.
    Yearless {
        /// The month, 1 to 12.
        month: u8,
        /// The day.
        day: Option<u8>,
    },
}

impl Moment {
    /// Reads the form that claims carry: `2024`, `2024-03-05`, `--09-06`, `2024-Q3`, `2024-H1`, `1990s`, `C19`,
    /// `2019/2021`.
    pub fn read(date: &str) -> Option<Self> {
        if let Some((from, to)) = date.split_once('/') {
            let (Self::Span { from, .. }, Self::Span { to, .. }) = (single(from)?, single(to)?) else { return None };
            return (from <= to).then_some(Self::Span { from, to });
        }
        single(date)
    }

    /// A date of a text.
    pub fn of_date(date: &Date) -> Option<Self> {
        match (date.year, date.month, date.day) {
            (Some(year), month, day) => Some(span(i32::from(year), month, day)),
            (None, Some(month), day) => Some(Self::Yearless { month, day }),
            _ => None,
        }
    }

    /// Whether another moment lies in this one.
    pub fn holds(&self, inner: &Self) -> bool {
        match (*self, *inner) {
            (Self::Span { from, to }, Self::Span { from: begins, to: ends }) => from <= begins && ends <= to,
            (Self::Yearless { month, day }, Self::Span { from, to }) => {
                let (their_month, their_day) = ((from / MONTH).rem_euclid(12) + 1, from % MONTH + 1);
                let in_month = to / MONTH == from / MONTH && i32::from(month) == their_month;
                in_month && day.is_none_or(|day| from == to && i32::from(day) == their_day)
            }
            (Self::Yearless { month, day }, Self::Yearless { month: theirs, day: their_day }) => {
                month == theirs && (day.is_none() || day == their_day)
            }
            (Self::Span { .. }, Self::Yearless { .. }) => false,
        }
    }

    /// Whether the two have no day in common. What leaves the year open excludes little.
    pub fn excludes(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Span { from, to }, Self::Span { from: begins, to: ends }) => to < begins || ends < from,
            (Self::Yearless { month, day }, Self::Yearless { month: theirs, day: their_day }) => {
                month != theirs || matches!((day, their_day), (Some(a), Some(b)) if a != b)
            }
            _ => false,
        }
    }

    /// How many parts it names: a year is one, a month two, a day three.
    pub fn parts(&self) -> u8 {
        match *self {
            Self::Span { from, to } if from == to => 3,
            Self::Span { from, to } if to - from < YEAR - 1 => 2,
            Self::Span { .. } => 1,
            Self::Yearless { day, .. } => 1 + u8::from(day.is_some()),
        }
    }

    /// Whether both are as finely said, so that one can gainsay the other.
    pub fn as_fine_as(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }

    /// The keys under which it is kept: its years, and its month.
    pub(super) fn shelves(&self) -> Vec<u64> {
        match *self {
            Self::Span { from, to } => {
                let (first, last) = (from.div_euclid(YEAR), to.div_euclid(YEAR).min(from.div_euclid(YEAR) + 10));
                let months = (from / MONTH == to / MONTH).then(|| month_key((from / MONTH).rem_euclid(12) + 1));
                (first..=last).map(|year| key(&format!("year {year}"))).chain(months).collect()
            }
            Self::Yearless { month, .. } => vec![month_key(i32::from(month))],
        }
    }
}

fn month_key(month: i32) -> u64 {
    key(&format!("month {month}"))
}

fn single(date: &str) -> Option<Moment> {
    let year = |text: &str| text.parse::<i32>().ok().filter(|year| (0..=9999).contains(year));
    if let Some(rest) = date.strip_prefix("--") {
        let (month, day) = rest.split_once('-').map_or((rest, None), |(month, day)| (month, Some(day)));
        let day = day.map(|day| part(day, 31).ok_or(())).transpose().ok()?;
        return Some(Moment::Yearless { month: part(month, 12)?, day });
    }
    if let Some(decade) = date.strip_suffix('s') {
        let first = year(decade)?;
        return Some(years(first, first + 9));
    }
    if let Some(century) = date.strip_prefix('C') {
        let last = year(century)? * 100;
        return Some(years(last - 99, last));
    }
    // A stamp's clock says nothing about the day.
    let day = date.split(['T', ' ']).next().unwrap_or(date);
    let mut parts = day.splitn(3, '-');
    let first = year(parts.next()?)?;
    match (parts.next(), parts.next()) {
        (None, _) => Some(years(first, first)),
        (Some(quarter), None) if quarter.starts_with('Q') => months(first, part(quarter.get(1..)?, 4)?, 3),
        (Some(half), None) if half.starts_with('H') => months(first, part(half.get(1..)?, 2)?, 6),
        (Some(month), day) => {
            let day = day.map(|day| part(day, 31).ok_or(())).transpose().ok()?;
            Some(span(first, Some(part(month, 12)?), day))
        }
    }
}

fn part(text: &str, most: u8) -> Option<u8> {
    text.parse().ok().filter(|part| (1..=most).contains(part))
}

fn years(first: i32, last: i32) -> Moment {
    Moment::Span { from: first * YEAR, to: last * YEAR + YEAR - 1 }
}

fn months(year: i32, number: u8, length: i32) -> Option<Moment> {
    let from = year * YEAR + (i32::from(number) - 1) * length * MONTH;
    Some(Moment::Span { from, to: from + length * MONTH - 1 })
}

fn span(year: i32, month: Option<u8>, day: Option<u8>) -> Moment {
    let Some(month) = month else { return years(year, year) };
    let from = year * YEAR + (i32::from(month) - 1) * MONTH;
    match day {
        Some(day) => Moment::Span { from: from + i32::from(day) - 1, to: from + i32::from(day) - 1 },
        None => Moment::Span { from, to: from + MONTH - 1 },
    }
}

const MONTH: i32 = 31;
const YEAR: i32 = 12 * MONTH;

#[cfg(test)]
mod tests {
    use super::*;

    // CLAIM-2
    #[test]
    fn a_year_holds_its_days_and_not_the_other_way() {
        let read = |date: &str| Moment::read(date).unwrap_or_else(|| panic!("{date}"));
        for (outer, inner) in [
            ("2024", "2024-03-05"),
            ("2024-Q1", "2024-03-05T10:00Z"),
            ("2024-H1", "2024-06"),
            ("1990s", "1994"),
            ("C19", "1898-10-16"),
            ("2019/2021", "2020"),
            ("--09-06", "2024-09-06"),
            ("--09", "--09-06"),
        ] {
            assert!(read(outer).holds(&read(inner)), "{outer} {inner}");
            assert!(!read(inner).holds(&read(outer)), "{inner} {outer}");
        }
        assert!(read("2023").excludes(&read("2024-01-01")) && !read("2024").excludes(&read("2024-01-01")));
        for wrong in ["", "x", "2024-13", "2024-Q5", "--", "C", "s", "2024-1-1-1", "99999", "2021/2019", "/"] {
            assert_eq!(Moment::read(wrong), None, "{wrong}");
        }
    }
}
