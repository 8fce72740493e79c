//! Mentions: every weighty expression of a text, read once.
//!
//! A mention has its place, its kind, its value in one form, and what the words around it make of it. English and
//! Chinese, in one pass over the tokens, without regular expressions. What is no mention is never guessed: `A-2207` is an
//! identifier and no number, "six-pack" is a thing and no count.

/// Words, numbers and characters with nothing joined to them.
mod plain;
/// Words, numbers, identifiers and signs.
pub(crate) mod lexer;
/// A text with its tokens.
pub(crate) mod tokens;
/// The bare number.
pub(crate) mod numerals;
/// Times of day.
pub mod clock;
/// Which days a date may mean.
pub mod calendar;
/// Dates as people say them.
pub mod date;
/// What the words around a mention make of it.
pub mod role;
/// Units beside their numbers.
pub(crate) mod measure;
/// Numbers with what they measure.
pub mod quantity;

use clock::Clock;
use date::DateWords;
use lexer::TokenKind;
pub use quantity::Quantity;
use role::is_excluded;
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
        // A sign of a currency behind one number is not before the next.
        let taken = found.last().map_or(0, |last: &Mention| last.range.end);
        let start = begin_of(&what, &tokens, at).max(taken);
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
    quantity::read(tokens, at).map(|(quantity, next)| (What::Number(quantity), next))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    date::build_tables();
}

/// A longer text is not what a person asks for; what stands beyond is found by search alone.
const MAX_TEXT: usize = 16 * 1024;

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
            ("配速5分30", 5.5, "minute"),
            ("热身3分15秒", 3.25, "minute"),
            ("$1,200.50 please", 1200.5, "dollar"),
            ("30 euros", 30.0, "eur"),
            ("86块", 86.0, "cny"),
            ("45 francs", 45.0, "chf"),
            ("under a hundred bucks", 100.0, "dollar"),
            ("250g", 250.0, "gram"),
            ("15%", 15.0, "percent"),
            ("1,180 square feet", 1180.0, "sqft"),
            ("80 square metres", 80.0, "sqm"),
            ("three quarters closed", 75.0, "percent"),
            ("四分之三", 75.0, "percent"),
            ("18 degrees below zero", -18.0, "degree"),
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
