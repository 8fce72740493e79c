//! Whether a number follows from the numbers that were said.

use super::super::role::Role;
use super::super::subject::Node;
use super::sources::Sources;
use crate::conversation::numbers::Number;
use crate::conversation::tokens::Tokens;
use crate::policy::Effect;
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use memchr::memmem;

/// Whether a number was said or follows: in words, as a percentage, in another unit, or by one step of arithmetic.
/// The name of its parameter may tell the unit (`amount_cents`, `delay_ms`).
pub(crate) fn follows(number: &Number, node: &Node<'_>, sources: &Sources<'_>) -> bool {
    number.value == 0.0
        || number.value == 1.0
        || sources.any_number(|numbers| numbers.has_number(number))
        || is_scaled(number, node, sources)
        || is_spelled(number.value, sources)
        || is_year(number.value, sources)
        || is_computed(number, node, sources)
}

/// `7%` for 0.07, `1.2k` for 1200, `3万` for 30000, `$12` for 1200 cents: a power of ten that a word or a unit tells.
fn is_scaled(number: &Number, node: &Node<'_>, sources: &Sources<'_>) -> bool {
    if !sources.any_number(|numbers| numbers.has_digits(number)) {
        return false;
    }
    let told = |words: &[&str]| sources.any_word(words) || is_named(node, words);
    let signed = |signs: &[&str]| signs.iter().any(|sign| sources.text().contains(sign) || node.key.contains(sign));
    let said = |power: i32| sources.any_number(|numbers| numbers.has_shifted(number, power));
    SCALES.iter().any(|scale| {
        let reached = scale.powers.iter().any(|power| said(*power) || (scale.both && said(-power)));
        reached
            && (told(scale.words)
                || signed(scale.signs)
                || (scale.lettered && follows_digit(sources.text(), scale.words)))
    })
}

/// Whether a parameter's name or description has one of some words.
fn is_named(node: &Node<'_>, words: &[&str]) -> bool {
    let description = node.param.map(|param| param.description.to_ascii_lowercase()).unwrap_or_default();
    let has = |word: &str| words.contains(&word);
    identifier_words(node.key).iter().any(|word| has(word))
        || description.split(|c: char| !c.is_ascii_alphabetic()).any(has)
}

/// Whether a unit comes right after a digit: `12k`, `3kg`.
fn follows_digit(text: &str, words: &[&str]) -> bool {
    let bytes = text.as_bytes();
    let ends = |at: usize| !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    bytes.windows(2).enumerate().any(|(at, pair)| {
        matches!(pair, [a, b] if a.is_ascii_digit() && b.is_ascii_alphabetic())
            && words.iter().any(|word| {
                bytes.get(at + 1..).is_some_and(|rest| rest.starts_with(word.as_bytes())) && ends(at + 1 + word.len())
            })
    })
}

/// `two`, `twenty five`, `二`: by the words of its digits. Hundreds and more need a word that says so.
fn is_spelled(value: f64, sources: &Sources<'_>) -> bool {
    let said = |value: f64| {
        let names = SPELLED.iter().filter(|(number, _)| *number == value).flat_map(|(_, names)| names.iter());
        names.into_iter().any(|name| sources.said(name))
    };
    let below_hundred =
        |value: f64| said(value) || (value > 20.0 && value < 100.0 && said(value - value % 10.0) && said(value % 10.0));
    if value < 100.0 || value.fract() != 0.0 || value > 1e15 || !sources.any_word(LARGE) {
        return below_hundred(value);
    }
    // `two thousand five hundred`, `一百五`, `1万2`: every digit was said, a one may be `a hundred`.
    let mut core = value;
    while core % 10.0 == 0.0 {
        core /= 10.0;
    }
    let told = |digit: f64| digit <= 1.0 || said(digit) || said(digit * 10.0) || sources.whole(digit as u64);
    let digits = || std::iter::successors(Some(core), |rest| (*rest >= 10.0).then(|| (rest / 10.0).floor()));
    below_hundred(core) || digits().all(|rest| told(rest % 10.0))
}

/// A year that goes with words such as "last" or "decade".
fn is_year(value: f64, sources: &Sources<'_>) -> bool {
    (1900.0..=2100.0).contains(&value) && value.fract() == 0.0 && sources.any_word(YEARLY)
}

