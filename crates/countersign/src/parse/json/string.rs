//! What a string says: escapes resolved, the broken ones included.
//!
//! An escape that JSON does not have keeps its backslash, since `\d` and `\Users` mean just that. An escaped quote of any
//! kind loses it, and the escapes of other languages that can mean nothing else are resolved: `\x41`, `\101`, `\e[`.
//! Half a surrogate pair becomes the replacement character. It never looks beyond the string.

use crate::parse::event::{Kind, Span};

use super::around::EndedBy;
use super::cursor::Cursor;
use super::glyph::Quote;
use super::kind;

impl Cursor<'_> {
    /// The text of a string whose content stands between two places.
    pub(super) fn decoded(&mut self, start: usize, end: usize, by: EndedBy) -> String {
        let raw = self.slice(start, end);
        let bytes = raw.as_bytes();
        if bytes.iter().any(|b| *b < b' ') {
            self.mend(&kind::RAW_CONTROL, Span::new(start, end), "");
        }
        match memchr::memchr(b'\\', bytes) {
            None => raw.to_owned(),
            Some(first) => self.unescape(raw, first, start, by),
        }
    }

    /// The text of a string whose escapes are all JSON's own. Nothing where one is not, or it may be a path.
    pub(super) fn decoded_plain(&self, start: usize, end: usize) -> Option<String> {
        let mut rest = self.slice(start, end);
        if is_windows_path(rest) {
            return None;
        }
        let mut out = String::with_capacity(rest.len());
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            out.push_str(rest.get(..at)?);
            let escape = rest.get(at..)?;
            let (width, trouble) = resolve(escape, EndedBy::Quote, &mut out);
            if trouble.is_some() {
                return None;
            }
            rest = escape.get(width..)?;
        }
        out.push_str(rest);
        Some(out)
    }

    fn unescape(&mut self, raw: &str, first: usize, start: usize, by: EndedBy) -> String {
        let mut out = String::with_capacity(raw.len());
        let path = is_windows_path(raw);
        let mut rest = raw;
        let mut next = Some(first);
        while let Some(at) = next {
            out.push_str(rest.get(..at).unwrap_or_default());
            let escape = rest.get(at..).unwrap_or_default();
            let (width, trouble) = if path { literally(escape, &mut out) } else { resolve(escape, by, &mut out) };
            if let Some(kind) = trouble {
                let place = start + raw.len() - escape.len();
                self.mend(kind, Span::new(place, place + width), "");
            }
            rest = escape.get(width..).unwrap_or_default();
            next = memchr::memchr(b'\\', rest.as_bytes());
        }
        out.push_str(rest);
        out
    }
}

/// Resolves the escape that `text` begins with. Gives its width and what was wrong with it.
fn resolve(text: &str, by: EndedBy, out: &mut String) -> (usize, Option<&'static Kind>) {
    let Some(sign) = text.get(1..).and_then(|rest| rest.chars().next()) else { return (1, Some(&kind::CUT_VALUE)) };
    let plain = match sign {
        '"' | '\\' | '/' => sign,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' if text.get(2..3) == Some("{") => return long_unicode(text, out),
        'u' => return unicode(text, by, out),
        'U' => return long_unicode(text, out),
        sign if Quote::of(sign).is_some() => {
            out.push(sign);
            return (1 + sign.len_utf8(), Some(&kind::BAD_ESCAPE));
        }
        '0' | '1' if let Some(sign) = octal(text) => {
            out.push(sign);
            return (4, Some(&kind::BAD_ESCAPE));
        }
        // Without the bracket of a terminal's control sequence it may as well be `\epsilon`.
        'e' if text.get(2..3) == Some("[") => {
            out.push('\u{1b}');
            return (2, Some(&kind::BAD_ESCAPE));
        }
        '\n' => return (2, Some(&kind::BAD_ESCAPE)),
        '\r' if text.get(2..3) == Some("\n") => return (3, Some(&kind::BAD_ESCAPE)),
        'x' => {
            if let Some(code) = text.get(2..4).and_then(hex) {
                out.extend(char::from_u32(code));
                return (4, Some(&kind::BAD_ESCAPE));
            }
            out.push('\\');
            return (1, Some(&kind::BAD_ESCAPE));
        }
        _ => {
            out.push('\\');
            return (1, Some(&kind::BAD_ESCAPE));
        }
    };
    out.push(plain);
    (2, None)
}

