//! Whether a date or a time follows from what was said.
//!
//! A date needs its day and its month; the year goes without saying. Where somebody spoke of time in relation to
//! now ("tomorrow", "last month", 下周), any date that exists may follow, because we have no clock.

use super::sources::Sources;
use crate::text::lists::word_list;
use crate::text::numbers::dates::MONTHS;

/// Whether a date or time follows.
pub(crate) fn follows(value: &str, sources: &Sources<'_>) -> bool {
    is_now(value, sources)
        || match Moment::read(value) {
            Moment::Date { year, month, day } => date_follows(year, month, day, sources),
            Moment::Month { year, month } => sources.whole(year) || month_said(month, sources) || is_relative(sources),
            Moment::Time { hour, minute } => time_follows(hour, minute, sources),
            Moment::Impossible => false,
            Moment::Unknown => true,
        }
}

/// Whether a folded value is the name of a day or a month, and follows from words about time.
pub(crate) fn named(folded: &str, sources: &Sources<'_>) -> bool {
    let day = DAYS.contains(&folded);
    let month = || (1..=12).any(|month| month_names(month).any(|name| name == folded));
    (day || month()) && is_relative(sources)
}

/// Whether a whole number is a month that was named, or follows from words about time.
pub(crate) fn month_follows(value: f64, sources: &Sources<'_>) -> bool {
    let said = || month_said(value as u64, sources) || is_relative(sources);
    let this_month = || today(sources).is_some_and(|(_, month, _)| value == month as f64);
    (1.0..=12.0).contains(&value) && (said() || this_month())
}

/// Whether a number is this year.
pub(crate) fn is_this_year(value: f64, sources: &Sources<'_>) -> bool {
    today(sources).is_some_and(|(year, _, _)| value == year as f64)
}

/// Whether a date, a month or a time is the one of the request itself.
fn is_now(value: &str, sources: &Sources<'_>) -> bool {
    match (Moment::read(value), today(sources)) {
        (_, None) => false,
        (Moment::Date { year, month, day }, Some(today)) => (year, month, day) == today,
        (Moment::Month { year, month }, Some(today)) => (year, month) == (today.0, today.1),
        (time @ Moment::Time { .. }, Some(_)) => sources
            .now()
            .and_then(|now| now.split_once(['T', 't', ' ']))
            .is_some_and(|(_, now)| Moment::read(now) == time),
        (Moment::Impossible | Moment::Unknown, Some(_)) => false,
    }
}

/// The date of the request, where it says what time it is.
fn today(sources: &Sources<'_>) -> Option<(u64, u64, u64)> {
    match Moment::read(sources.now()?) {
        Moment::Date { year, month, day } => Some((year, month, day)),
        _ => None,
    }
}

#[derive(Debug, PartialEq)]
enum Moment {
    Date { year: u64, month: u64, day: u64 },
    Month { year: u64, month: u64 },
    Time { hour: u64, minute: u64 },
    Impossible,
    Unknown,
}

impl Moment {
    fn read(value: &str) -> Self {
        let groups: Vec<(usize, u64)> = value
            .split(|c: char| !c.is_ascii_digit())
            .filter(|group| !group.is_empty() && group.len() <= 4)
            .filter_map(|group| Some((group.len(), group.parse().ok()?)))
            .collect();
        match groups.as_slice() {
            [(4, year), (_, month), (_, day), ..] => Self::date(*year, *month, *day),
            [(_, a), (_, b), (4, year), ..] if *a > 12 => Self::date(*year, *b, *a),
            [(_, a), (_, b), (4, year), ..] => Self::date(*year, *a, *b),
            [(4, year), (_, month)] if (1..=12).contains(month) => Self::Month { year: *year, month: *month },
            [(_, hour), (_, minute), ..] if value.contains(':') && *hour <= 24 && *minute < 60 => {
                Self::Time { hour: *hour, minute: *minute }
            }
            [_, _, ..] if value.contains(':') => Self::Impossible,
            _ => Self::Unknown,
        }
    }

