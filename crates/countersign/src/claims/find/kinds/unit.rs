//! The unit after a number: mg, km/h, cubic metres, 平方公里, °C.

use crate::claims::find::lexicon::{AUX, CURRENCY, PREPOSITION, UNIT};
use crate::claims::find::names::{name, names};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Gap, Shape};

/// A unit and the token after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    /// The token after it.
    pub end: usize,
    /// The base unit, where we know it.
    pub base: Option<&'static str>,
    /// What one of it is in the base unit.
    pub factor: f64,
}

/// The unit that begins at a token.
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Unit> {
    let from = prefix(s, at);
    let mut unit = simple(s, from)?;
    if from > at {
        (unit.base, unit.factor) = (None, 1.0);
    }
    // km/h, mg/kg, 次/分, and m² as a sign behind.
    for _ in 0..3 {
        if s.is(unit.end, '/') && s.at(unit.end).glued() && s.at(unit.end + 1).glued() && divisor(s, unit.end + 1) {
            let hour = s.one_of(unit.end + 1, names!["h", "hr", "hour"]) || s.words(unit.end + 1) == "小时";
            let second = s.one_of(unit.end + 1, names!["s", "sec"]) || s.lone(unit.end + 1) == '秒';
            (unit.base, unit.factor) = match unit.base {
                Some("m") if hour => (Some("m/s"), unit.factor / 3600.0),
                Some("m") if second => (Some("m/s"), unit.factor),
                _ => (None, 1.0),
            };
            unit.end += 2;
        } else if matches!(s.at(unit.end).first, '²' | '³') && s.at(unit.end).glued() {
            (unit.base, unit.factor) = (None, 1.0);
            unit.end += 1;
        } else {
            break;
        }
    }
    Some(unit)
}

/// "per hour", "per 1,000 residents" after a unit or a noun: the token after it.
pub(crate) fn per(s: &Sentence, at: usize) -> usize {
    if !s.word(at, name!("per")) {
        return at;
    }
    let number = s.at(at + 1).shape == Shape::Digits;
    let noun = prefix(s, if number { at + 2 } else { at + 1 });
    if s.at(noun).shape != Shape::Word {
        return at;
    }
    // "per 100,000 live births"
    let adjective = number
        && s.at(noun + 1).shape == Shape::Word
        && s.words(noun + 1).ends_with('s')
        && !s.words(noun).ends_with('s')
        && !s.has(noun + 1, PREPOSITION | AUX);
    let end = noun + 1 + usize::from(adjective);
    end + usize::from(matches!(s.at(end).first, '²' | '³') && s.at(end).glued())
}

/// "cubic", "square", "sq".
fn prefix(s: &Sentence, at: usize) -> usize {
    if s.one_of(at, names!["cubic", "square", "sq", "light", "nautical", "metric"]) {
        if s.is(at + 1, '.') || s.is(at + 1, '-') { at + 2 } else { at + 1 }
    } else {
        at
    }
}

fn simple(s: &Sentence, at: usize) -> Option<Unit> {
    let token = s.at(at);
    if token.is('°') || token.is('º') {
        let scale = s.at(at + 1);
        let named = scale.shape == Shape::Word && scale.gap != Gap::Line && scale.length() == 1;
        let (base, end) = match s.words(at + 1) {
            "C" if named => ("celsius", at + 2),
            "F" if named => ("fahrenheit", at + 2),
            _ => ("degree", at + 1),
        };
        return Some(Unit { end, base: Some(base), factor: 1.0 });
    }
    if token.is('℃') || token.is('℉') {
        let base = if token.is('℃') { "celsius" } else { "fahrenheit" };
        return Some(Unit { end: at + 1, base: Some(base), factor: 1.0 });
    }
    if s.lone(at) == 'K' && token.gap == Gap::Blank {
        return Some(Unit { end: at + 1, base: Some("kelvin"), factor: 1.0 });
    }
    let word = matches!(token.shape, Shape::Word | Shape::Han);
    if !word || !token.has(UNIT) || small_word(s, at) {
        return None;
    }
    let (base, factor) = s.entry(at).unit?;
    Some(Unit { end: at + 1, base: Some(base), factor })
}

/// "in" is a unit and a word, "a" a unit and an article: only where they touch the digits.
fn small_word(s: &Sentence, at: usize) -> bool {
    let token = s.at(at);
    match s.words(at) {
        "A" => !token.glued() && !s.is(at + 1, '/'),
        "in" | "a" | "bar" | "bars" | "us" | "v" | "pc" | "ha" | "j" | "n" | "x" => !token.glued(),
        "K" | "S" | "M" | "T" | "PC" | "IN" => true,
        _ => false,
    }
}

fn divisor(s: &Sentence, at: usize) -> bool {
    matches!(s.at(at).shape, Shape::Word | Shape::Han) && (s.has(at, UNIT) || !s.has(at, CURRENCY))
}
