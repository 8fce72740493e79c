//! What a single token means: a literal or a number, of JSON or of another language.
//!
//! Pure functions on one token. A token that only looks like a number (a date, a version, a postal code) is none.

use serde_json::{Number, Value};

/// How a token was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// As JSON writes it.
    Exactly,
    /// As another language writes it.
    Otherwise,
    /// JSON has no such value.
    Nowhere,
}

/// The literal that a token is.
pub(super) fn literal(token: &str) -> Option<(Value, Written)> {
    match token {
        "true" => return Some((Value::Bool(true), Written::Exactly)),
        "false" => return Some((Value::Bool(false), Written::Exactly)),
        "null" => return Some((Value::Null, Written::Exactly)),
        _ => {}
    }
    let unsigned = token.strip_prefix(['-', '+']).unwrap_or(token);
    if token.len() > 9 || !unsigned.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    let is = |word: &str| token.eq_ignore_ascii_case(word);
    match () {
        () if is("true") => Some((Value::Bool(true), Written::Otherwise)),
        () if is("false") => Some((Value::Bool(false), Written::Otherwise)),
        () if is("null") || is("none") || token == "nil" => Some((Value::Null, Written::Otherwise)),
        () if token == "undefined" || is("nan") => Some((Value::Null, Written::Nowhere)),
        () if unsigned == "Infinity" || unsigned == "inf" || unsigned == "Inf" => Some((Value::Null, Written::Nowhere)),
        () => None,
    }
}

/// The literal that a token at the end of the text began to be.
pub(super) fn begun_literal(token: &str) -> Option<Value> {
    if token.is_empty() {
        return None;
    }
    let begun = |words: [&str; 2]| words.iter().any(|word| word.starts_with(token));
    match () {
        () if begun(["true", "True"]) => Some(Value::Bool(true)),
        () if begun(["false", "False"]) => Some(Value::Bool(false)),
        () if begun(["null", "None"]) => Some(Value::Null),
        () => None,
    }
}

/// The number that a token is.
pub(super) fn number(token: &str) -> Option<(Number, Written)> {
    let first = *token.as_bytes().first()?;
    if !matches!(first, b'0'..=b'9' | b'-' | b'+' | b'.' | 0xef) {
        return None;
    }
    match strict(token) {
        Some(number) => Some((number, Written::Exactly)),
        None => mend_number(token).map(|number| (number, Written::Otherwise)),
    }
}

/// A number beyond all bounds, such as `1e400`: JSON can write it, and no reader can keep it.
pub(super) fn endless(token: &str) -> Option<(Value, Written)> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let written = digits.starts_with(|c: char| c.is_ascii_digit()) && token.parse::<f64>().is_ok_and(f64::is_infinite);
    written.then_some((Value::Null, Written::Nowhere))
}

/// The number that a token at the end of the text began to be: `1.`, `1e-`.
pub(super) fn begun_number(token: &str) -> Option<Number> {
    let kept = token.trim_end_matches(['-', '+', '.', 'e', 'E']);
    strict(kept).filter(|_| kept.len() < token.len())
}

fn strict(token: &str) -> Option<Number> {
    serde_json::from_str(token).ok()
}

fn mend_number(token: &str) -> Option<Number> {
    let narrow: String;
    let token = match token.is_ascii() {
        true => token,
        false => {
            narrow = token.chars().map(narrow_sign).collect::<Option<_>>()?;
            &narrow
        }
    };
    let (sign, digits) = match token.as_bytes().first()? {
        b'-' => ("-", token.get(1..)?),
        b'+' => ("", token.get(1..)?),
        _ => ("", token),
    };
    if let Some(number) = read_based(sign, digits) {
        return Some(number);
    }
    if !digits.as_bytes().first().is_some_and(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    let digits = digits.strip_suffix(['n', 'L']).unwrap_or(digits);
    let grouped = digits.contains('_') && !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    let digits = if grouped { digits.replace('_', "") } else { digits.to_owned() };
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let body = match zeros {
        // `007` and `08` are numbers that were filled up; a longer one is a code and stays text.
        1.. if digits.len() > zeros && digits.len() <= FILLED_UP => digits.get(zeros..)?,
        _ => &digits,
    };
    let lead = if body.starts_with('.') { "0" } else { "" };
    let body = body.strip_suffix(['e', 'E']).unwrap_or(body).trim_end_matches(['+', '-']);
    let body = body.strip_suffix(['e', 'E']).unwrap_or(body);
    let body = body.strip_suffix('.').unwrap_or(body).replace(".e", "e").replace(".E", "e");
    strict(&format!("{sign}{lead}{body}"))
}

/// Hexadecimal, octal and binary integers.
fn read_based(sign: &str, digits: &str) -> Option<Number> {
    let base = match digits.get(..2)? {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return None,
    };
    let digits = digits.get(2..)?.replace('_', "");
    let size = u64::from_str_radix(&digits, base).ok().filter(|_| !digits.starts_with('+'))?;
    strict(&format!("{sign}{size}"))
}

fn narrow_sign(sign: char) -> Option<char> {
    match sign {
        '０'..='９' | '．' | '－' | '＋' => char::from_u32(sign as u32 - 0xfee0),
        '−' => Some('-'),
        sign if sign.is_ascii() => Some(sign),
        _ => None,
    }
}

/// The longest number with leading zeros.
const FILLED_UP: usize = 3;
