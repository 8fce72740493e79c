//! The bare number: digits, English number words, Chinese numerals, halves, dozens and scales.

use super::lexer::TokenKind;
use super::tokens::Tokens;
use crate::text::lists::word_list;
use crate::text::numbers::numerals::SMALL;

/// A number and the token after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Numeral {
    /// Its value.
    pub value: f64,
    /// The token after it.
    pub next: usize,
    /// Whether it was written in digits.
    pub digits: bool,
}

/// The number that begins at a token.
pub(crate) fn read(tokens: &Tokens<'_>, at: usize) -> Option<Numeral> {
    match tokens.get(at)?.kind {
        TokenKind::Number => digits(tokens, at),
        TokenKind::Word => spelled(tokens, at),
        TokenKind::Han => han(tokens, at),
        _ => None,
    }
}

fn digits(tokens: &Tokens<'_>, at: usize) -> Option<Numeral> {
    let value: f64 = tokens.at(at).replace([',', '\''], "").parse().ok()?;
    let mut number = Numeral { value, next: at + 1, digits: true };
    if tokens.words_are(number.next, &["and", "a", "half"]) {
        return Some(Numeral { value: value + 0.5, next: number.next + 3, digits: true });
    }
    if tokens.at(number.next) == "½" {
        return Some(Numeral { value: value + 0.5, next: number.next + 1, digits: true });
    }
    for _ in 0..2 {
        let Some((scale, next)) = scale(tokens, number.next, tokens.touches_next(number.next - 1)) else { break };
        number = Numeral { value: number.value * scale, next, digits: true };
    }
    // 1万2 is 12,000.
    if tokens.before(number.next).ends_with('万')
        && tokens.is(number.next, TokenKind::Number)
        && tokens.at(number.next).len() == 1
    {
        let tail: f64 = tokens.at(number.next).parse().ok()?;
        number = Numeral { value: number.value + tail * 1e3, next: number.next + 1, digits: true };
    }
    number.value.is_finite().then_some(number)
}

/// A word or sign that multiplies the number before it.
fn scale(tokens: &Tokens<'_>, at: usize, touches: bool) -> Option<(f64, usize)> {
    let word = tokens.word(at);
    let plain = match word {
        "hundred" => 1e2,
        "thousand" | "grand" => 1e3,
        "million" | "mn" => 1e6,
        "billion" | "bn" => 1e9,
        "dozen" => 12.0,
        "k" if touches => 1e3,
        _ => 0.0,
    };
    if plain > 0.0 {
        return Some((plain, at + 1));
    }
    let han = match tokens.at(at) {
        "百" => 1e2,
        "千" if !is_kilo(tokens, at) => 1e3,
        "万" => 1e4,
        "亿" => 1e8,
        _ => return None,
    };
    Some((han, at + 1))
}

/// Whether 千 belongs to the unit behind it: 七千瓦 are seven kilowatts.
fn is_kilo(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.at(at + 1), "克" | "米" | "瓦" | "卡" | "帕" | "赫" | "伏" | "字")
}

/// English number words: `twenty five`, `a hundred`, `two and a half`, `half a dozen`, `a dozen`.
fn spelled(tokens: &Tokens<'_>, at: usize) -> Option<Numeral> {
    let number = |value: f64, next: usize| Some(Numeral { value, next, digits: false });
    let word = tokens.word(at);
    if word == "half" && matches!(tokens.word(at + 1), "a" | "an") {
        return match tokens.word(at + 2) {
            "dozen" => number(6.0, at + 3),
            _ => number(0.5, at + 2),
        };
    }
    if matches!(word, "a" | "an") {
        return match tokens.word(at + 1) {
            "dozen" if tokens.words_are(at + 2, &["and", "a", "half"]) => number(18.0, at + 5),
            "dozen" => number(12.0, at + 2),
            "couple" => number(2.0, at + 2),
            "hundred" | "thousand" | "million" => {
                let (scale, next) = scale(tokens, at + 1, false)?;
                rest_of(tokens, next, scale)
            }
            _ => None,
        };
    }
    if let Some(found) = quarters(tokens, at) {
        return Some(found);
    }
    let first = small(word)?;
    let mut value = first;
    let mut next = at + 1;
    let joined = |at: usize| if tokens.at(at) == "-" { at + 1 } else { at };
    if (20.0..100.0).contains(&first)
        && let Some(ones) = small(tokens.word(joined(next))).filter(|ones| *ones < 10.0)
    {
        (value, next) = (value + ones, joined(next) + 1);
    }
    if tokens.words_are(next, &["and", "a", "half"]) {
        // "two and a half dozen".
        let (by, after) = scale(tokens, next + 3, false).unwrap_or((1.0, next + 3));
        return number((value + 0.5) * by, after);
    }
    match scale(tokens, next, false) {
        Some((12.0, after)) => number(value * 12.0, after),
        Some((by, after)) => rest_of(tokens, after, value * by),
        None => number(value, next),
    }
}

