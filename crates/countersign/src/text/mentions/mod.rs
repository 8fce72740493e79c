//! Mentions: every weighty expression of a text, read once.
//!
//! A mention has its place, its kind, its value in one form, and what the words around it make of it. English and
//! Chinese, in one pass over the tokens, without regular expressions. What is no mention is never guessed: `A-2207` is an
//! identifier and no number, "six-pack" is a thing and no count.

/// Words, numbers, identifiers and signs.
pub(crate) mod lexer;
/// A text with its tokens.
pub(crate) mod tokens;
/// The bare number.
pub(crate) mod numerals;
/// Times of day.
pub mod clock;
/// Dates as people say them.
pub mod date;
/// What the words around a mention make of it.
pub mod role;

use super::units::{self, Short, Unit};
use crate::contract::language::is_han;
use clock::Clock;
use date::DateWords;
use lexer::TokenKind;
use role::{Bound, bound_around, is_excluded};
use std::ops::Range;
use tokens::Tokens;

/// One mention.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Where it is, in bytes; a unit included.
    pub range: Range<usize>,
    /// What was mentioned.
    pub what: What,
    /// Whether the words around it take it out ("not to team@…").
    pub excluded: bool,
}

/// What was mentioned.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A number.
    Number(Quantity),
    /// A date.
    Date(DateWords),
    /// A time of day.
    Clock(Clock),
    /// An id, a code, a long number.
    Id,
    /// An e-mail address.
    Email,
    /// A URL.
    Url,
    /// A path or a file name.
    Path,
}

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

/// A text with its mentions.
#[derive(Debug, Default, Clone)]
pub struct Reading {
    /// The text in lower case; its places are those of the text.
    pub lower: String,
    /// The mentions, in order.
    pub mentions: Vec<Mention>,
}

impl Reading {
    /// Reads a text, up to a length that nobody says by hand.
    pub fn of(text: &str) -> Self {
        let mut end = text.len().min(MAX_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let lower = text.get(..end).unwrap_or_default().to_ascii_lowercase();
        let mentions = read(&lower);
        Self { lower, mentions }
    }

    /// The text of a mention.
    pub fn text(&self, mention: &Mention) -> &str {
        self.lower.get(mention.range.clone()).unwrap_or_default()
    }

    /// The numbers.
    pub fn numbers(&self) -> impl Iterator<Item = (&Mention, &Quantity)> {
        self.mentions.iter().filter_map(|mention| match &mention.what {
            What::Number(quantity) => Some((mention, quantity)),
            _ => None,
        })
    }

    /// The dates.
    pub fn dates(&self) -> impl Iterator<Item = (&Mention, DateWords)> {
        self.mentions.iter().filter_map(|mention| match mention.what {
            What::Date(words) => Some((mention, words)),
            _ => None,
        })
    }

    /// The times of day.
    pub fn clocks(&self) -> impl Iterator<Item = (&Mention, Clock)> {
        self.mentions.iter().filter_map(|mention| match mention.what {
            What::Clock(clock) => Some((mention, clock)),
            _ => None,
        })
    }

    /// What people copy: ids, addresses, paths.
    pub fn literals(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|mention| matches!(mention.what, What::Id | What::Email | What::Url | What::Path))
    }
}

/// The mentions of a text in lower case.
fn read(lower: &str) -> Vec<Mention> {
    let tokens = Tokens::of(lower);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let literal = match token.kind {
            TokenKind::Id => Some(What::Id),
            TokenKind::Email => Some(What::Email),
            TokenKind::Url => Some(What::Url),
            TokenKind::Path => Some(What::Path),
            TokenKind::Sign => {
                at += 1;
                continue;
            }
            _ => None,
        };
        let step = match literal {
            Some(what) => Some((what, at + 1)),
            None => expression(&tokens, at),
        };
        let Some((what, next)) = step else {
            at += 1;
            continue;
        };
        let start = begin_of(&what, &tokens, at);
        let end = tokens.end_before(next);
        found.push(Mention { range: start..end, what, excluded: is_excluded(lower, start) });
        at = next.max(at + 1);
    }
    found
}

/// A sign of a currency before a number belongs to it.
fn begin_of(what: &What, tokens: &Tokens<'_>, at: usize) -> usize {
    let own = tokens.get(at).map_or(0, |token| token.start);
    let led =
        at.checked_sub(1).filter(|before| tokens.is(*before, TokenKind::Sign)).and_then(|before| tokens.get(before));
    match (what, led) {
        (What::Number(quantity), Some(sign)) if quantity.currency.is_some() && sign.end == own => sign.start,
        _ => own,
    }
}

