//! Numbers and booleans as people write them: `1,234.50`, `1/5`, `$3`, `3万`, True, yes, or somewhere in a sentence.
//!
//! A sentence counts only when it leaves no choice: it holds one number, or speaks of one truth value more often than
//! of the other. Nothing here calculates beyond a fraction and the Chinese myriads.

use crate::text::fold::fold_name;
use serde_json::{Number, Value};

/// How much of the text the reading used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it, but for quotes, emphasis, currency and closing marks.
    Whole,
    /// A part of it: the rest are words.
    Part,
}

/// The number that a text means.
pub(super) fn number(text: &str) -> Option<(Number, Extent)> {
    let narrow: String;
    let text = match text.is_ascii() {
        true => text,
        false => {
            narrow = text.chars().map(narrow_digit).collect();
            &narrow
        }
    };
    let bare = text.trim_matches(is_wrapping).trim_end_matches(is_closing).trim_end();
    if let Some(whole) = read_written(bare) {
        return Some((whole, Extent::Whole));
    }
    if let Some((over, under)) = bare.split_once('/')
        && let (Some(over), Some(under)) = (read_written(over.trim()), read_written(under.trim()))
    {
        let (over, under) = (over.as_f64()?, under.as_f64()?);
        return Some((Number::from_f64(over / under)?, Extent::Whole));
    }
    let mut tokens = Tokens { text: bare, at: 0 };
    let only = tokens.next()?;
    if tokens.next().is_some() {
        return None;
    }
    let value = only.value?;
    let all = bare.get(..only.start).is_some_and(all_money) && bare.get(only.end..).is_some_and(all_money);
    Some((value, if all { Extent::Whole } else { Extent::Part }))
}

/// The truth value that a text means.
pub(super) fn boolean(text: &str) -> Option<(bool, Extent)> {
    if text.len() <= LONGEST_WORD {
        let folded = fold_name(text);
        if let Some((value, _)) = TRUTHS.iter().find(|(_, words)| words.contains(&folded.as_str())) {
            return Some((*value, Extent::Whole));
        }
    }
    let (mut yes, mut no) = (0_usize, 0_usize);
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        yes += usize::from(word.eq_ignore_ascii_case("true"));
        no += usize::from(word.eq_ignore_ascii_case("false"));
    }
    (yes != no).then_some((yes > no, Extent::Part))
}

/// Whether a text says that there is nothing.
pub(super) fn is_null(text: &str) -> bool {
    matches!(text.trim(), "" | "null" | "Null" | "NULL" | "none" | "None" | "nil" | "undefined")
}

/// Whether two JSON values are equal, where 1 and 1.0 are the same number.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.as_f64() == other.as_f64() && !both_whole(one, other))
        }
        _ => one == other,
    }
}

/// Whether a number has no fraction.
pub(super) fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Two integers of 64 bits are compared as such: a float would blur them.
fn both_whole(one: &Number, other: &Number) -> bool {
    !one.is_f64() && !other.is_f64()
}

/// A text that is a JSON number, as far as Rust reads it, without the words for infinity.
fn read_written(text: &str) -> Option<Number> {
    if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E')) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    Number::from_f64(text.parse::<f64>().ok()?)
}

/// A number in a text, and where it is. The value is absent where the separators make no sense, as in a date.
struct Token {
    value: Option<Number>,
    start: usize,
    end: usize,
}

/// Walks over the numbers of a text, once and without looking back.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let bytes = self.text.as_bytes();
        loop {
            let digit = self.at + bytes.get(self.at..)?.iter().position(u8::is_ascii_digit)?;
            let before = self.text.get(self.at..digit).unwrap_or_default();
            let end = number_end(bytes, digit);
            self.at = end;
            // `A4` is a name and no number.
            if before
                .chars()
                .next_back()
                .is_some_and(|letter| letter.is_alphanumeric() && letter.is_ascii() || letter == '_')
            {
                continue;
            }
            let point = usize::from(before.ends_with('.'));
            let sign = before.get(..before.len() - point).and_then(sign_length).unwrap_or(0);
            let start = digit - point - sign;
            let value = interpret(self.text.get(start..end).unwrap_or_default());
            let (scale, rest) = scale(self.text.get(end..).unwrap_or_default());
            let value = value.and_then(|value| multiply(value, scale?));
            self.at = end + rest;
            return Some(Token { value, start, end: self.at });
        }
    }
}

