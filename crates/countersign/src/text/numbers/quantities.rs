//! A number with its sign, scale, unit, range and hedge.

use super::numerals::{self, Numeral};
use super::scan::{Scan, latin};
use super::units::{self, Unit};
use crate::contract::language::is_han;
use std::ops::Range;

/// A number as it was meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// Where it is, in bytes; the unit included.
    pub range: Range<usize>,
    /// The number in its base unit: 12.5% is 0.125, 3 km is 3000.
    pub value: f64,
    /// The number as written, scale included, before the unit: 12.5, 3.
    pub raw: f64,
    /// The upper end of a range, in the base unit.
    pub upper: Option<f64>,
    /// Half of the last place that was written, in the terms of `raw`.
    pub precision: f64,
    /// The base unit, where there is one.
    pub unit: Option<&'static str>,
    /// Whether it is said to be about, over or under.
    pub hedge: Hedge,
    /// Whether it was written in words.
    pub spelled: bool,
}

/// How exactly a number is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hedge {
    /// As written.
    Exact,
    /// About, nearly, 约.
    About,
    /// Over, at least, 超过.
    Over,
    /// Under, at most, 不到.
    Under,
}

impl Quantity {
    /// Whether a second number bears the first out: equal after units and rounding, or within what was hedged. A
    /// number without unit is compared as written, because tables put the unit elsewhere.
    pub fn agrees(&self, other: &Quantity) -> bool {
        let rounding = self.precision.max(other.precision);
        match (self.unit, other.unit) {
            (Some(mine), Some(theirs)) => {
                let degrees = |unit| matches!(unit, "degree" | "celsius");
                let slack = (self.precision * self.factor()).max(other.precision * other.factor());
                (same_unit(mine, theirs) && self.near(self.value, other, other.value, slack))
                    || (degrees(mine) && degrees(theirs) && self.near(self.raw, other, other.raw, rounding))
            }
            _ => {
                // Of a measured and a bare number the measured one says how exact it is.
                let slack =
                    if self.unit.is_some() { self.precision * self.factor() } else { other.precision * other.factor() };
                self.near(self.raw, other, other.raw, rounding) || self.near(self.value, other, other.value, slack)
            }
        }
    }

    /// Whether the two measure the same kind of thing.
    pub fn same_kind(&self, other: &Quantity) -> bool {
        matches!((self.unit, other.unit), (Some(mine), Some(theirs)) if same_unit(mine, theirs))
    }

    /// The same number below zero, for "down 2%".
    pub fn negated(&self) -> Self {
        let value = if self.unit == Some("celsius") { -self.raw } else { -self.value };
        let hedge = match self.hedge {
            Hedge::Exact => Hedge::Exact,
            _ => Hedge::About,
        };
        Self { value, raw: -self.raw, upper: None, hedge, ..self.clone() }
    }

    fn near(&self, mine: f64, other: &Quantity, theirs: f64, slack: f64) -> bool {
        let slack = slack.abs() * 1.000_001 + mine.abs() * 1e-9;
        let loose = match (self.hedge, other.hedge) {
            (Hedge::Exact, Hedge::Exact) => slack,
            _ => slack.max(mine.abs() * 0.1),
        };
        let within =
            |low: f64, high: Option<f64>, x: f64| high.is_some_and(|high| x >= low - slack && x <= high + slack);
        (mine - theirs).abs() <= loose
            || (self.hedge == Hedge::Over && theirs >= mine && theirs <= mine * 2.0)
            || (self.hedge == Hedge::Under && theirs <= mine && theirs >= mine * 0.5)
            || within(theirs, other.upper, mine)
            || self.upper.is_some_and(|upper| (upper - theirs).abs() <= slack)
    }

    /// Takes in the rest of a number that was written in two units; it is then counted in the smaller one.
    pub(super) fn join(&mut self, rest: Quantity) {
        let factor = rest.factor();
        self.range.end = rest.range.end;
        self.value += rest.value;
        self.raw = self.value / factor;
        self.precision = rest.precision;
    }

    /// What one written unit is in the base unit.
    pub(super) fn factor(&self) -> f64 {
        match self.unit {
            None => 1.0,
            Some(_) if self.raw == 0.0 => 1.0,
            Some("celsius") => 1.0,
            Some(_) => self.value / self.raw,
        }
    }
}

/// Whether two base units are one. The sign ¥ is of two currencies.
fn same_unit(a: &str, b: &str) -> bool {
    let either = |sign: &str, other: &str| sign == "¥" && matches!(other, "cny" | "jpy");
    a == b || either(a, b) || either(b, a)
}

/// The quantity that begins here and the place after it.
pub fn read(scan: &Scan, at: usize) -> Option<(Quantity, usize)> {
    let before = scan.before(at);
    if before.is_some_and(|b| (latin(b) || b.is_ascii_digit() || b == '_') && scan.at(at).is_some_and(|c| !is_han(c))) {
        return None;
    }
    let (prefix, from) = prefix(scan, at);
    let number = numerals::read(scan, from)?;
    let second = range_end(scan, number.end, before_between(scan, at));
    let end = second.map_or(number.end, |upper| upper.end);
    let (unit, end) = match units::read(scan, end) {
        Some((unit, end)) => (Some(unit), end),
        None if letters_follow(scan, end) => return None,
        None => (None, end),
    };
    let unit = settle(unit, &prefix, number);
    let sign = if prefix.negative { -1.0 } else { 1.0 };
    let base = |value: f64| unit.map_or(value, |unit| value * unit.factor + unit.offset);
    let quantity = Quantity {
        range: scan.bytes(at..end),
        value: base(sign * number.value),
        raw: sign * number.value,
        upper: second.map(|upper| base(upper.value)),
        precision: number.precision,
        unit: unit.map(|unit| unit.base),
        hedge: hedge(scan, at, end),
        spelled: number.spelled,
    };
    Some((quantity, end))
}

