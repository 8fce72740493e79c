//! Money: $3.5B, USD 3.5bn, 12 million Swiss francs, 45 cents, 人民币171亿元, HK$3,200万.

use crate::claims::find::found::{Found, measured};
use crate::claims::find::lexicon::{CURRENCY, CURRENCY_LEAD, MEASURE, SCALE};
use crate::claims::find::names::{name, names};
use crate::claims::find::numbers::{self, Number};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Shape};
use crate::contract::ClaimKind;

/// The amount whose number is known: 三百元, 4 dollars.
pub(crate) fn read(s: &Sentence, number: &Number) -> Option<Found> {
    let (end, code, factor) = behind(s, number.end, number)?;
    build_found(s, number.first, number, end, code, factor)
}

/// The amount that begins with a sign, a code or 人民币.
pub(crate) fn read_lead(s: &Sentence, at: usize) -> Option<Found> {
    let negative = matches!(s.at(at).first, '-' | '−' | '+') && s.at(at).shape == Shape::Sign && s.at(at + 1).glued();
    let (code, from) = lead(s, if negative { at + 1 } else { at })?;
    let mut number = numbers::read(s, from)?;
    letters(s, &mut number);
    // $10–$15 million
    let joiner = s.at(number.end);
    if joiner.shape == Shape::Sign
        && matches!(joiner.first, '-' | '–' | '—' | '~' | '～')
        && let Some((_, from)) = lead(s, number.end + 1)
        && let Some(mut upper) = numbers::read(s, from)
    {
        letters(s, &mut upper);
        (number.upper, number.end) = (Some(upper.value), upper.end);
    }
    let end = behind(s, number.end, &number).map_or(number.end, |(end, ..)| end);
    build_found(s, at, &number, end, code, 1.0)
}

fn build_found(s: &Sentence, first: usize, number: &Number, end: usize, code: &str, factor: f64) -> Option<Found> {
    let at = Number { first, ..*number };
    Some(Found { first, end, kind: ClaimKind::Currency, value: Some(measured(s, &at, end, Some(code), factor)) })
}

/// The currency before a number and where the number begins: $, US$, HK$, USD, Rs, 人民币.
fn lead(s: &Sentence, at: usize) -> Option<(&'static str, usize)> {
    let token = s.at(at);
    if token.shape == Shape::Sign {
        let code = match token.first {
            '$' | '＄' => "USD",
            '€' => "EUR",
            '£' | '￡' => "GBP",
            '¥' | '￥' => "CNY",
            '₹' => "INR",
            '₩' => "KRW",
            '₽' => "RUB",
            '₺' => "TRY",
            '₫' => "VND",
            '₱' => "PHP",
            '₿' => "BTC",
            '฿' => "THB",
            '₴' => "UAH",
            '₪' => "ILS",
            '₦' => "NGN",
            '₵' => "GHS",
            '৳' => "BDT",
            _ => return None,
        };
        return starts_number(s, at + 1).then_some((code, at + 1));
    }
    if token.shape == Shape::Word && token.case != Case::Lower && s.is(at + 1, '$') && s.at(at + 1).glued() {
        let code = match s.words(at) {
            "US" => "USD",
            "HK" => "HKD",
            "NT" => "TWD",
            "A" | "AU" => "AUD",
            "C" | "CA" => "CAD",
            "S" | "SG" => "SGD",
            "R" => "BRL",
            "NZ" => "NZD",
            "MX" => "MXN",
            _ => return None,
        };
        return starts_number(s, at + 2).then_some((code, at + 2));
    }
    let spelled =
        token.shape == Shape::Word && token.case != Case::Lower && token.has(CURRENCY) && s.at(at).length() <= 3;
    if spelled || token.has(CURRENCY_LEAD) {
        let dot = usize::from(s.is(at + 1, '.'));
        let code = s.entry(at).currency?;
        return starts_number(s, at + 1 + dot).then_some((code, at + 1 + dot));
    }
    None
}

fn starts_number(s: &Sentence, at: usize) -> bool {
    matches!(s.at(at).shape, Shape::Digits | Shape::Numerals)
}