/// A date, a time or a number.
fn expression(tokens: &Tokens<'_>, at: usize) -> Option<(What, usize)> {
    // 明早六点半 is a date and a time: the date takes only its own sign.
    if let Some((words, next)) = date::read(tokens, at) {
        let shared = matches!(tokens.at(at), "明" | "今") && matches!(tokens.at(at + 1), "早" | "晚");
        return Some((What::Date(words), if shared { at + 1 } else { next }));
    }
    if let Some((clock, next)) = clock::read(tokens, at) {
        return Some((What::Clock(clock), next));
    }
    number(tokens, at)
}

fn number(tokens: &Tokens<'_>, at: usize) -> Option<(What, usize)> {
    let article = matches!(tokens.word(at), "a" | "an") || tokens.word(at) == "half";
    let (value, mut next, digits) = match numerals::read(tokens, at) {
        Some(number) => (number.value, number.next, number.digits),
        // "an hour", "a litre".
        None if article
            && units::unit(tokens.word(at + 1), Short::Ignored).is_some_and(|unit| unit.dimension != "ratio") =>
        {
            (1.0, at + 1, false)
        }
        None => return None,
    };
    if is_part_of_word(tokens, at, next, digits) {
        return None;
    }
    let mut upper = None;
    if let Some(second) = range_end(tokens, next) {
        (upper, next) = (Some(second.value), second.next);
    }
    // 一个半小时, 两斤半.
    let (value, next) = half_between(tokens, value, next);
    let hyphen =
        usize::from(tokens.at(next) == "-" && tokens.touches_next(next) && tokens.is(next + 1, TokenKind::Word));
    let touches = next > at && tokens.touches_next(next - 1);
    let leading = leading_currency(tokens, at);
    let currency = leading.map(|code| (code, next)).or_else(|| trailing_currency(tokens, next));
    let unit = currency.is_none().then(|| unit_behind(tokens, next + hyphen, touches)).flatten();
    if hyphen == 1 && unit.is_none() && currency.is_none() {
        // "six-packs", "3-bedroom".
        return None;
    }
    let (unit, end) = match (unit, currency) {
        (Some((unit, end)), _) => (Some(unit), end),
        (None, Some((_, end))) => (None, end),
        (None, None) => (None, next),
    };
    // "an hour and a half", 一年半, 三块五.
    let (value, end) = half_behind(tokens, value, end, unit.is_some() || currency.is_some());
    let (counts, noun) = counted(tokens, end);
    let idle =
        !digits && unit.is_none() && currency.is_none() && !counts && tokens.is(at, TokenKind::Han) && next == at + 1;
    if idle || (article && unit.is_none() && currency.is_none() && !counts) {
        return None;
    }
    let start = tokens.get(at).map_or(0, |token| token.start);
    let bound = bound_around(tokens.text, start, tokens.end_before(end));
    let negative = at.checked_sub(1).is_some_and(|before| {
        let minus = matches!(tokens.at(before), "-" | "−") && tokens.touches_next(before);
        let free = before.checked_sub(1).is_none_or(|b| !tokens.touches_next(b));
        (minus && free) || matches!(tokens.word(before), "minus" | "negative") || tokens.before(at).ends_with("零下")
    });
    let value = if negative { -value } else { value };
    let quantity = Quantity { value, upper, unit, currency: currency.map(|found| found.0), bound, counts, noun };
    Some((What::Number(quantity), end))
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
        || (before.ends_with(['第', '统', '唯', '万', '星', '期', '拜', '周']) && !before.ends_with("每周"))
}

fn ordinal(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.word(at), "st" | "nd" | "rd" | "th")
}

/// The second number of a range.
fn range_end(tokens: &Tokens<'_>, at: usize) -> Option<numerals::Numeral> {
    let dash = matches!(tokens.at(at), "-" | "–" | "~" | "到" | "至") || tokens.word(at) == "to";
    let number = dash.then(|| numerals::read(tokens, at + 1)).flatten()?;
    (number.digits || tokens.is(at + 1, TokenKind::Han))
        .then_some(number)
        .filter(|number| clock_free(tokens, number.next))
}

