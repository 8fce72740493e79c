//! One argument as the rules compare it: a number, a moment, or a text, with the unit that its parameter asks for.

use crate::check_call::role::Role;
use crate::check_call::subject::Node;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::date::DateWords;
use crate::text::mentions::{Reading, What};
use crate::text::units::{self, Short, Unit};
use crate::text::words::identifier_words;
use jiff::civil::Date;
use serde_json::Value;
use std::borrow::Cow;

/// One argument.
pub(crate) struct Argument<'a> {
    /// Its place and its parameter.
    pub node: &'a Node<'a>,
    /// What it holds.
    pub value: Held,
    /// The words of its name.
    pub words: Vec<String>,
}

/// What an argument holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Held {
    /// A number.
    Number(f64),
    /// A date, a time of day, or both.
    Moment(Moment),
    /// A text, in lower case.
    Text(String),
}

/// A date, a time of day, or both, as an argument has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    /// The day.
    pub date: Option<Date>,
    /// Minutes after midnight.
    pub minutes: Option<u16>,
    /// Whether it is told in UTC.
    pub utc: bool,
}

impl<'a> Argument<'a> {
    /// Reads one; nothing for what says nothing.
    pub(crate) fn of(node: &'a Node<'a>) -> Option<Self> {
        let value = match node.value {
            Value::Number(number) => Held::Number(number.as_f64()?),
            Value::String(text) if text.is_empty() || text.len() > MAX_TEXT => return None,
            Value::String(text) => match read_moment(text) {
                Some(moment) => Held::Moment(moment),
                None => Held::Text(text.to_ascii_lowercase()),
            },
            _ => return None,
        };
        Some(Self { node, value, words: identifier_words(node.key) })
    }

    /// Its number.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.value {
            Held::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Its text, in lower case.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Held::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its text, or the digits of a numeric id: what may point at a record.
    pub(crate) fn reference(&self) -> Option<Cow<'_, str>> {
        match &self.value {
            Held::Text(text) => Some(Cow::Borrowed(text)),
            Held::Number(number) if (self.node.roles.has(Role::Id) || self.node.is_item()) && number.fract() == 0.0 => {
                Some(Cow::Owned(format!("{number}")))
            }
            _ => None,
        }
    }

    /// Its moment.
    pub(crate) fn moment(&self) -> Option<Moment> {
        match self.value {
            Held::Moment(moment) => Some(moment),
            _ => None,
        }
    }

    /// Whether its name has one of some words.
    pub(crate) fn is_named(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    /// The unit that its name or its description asks for.
    pub(crate) fn unit(&self) -> Option<&'static Unit> {
        // `times_per_day` counts times.
        if self.is_named(&["per", "times", "rate", "every"]) {
            return None;
        }
        // `floor_area_m2` is in square metres.
        let area = self.words.split_last_chunk::<2>().and_then(|(_, end)| units::unit(&end.concat(), Short::Counts));
        if area.is_some() {
            return area;
        }
        let last = self.words.len().saturating_sub(1);
        let telling = self.words.iter().enumerate().rev().filter(|(at, word)| *at == last || word.len() >= LONG_UNIT);
        let named = telling
            .map(|(_, word)| word)
            .find_map(|word| units::unit(word, Short::Counts).filter(|_| self.words.len() > 1 || word.len() > 1));
        named.or_else(|| {
            let description = self.node.param.map(|param| param.description.to_ascii_lowercase())?;
            let words = description
                .split(|c: char| !c.is_alphanumeric() && c != '/' && c != '°')
                .filter(|word| !word.is_empty());
            let mut found = words.filter_map(|word| units::unit(word, Short::Ignored));
            let first = found.next().or_else(|| {
                description
                    .char_indices()
                    .find_map(|(at, _)| units::unit_at(description.get(at..)?))
                    .map(|found| found.0)
            })?;
            found.all(|other| std::ptr::eq(other, first)).then_some(first)
        })
    }
}

/// A date or time as arguments have them: ISO first, else a short text that is nothing but one.
pub(crate) fn read_moment(text: &str) -> Option<Moment> {
    let text = text.trim();
    if let Some(date) = text.get(..10).and_then(|day| day.replace('/', "-").parse::<Date>().ok()) {
        let rest = text.get(10..).unwrap_or_default().trim_start_matches(['T', 't', ' ']);
        let utc = rest.ends_with(['Z', 'z']) || rest.ends_with("+00:00");
        return Some(Moment { date: Some(date), minutes: read_clock(rest), utc });
    }
    if let Some(minutes) = read_clock(text).filter(|_| text.len() <= 8) {
        return Some(Moment { date: None, minutes: Some(minutes), utc: false });
    }
    if text.len() > MAX_MOMENT {
        return None;
    }
    let reading = Reading::of(text);
    match reading.mentions.as_slice() {
        [one] if one.range == (0..text.len()) => match one.what {
            What::Date(words @ DateWords::Written { year: Some(_), day: Some(_), .. }) => {
                Some(Moment { date: words.resolve(None).first().map(|days| days.first), minutes: None, utc: false })
            }
            What::Clock(Clock { minutes, sure: true }) => {
                Some(Moment { date: None, minutes: Some(minutes), utc: false })
            }
            _ => None,
        },
        _ => None,
    }
}

/// `14:30`, `14:30:00+01:00`.
fn read_clock(text: &str) -> Option<u16> {
    let (hour, rest) = text.split_once(':')?;
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, rest.get(..2)?.parse().ok()?);
    (hour <= 24 && minute < 60).then_some(hour % 24 * 60 + minute)
}

/// The shape of an id: its letters and digits as classes.
pub(crate) fn mask(text: &str) -> String {
    let mut shape = String::new();
    for c in text.chars() {
        let class = if c.is_ascii_digit() {
            '9'
        } else if c.is_alphabetic() {
            'a'
        } else {
            c
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    shape
}

/// Longer texts are the model's own.
const MAX_TEXT: usize = 4000;
/// A shorter unit counts only at the end of a name: `min_humidity` is no number of minutes.
const LONG_UNIT: usize = 4;
const MAX_MOMENT: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read() {
        let read = |text| {
            read_moment(text).map(|moment| (moment.date.map(|date| date.to_string()), moment.minutes, moment.utc))
        };
        assert_eq!(read("2026-11-17T12:30:00+01:00"), Some((Some("2026-11-17".into()), Some(750), false)));
        assert_eq!(read("2026-11-17T12:30:00Z"), Some((Some("2026-11-17".into()), Some(750), true)));
        assert_eq!(read("2026/11/17"), Some((Some("2026-11-17".into()), None, false)));
        assert_eq!(read("07:00"), Some((None, Some(420), false)));
        assert_eq!(read("5 December 2026"), Some((Some("2026-12-05".into()), None, false)));
        assert_eq!((read("A-2207"), read("tomorrow is fine"), read("12:345678901")), (None, None, None));
    }
}
