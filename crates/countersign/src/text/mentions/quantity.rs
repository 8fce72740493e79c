//! Numbers with what they measure or count: a unit, a currency, a noun, a bound.

use super::lexer::TokenKind;
use super::measure::{DESIGNATES, unit_before, unit_behind};
use super::numerals;
use super::role::{Bound, bound_around};
use super::tokens::Tokens;
use crate::contract::language::is_han;
use crate::text::lists::word_list;
use crate::text::units::{self, Short, Unit};
use std::ops::Range;

/// A number with what it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// As written, scale included.
    pub value: f64,
    /// The upper end of a range, in the same unit.
    pub upper: Option<f64>,
    /// Its unit.
    pub unit: Option<&'static Unit>,
    /// Its currency: a code, or a family's name.
    pub currency: Option<&'static str>,
    /// Whether it is the most or the least.
    pub bound: Bound,
    /// Whether it stands where a number counts things: "two chairs", 三个.
    pub counts: bool,
    /// The words that it counts, in bytes.
    pub noun: Range<usize>,
}

/// The number that begins at a token with what it measures, and the token after it.
pub(crate) fn read(tokens: &Tokens<'_>, at: usize) -> Option<(Quantity, usize)> {
    let whole = [unit_and_a_half, minutes_and_seconds, share, hundredths];
    if let Some(found) = whole.iter().find_map(|read| read(tokens, at)) {
        return Some(found);
    }
    let article = matches!(tokens.word(at), "a" | "an" | "half");
    let (value, next, digits) = bare_number(tokens, at, article)?;
    if is_part_of_word(tokens, at, next, digits) {
        return None;
    }
    // "Heat those three to 20 degrees" is no range.
    let several = at.checked_sub(1).is_some_and(|before| {
        // Nor is "tilt row 12 to 30 degrees".
        matches!(tokens.word(before), "those" | "these" | "all") || DESIGNATES.contains(&tokens.word(before))
    });
    let second = range_end(tokens, next).filter(|_| !several);
    let next = second.map_or(next, |second| second.next);
    // 一打半 are eighteen.
    let dozens =
        tokens.at(next) == "打" && tokens.is(at, TokenKind::Han) && !VERBS_WITH_DOZEN.contains(&tokens.at(next + 1));
    let half_dozen = dozens && tokens.at(next + 1) == "半";
    let value = if dozens { value * 12.0 + if half_dozen { 6.0 } else { 0.0 } } else { value };
    let next = next + usize::from(dozens) + usize::from(half_dozen);
    // 一个半小时, 两斤半.
    let (value, next) = half_between(tokens, value, next);
    // 五毛 is half a yuan.
    if matches!(tokens.at(next), "毛" | "角") && currency_follows(tokens, next + 1) {
        let quantity = Quantity {
            value: value / 10.0,
            upper: None,
            unit: None,
            currency: Some("cny"),
            bound: Bound::Exact,
            counts: false,
            noun: 0..0,
        };
        return Some((quantity, next + 1));
    }
    let (unit, currency, end) = measure_behind(tokens, at, next)?;
    let measured = unit.is_some() || currency.is_some();
    // "an hour and a half", 一年半, 三块五.
    let (value, end) = half_behind(tokens, value, end, measured);
    let (counts, noun) = counted(tokens, end);
    let unit = unit.or_else(|| unit_before(tokens, at).filter(|_| !measured && !counts));
    let idle = !digits && tokens.is(at, TokenKind::Han) && next == at + 1;
    if !measured && !counts && (idle || article) {
        return None;
    }
    let start = tokens.get(at).map_or(0, |token| token.start);
    let bound = bound_around(tokens.text, start, tokens.end_before(end));
    let (below, cold) = below_zero(tokens, end, unit);
    let value = if is_negative(tokens, at) || below { -value } else { value };
    let (counts, noun) = if below { (false, 0..0) } else { (counts, noun) };
    let end = if below { end + 1 + usize::from(cold) } else { end };
    let upper = second.map(|second| second.value);
    Some((Quantity { value, upper, unit, currency, bound, counts, noun }, end))
}

/// Whether "below" behind a number means below zero, and whether zero is said: "eighty below" at the end of a clause is as
/// cold as "eighty below zero".
fn below_zero(tokens: &Tokens<'_>, end: usize, unit: Option<&'static Unit>) -> (bool, bool) {
    let cold = matches!(tokens.word(end + 1), "zero" | "freezing");
    let ends = matches!(tokens.at(end + 1), "" | "." | "," | "!" | "?" | ";" | ")")
        || AFTER_BELOW.contains(&tokens.word(end + 1));
    let alone = ends && unit.is_none_or(|unit| unit.dimension == "temperature");
    (tokens.word(end) == "below" && (cold || alone), cold)
}