/// One step of arithmetic on what was said: another unit, a sum, a product, a share.
fn is_computed(number: &Number, node: &Node<'_>, sources: &Sources<'_>) -> bool {
    let value = number.value;
    // Models round what they compute: half of the last place that they wrote.
    let near = |other: f64| (other - value).abs() <= (number.place * 0.51).min(value.abs() * 0.01);
    let money = node.roles.has(Role::Amount) && sources.tool_has(Effect::Pay);
    let said: Vec<f64> = sources.numbers().recent().iter().copied().filter(|a| !money || counts(*a, sources)).collect();
    let timed = !money || sources.any_word(TIMES) || is_named(node, TIMES);
    let times = |a: f64| timed && TIME_UNITS.iter().any(|unit| near(a * unit) || near(a / unit));
    let doubled = |a: f64| (near(a * 2.0) || near(a / 2.0)) && sources.any(|tokens| has_any(tokens, DOUBLES));
    let converted = |a: f64| times(a) || doubled(a) || UNITS.iter().any(|unit| near(a * unit) || near(a / unit));
    let degrees = |a: f64| near(a * 1.8 + 32.0) || near((a - 32.0) / 1.8) || near(a + 273.15) || near(a - 273.15);
    if said.iter().any(|&a| near(a) || converted(a) || (!money && degrees(a))) || near(said.iter().sum()) {
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
    let declared = sources.tool().numbers().recent();
    let fits = |a: f64, b: f64| !money && (near((a - b).abs()) || near(a * b));
    said.iter().enumerate().any(|(at, &a)| {
        let rest = said.get(at + 1..).unwrap_or_default();
        rest.iter().any(|&b| paired(a, b) || divided(a, b)) || declared.iter().any(|&b| fits(a, b))
    })
}

/// Whether a number may count something: a small one inside an id (`acct-B2`, `room-4`) does not.
fn counts(number: f64, sources: &Sources<'_>) -> bool {
    if number >= 100.0 || number.fract() != 0.0 {
        return true;
    }
    let (text, digits) = (sources.text().as_bytes(), number.to_string());
    memmem::find_iter(text, digits.as_bytes()).any(|at| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'#' | b'/' | b'.'))
    })
}

/// Whether any of some words or Chinese phrases was said.
fn has_any(tokens: &Tokens, words: &[&str]) -> bool {
    words.iter().any(|word| tokens.has_word(word) || tokens.has_exact(word))
}

const TIME_UNITS: &[f64] = &[60.0, 3600.0, 24.0, 7.0, 12.0, 365.0, 52.0, 86400.0];
const UNITS: &[f64] = &[2.54, 0.453_592, 1.609_34, 0.3048, 3.785_41, 28.3495, 1024.0];
const TIMES: &[&str] = word_list!("check_call", "provenance/numbers/times");
const DOUBLES: &[&str] = word_list!("check_call", "provenance/numbers/doubles");
const LARGE: &[&str] = word_list!("check_call", "provenance/numbers/large");

/// A power of ten with what tells it.
struct Scale {
    powers: &'static [i32],
    /// Whether it is told in both directions: 2.5 kg for 2500 g, and 2500 g for 2.5 kg.
    both: bool,
    /// Whether its words may come right after a number.
    lettered: bool,
    words: &'static [&'static str],
    signs: &'static [&'static str],
}

const fn large(powers: &'static [i32], words: &'static [&'static str], signs: &'static [&'static str]) -> Scale {
    Scale { powers, both: true, lettered: true, words, signs }
}

const SCALES: &[Scale] = &[
    large(
        &[2],
        word_list!("check_call", "provenance/numbers/scales/power-2"),
        &["%", "％", "百分", "百", "分", "厘米", "利率", "折"],
    ),
    large(
        &[3],
        word_list!("check_call", "provenance/numbers/scales/power-3"),
        &["千", "克", "公斤", "米", "公里", "升", "秒", "吨", "milli", "kilo", "毫"],
    ),
    large(
        &[1],
        &["cm", "mm", "centimeter", "centimeters", "millimeter", "millimeters"],
        &["厘米", "毫米", "成", "折", "十"],
    ),
    large(
        &[6],
        &["million", "millions", "m", "mn", "mm", "mb", "gb", "kg", "km", "mg", "microgram", "mw", "mhz"],
        &["百万", "兆", "micro", "mega", "μ", "µ", "微"],
    ),
    large(
        &[9],
        &["billion", "billions", "b", "bn", "nanometer", "nanometers", "nm", "gb", "ghz", "gw"],
        &["十亿", "nano", "giga", "纳"],
    ),
    large(&[12], &["trillion", "trillions", "tn", "tb"], &["万亿", "pico", "tera"]),
    large(&[4], &["hectare", "hectares"], &["万"]),
    large(&[8], &[], &["亿"]),
    large(&[5], &["lakh", "lakhs", "hundred thousand"], &[]),
    large(&[7], &["crore", "crores"], &["千万"]),
];

const YEARLY: &[&str] = word_list!("check_call", "provenance/numbers/yearly");

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
