//! Which days a date may mean that was said in full, in part, by weekday, or in relation to today.
//!
//! What was said is kept as it was said; [`DateWords::resolve`] tells which days it may mean, once today is known. An
//! ambiguous phrase ("next Friday") means several days, and none of them is wrong.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

/// A date as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateWords {
    /// A year, month and day, as far as they were said.
    Written {
        /// The year.
        year: Option<i16>,
        /// The month.
        month: i8,
        /// The day of the month; the whole month without one.
        day: Option<i8>,
    },
    /// The same, where the order of day and month is not certain.
    Either(i16, i8, i8),
    /// "The 20th", 16号.
    DayOfMonth(i8),
    /// So many days from today.
    Days(i32),
    /// So many months from today.
    Months(i32),
    /// A weekday, Monday first.
    Weekday(i8, Week),
    /// A weekend.
    Weekend(Week),
    /// A whole week, month or year.
    Whole(Period, i32),
    /// The last day of one.
    EndOf(Period, i32),
    /// So many weeks from the beginning of a month.
    FirstWeeks(i8, i8),
    /// The first, second or last (−1) weekday of a month.
    NthWeekday(i8, i8, i8),
    /// The same, of the month so many months from today.
    NthOfMonth(i8, i8, i32),
    /// The first or last (−1) working day of a month by its number, or of the one so many months from today where that is 0.
    Workday(i8, i8, i32),
    /// So many weeks after a weekday: "a week from Friday".
    WeeksAfter(i8, i8),
    /// So many days from a day of the year: "the day before Christmas", 五一前一天.
    Beside(i8, i8, i8),
}

/// Which week a weekday is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Week {
    /// "Friday", 周五.
    Unsaid,
    /// "This Friday", 这周五.
    This,
    /// "Next Friday", which may be the coming one.
    Coming,
    /// 下周五: certainly in the week after this.
    Next,
    /// 下下周五.
    AfterNext,
    /// "Last Friday", 上周五.
    Last,
}

/// A stretch of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// Monday to Sunday.
    Week,
    /// A month.
    Month,
    /// A quarter.
    Quarter,
    /// A year.
    Year,
}

/// Some days in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first.
    pub first: Date,
    /// The last.
    pub last: Date,
}

impl Days {
    /// One day.
    pub fn one(day: Date) -> Self {
        Self { first: day, last: day }
    }

    /// Whether it is only one day.
    pub fn is_one(&self) -> bool {
        self.first == self.last
    }
}

impl DateWords {
    /// Which days may be meant. Nothing where today would have to be known.
    pub fn resolve(&self, today: Option<Date>) -> Vec<Days> {
        match *self {
            Self::Written { year: Some(year), month, day } => written(year, month, day).into_iter().collect(),
            Self::Written { year: None, month, day } => {
                let year = today.map(Date::year);
                let near = year.into_iter().flat_map(|year| [year, year + 1, year - 1]);
                near.filter_map(|year| written(year, month, day)).collect()
            }
            Self::Either(year, one, other) => [(one, other), (other, one)]
                .iter()
                .filter_map(|(month, day)| written(year, *month, Some(*day)))
                .collect(),
            _ => today.map(|today| self.count_from(today)).unwrap_or_default(),
        }
    }

    fn count_from(&self, today: Date) -> Vec<Days> {
        let monday = plus(today, -i32::from(today.weekday().to_monday_zero_offset()));
        let day = |date: Option<Date>| date.map(Days::one);
        let found: Vec<Option<Days>> = match *self {
            Self::DayOfMonth(day) => (0..=1)
                .chain([-1])
                .map(|by| month_of(today, by).and_then(|m| written(m.year(), m.month(), Some(day))))
                .collect(),
            Self::Days(days) => vec![day(plus(today, days))],
            Self::Months(months) => vec![day(shift(today, months.months()))],
            Self::Weekday(weekday, week) => weeks_of(today, weekday, week)
                .iter()
                .map(|week| day(monday.and_then(|monday| plus(monday, i32::from(weekday) + 7 * week))))
                .collect(),
            Self::Weekend(week) => weeks_of(today, 6, week)
                .iter()
                .map(|week| {
                    let saturday = plus(monday?, 5 + 7 * week)?;
                    Some(Days { first: saturday, last: plus(saturday, 1)? })
                })
                .collect(),
            Self::Whole(period, by) => vec![whole(today, period, by)],
            Self::EndOf(period, by) => vec![whole(today, period, by).map(|days| Days::one(days.last))],
            Self::FirstWeeks(weeks, month) => [today.year(), today.year() + 1]
                .iter()
                .map(|year| {
                    let first = Date::new(*year, month, 1).ok()?;
                    Some(Days { first, last: plus(first, 7 * i32::from(weeks) - 1)? })
                })
                .collect(),
            Self::WeeksAfter(weekday, weeks) => weeks_of(today, weekday, Week::Unsaid)
                .iter()
                .map(|week| {
                    day(monday.and_then(|monday| plus(monday, i32::from(weekday) + 7 * (week + i32::from(weeks)))))
                })
                .collect(),
            Self::Beside(month, of_month, by) => [today.year(), today.year() + 1, today.year() - 1]
                .iter()
                .map(|year| day(Date::new(*year, month, of_month).ok().and_then(|date| plus(date, i32::from(by)))))
                .collect(),
            Self::NthOfMonth(nth, weekday, by) => {
                vec![day(month_of(today, by).and_then(|month| nth_weekday(month.year(), month.month(), weekday, nth)))]
            }
            Self::Workday(nth, 0, by) => workdays(month_of(today, by), nth),
            Self::Workday(nth, month, _) => [today.year(), today.year() + 1]
                .iter()
                .flat_map(|year| workdays(Date::new(*year, month, 1).ok(), nth))
                .collect(),
            Self::NthWeekday(nth, weekday, month) => [today.year(), today.year() + 1]
                .iter()
                .map(|year| day(nth_weekday(*year, month, weekday, nth)))
                .collect(),
            Self::Written { .. } | Self::Either(..) => Vec::new(),
        };
        found.into_iter().flatten().collect()
    }
}