/// "50 cents", "a single penny": hundredths of whatever is paid.
fn hundredths(tokens: &Tokens<'_>, at: usize) -> Option<(Quantity, usize)> {
    let one = matches!(tokens.word(at), "a" | "single").then_some((1.0, at + 1));
    let (value, next) = one.or_else(|| numerals::read(tokens, at).map(|number| (number.value, number.next)))?;
    let bound = Bound::Exact;
    matches!(tokens.word(next), "cent" | "cents" | "pence" | "penny" | "pennies").then_some((
        Quantity { value: value / 100.0, upper: None, unit: None, currency: None, bound, counts: false, noun: 0..0 },
        next + 1,
    ))
}

/// Whether nothing follows a tenth of a yuan that would make another word of it: 毛巾, 角落.
fn currency_follows(tokens: &Tokens<'_>, at: usize) -> bool {
    !tokens.is(at, TokenKind::Han)
        || matches!(tokens.at(at), "钱" | "一" | "每" | "以" | "的" | "就" | "再" | "才" | "时" | "了")
}

/// "The first minute and a half".
fn unit_and_a_half(tokens: &Tokens<'_>, at: usize) -> Option<(Quantity, usize)> {
    let unit =
        units::unit(tokens.word(at), Short::Ignored).filter(|_| tokens.words_are(at + 1, &["and", "a", "half"]))?;
    let bound = Bound::Exact;
    Some((
        Quantity { value: 1.5, upper: None, unit: Some(unit), currency: None, bound, counts: false, noun: 0..0 },
        at + 4,
    ))
}

/// 5分30秒, and 5分30 where nothing is counted: minutes with their seconds.
fn minutes_and_seconds(tokens: &Tokens<'_>, at: usize) -> Option<(Quantity, usize)> {
    let whole = |number: &numerals::Numeral| number.value.fract() == 0.0;
    let minutes = numerals::read(tokens, at).filter(|number| whole(number) && tokens.at(number.next) == "分")?;
    // 28分半.
    if tokens.at(minutes.next + 1) == "半" {
        let unit = units::unit("minute", Short::Ignored)?;
        let (value, bound) = (minutes.value + 0.5, Bound::Exact);
        let quantity =
            Quantity { value, upper: None, unit: Some(unit), currency: None, bound, counts: false, noun: 0..0 };
        return Some((quantity, minutes.next + 2));
    }
    let seconds = numerals::read(tokens, minutes.next + 1).filter(|number| whole(number) && number.value < 60.0)?;
    let named = tokens.at(seconds.next) == "秒";
    let alone = seconds.digits && seconds.value >= 10.0 && !tokens.is(seconds.next, TokenKind::Han);
    let unit = units::unit("minute", Short::Ignored).filter(|_| named || alone)?;
    let value = minutes.value + seconds.value / 60.0;
    let bound = Bound::Exact;
    let quantity = Quantity { value, upper: None, unit: Some(unit), currency: None, bound, counts: false, noun: 0..0 };
    Some((quantity, seconds.next + usize::from(named)))
}