struct Prefix {
    negative: bool,
    currency: Option<&'static str>,
    temperature: bool,
}

/// Sign and currency before the digits. A hyphen is a sign only where nothing stands right before it.
fn prefix(scan: &Scan, at: usize) -> (Prefix, usize) {
    let mut prefix = Prefix { negative: false, currency: None, temperature: false };
    let mut from = at;
    for _ in 0..3 {
        let free = scan.before(from).is_none_or(|b| !b.is_alphanumeric() || is_han(b));
        match scan.at(from) {
            Some('-' | '−' | '–') if free && scan.before(from) != Some('-') => {
                (prefix.negative, from) = (true, from + 1)
            }
            Some('+') if free => from += 1,
            Some('零') if scan.starts(from, "零下") => {
                (prefix.negative, prefix.temperature, from) = (true, true, from + 2);
            }
            Some('负') => (prefix.negative, from) = (true, from + 1),
            Some(c @ ('$' | '¥' | '€' | '£' | '₹' | '₩')) => {
                prefix.currency = units::currency(&c.to_string());
                from = scan.past_blanks(from + 1);
            }
            Some(c) if latin(c) => {
                let (word, end) = scan.word(from);
                let next = scan.past_blanks(end);
                if matches!(word.as_str(), "minus" | "negative") && scan.digit(next) {
                    (prefix.negative, from) = (true, next);
                } else if word == "us" && scan.at(end) == Some('$') {
                    (prefix.currency, from) = (Some("usd"), scan.past_blanks(end + 1));
                } else if units::currency(&word).is_some() && scan.digit(next) {
                    (prefix.currency, from) = (units::currency(&word), next);
                }
            }
            _ => break,
        }
    }
    (prefix, from)
}

fn settle(unit: Option<Unit>, prefix: &Prefix, number: Numeral) -> Option<Unit> {
    let plain = |base| Some(Unit { base, factor: 1.0, offset: 0.0 });
    match (unit, prefix.currency) {
        (_, Some(currency)) => plain(currency),
        (_, None) if number.percent => Some(Unit { base: "ratio", factor: 0.01, offset: 0.0 }),
        (Some(Unit { base: "degree", .. }), None) if prefix.temperature => plain("celsius"),
        (None, None) if prefix.temperature => plain("celsius"),
        (unit, None) => unit,
    }
}

/// The upper end of `5-10`, `5 to 10`, `5~10`, `5至10`, `between 5 and 10`.
fn range_end(scan: &Scan, end: usize, between: Between) -> Option<Numeral> {
    let from = scan.past_blanks(end);
    let joined = match scan.at(from)? {
        '-' | '–' | '—' | '~' | '～' | '至' | '到' => Some(from + 1),
        't' if from > end && scan.starts(from, "to ") => Some(from + 3),
        'a' if from > end && between == Between::Yes && scan.starts(from, "and ") => Some(from + 4),
        _ => None,
    }?;
    let next = scan.past_blanks(joined);
    scan.digit(next).then(|| numerals::read(scan, next)).flatten().filter(|upper| upper.value.is_finite())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Yes,
    No,
}

fn before_between(scan: &Scan, at: usize) -> Between {
    let start = at.saturating_sub(8);
    if scan.starts(start, "between ") || scan.starts(start, "Between ") { Between::Yes } else { Between::No }
}

/// Letters right after digits that are no unit make an identifier of them (`41a`, `3rd`, `2nd-hand`).
fn letters_follow(scan: &Scan, end: usize) -> bool {
    scan.at(end).is_some_and(latin) && scan.before(end).is_some_and(|c| c.is_ascii_digit())
}

/// What stands shortly before (or, in Chinese, behind) the number.
fn hedge(scan: &Scan, at: usize, end: usize) -> Hedge {
    let start = at.saturating_sub(13);
    let before: String = (start..at).filter_map(|at| scan.at(at)).flat_map(char::to_lowercase).collect();
    let before = before.trim_end();
    let ends = |list: &[&str]| list.iter().any(|word| before.ends_with(word));
    let behind = scan.at(end);
    if ends(&["more than", "over", "at least", "above", "exceeding", "超过", "超", "逾", "至少", "不少于", "高于"])
        || behind == Some('+')
        || (behind == Some('多') && scan.at(end + 1) != Some('少'))
    {
        Hedge::Over
    } else if ends(&["less than", "under", "at most", "up to", "below", "fewer than", "不到", "不足", "至多", "低于"])
    {
        Hedge::Under
    } else if ends(&[
        "about",
        "around",
        "nearly",
        "almost",
        "roughly",
        "approximately",
        "approx.",
        "some",
        "circa",
        "~",
        "约",
        "近",
        "大概",
        "将近",
    ]) || scan.starts(end, "左右")
        || scan.starts(end, "上下")
    {
        Hedge::About
    } else {
        Hedge::Exact
    }
}