/// `three quarters of an hour`, `quarter of a litre`, `a third of`.
fn quarters(tokens: &Tokens<'_>, at: usize) -> Option<Numeral> {
    let count = small(tokens.word(at));
    let part = if count.is_some() { at + 1 } else { at };
    let share = match tokens.word(part) {
        "quarters" | "quarter" => 0.25,
        "thirds" => 1.0 / 3.0,
        _ => return None,
    };
    let of = tokens.word(part + 1) == "of" && matches!(tokens.word(part + 2), "a" | "an");
    of.then(|| Numeral { value: count.unwrap_or(1.0) * share, next: part + 3, digits: false })
}

/// What follows a hundred or a thousand: `two hundred and fifty`, `three thousand five hundred`.
fn rest_of(tokens: &Tokens<'_>, at: usize, value: f64) -> Option<Numeral> {
    let from = if tokens.word(at) == "and" { at + 1 } else { at };
    let more = (value >= 100.0).then(|| small(tokens.word(from)).and_then(|_| spelled(tokens, from))).flatten();
    match more.filter(|more| more.value < value) {
        Some(more) => Some(Numeral { value: value + more.value, next: more.next, digits: false }),
        None => Some(Numeral { value, next: at, digits: false }),
    }
}

/// The number of one English word.
pub(crate) fn small(word: &str) -> Option<f64> {
    match word {
        "zero" => Some(0.0),
        "one" => Some(1.0),
        // A dozen multiplies what stands before it.
        "dozen" => None,
        _ => SMALL.iter().find(|(name, _)| *name == word).map(|(_, value)| *value),
    }
}

/// Chinese numerals: 三, 十二, 一百五, 两千, 1万, 半.
fn han(tokens: &Tokens<'_>, at: usize) -> Option<Numeral> {
    if tokens.at(at) == "半" {
        return Some(Numeral { value: 0.5, next: at + 1, digits: false });
    }
    let (mut total, mut section, mut digit, mut last) = (0.0f64, 0.0f64, None::<f64>, 1.0f64);
    let mut next = at;
    while next < at + MAX_NUMERALS {
        let sign = tokens.at(next);
        if sign == "千" && is_kilo(tokens, next) {
            break;
        }
        if let Some(value) = HAN_DIGITS.iter().position(|d| *d == sign) {
            // A row of digits is read as one number: 二〇二六.
            digit = Some(digit.map_or(value as f64, |digit| digit * 10.0 + value as f64));
        } else if sign == "两" {
            digit = Some(2.0);
        } else if let Some(scale) = [("十", 10.0), ("百", 100.0), ("千", 1000.0)].iter().find(|s| s.0 == sign) {
            section += digit.unwrap_or(1.0) * scale.1;
            (digit, last) = (None, scale.1);
        } else if let Some(scale) = [("万", 1e4), ("亿", 1e8)].iter().find(|s| s.0 == sign).filter(|_| next > at) {
            total = (total + section + digit.unwrap_or(0.0)) * scale.1;
            (section, digit, last) = (0.0, None, scale.1);
        } else {
            break;
        }
        next += 1;
    }
    if next == at {
        return None;
    }
    // 一百五 is 150, and 一百零五 is 105.
    let spoken = digit.filter(|_| last >= 100.0 && tokens.at(next.wrapping_sub(2)) != "零");
    let value = total + section + spoken.map_or(digit.unwrap_or(0.0), |digit| digit * last / 10.0);
    Some(Numeral { value, next, digits: false })
}

const MAX_NUMERALS: usize = 16;
const HAN_DIGITS: &[&str] = word_list!("text", "mentions/numerals/han-digits");

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-1
    #[test]
    fn numbers_are_read_in_their_forms() {
        for (text, value) in [
            ("1,234.5", 1234.5),
            ("100k", 100_000.0),
            ("twenty-five", 25.0),
            ("two hundred and fifty", 250.0),
            ("a hundred", 100.0),
            ("a dozen", 12.0),
            ("half a dozen", 6.0),
            ("two and a half", 2.5),
            ("3万", 30_000.0),
            ("十二", 12.0),
            ("两千五", 2500.0),
            ("一百零五", 105.0),
            ("一百五", 150.0),
            ("三十", 30.0),
            ("半", 0.5),
            ("two dozen", 24.0),
        ] {
            let tokens = Tokens::of(text);
            assert_eq!(
                read(&tokens, 0).map(|number| (number.value, number.next)),
                Some((value, tokens.len())),
                "{text}"
            );
        }
        assert!(read(&Tokens::of("an apple"), 0).is_none());
    }
}