/// "Three quarters", "two thirds", 三成, 四分之三: a share of a whole, unless it measures something itself.
fn share(tokens: &Tokens<'_>, at: usize) -> Option<(Quantity, usize)> {
    let (value, next) = match (tokens.word(at), tokens.word(at + 1)) {
        ("three", "quarters") => (75.0, at + 2),
        ("two", "thirds") => (200.0 / 3.0, at + 2),
        ("a" | "one", "third") => (100.0 / 3.0, at + 2),
        ("a" | "one", "quarter") if matches!(tokens.word(at + 2), "off" | "less" | "more" | "discount" | "of") => {
            (25.0, at + 2)
        }
        ("a" | "one", "fifth") if tokens.word(at + 2) == "of" => (20.0, at + 2),
        ("a" | "one", "tenth") if tokens.word(at + 2) == "of" => (10.0, at + 2),
        _ => {
            let number = numerals::read(tokens, at).filter(|_| tokens.is(at, TokenKind::Han))?;
            // 八折, 八五折.
            if tokens.at(number.next) == "折" && number.value < 100.0 {
                (if number.value < 10.0 { number.value * 10.0 } else { number.value }, number.next + 1)
            } else if tokens.at(number.next) == "成" && number.value <= 10.0 && !begins_word(tokens.rest(number.next))
            {
                // 三成五 is 35 percent.
                let more = numerals::read(tokens, number.next + 1).filter(|more| {
                    more.value < 10.0 && more.value.fract() == 0.0 && tokens.is(number.next + 1, TokenKind::Han)
                });
                let (tenths, next) = (number.value * 10.0, number.next + 1);
                more.map_or((tenths, next), |more| (tenths + more.value, more.next))
            } else {
                let next = tokens.phrase(number.next, "分之")?;
                let upper = numerals::read(tokens, next).filter(|upper| upper.value <= number.value)?;
                (upper.value * 100.0 / number.value, upper.next)
            }
        }
    };
    let measured = tokens.word(next) == "of" && units::unit(tokens.word(next + 2), Short::Ignored).is_some();
    let unit = units::unit("percent", Short::Ignored).filter(|_| !measured)?;
    let quantity = Quantity {
        value,
        upper: None,
        unit: Some(unit),
        currency: None,
        bound: Bound::Exact,
        counts: false,
        noun: 0..0,
    };
    Some((quantity, next))
}

/// Whether 成 begins a word: 三成员, 两成就, and not 两成就够了.
fn begins_word(rest: &str) -> bool {
    let enough =
        rest.strip_prefix("成就").is_some_and(|behind| behind.starts_with(['够', '行', '好', '可', '停', '是', '能']));
    !enough && WORDS_WITH_TENTHS.iter().any(|word| rest.starts_with(word))
}

/// A numeral, or the article of "an hour"; the token after it, and whether it was written in digits.
fn bare_number(tokens: &Tokens<'_>, at: usize, article: bool) -> Option<(f64, usize, bool)> {
    if let Some(number) = numerals::read(tokens, at) {
        return Some((number.value, number.next, number.digits));
    }
    let measured =
        |at: usize| units::unit(tokens.word(at), Short::Ignored).is_some_and(|unit| unit.dimension != "ratio");
    // "A half-hour call".
    if tokens.word(at) == "half" && tokens.at(at + 1) == "-" && measured(at + 2) {
        return Some((0.5, at + 2, false));
    }
    (article && measured(at + 1)).then_some((1.0, at + 1, false))
}

/// A unit, a currency, and the token after them.
type Measure = (Option<&'static Unit>, Option<&'static str>, usize);

/// What a number is measured in. Nothing at all for "six-packs" and "3-bedroom", which are no numbers of anything.
fn measure_behind(tokens: &Tokens<'_>, at: usize, next: usize) -> Option<Measure> {
    let hyphen =
        usize::from(tokens.at(next) == "-" && tokens.touches_next(next) && tokens.is(next + 1, TokenKind::Word));
    let touches = next > at && tokens.touches_next(next - 1);
    let leading = leading_currency(tokens, at).map(|code| (code, next));
    if let Some((code, end)) = leading.or_else(|| trailing_currency(tokens, next)) {
        return Some((None, Some(code), end));
    }
    match unit_behind(tokens, next + hyphen, touches) {
        Some((unit, end)) => Some((Some(unit), None, end)),
        None => (hyphen == 0).then_some((None, None, next)),
    }
}

/// Whether a minus, or its word, stands before a number.
fn is_negative(tokens: &Tokens<'_>, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        let minus = matches!(tokens.at(before), "-" | "−") && tokens.touches_next(before);
        let free = before.checked_sub(1).is_none_or(|b| !tokens.touches_next(b));
        (minus && free) || matches!(tokens.word(before), "minus" | "negative") || is_below_zero_zh(tokens.before(at))
    })
}

/// 零下5度, 负1.75; 胜负 and 肩负 are words of their own.
fn is_below_zero_zh(before: &str) -> bool {
    let minus = before.strip_suffix('负');
    before.ends_with("零下")
        || minus.is_some_and(|before| !before.ends_with(['胜', '肩', '担', '抱', '自', '欺', '辜', '背']))
}