    fn date(year: u64, month: u64, day: u64) -> Self {
        // A century that nobody plans for or remembers is no date of anybody.
        let exists = (1..=12).contains(&month) && (1..=31).contains(&day) && (1000..=2200).contains(&year);
        if exists { Self::Date { year, month, day } } else { Self::Impossible }
    }
}

fn date_follows(year: u64, month: u64, day: u64, sources: &Sources<'_>) -> bool {
    let month_said = month_said(month, sources) || month_said(day, sources) && sources.whole(month);
    let day_said = sources.whole(day) || is_spelled(day.checked_sub(1), ORDINALS, sources);
    let edge = (day == 1 || day >= 28) && (month_said || ((month == 1 || month == 12) && sources.whole(year)));
    (day_said && month_said) || edge || is_relative(sources)
}

fn month_said(month: u64, sources: &Sources<'_>) -> bool {
    sources.whole(month) || month_names(month).any(|name| sources.any_word(&[name]))
}

/// What a month is called, in both languages: `september`, `sep`, `sept`, 九月.
fn month_names(month: u64) -> impl Iterator<Item = &'static str> {
    let at = month.checked_sub(1).and_then(|at| usize::try_from(at).ok());
    let full = at.and_then(|at| MONTHS.get(at)).copied();
    let other = match month {
        9 => Some("sept"),
        12 => Some("christmas"),
        _ => None,
    };
    let chinese = at.and_then(|at| MONTHS_ZH.get(at)).copied();
    full.into_iter().chain(full.and_then(|full| full.get(..3))).chain(other).chain(chinese)
}

/// Whether the word at a place of a list was said.
fn is_spelled(at: Option<u64>, words: &[&str], sources: &Sources<'_>) -> bool {
    let word = at.and_then(|at| words.get(usize::try_from(at).ok()?));
    word.is_some_and(|word| sources.any_word(&[word]))
}

fn time_follows(hour: u64, minute: u64, sources: &Sources<'_>) -> bool {
    let hours = [hour, hour % 12, hour + 12, if hour.is_multiple_of(12) { 12 } else { hour }];
    let spelled = is_spelled(Some(hour % 12), HOURS, sources);
    let edge = (hour == 0 && minute == 0) || (hour >= 23 && minute == 59);
    edge || spelled || hours.iter().any(|hour| sources.whole(*hour)) || DAYTIME.iter().any(|word| sources.said(word))
}

/// Whether anybody spoke of time in relation to now.
fn is_relative(sources: &Sources<'_>) -> bool {
    sources.any_word(RELATIVE) || RELATIVE_PHRASES.iter().any(|phrase| sources.said(phrase))
}

const RELATIVE: &[&str] = word_list!("check_call", "provenance/moments/relative");

const RELATIVE_PHRASES: &[&str] = word_list!("check_call", "provenance/moments/relative-phrases");

const DAYTIME: &[&str] = word_list!("check_call", "provenance/moments/daytime");

const MONTHS_ZH: &[&str] = word_list!("check_call", "provenance/moments/months-zh");
const ORDINALS: &[&str] = word_list!("check_call", "provenance/moments/ordinals");
/// The hours of a clock face, twelve first.
const HOURS: &[&str] = word_list!("check_call", "provenance/moments/hours");
const DAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_any_order() {
        // CALL-8
        let date = Moment::Date { year: 2023, month: 5, day: 20 };
        for text in ["2023-05-20", "20/05/2023", "05/20/2023", "2023-05-20T10:00:00Z"] {
            assert_eq!(Moment::read(text), date, "{text}");
        }
        assert_eq!(Moment::read("0838-65-03"), Moment::Impossible);
        assert_eq!(Moment::read("17:30"), Moment::Time { hour: 17, minute: 30 });
        assert_eq!(Moment::read("77:30"), Moment::Impossible);
    }
}
