//! How long the things are that the lexer takes whole: numbers with separators, addresses, code.

use super::tokens::Shape;

/// The shape and the length of the address that a text begins with.
pub(super) fn address_length(rest: &[u8]) -> Option<(Shape, usize)> {
    let starts =
        |prefix: &str| rest.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()));
    let shape = match rest.first().copied().unwrap_or_default() | 0x20 {
        b'h' if starts("http://") || starts("https://") => Shape::Url,
        b'f' if starts("ftp://") => Shape::Url,
        b'w' if starts("www.") => Shape::Url,
        b'd' if starts("doi:") => Shape::Reference,
        b'a' if starts("arxiv:") => Shape::Reference,
        _ => return None,
    };
    let skip = if starts("doi: ") { 5 } else { 0 };
    let inside = |byte: &&u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`' | b'|');
    let length = skip + rest.get(skip..).unwrap_or_default().iter().take_while(inside).count();
    let length = trim_address(rest.get(..length).unwrap_or_default());
    (length >= 8).then_some((shape, length))
}

/// The length of inline code or of a fence, or how many ticks stand there alone.
pub(super) fn code_length(rest: &str) -> Result<usize, usize> {
    let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
    let body = rest.get(ticks..).unwrap_or_default();
    let fence = rest.get(..ticks).unwrap_or_default();
    // Inline code ends on its line; a fence that never closes runs to the end.
    let close = match ticks {
        1 | 2 => body.find(fence).filter(|at| !body.get(..*at).unwrap_or_default().contains('\n')),
        _ => Some(body.find(fence).unwrap_or(body.len())),
    };
    close.map(|at| (ticks + at + ticks).min(rest.len())).ok_or(ticks)
}

/// How long an address is without the punctuation that belongs to the sentence.
fn trim_address(address: &[u8]) -> usize {
    let count = |sign: u8| address.iter().filter(|byte| **byte == sign).count();
    let over = |close: u8, open: u8| count(close).saturating_sub(count(open));
    let (mut round, mut square, mut curly) = (over(b')', b'('), over(b']', b'['), over(b'}', b'{'));
    let mut length = address.len();
    while let Some(last) = address.get(..length).and_then(<[u8]>::last) {
        let spare = match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' => {
                length -= 1;
                continue;
            }
            b')' => &mut round,
            b']' => &mut square,
            b'}' => &mut curly,
            _ => break,
        };
        if *spare == 0 {
            break;
        }
        *spare -= 1;
        length -= 1;
    }
    length
}

/// How long the number is that a text begins with.
pub(super) fn digits_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let plain = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Most numbers end with their first digits.
    if !matches!(bytes.get(plain), Some(b',' | b'.' | 0x80..)) { plain } else { measure_divided(text, plain) }
}

/// The length of a number with separators, whose first bytes are known to be digits.
fn measure_divided(text: &str, plain: usize) -> usize {
    let mut length = plain;
    let run = |from: usize| text.get(from..).unwrap_or_default().chars().take(4).take_while(|c| is_digit(*c)).count();
    let mut pointed = false;
    for (at, c) in text.get(plain..).unwrap_or_default().char_indices() {
        let (at, behind) = (plain + at, plain + at + c.len_utf8());
        if is_digit(c) {
            length = behind;
            continue;
        }
        match c {
            ',' | '，' if !pointed && run(behind) == 3 && (c == ',' || full_width_before(text, at)) => {}
            '.' | '．' if !pointed && run(behind) > 0 => pointed = true,
            _ => break,
        }
    }
    length
}

/// A full-width comma divides thousands only between full-width digits.
fn full_width_before(text: &str, at: usize) -> bool {
    text.get(..at).and_then(|head| head.chars().next_back()).is_some_and(|c| ('０'..='９').contains(&c))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

/// Whether a character is of full width.
pub(super) fn full_width(c: char) -> bool {
    ('\u{ff00}'..='\u{ffef}').contains(&c)
}