/// Whether a numeral is part of a word: 统一, 一些, 万一, 十分, and "one" that stands for a thing.
fn is_part_of_word(tokens: &Tokens<'_>, at: usize, next: usize, digits: bool) -> bool {
    if digits {
        return tokens.touches_next(next - 1) && ordinal(tokens, next);
    }
    if tokens.is(at, TokenKind::Word) {
        let before = at.checked_sub(1).map_or("", |before| tokens.word(before));
        return tokens.word(at) == "one"
            && (matches!(
                before,
                "the"
                    | "this"
                    | "that"
                    | "which"
                    | "each"
                    | "any"
                    | "no"
                    | "another"
                    | "blue"
                    | "red"
                    | "last"
                    | "first"
                    | "every"
                    | "other"
                    | "single"
                    | "right"
                    | "wrong"
                    | "new"
                    | "old"
            ) || next >= tokens.len()
                || !tokens.is(next, TokenKind::Word));
    }
    let rest = tokens.rest(at);
    let before = tokens.before(at);
    WORDS_WITH_NUMERALS.iter().any(|word| rest.starts_with(word))
        || (before.ends_with(['第', '统', '唯', '万', '星', '拜', '周']) && !before.ends_with("每周"))
        || before.ends_with("星期")
}

fn ordinal(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.word(at), "st" | "nd" | "rd" | "th")
}

/// The second number of a range.
fn range_end(tokens: &Tokens<'_>, at: usize) -> Option<numerals::Numeral> {
    let dash =
        matches!(tokens.at(at), "-" | "–" | "~" | "到" | "至") || matches!(tokens.word(at), "to" | "through" | "thru");
    let number = dash.then(|| numerals::read(tokens, at + 1)).flatten()?;
    // "From 7 to 9 in the morning" is no number.
    if super::clock::read(tokens, at + 1).is_some() {
        return None;
    }
    (number.digits || tokens.is(at + 1, TokenKind::Han))
        .then_some(number)
        .filter(|number| clock_free(tokens, number.next))
}

fn clock_free(tokens: &Tokens<'_>, at: usize) -> bool {
    !matches!(tokens.at(at), "点" | ":" | "月" | "号" | "日")
}

fn half_between(tokens: &Tokens<'_>, value: f64, next: usize) -> (f64, usize) {
    // 十二圈半 counts, 三个半天 does not count halves of anything else.
    let counted = tokens.at(next).chars().next().is_some_and(|c| MEASURES_ZH.contains(c) && c != '个');
    let ends = !tokens.is(next + 2, TokenKind::Han);
    if tokens.rest(next).starts_with("个半") || counted && tokens.at(next + 1) == "半" && ends {
        return (value + 0.5, next + 2);
    }
    (value, next)
}

/// "11 stone 4": the pounds behind a number of stone.
fn pounds_behind(tokens: &Tokens<'_>, value: f64, end: usize) -> Option<(f64, usize)> {
    if !matches!(tokens.word(end - 1), "stone" | "stones") {
        return None;
    }
    let pounds = numerals::read(tokens, end).filter(|pounds| pounds.value < 14.0)?;
    let free = !tokens.is(pounds.next, TokenKind::Word) || NOT_COUNTED.contains(&tokens.word(pounds.next));
    let named = matches!(tokens.word(pounds.next), "lb" | "lbs" | "pound" | "pounds");
    (free || named).then(|| (value + pounds.value / 14.0, pounds.next + usize::from(named)))
}