/// The bytes of a sign that ends `before` and is not a hyphen between words.
fn sign_length(before: &str) -> Option<usize> {
    let rest = before.strip_suffix(['-', '+']).or_else(|| before.strip_suffix('−'))?;
    let free = rest.chars().next_back().is_none_or(|letter| !letter.is_alphanumeric());
    free.then_some(before.len() - rest.len())
}

/// One past the last byte of the number that begins at `at`: digits, separators between digits, an exponent.
fn number_end(bytes: &[u8], mut at: usize) -> usize {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    while digit(at) || (matches!(bytes.get(at), Some(b',' | b'.' | b'_' | b'\'')) && digit(at + 1)) {
        at += 1;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if digit(at + 1 + signed) {
            at += 1 + signed;
            while digit(at) {
                at += 1;
            }
        }
    }
    at
}

/// What the word after a number makes of it, and how long that word is. Absent for a word that we do not calculate.
fn scale(rest: &str) -> (Option<f64>, usize) {
    for (word, factor) in [("万", 1e4), ("萬", 1e4), ("亿", 1e8), ("億", 1e8)] {
        if rest.starts_with(word) {
            return (Some(factor), word.len());
        }
    }
    let word: String =
        rest.trim_start_matches(' ').chars().take(LONGEST_WORD).take_while(char::is_ascii_alphabetic).collect();
    let unsure = ["k", "thousand", "million", "billion", "trillion", "hundred", "dozen", "bn", "mn"];
    (if unsure.contains(&word.to_ascii_lowercase().as_str()) { None } else { Some(1.0) }, 0)
}

fn multiply(value: Number, factor: f64) -> Option<Number> {
    if (factor - 1.0).abs() < f64::EPSILON {
        return Some(value);
    }
    let product = value.as_f64()? * factor;
    #[expect(clippy::cast_possible_truncation, reason = "the bound is checked, and the product has no fraction")]
    match product.fract() == 0.0 && product.abs() < EXACT {
        true => Some((product as i64).into()),
        false => Number::from_f64(product),
    }
}

/// A number with separators. The last kind of separator is the decimal one, unless it groups thousands.
fn interpret(token: &str) -> Option<Number> {
    let plain: String = token
        .chars()
        .filter(|letter| !matches!(letter, '_' | '\''))
        .map(|letter| if letter == '−' { '-' } else { letter })
        .collect();
    let (commas, dots) = (plain.matches(',').count(), plain.matches('.').count());
    let decimal = match (commas, dots) {
        (0, 0 | 1) => return read_written(&plain),
        (0, _) => None,
        (1, 0) if !is_grouped(&plain, ',') => Some(','),
        (_, 0) => None,
        _ if plain.rfind(',') > plain.rfind('.') => Some(','),
        _ => Some('.'),
    };
    let (whole, fraction) = match decimal {
        Some(mark) if plain.matches(mark).count() == 1 => plain.split_once(mark)?,
        Some(_) => return None,
        None => (plain.as_str(), ""),
    };
    let mark = if commas > 0 && decimal != Some(',') { ',' } else { '.' };
    if whole.contains(mark) && !is_grouped(whole, mark) {
        return None;
    }
    let joined: String = whole.chars().filter(|letter| *letter != mark).collect();
    read_written(&if fraction.is_empty() { joined } else { format!("{joined}.{fraction}") })
}