/// `65m`, `3.5B`, `4.2k` after a currency sign.
fn letters(s: &Sentence, number: &mut Number) {
    let token = s.at(number.end);
    if token.has(SCALE) && !number.scaled && (token.glued() || token.length() == 2) {
        let factor = s.entry(number.end).number;
        number.value *= factor;
        number.precision *= factor;
        number.upper = number.upper.map(|upper| upper * factor);
        (number.end, number.scaled) = (number.end + 1, true);
    }
}

/// The currency after a number: the token after it, the code and what one of it is.
fn behind(s: &Sentence, at: usize, number: &Number) -> Option<(usize, &'static str, f64)> {
    let sign = s.at(at);
    if sign.is('€') || sign.is('£') {
        return Some((at + 1, if sign.is('€') { "EUR" } else { "GBP" }, 1.0));
    }
    // "Swiss francs", "Canadian dollars", "pounds sterling".
    let from =
        if s.at(at).case == Case::Capital && s.has(at + 1, CURRENCY) && !s.has(at, CURRENCY) { at + 1 } else { at };
    if !s.has(from, CURRENCY) {
        return None;
    }
    let code = s.entry(from).currency?;
    let token = s.at(from);
    let mut end = from + 1;
    match code {
        "GBP-POUND" if !sterling(s, from, number) => return None,
        "CNY-BLOCK" | "CNY-JIAO" if !block(s, from) => return None,
        "DEM" if !number.scaled => return None,
        // A code is written in capitals; "all" and "try" are words.
        _ if token.shape == Shape::Word
            && s.at(from).length() == 3
            && token.case != Case::Upper
            && !s.one_of(from, names!["yen", "won"]) =>
        {
            return None;
        }
        _ => {}
    }
    if s.word(from, name!("won")) && !number.scaled && number.value < 100.0 {
        return None;
    }
    let small = s.at(end).shape == Shape::Numerals && s.at(end).length() == 3
        || s.at(end).shape == Shape::Digits && s.at(end).length() == 1;
    let change = code == "CNY-BLOCK" && small && s.at(end).glued() && !s.has(end + 1, MEASURE);
    if change && s.has(end + 1, CURRENCY) && s.entry(end + 1).currency == Some("CNY-JIAO") {
        end += 1;
    }
    if change || matches!(s.words(end), "钱" | "整" | "人民币") || s.word(end, name!("sterling")) {
        end += 1;
    }
    // 20.6元/公斤
    if s.chinese && s.is(end, '/') && s.at(end).glued() && s.at(end + 1).glued() {
        end += 2;
    }
    let (code, factor) = match code {
        "USD-CENT" => ("USD", 0.01),
        "CNY-BLOCK" => ("CNY", 1.0),
        "GBP-POUND" => ("GBP", 1.0),
        "CNY-JIAO" => ("CNY", 0.1),
        "CNY-FEN" => ("CNY", 0.01),
        code => (code, 1.0),
    };
    Some((end, code, factor))
}

/// Pounds are money where millions of them or a price are spoken of.
fn sterling(s: &Sentence, at: usize, number: &Number) -> bool {
    let priced = |at: usize| {
        s.one_of(
            at,
            names![
                "cost", "costs", "paid", "pay", "price", "priced", "worth", "sold", "spent", "fee", "fined", "salary",
                "earned", "budget", "sterling", "pence", "sells", "ticket", "rent", "revenue", "profit", "tax"
            ],
        )
    };
    number.scaled || s.one_of(at + 1, names!["sterling"]) || (0..s.tokens.len().min(64)).any(priced)
}

/// 块 is money where nothing that comes in pieces follows; 三块五 is money too.
fn block(s: &Sentence, at: usize) -> bool {
    let next = s.at(at + 1);
    let change = (next.shape == Shape::Numerals && next.length() == 3 && s.before(at).shape == Shape::Numerals
        || next.shape == Shape::Digits && next.length() == 1 && next.glued())
        && !s.has(at + 2, MEASURE);
    if change {
        return true;
    }
    // 三毛的书: a name.
    if s.lone(at) == '毛' && next.first == '的' && at < 2 {
        return false;
    }
    !matches!(next.shape, Shape::Han | Shape::Numerals | Shape::Word)
        || matches!(next.first, '钱' | '左' | '出' | '多' | '的' | '一' | '上' | '就' | '起' | '买')
}
