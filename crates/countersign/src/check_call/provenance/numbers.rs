//! Whether a number follows from the numbers that were said.

use super::sources::Sources;
use crate::conversation::tokens::Number;

/// Whether a number was said or follows: in words, as a percentage, in another unit, or by one step of arithmetic.
pub fn follows(number: &Number, sources: &Sources<'_>) -> bool {
    number.value == 0.0
        || number.value == 1.0
        || sources.any(|tokens| tokens.has_digits(number))
        || is_spelled(number.value, sources)
        || is_year(number.value, sources)
        || is_computed(number, sources)
}

/// `two`, `twenty five`, `二`: by the words of its digits.
fn is_spelled(value: f64, sources: &Sources<'_>) -> bool {
    let mut value = value;
    while value >= 100.0 && value % 10.0 == 0.0 {
        value /= 10.0;
    }
    let said = |value: f64| {
        let names = SPELLED.iter().filter(|(number, _)| *number == value).flat_map(|(_, names)| names.iter());
        names.into_iter().any(|name| sources.said(name))
    };
    said(value) || (value > 20.0 && value < 100.0 && said(value - value % 10.0) && said(value % 10.0))
}

/// A year that goes with words such as "last" or "decade".
fn is_year(value: f64, sources: &Sources<'_>) -> bool {
    (1900.0..=2100.0).contains(&value) && value.fract() == 0.0 && sources.any_word(YEARLY)
}

/// One step of arithmetic on what was said: another unit, a sum, a product, a share.
fn is_computed(number: &Number, sources: &Sources<'_>) -> bool {
    let value = number.value;
    // Models round what they compute: half of the last place that they wrote.
    let near = |other: f64| (other - value).abs() <= (number.place * 0.51).min(value.abs() * 0.01);
    let said = sources.tokens().recent();
    let converted = |a: f64| UNITS.iter().any(|unit| near(a * unit) || near(a / unit));
    let degrees = |a: f64| near(a * 1.8 + 32.0) || near((a - 32.0) / 1.8) || near(a + 273.15) || near(a - 273.15);
    if said.iter().any(|&a| near(a) || converted(a) || degrees(a)) || near(said.iter().sum()) {
        return true;
    }
    // `6 feet 2 inches`, `1 hour 30 minutes`.
    let mixed = |a: f64, b: f64| [12.0, 16.0, 60.0, 7.0].iter().any(|unit| near(a * unit + b));
    if said.windows(2).any(|pair| matches!(pair, [a, b] if mixed(*a, *b))) {
        return true;
    }
    let paired = |a: f64, b: f64| {
        near(a + b) || near((a - b).abs()) || near(a * b) || near(a * b / 100.0) || near(a * (1.0 + b / 100.0))
    };
    let divided =
        |a: f64, b: f64| near(a / b) || near(b / a) || near((a - b).abs() + 1.0) || near(a * (1.0 - b / 100.0));
    let declared = sources.tool().tokens().recent();
    said.iter().enumerate().any(|(at, &a)| {
        let rest = said.get(at..).unwrap_or_default();
        rest.iter().any(|&b| paired(a, b) || divided(a, b))
            || declared.iter().any(|&b| near((a - b).abs()) || near(a * b))
    })
}

const UNITS: &[f64] = &[
    60.0, 3600.0, 24.0, 7.0, 12.0, 365.0, 52.0, 86400.0, 2.54, 0.453_592, 1.609_34, 0.3048, 3.785_41, 28.3495, 1024.0,
    2.0,
];

const YEARLY: &[&str] = &[
    "last",
    "past",
    "previous",
    "current",
    "currently",
    "now",
    "recent",
    "decade",
    "century",
    "ago",
    "since",
    "latest",
    "today",
    "next",
    "this",
    "upcoming",
    "年",
];

const SPELLED: &[(f64, &[&str])] = &[
    (2.0, &["two", "second", "twice", "double", "both", "pair", "couple", "二", "两", "双"]),
    (3.0, &["three", "third", "triple", "thrice", "quarterly", "三"]),
    (4.0, &["four", "fourth", "quarterly", "quarter", "四"]),
    (5.0, &["five", "fifth", "half", "五", "半"]),
    (6.0, &["six", "sixth", "dice", "die", "half a year", "六"]),
    (7.0, &["seven", "seventh", "week", "weekly", "七", "周", "星期"]),
    (8.0, &["eight", "eighth", "八"]),
    (9.0, &["nine", "ninth", "九"]),
    (10.0, &["ten", "tenth", "decade", "十"]),
    (11.0, &["eleven", "eleventh", "十一"]),
    (12.0, &["twelve", "twelfth", "dozen", "monthly", "year", "noon", "midnight", "十二", "年"]),
    (13.0, &["thirteen", "十三"]),
    (14.0, &["fourteen", "two weeks", "fortnight", "十四", "两周"]),
    (15.0, &["fifteen", "quarter", "十五"]),
    (16.0, &["sixteen", "十六"]),
    (17.0, &["seventeen", "十七"]),
    (18.0, &["eighteen", "十八"]),
    (19.0, &["nineteen", "十九"]),
    (20.0, &["twenty", "twentieth", "二十"]),
    (24.0, &["two dozen", "dozen", "day", "daily", "天"]),
    (25.0, &["quarter"]),
    (30.0, &["thirty", "month", "half an hour", "half hour", "三十", "月", "半小时"]),
    (31.0, &["month", "月"]),
    (36.0, &["three dozen"]),
    (40.0, &["forty", "四十"]),
    (50.0, &["fifty", "half", "五十"]),
    (60.0, &["sixty", "hour", "六十", "小时"]),
    (70.0, &["seventy", "七十"]),
    (80.0, &["eighty", "八十"]),
    (90.0, &["ninety", "three months", "九十"]),
    (10.0, &["hundred", "thousand", "million", "billion", "hundreds", "thousands", "百", "千", "万", "亿"]),
];