fn clock_free(tokens: &Tokens<'_>, at: usize) -> bool {
    !matches!(tokens.at(at), "点" | ":" | "月" | "号" | "日")
}

fn half_between(tokens: &Tokens<'_>, value: f64, next: usize) -> (f64, usize) {
    if tokens.rest(next).starts_with("个半") {
        return (value + 0.5, next + 2);
    }
    (value, next)
}

/// A half, or a tenth, that follows the unit.
fn half_behind(tokens: &Tokens<'_>, value: f64, end: usize, measured: bool) -> (f64, usize) {
    if !measured {
        return (value, end);
    }
    if tokens.words_are(end, &["and", "a", "half"]) {
        return (value + 0.5, end + 3);
    }
    if tokens.at(end) == "半" {
        return (value + 0.5, end + 1);
    }
    // 八斤六两.
    let ounces = tokens.before(end).ends_with('斤').then(|| numerals::read(tokens, end)).flatten();
    if let Some(ounces) = ounces.filter(|ounces| ounces.value < 10.0 && tokens.at(ounces.next) == "两") {
        return (value + ounces.value / 10.0, ounces.next + 1);
    }
    let spoken = tokens.before(end).ends_with('块').then(|| numerals::read(tokens, end)).flatten();
    match spoken.filter(|tenths| tenths.value < 10.0 && tenths.value.fract() == 0.0 && tenths.next == end + 1) {
        Some(tenths) => {
            (value + tenths.value / 10.0, tenths.next + usize::from(matches!(tokens.at(tenths.next), "毛" | "角")))
        }
        None => (value, end),
    }
}

