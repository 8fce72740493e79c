//! Halves of characters, which JSON can write and no text can hold.
//!
//! A server that cuts a stream between the two halves of a character sends each in a piece of its own. What is JSON
//! again inside of a string, such as the arguments of a call, can be put together from their escapes.

use std::borrow::Cow;

/// Halves of characters as the text of their escape. Arguments of a call are JSON inside of a string: there, two halves
/// that came in two pieces become the escape of one character again, and one that stays alone is found to be wrong.
pub fn keep_halves(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut written = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        let start = at + found;
        let Some(unit) = read_escaped_unit(bytes, start) else {
            // Whatever is escaped, an escape of its own it is not.
            at = start + 2;
            continue;
        };
        let paired = is_high(unit) && read_escaped_unit(bytes, start + ESCAPE).is_some_and(is_low);
        if paired || !(is_high(unit) || is_low(unit)) {
            at = start + if paired { 2 * ESCAPE } else { ESCAPE };
            continue;
        }
        written.push_str(text.get(copied..start).unwrap_or_default());
        written.push('\\');
        (copied, at) = (start, start + ESCAPE);
    }
    if copied == 0 && written.is_empty() {
        return Cow::Borrowed(text);
    }
    written.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(written)
}

/// The unit of an escape such as `\ud83d` at a place.
fn read_escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

const fn is_high(unit: u16) -> bool {
    matches!(unit, 0xD800..=0xDBFF)
}

const fn is_low(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}

/// The length of `\ud83d`.
const ESCAPE: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_without_their_other_half_are_kept() {
        for (text, kept) in [
            (r#""\ud83d \ude00""#, r#""\\ud83d \\ude00""#),
            (r#""\ud83d\ude00 \u00e9 \\ud83d""#, r#""\ud83d\ude00 \u00e9 \\ud83d""#),
            (r#""\ud83d\ud83d\ude00\u12""#, r#""\\ud83d\ud83d\ude00\u12""#),
        ] {
            assert_eq!(keep_halves(text), kept);
        }
    }
}