/// A half, or a tenth, that follows the unit.
fn half_behind(tokens: &Tokens<'_>, value: f64, end: usize, measured: bool) -> (f64, usize) {
    if !measured {
        return (value, end);
    }
    if tokens.words_are(end, &["and", "a", "half"]) {
        return (value + 0.5, end + 3);
    }
    if tokens.words_are(end, &["and", "a", "quarter"]) {
        return (value + 0.25, end + 3);
    }
    if tokens.words_are(end, &["and", "three", "quarters"]) {
        return (value + 0.75, end + 3);
    }
    if tokens.at(end) == "半" {
        return (value + 0.5, end + 1);
    }
    // "Six foot one", 5'11" as people say it.
    if matches!(tokens.word(end - 1), "foot" | "feet" | "ft") {
        let inches = numerals::read(tokens, end).filter(|inches| inches.value < 12.0);
        let inches = inches.filter(|inches| {
            matches!(tokens.word(inches.next), "in" | "inch" | "inches")
                || !tokens.is(inches.next, TokenKind::Word)
                || NOT_COUNTED.contains(&tokens.word(inches.next))
                || matches!(tokens.word(inches.next), "tall" | "high" | "wide" | "long" | "deep")
        });
        if let Some(inches) = inches {
            let named = matches!(tokens.word(inches.next), "in" | "inch" | "inches");
            return (value + inches.value / 12.0, inches.next + usize::from(named));
        }
    }
    if let Some(found) = pounds_behind(tokens, value, end) {
        return found;
    }
    if let Some(found) = minutes_behind(tokens, value, end) {
        return found;
    }
    // "764 euros and 20 cents".
    let and = end + usize::from(tokens.word(end) == "and");
    let minor = numerals::read(tokens, and).filter(|minor| minor.value < 100.0 && minor.value.fract() == 0.0);
    if let Some(minor) = minor.filter(|minor| HUNDREDTHS.contains(&tokens.word(minor.next))) {
        return (value + minor.value / 100.0, minor.next + 1);
    }
    // 二尺四 is two and four tenths.
    let tenths = tokens.before(end).ends_with('尺').then(|| numerals::read(tokens, end)).flatten();
    if let Some(tenths) = tenths.filter(|tenths| tenths.value < 10.0 && tenths.value.fract() == 0.0) {
        return (value + tenths.value / 10.0, tenths.next + usize::from(tokens.at(tenths.next) == "寸"));
    }
    // 八斤六两.
    let ounces = tokens.before(end).ends_with('斤').then(|| numerals::read(tokens, end)).flatten();
    if let Some(ounces) = ounces.filter(|ounces| ounces.value < 10.0 && tokens.at(ounces.next) == "两") {
        return (value + ounces.value / 10.0, ounces.next + 1);
    }
    // 三块五 is three and a half; 三块一斤 is three for one of them.
    let of_another = |tenths: &numerals::Numeral| {
        let counts = tokens.at(tenths.next).chars().next().is_some_and(|c| MEASURES_ZH.contains(c));
        counts || unit_behind(tokens, tenths.next, true).is_some()
    };
    let spoken = tokens.before(end).ends_with('块').then(|| numerals::read(tokens, end)).flatten();
    let spoken = spoken.filter(|tenths| !of_another(tenths));
    match spoken.filter(|tenths| tenths.value < 10.0 && tenths.value.fract() == 0.0 && tenths.next == end + 1) {
        Some(tenths) => {
            (value + tenths.value / 10.0, tenths.next + usize::from(matches!(tokens.at(tenths.next), "毛" | "角")))
        }
        None => (value, end),
    }
}

/// "An hour and 24 minutes", 1小时20分钟: the smaller unit belongs to the greater one.
fn minutes_behind(tokens: &Tokens<'_>, value: f64, end: usize) -> Option<(f64, usize)> {
    let own = unit_behind(tokens, end.checked_sub(1)?, true).map(|(unit, _)| unit);
    let own =
        own.or_else(|| tokens.before(end).ends_with("小时").then(|| units::unit("hour", Short::Ignored)).flatten())?;
    let and = end + usize::from(tokens.word(end) == "and");
    let minor = numerals::read(tokens, and).filter(|minor| minor.value < 60.0)?;
    let (unit, next) = unit_behind(tokens, minor.next, tokens.touches_next(minor.next - 1))?;
    let smaller = own.dimension == "time" && unit.dimension == "time" && unit.to_base(60.0) == own.to_base(1.0);
    smaller.then(|| (value + minor.value / 60.0, next))
}