fn leading_currency(tokens: &Tokens<'_>, at: usize) -> Option<&'static str> {
    let before = at.checked_sub(1)?;
    let token = tokens.get(before)?;
    match token.kind {
        TokenKind::Sign if token.end == tokens.get(at)?.start => {
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
        return units::currency(tokens.at(at)).map(|code| (code, at + 1));
    }
    let (code, width) = units::currency_at(tokens.rest(at))
        .filter(|_| !PLACES_WITH_SIGNS.iter().any(|word| tokens.rest(at).starts_with(word)))?;
    Some((code, tokens.after(at, width)))
}

fn unit_behind(tokens: &Tokens<'_>, at: usize, touches: bool) -> Option<(&'static Unit, usize)> {
    if tokens.is(at, TokenKind::Word) {
        // "degrees Fahrenheit", "square metres", "miles an hour".
        let at = at + usize::from(matches!(tokens.word(at), "degree" | "degrees"));
        let short = if touches { Short::Counts } else { Short::Ignored };
        let unit = units::unit(tokens.word(at), short)
            .or_else(|| units::unit(tokens.word(at), Short::Counts).filter(|u| u.dimension == "temperature"))?;
        let per_hour = tokens.words_are(at + 1, &["an", "hour"])
            || tokens.words_are(at + 1, &["per", "hour"])
            || tokens.words_are(at + 1, &["/", "h"]);
        if unit.dimension == "length" && per_hour {
            let speed = if unit.name == "mile" { "mph" } else { "kmh" };
            return units::unit(speed, Short::Counts).map(|unit| (unit, at + 3));
        }
        return Some((unit, at + 1));
    }
    let (unit, width) = units::unit_at(tokens.rest(at))?;
    Some((unit, tokens.after(at, width)))
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

/// Words beside which a pound is a weight.
const WEIGHED: &[&str] = &["weigh", "lbs", "kilo", " kg", "heavy", "lift", "ounce", "bmi"];
/// Words that begin like a currency and name something else.
const PLACES_WITH_SIGNS: &[&str] = &["欧洲", "元旦", "元宵", "块儿"];
/// A longer text is not what a person asks for; what stands beyond is found by search alone.
const MAX_TEXT: usize = 16 * 1024;
/// Words after a number that it does not count.
const NOT_COUNTED: &[&str] = &[
    "of", "x", "and", "or", "to", "in", "on", "at", "for", "from", "by", "with", "is", "are", "was", "per", "a", "an",
    "the", "each", "more", "instead", "please", "not", "but", "then", "so", "if", "as", "into", "i", "it", "this",
    "that", "next", "via", "until", "till", "because", "when", "every", "only", "off", "up", "down", "out", "plus",
    "minus", "times", "too", "also", "now", "right", "away", "today", "tomorrow", "tonight", "will", "would", "should",
    "can", "has", "have",
];
/// Chinese measure words.
const MEASURES_ZH: &str = "个位只条张本件份台套间次瓶杯箱盒包袋把支根颗粒片双对打排朵束桶罐串块名人股部辆座场节课户笔单趟桌听碗盘锅份盆壶扎晚篇封头匹棵组批";
/// Chinese words that hold a numeral and are none.
const WORDS_WITH_NUMERALS: &[&str] = &[
    "一下",
    "一些",
    "一起",
    "一样",
    "一般",
    "一直",
    "一定",
    "一点",
    "一会",
    "一共",
    "一律",
    "一切",
    "一旦",
    "一致",
    "一边",
    "一家人",
    "一路",
    "一并",
    "一概",
    "一早",
    "万一",
    "千万",
    "十分",
    "三明治",
    "百度",
    "万能",
    "百货",
    "千万别",
    "两边",
    "一时",
    "半夜",
    "半天",
    "半路",
    "四川",
    "五金",
    "一号",
    "百合",
    "七夕",
    "八宝",
    "三亚",
    "九江",
    "一楼",
    "二楼",
    "三楼",
    "一手",
    "二手",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<(f64, String)> {
        let reading = Reading::of(text);
        let label = |q: &Quantity| {
            q.currency.map(str::to_owned).or(q.unit.map(|unit| unit.name.to_owned())).unwrap_or_default()
        };
        reading.numbers().map(|(_, q)| (q.value, label(q))).collect()
    }

    // MEANING-1
    #[test]
    fn numbers_have_their_unit() {
        let one = |value: f64, unit: &str| vec![(value, unit.to_owned())];
        for (text, value, unit) in [
            ("set a timer for 10 minutes", 10.0, "minute"),
            ("70 degrees Fahrenheit", 70.0, "fahrenheit"),
            ("put half a kilo of flour on the list", 0.5, "kg"),
            ("a 20-minute walk", 20.0, "minute"),
            ("an hour is enough", 1.0, "hour"),
            ("60 miles an hour", 60.0, "kmh"),
            ("it is 68华氏度", 68.0, "fahrenheit"),
            ("寄三斤笋干", 3.0, "jin"),
            ("一个半小时", 1.5, "hour"),
            ("$1,200.50 please", 1200.5, "dollar"),
            ("30 euros", 30.0, "eur"),
            ("86块", 86.0, "cny"),
            ("45 francs", 45.0, "chf"),
            ("under a hundred bucks", 100.0, "dollar"),
            ("250g", 250.0, "gram"),
            ("15%", 15.0, "percent"),
        ] {
            let want = if unit == "kmh" { one(value, "mph") } else { one(value, unit) };
            assert_eq!(numbers(text), want, "{text}");
        }
        assert_eq!(numbers("two six-packs"), one(2.0, ""));
        assert_eq!(numbers("two of the six-packs, order A-2207, 3-1-1702"), one(2.0, ""));
        assert_eq!(numbers("帮我查一下，统一处理"), []);
    }

    #[test]
    fn kinds_do_not_mix() {
        let reading = Reading::of("Move A-2207 from 3 December 2026 to Thursday 2 pm, not 4 pm, tell ann@example.com");
        let kinds: Vec<&str> = reading
            .mentions
            .iter()
            .map(|mention| match mention.what {
                What::Number(_) => "number",
                What::Date(_) => "date",
                What::Clock(_) => "clock",
                What::Id => "id",
                What::Email => "email",
                What::Url => "url",
                What::Path => "path",
            })
            .collect();
        assert_eq!(kinds, ["id", "date", "date", "clock", "clock", "email"]);
        assert_eq!(
            reading.mentions.iter().map(|mention| mention.excluded).collect::<Vec<_>>(),
            [false, false, false, false, true, false]
        );
        let reading = Reading::of("明早六点半叫醒，改成七点");
        assert_eq!((reading.dates().count(), reading.clocks().count()), (1, 2));
    }

    #[test]
    fn hostile_text_is_read_to_its_end() {
        for part in [
            "-",
            "1-",
            "半",
            "一",
            "a half ",
            "in 1 ",
            "$",
            "at 1",
            "2026-",
            "周",
            "é",
            "1:",
            "\u{0}",
            "first 2 weeks of ",
        ] {
            assert!(Reading::of(&part.repeat(3000)).mentions.len() <= MAX_TEXT);
        }
    }
}
