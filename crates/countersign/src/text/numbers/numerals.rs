//! The bare number: digits with separators, English number words, Chinese numerals, fractions and scales.

use super::scan::{Scan, latin};
use crate::contract::language::is_han;

/// A number without its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Numeral {
    /// What it is.
    pub value: f64,
    /// Half of the last place that was written, so that a rounded number can be told from a wrong one.
    pub precision: f64,
    /// Whether it was written in words.
    pub spelled: bool,
    /// Whether it is a share by its own form (百分之).
    pub percent: bool,
    /// The place after it.
    pub end: usize,
}

/// The number that begins here.
pub(crate) fn read(scan: &Scan, at: usize) -> Option<Numeral> {
    match scan.at(at)? {
        c if c.is_ascii_digit() => digits(scan, at),
        c if latin(c) => read_spelled(scan, at),
        c if is_han(c) => chinese(scan, at),
        _ => None,
    }
}

/// Digits with thousands separators, a fraction and a scale. A version, a clock and an identifier are none.
fn digits(scan: &Scan, at: usize) -> Option<Numeral> {
    let (whole, width, mut end) = scan.digits(at)?;
    let mut value = whole as f64;
    if width <= 3 {
        while scan.at(end) == Some(',') && !scan.digit(end + 4) {
            let Some((group, 3, next)) = scan.digits(end + 1) else { break };
            value = value * 1000.0 + group as f64;
            end = next;
        }
    }
    let mut precision = 0.5;
    if scan.at(end) == Some('.') && scan.digit(end + 1) {
        let (fraction, places, next) = scan.digits(end + 1)?;
        let place = 10f64.powi(places as i32);
        (value, precision, end) = (value + fraction as f64 / place, 0.5 / place, next);
    }
    let opaque = match scan.at(end) {
        Some('.' | ':' | '/' | '_') => scan.digit(end + 1),
        Some('-') => scan.at(end + 1).is_some_and(|c| c.is_ascii_uppercase()),
        _ => false,
    };
    if opaque || ordinal(scan, end) {
        return None;
    }
    read_scale(scan, Numeral { value, precision, spelled: false, percent: false, end })
}

fn ordinal(scan: &Scan, end: usize) -> bool {
    matches!(scan.word(end).0.as_str(), "st" | "nd" | "rd" | "th")
}

/// The number with the scale after it (million, 亿, the `B` of `$3.5B`). Letters that are neither scale nor unit
/// make the whole an identifier.
fn read_scale(scan: &Scan, mut number: Numeral) -> Option<Numeral> {
    for _ in 0..2 {
        let from = if scan.at(number.end).is_some_and(is_han) { number.end } else { scan.past_blanks(number.end) };
        let (word, end) = scan.word(from);
        let attached = from == number.end;
        let capital = scan.at(from).is_some_and(char::is_uppercase);
        let scale = match word.as_str() {
            "hundred" => 100.0,
            "thousand" => 1e3,
            "million" | "millions" | "mn" => 1e6,
            "billion" | "billions" | "bn" => 1e9,
            "trillion" | "trillions" | "tn" => 1e12,
            "k" if attached => 1e3,
            "m" if attached && capital => 1e6,
            "b" if attached && capital => 1e9,
            "t" if attached && capital => 1e12,
            _ => match scan.at(from) {
                Some('百') if attached => 1e2,
                Some('千') if attached && !matches!(scan.at(from + 1), Some('克' | '米' | '瓦')) => 1e3,
                Some('万') => 1e4,
                Some('亿') => 1e8,
                Some('兆') if attached => 1e12,
                _ => break,
            },
        };
        number.value *= scale;
        number.precision *= scale;
        number.end = if word.is_empty() { from + 1 } else { end };
    }
    number.value.is_finite().then_some(number)
}