fn leading_currency(tokens: &Tokens<'_>, at: usize) -> Option<&'static str> {
    let before = at.checked_sub(1)?;
    let token = tokens.get(before)?;
    match token.kind {
        TokenKind::Sign if token.end == tokens.get(at)?.start => {
            // `US$80`: the letters that touch the sign tell whose dollars.
            let letters = before
                .checked_sub(1)
                .filter(|word| tokens.is(*word, TokenKind::Word))
                .and_then(|word| tokens.get(word));
            let letters = letters.filter(|letters| letters.end == token.start);
            let joined = letters.and_then(|letters| units::currency(tokens.text.get(letters.start..token.end)?));
            if joined.is_some() {
                return joined;
            }
            units::currency_at(tokens.at(before)).map(|found| found.0)
        }
        TokenKind::Word if units::is_currency_code(tokens.at(before)) => units::currency(tokens.at(before)),
        _ => None,
    }
}

fn trailing_currency(tokens: &Tokens<'_>, at: usize) -> Option<(&'static str, usize)> {
    if tokens.is(at, TokenKind::Word) {
        // Pounds are weighed as often as they are paid.
        let weighed =
            matches!(tokens.word(at), "pound" | "pounds") && WEIGHED.iter().any(|word| tokens.text.contains(word));
        if weighed {
            return None;
        }
        let two = tokens.get(at + 1).and_then(|next| tokens.text.get(tokens.get(at)?.start..next.end));
        if let Some(code) = two.and_then(units::currency) {
            return Some((code, at + 2));
        }
        // "Fifteen hundred US, not ours": the country stands for its money; "20 us customers" counts customers.
        let country = match tokens.word(at) {
            "us" => Some(("usd", at + 1)),
            "u" if tokens.words_are(at + 1, &[".", "s"]) => Some(("usd", at + 3)),
            "swiss" => Some(("chf", at + 1)),
            _ => None,
        };
        if let Some((code, next)) = country {
            let ends = !tokens.is(next, TokenKind::Word) || NOT_COUNTED.contains(&tokens.at(next));
            return ends.then_some((code, next));
        }
        return units::currency(tokens.at(at)).map(|code| (code, at + 1));
    }
    let (code, width) = units::currency_at(tokens.rest(at))
        .filter(|_| !PLACES_WITH_SIGNS.iter().any(|word| tokens.rest(at).starts_with(word)))?;
    Some((code, tokens.after(at, width)))
}

/// Whether a thing follows that the number counts, and its place.
fn counted(tokens: &Tokens<'_>, at: usize) -> (bool, Range<usize>) {
    let none = (false, 0..0);
    let Some(token) = tokens.get(at) else { return none };
    match token.kind {
        TokenKind::Word if !NOT_COUNTED.contains(&tokens.at(at)) => {
            let end = (at + 1..at + 3)
                .take_while(|next| tokens.is(*next, TokenKind::Word) && !NOT_COUNTED.contains(&tokens.at(*next)))
                .last();
            let end = end.and_then(|end| tokens.get(end)).unwrap_or(token).end;
            (true, token.start..end)
        }
        TokenKind::Word if matches!(tokens.at(at), "of" | "x") && tokens.is(at + 1, TokenKind::Word) => {
            let skip = usize::from(matches!(tokens.word(at + 1), "the" | "them" | "those"));
            let noun = tokens.get(at + 1 + skip).map_or(0..0, |noun| noun.range());
            (true, noun)
        }
        TokenKind::Han => {
            let sign = tokens.at(at);
            let measured = sign.chars().next().is_some_and(|c| MEASURES_ZH.contains(c));
            let from = if measured { at + 1 } else { at };
            let end = (from..from + 4).take_while(|next| tokens.is(*next, TokenKind::Han)).last();
            let range = tokens.get(from).zip(end.and_then(|end| tokens.get(end))).map_or(0..0, |(a, b)| a.start..b.end);
            (measured && sign.starts_with(is_han), range)
        }
        _ => none,
    }
}

/// Words that begin with the sign of a tenth: 三成员, 两成人.
const WORDS_WITH_TENTHS: &[&str] = word_list!("text", "mentions/quantity/words-with-tenths");
/// Signs that make a verb of 打, and no dozen.
const VERBS_WITH_DOZEN: &[&str] = word_list!("text", "mentions/quantity/verbs-with-dozen");
/// Words behind "below" that begin something else, so that it means below zero.
const AFTER_BELOW: &[&str] =
    &["until", "till", "any", "anymore", "and", "so", "for", "now", "please", "by", "again", "today", "tonight"];
/// The hundredth part of a currency, by its words.
const HUNDREDTHS: &[&str] = &["cent", "cents", "pence", "penny", "pennies", "c", "p"];
/// Words beside which a pound is a weight.
const WEIGHED: &[&str] = &["weigh", "lbs", "kilo", " kg", "heavy", "lift", "ounce", "bmi"];
/// Words that begin like a currency and name something else.
const PLACES_WITH_SIGNS: &[&str] = &["欧洲", "元旦", "元宵", "块儿"];
/// Words after a number that it does not count.
const NOT_COUNTED: &[&str] = word_list!("text", "mentions/quantity/not-counted");
/// Chinese measure words.
const MEASURES_ZH: &str = "个位只条张本件份台套间次瓶杯箱盒包袋把支根颗粒片双对打排朵束桶罐串块名人股部辆座场节课户笔单趟桌听碗盘锅份盆壶扎晚篇封头匹棵组批首款居室厅卫圈";
/// Chinese words that hold a numeral and are none.
const WORDS_WITH_NUMERALS: &[&str] = word_list!("text", "mentions/quantity/words-with-numerals");