/// Whether the digits stand in groups of three, or as in India in twos before the last three.
fn is_grouped(whole: &str, mark: char) -> bool {
    let mut groups = whole.trim_start_matches(['-', '+']).split(mark);
    let first = groups.next().unwrap_or_default();
    let mut rest: Vec<&str> = groups.collect();
    let last = rest.pop().unwrap_or_default();
    let size = |size: usize| rest.iter().all(|group| group.len() == size);
    (1..=3).contains(&first.len()) && first != "0" && last.len() == 3 && (size(3) || (size(2) && first.len() <= 2))
}

/// Whether nothing but blanks and signs of currency stand here: a percent sign may change the value.
fn all_money(text: &str) -> bool {
    let word = text.trim();
    CURRENCIES.iter().any(|code| word.eq_ignore_ascii_case(code))
        || word.chars().all(|letter| letter.is_whitespace() || "$€£¥￥₹₽₩₪₫₴₦₱฿₵₲₡₺₼₸₿".contains(letter))
}

fn narrow_digit(letter: char) -> char {
    match letter {
        '０'..='９' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        '，' => ',',
        '．' => '.',
        other => other,
    }
}

fn is_wrapping(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '*' | '“' | '”')
}

fn is_closing(letter: char) -> bool {
    matches!(letter, '.' | ',' | ';' | '。' | '，' | '；' | '!' | '！' | '*')
}

/// What counts as true and false when it is all that is said.
const TRUTHS: [(bool, &[&str]); 2] = [(true, &["true", "yes", "是", "真"]), (false, &["false", "no", "否", "假"])];

/// Codes of currencies that may stand beside an amount.
const CURRENCIES: [&str; 10] = ["usd", "eur", "gbp", "cny", "rmb", "jpy", "inr", "chf", "rs.", "元"];

/// No single word that matters here is longer.
const LONGEST_WORD: usize = 32;

/// Below this every integer is a float exactly.
const EXACT: f64 = 9e15;

#[cfg(test)]
mod tests {
    use super::{Extent, boolean, number};

    fn whole(text: &str) -> Option<f64> {
        number(text).filter(|(_, extent)| *extent == Extent::Whole).and_then(|(number, _)| number.as_f64())
    }

    fn part(text: &str) -> Option<f64> {
        number(text).filter(|(_, extent)| *extent == Extent::Part).and_then(|(number, _)| number.as_f64())
    }

    // PARSE-2
    #[test]
    fn numbers_are_read_as_people_write_them() {
        let cases = [
            ("-7", -7.0),
            ("31,415", 31415.0),
            ("31.415,9", 31415.9),
            ("2,718.28", 2718.28),
            ("3,25", 3.25),
            ("3/4", 0.75),
            ("$2,500.75", 2500.75),
            ("9.25.", 9.25),
            ("**42**", 42.0),
            ("12,34,567", 1_234_567.0),
            ("3.5万", 35_000.0),
            ("１２３", 123.0),
            ("1e3", 1000.0),
            ("-2,000.00", -2000.0),
            ("300 USD", 300.0),
            ("1_000", 1000.0),
        ];
        for (text, expected) in cases {
            assert_eq!(whole(text), Some(expected), "{text}");
        }
    }

    // PARSE-2
    #[test]
    fn a_sentence_gives_its_only_number_and_no_other() {
        assert_eq!(part("2 spoons of sugar"), Some(2.0));
        assert_eq!(part("12.5%"), Some(12.5));
        assert_eq!(part("It is 17 degrees."), Some(17.0));
        assert_eq!(part("大约有 20 人"), Some(20.0));
        for text in [
            "between 2 and 3",
            "2024-05-06",
            "1.2.3",
            "A4 paper",
            "about 5 million",
            "",
            "none",
            "inf",
            "NaN",
            "1,23,4",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    // PARSE-2
    #[test]
    fn truth_is_taken_where_it_is_said_more_often() {
        assert_eq!(boolean(" TRUE "), Some((true, Extent::Whole)));
        assert_eq!(boolean("否"), Some((false, Extent::Whole)));
        assert_eq!(boolean("I think it is **False**, since..."), Some((false, Extent::Part)));
        assert_eq!(boolean("true or false?"), None);
        assert_eq!(boolean("untrue"), None);
    }
}