/// English number words: "two", "twenty-five", "two hundred and five thousand".
fn read_spelled(scan: &Scan, at: usize) -> Option<Numeral> {
    let (mut total, mut part, mut end, mut seen) = (0.0, 0.0, at, 0usize);
    let mut from = at;
    while seen < 12 {
        let (word, behind) = scan.word(from);
        let small = SMALL.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        match (small, word.as_str()) {
            (Some(value), _) => part += value,
            (None, "hundred") if seen > 0 => part *= 100.0,
            (None, "thousand") if seen > 0 => (total, part) = (total + part * 1e3, 0.0),
            (None, "million") if seen > 0 => (total, part) = ((total + part) * 1e6, 0.0),
            (None, "billion") if seen > 0 => (total, part) = ((total + part) * 1e9, 0.0),
            (None, "and") if seen > 0 && part >= 100.0 && small_at(scan, scan.past_blanks(behind)) => {
                from = scan.past_blanks(behind);
                continue;
            }
            _ => break,
        }
        (seen, end) = (seen + 1, behind);
        let tens = small.is_some_and(|value| value >= 20.0);
        from = if tens && scan.at(behind) == Some('-') { behind + 1 } else { scan.past_blanks(behind) };
        if small.is_some() && !tens && small_at(scan, from) {
            break;
        }
    }
    (seen > 0).then_some(Numeral { value: total + part, precision: 0.5, spelled: true, percent: false, end })
}

fn small_at(scan: &Scan, at: usize) -> bool {
    let word = scan.word(at).0;
    SMALL.iter().any(|(name, _)| *name == word)
}

/// Chinese numerals: 二十五, 三千五百, 三分之一, 百分之十二. A single one counts only before a measure word, and
/// 一 never does, because it is part of too many words.
fn chinese(scan: &Scan, at: usize) -> Option<Numeral> {
    if scan.starts(at, "百分之") {
        let part = digits(scan, at + 3).or_else(|| plain_chinese(scan, at + 3))?;
        return Some(Numeral { percent: true, spelled: false, ..part });
    }
    let number = plain_chinese(scan, at)?;
    if scan.starts(number.end, "分之") {
        let above = plain_chinese(scan, number.end + 2)?;
        let share = above.value / number.value;
        return share.is_finite().then_some(Numeral { value: share, precision: 0.005, ..above });
    }
    let long = number.end > at + 1;
    let measured = scan.at(number.end).is_some_and(|c| MEASURES.contains(c));
    ((long && number.value >= 2.0) || (measured && number.value > 1.0)).then_some(number)
}

fn plain_chinese(scan: &Scan, at: usize) -> Option<Numeral> {
    let (mut total, mut section, mut digit, mut end) = (0.0f64, 0.0f64, 0.0f64, at);
    while let Some(c) = scan.at(end).filter(|_| end < at + 20) {
        if let Some(value) = HAN_DIGITS.chars().position(|d| d == c) {
            digit = digit * if end > at && digit > 0.0 { 10.0 } else { 1.0 } + value as f64;
        } else if c == '两' {
            digit = 2.0;
        } else if let Some(scale) = [('十', 10.0), ('百', 100.0), ('千', 1000.0)].iter().find(|s| s.0 == c) {
            section += if digit == 0.0 && c == '十' { scale.1 } else { digit * scale.1 };
            digit = 0.0;
        } else if let Some(scale) = [('万', 1e4), ('亿', 1e8)].iter().find(|s| s.0 == c).filter(|_| end > at) {
            total = (total + section + digit) * scale.1;
            (section, digit) = (0.0, 0.0);
        } else {
            break;
        }
        end += 1;
    }
    let value = total + section + digit;
    (end > at && value > 0.0).then_some(Numeral { value, precision: 0.5, spelled: true, percent: false, end })
}

const HAN_DIGITS: &str = "零一二三四五六七八九";
const MEASURES: &str = "个条篇人名家次年月日天元块度米公千克吨岁周本件只台辆项种位座张封份场层倍点小分秒";
/// English number words.
pub(crate) const SMALL: &[(&str, f64)] = &[
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("dozen", 12.0),
];
