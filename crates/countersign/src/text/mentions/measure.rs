//! Units beside their numbers: "0.25 g", "degrees Fahrenheit", "square metres", "minute 12".

use super::lexer::TokenKind;
use super::tokens::Tokens;
use crate::text::lists::word_list;
use crate::text::units::{self, Short, Unit};

/// The unit that begins at a token behind a number, and the token after it.
pub(crate) fn unit_behind(tokens: &Tokens<'_>, at: usize, touches: bool) -> Option<(&'static Unit, usize)> {
    // 15日内 is a length.
    if tokens.rest(at).starts_with("日内") {
        return units::unit("day", Short::Ignored).map(|unit| (unit, at + 1));
    }
    if tokens.is(at, TokenKind::Word) {
        // "degrees Fahrenheit", "square metres", "miles an hour".
        let named = usize::from(matches!(tokens.word(at), "degree" | "degrees"));
        let scale =
            units::unit(tokens.word(at + named), Short::Counts).is_some_and(|unit| unit.dimension == "temperature");
        let led = usize::from(matches!(tokens.word(at), "square" | "sq" | "cubic" | "cu"));
        let fluid =
            matches!(tokens.word(at), "fl" | "fluid") && matches!(tokens.word(at + 1), "oz" | "ounce" | "ounces");
        if fluid {
            return units::unit("floz", Short::Counts).map(|unit| (unit, at + 2));
        }
        let at = if scale { at + named } else { at + led };
        // "1 h 30 min".
        let hours = tokens.word(at) == "h" && matches!(tokens.word(at + 2), "min" | "mins" | "m" | "minutes");
        let short = if touches || hours || is_apart(tokens, at) { Short::Counts } else { Short::Ignored };
        let unit = units::unit(tokens.word(at), short)
            .or_else(|| units::unit(tokens.word(at), Short::Counts).filter(|u| u.dimension == "temperature"));
        let led = if led == 1 { tokens.word(at - 1) } else { "" };
        let Some(unit) = unit else {
            return (led == "cubic").then(|| units::unit(led, Short::Counts)).flatten().map(|unit| (unit, at));
        };
        if let Some(raised) = raised(tokens, at, led, unit) {
            return Some(raised);
        }
        let per_hour = tokens.words_are(at + 1, &["an", "hour"])
            || tokens.words_are(at + 1, &["per", "hour"])
            || tokens.words_are(at + 1, &["/", "h"]);
        if unit.dimension == "length" && per_hour {
            let speed = if unit.name == "mile" { "mph" } else { "kmh" };
            return units::unit(speed, Short::Counts).map(|unit| (unit, at + 3));
        }
        let per_second = tokens.words_are(at + 1, &["a", "second"]) || tokens.words_are(at + 1, &["per", "second"]);
        if unit.dimension == "length" && unit.to_base(1.0) == 1.0 && per_second {
            return units::unit("mps", Short::Counts).map(|unit| (unit, at + 3));
        }
        return Some((unit, at + 1));
    }
    // "80 m2" is cut like a code.
    if tokens.is(at, TokenKind::Id) {
        return units::unit(tokens.at(at), Short::Ignored).map(|unit| (unit, at + 1));
    }
    let (unit, width) = units::unit_at(tokens.rest(at))?;
    Some((unit, tokens.after(at, width)))
}

/// An area or a volume by the length of its side: "square metres", "cubic feet", "m²".
fn raised(tokens: &Tokens<'_>, at: usize, led: &str, unit: &Unit) -> Option<(&'static Unit, usize)> {
    let power = if tokens.touches_next(at) { tokens.at(at + 1) } else { "" };
    let raised = match (led, power) {
        _ if unit.dimension != "length" => None,
        ("square" | "sq", _) | (_, "²" | "2") => units::squared(unit),
        ("cubic" | "cu", _) | (_, "³" | "3") => units::cubed(unit),
        _ => None,
    };
    raised.map(|raised| (raised, at + 1 + usize::from(matches!(power, "²" | "2" | "³" | "3"))))
}

/// Whether the short name of a unit stands a space behind digits: "0.25 g", "12 V"; not in "5 t-shirts", "class 3 g".
fn is_apart(tokens: &Tokens<'_>, at: usize) -> bool {
    let Some(number) = at.checked_sub(1).filter(|number| tokens.is(*number, TokenKind::Number)) else { return false };
    let designates = |before: usize| DESIGNATES.contains(&tokens.word(before));
    let ends = !tokens.touches_next(at) || matches!(tokens.at(at + 1), "." | "," | ";" | "!" | "?" | ")" | "，" | "。");
    let counted = tokens.is(at + 1, TokenKind::Number) || tokens.word(at) == "in";
    ends && !counted && !number.checked_sub(1).is_some_and(designates)
}

/// The unit that stands before its number: "from minute 12", "at mile 40".
pub(crate) fn unit_before(tokens: &Tokens<'_>, at: usize) -> Option<&'static Unit> {
    let before = at.checked_sub(1).filter(|before| BEFORE_ITS_NUMBER.contains(&tokens.word(*before)))?;
    let taken = before.checked_sub(1).is_some_and(|one| {
        tokens.is(one, TokenKind::Number) || matches!(tokens.word(one), "a" | "an" | "per" | "one" | "half" | "each")
    });
    units::unit(tokens.word(before), Short::Counts).filter(|_| !taken && tokens.is(at, TokenKind::Number))
}

/// Words that a number tells apart: the letter behind it belongs to it and is no unit.
pub(crate) const DESIGNATES: &[&str] = word_list!("text", "mentions/measure/designates");
/// Units that count along something, so that they stand before the number.
const BEFORE_ITS_NUMBER: &[&str] = &["minute", "minutes", "mile", "km", "kilometre", "kilometer"];