/// Which weeks from this one a weekday may be in.
fn weeks_of(today: Date, weekday: i8, week: Week) -> Vec<i32> {
    let passed = weekday <= today.weekday().to_monday_zero_offset();
    match week {
        Week::Unsaid if passed => vec![1, 0],
        Week::Unsaid | Week::This => vec![0],
        Week::Coming if passed => vec![1],
        Week::Coming => vec![1, 0],
        Week::Next => vec![1],
        Week::AfterNext => vec![2],
        Week::Last => vec![-1, 0].into_iter().filter(|by| *by < 0 || passed).collect(),
    }
}

/// The first, second or last weekday of a month.
fn nth_weekday(year: i16, month: i8, weekday: i8, nth: i8) -> Option<Date> {
    let first = Date::new(year, month, 1).ok()?;
    let from = if nth < 0 { plus(first.last_of_month(), -6)? } else { plus(first, 7 * (i32::from(nth) - 1))? };
    let ahead = (i32::from(weekday) - i32::from(from.weekday().to_monday_zero_offset())).rem_euclid(7);
    plus(from, ahead)
}

/// The first or last days of a month that are neither Saturday nor Sunday: one of them, as the public holidays fall.
fn workdays(month: Option<Date>, nth: i8) -> Vec<Option<Days>> {
    let Some(first) = month else { return Vec::new() };
    let (from, step) = if nth < 0 { (first.last_of_month(), -1) } else { (first, 1) };
    let ahead = (0..DAYS_OF_A_HOLIDAY).filter_map(|by| plus(from, step * by));
    let working = ahead.filter(|day| day.weekday().to_monday_zero_offset() < 5);
    working.take(WORKDAYS_NEAR).map(|day| Some(Days::one(day))).collect()
}

fn whole(today: Date, period: Period, by: i32) -> Option<Days> {
    match period {
        Period::Week => {
            let monday = plus(today, 7 * by - i32::from(today.weekday().to_monday_zero_offset()))?;
            Some(Days { first: monday, last: plus(monday, 6)? })
        }
        Period::Month => {
            let month = month_of(today, by)?;
            written(month.year(), month.month(), None)
        }
        Period::Quarter => {
            let first = month_of(today, 3 * by - i32::from((today.month() - 1) % 3))?;
            Some(Days { first, last: month_of(first, 2)?.last_of_month() })
        }
        Period::Year => {
            let year = today.year() + i16::try_from(by).ok()?;
            Some(Days { first: Date::new(year, 1, 1).ok()?, last: Date::new(year, 12, 31).ok()? })
        }
    }
}

/// The first of a month that is so many months from a day.
fn month_of(day: Date, by: i32) -> Option<Date> {
    shift(day.first_of_month(), by.months())
}

/// So many days after a day.
pub(crate) fn plus(day: Date, days: i32) -> Option<Date> {
    shift(day, days.days())
}

fn shift(day: Date, by: Span) -> Option<Date> {
    day.checked_add(by).ok()
}

fn written(year: i16, month: i8, day: Option<i8>) -> Option<Days> {
    let first = Date::new(year, month, day.unwrap_or(1)).ok()?;
    Some(Days { first, last: if day.is_some() { first } else { first.last_of_month() } })
}

/// A working day is looked for among so many days at either end of a month.
const DAYS_OF_A_HOLIDAY: i32 = 9;
/// Public holidays take no more working days than these together with the one that is meant.
const WORKDAYS_NEAR: usize = 4;