/// A character as other languages escape it: `\u{1F600}`, `\U0001F600`.
fn long_unicode(text: &str, out: &mut String) -> (usize, Option<&'static Kind>) {
    let (digits, width) = match text.strip_prefix("\\u{") {
        Some(rest) => {
            let close = rest.bytes().take(MOST_DIGITS + 1).position(|b| b == b'}').unwrap_or(0);
            (rest.get(..close), close + 4)
        }
        None => (text.get(2..10), 10),
    };
    match digits.and_then(hex).and_then(char::from_u32) {
        Some(sign) => {
            out.push(sign);
            (width, Some(&kind::BAD_ESCAPE))
        }
        None => {
            out.push('\\');
            (1, Some(&kind::BAD_ESCAPE))
        }
    }
}

fn unicode(text: &str, by: EndedBy, out: &mut String) -> (usize, Option<&'static Kind>) {
    let digits = text.get(2..).unwrap_or_default();
    let Some(code) = digits.get(..4).and_then(hex) else {
        // Cut by the end of the string: nothing can be said of the character.
        let cut = by == EndedBy::Cut && digits.len() < 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        if !cut {
            out.push('\\');
        }
        return if cut { (text.len(), Some(&kind::CUT_VALUE)) } else { (1, Some(&kind::BAD_ESCAPE)) };
    };
    if let Some(sign) = char::from_u32(code) {
        out.push(sign);
        return (6, None);
    }
    let low = text.get(6..).and_then(|rest| rest.strip_prefix("\\u")).and_then(|rest| rest.get(..4)).and_then(hex);
    match low {
        Some(low @ 0xdc00..=0xdfff) if code < 0xdc00 => {
            out.extend(char::from_u32(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)));
            (12, None)
        }
        // The other half may have been cut off; then there is nothing to replace.
        None if by == EndedBy::Cut && code < 0xdc00 && text.len() < 12 => {
            let half = "\\u".starts_with(text.get(6..8.min(text.len())).unwrap_or("x"));
            if !half {
                out.push(char::REPLACEMENT_CHARACTER);
            }
            if half { (text.len(), Some(&kind::CUT_VALUE)) } else { (6, Some(&kind::LONE_SURROGATE)) }
        }
        _ => {
            out.push(char::REPLACEMENT_CHARACTER);
            (6, Some(&kind::LONE_SURROGATE))
        }
    }
}

fn hex(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// A character of ASCII by its number in three octal digits. Fewer digits are a group of a regular expression, `(a)\1`,
/// and more are part of a path: `logs\1024`.
fn octal(text: &str) -> Option<char> {
    let digits = text.get(1..4).filter(|digits| digits.bytes().all(|b| matches!(b, b'0'..=b'7')))?;
    let longer = text.as_bytes().get(4).is_some_and(u8::is_ascii_digit);
    u8::from_str_radix(digits, 8).ok().filter(|_| !longer).map(char::from)
}

/// A backslash of a path: two make one, one stays.
fn literally(text: &str, out: &mut String) -> (usize, Option<&'static Kind>) {
    out.push('\\');
    if text.starts_with("\\\\") { (2, None) } else { (1, Some(&kind::BAD_ESCAPE)) }
}

/// A drive, single backslashes, and at least one that JSON could not mean: `C:\Users\new`.
fn is_windows_path(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && raw.get(1..3) == Some(":\\");
    if !drive || !bytes.get(3).is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80) {
        return false;
    }
    let mut at = 2;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += step;
        match bytes.get(at + 1) {
            Some(b'u') if raw.get(at + 2..at + 6).and_then(hex).is_none() => return true,
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u') => at += 2,
            Some(_) => return true,
            None => return false,
        }
    }
    false
}

/// The most digits of a character in braces.
const MOST_DIGITS: usize = 6;
