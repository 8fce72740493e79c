//! The fast lane: well-formed stretches of a value, token after token, without a second look.
//!
//! It reads only what strict JSON would allow and what the tolerant reader would read the same way, and stops in front of
//! anything else, so that it never changes a result. Most of a broken document is well-formed; this is why broken
//! documents cost hardly more than good ones.

use serde_json::{Number, Value};

use crate::parse::event::Span;

use super::around::ValuePosition;
use super::cursor::Cursor;
use super::frame::Shape;
use super::glyph;
use super::reader::Reader;

impl Reader<'_> {
    /// Reads on while the text is well-formed.
    pub(super) fn lane(&mut self) {
        while let Some((shape, byte)) = self.lane_token() {
            let read = match shape {
                Shape::Object => self.lane_member(byte),
                _ => self.lane_value(byte, ValuePosition::Element),
            };
            if read.is_none() {
                return;
            }
        }
    }

    /// Goes over a comma and closing brackets to the next key or element. Nothing where it cannot be one.
    #[inline]
    fn lane_token(&mut self) -> Option<(Shape, u8)> {
        while !self.frames.is_empty() {
            self.cursor.skip_plain_blanks();
            let at = self.cursor.at;
            let byte = self.cursor.byte(at)?;
            let open = self.frames.len();
            let frame = self.frames.last_mut()?;
            if !matches!(frame.shape, Shape::Array | Shape::Object) {
                return None;
            }
            match byte {
                b',' if frame.due => {
                    frame.due = false;
                    frame.comma = Some(Span::new(at, at + 1));
                    self.cursor.at = at + 1;
                }
                // The outermost bracket is looked at more closely: the object may go on after it.
                b'}' | b']' if open > 1 && frame.comma.is_none() && frame.shape.closed_by(byte) => {
                    self.cursor.at = at + 1;
                    self.close();
                }
                _ if frame.due => return None,
                _ => return Some((frame.shape, byte)),
            }
        }
        None
    }

    #[inline]
    fn lane_member(&mut self, byte: u8) -> Option<()> {
        if byte != b'"' {
            return None;
        }
        let (start, end, escaped, _) = self.cursor.plain_string(ValuePosition::Key)?;
        let key =
            if escaped { self.cursor.decoded_plain(start, end)? } else { self.cursor.slice(start, end).to_owned() };
        // A key in quotes is taken in the lane only with its colon.
        self.cursor.at = end + 2;
        self.keys.push(key);
        self.cursor.skip_plain_blanks();
        let value = self.cursor.byte(self.cursor.at).and_then(|byte| self.lane_value(byte, ValuePosition::Member));
        if value.is_none() {
            self.member_value();
        }
        Some(())
    }

    #[inline]
    fn lane_value(&mut self, byte: u8, place: ValuePosition) -> Option<()> {
        let value = match byte {
            b'"' => {
                let (start, end, escaped, next) = self.cursor.plain_string(place)?;
                let text = if escaped {
                    self.cursor.decoded_plain(start, end)?
                } else {
                    self.cursor.slice(start, end).to_owned()
                };
                self.cursor.at = next;
                Value::String(text)
            }
            b'{' | b'[' => return self.lane_open(if byte == b'{' { Shape::Object } else { Shape::Array }),
            b'0'..=b'9' | b'-' => Value::Number(self.cursor.plain_number(place)?),
            b't' => self.cursor.plain_word("true", Value::Bool(true))?,
            b'f' => self.cursor.plain_word("false", Value::Bool(false))?,
            b'n' => self.cursor.plain_word("null", Value::Null)?,
            _ => return None,
        };
        self.finish(value);
        Some(())
    }
}

impl Cursor<'_> {
    #[inline]
    fn skip_plain_blanks(&mut self) {
        self.at = self.after_plain_blanks(self.at);
    }

    /// The content of the string at this place, whether it has escapes, and the next token. Nothing where it holds a control character,
    /// or what follows its quote is not just what strict JSON allows there.
    #[inline]
    fn plain_string(&self, place: ValuePosition) -> Option<(usize, usize, bool, usize)> {
        let start = self.at + 1;
        let (end, escaped) = self.plain_end(start)?;
        let next = self.closes_plainly(end + 1, place)?;
        Some((start, end, escaped, next))
    }

    /// The next quote, and whether escapes come before it.
    #[inline]
    fn plain_end(&self, start: usize) -> Option<(usize, bool)> {
        let bytes = self.text.as_bytes();
        let (mut at, mut escaped) = (start, false);
        loop {
            while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| <[u8; 8]>::try_from(chunk).ok()) {
                let found = special(u64::from_le_bytes(chunk));
                at += found.trailing_zeros() as usize / 8;
                if found != 0 {
                    break;
                }
            }
            match *bytes.get(at)? {
                b'"' => return Some((at, escaped)),
                b'\\' => {
                    escaped = true;
                    at += 2;
                }
                0..=0x1f => return None,
                _ => at += 1,
            }
        }
    }

    /// The next token after a string, if it is plainly what should be there. Nothing where a closer look is needed.
    #[inline]
    fn closes_plainly(&self, after: usize, place: ValuePosition) -> Option<usize> {
        if place == ValuePosition::Key {
            return (self.byte(after) == Some(b':')).then_some(after);
        }
        let next = self.after_plain_blanks(after);
        let plain = match self.byte(next) {
            Some(b',') => match self.byte(self.after_plain_blanks(next + 1)) {
                Some(b'"') => true,
                Some(b'{' | b'[') => place == ValuePosition::Element,
                _ => false,
            },
            Some(b'}' | b']') => {
                matches!(self.byte(self.after_plain_blanks(next + 1)), Some(b',' | b'}' | b']') | None)
            }
            _ => false,
        };
        plain.then_some(next)
    }

    /// Past JSON's own blanks. Indentation goes by eight.
    #[inline]
    fn after_plain_blanks(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while bytes.get(at).is_some_and(|b| *b <= b' ') {
            if bytes.get(at + 1..at + 9) == Some(b"        ") {
                at += 8;
            }
            if !bytes.get(at).is_some_and(|b| glyph::is_plain_blank(*b)) {
                break;
            }
            at += 1;
        }
        at
    }

    /// A number as JSON writes it, that a comma, a bracket or a new line follows.
    #[inline]
    fn plain_number(&mut self, place: ValuePosition) -> Option<Number> {
        let bytes = self.text.as_bytes();
        let negative = bytes.get(self.at) == Some(&b'-');
        let start = self.at + usize::from(negative);
        let (mut at, mut sum, mut point) = (start, 0_u64, None);
        loop {
            match *bytes.get(at)? {
                digit @ b'0'..=b'9' => sum = sum * 10 + u64::from(digit - b'0'),
                b'.' if point.is_none() && at > start => point = Some(at),
                _ => break,
            }
            at += 1;
            // Up to 15 digits every step is exact, whichever way a float is read.
            if at - start > EXACT_DIGITS {
                return None;
            }
        }
        let ends = match bytes.get(at)? {
            // In an object, `1,234` may be one number.
            b',' => place != ValuePosition::Member || !bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            b'}' | b']' | b'\n' => true,
            _ => false,
        };
        let filled_up = bytes.get(start) == Some(&b'0') && at > start + 1 && point != Some(start + 1);
        if !ends || at == start || filled_up || (negative && sum == 0) {
            return None;
        }
        let number = match point {
            None if negative => Number::from(-i64::try_from(sum).ok()?),
            None => Number::from(sum),
            Some(point) => {
                let size = sum as f64 / *TENS.get(at - point - 1).filter(|_| at > point + 1)?;
                Number::from_f64(if negative { -size } else { size })?
            }
        };
        self.at = at;
        Some(number)
    }

    #[inline]
    fn plain_word(&mut self, word: &str, value: Value) -> Option<Value> {
        let end = self.at + word.len();
        let ends = matches!(self.byte(end)?, b',' | b'}' | b']' | b'\n');
        if !ends || !self.goes_on(self.at, word) {
            return None;
        }
        self.at = end;
        Some(value)
    }
}

/// Marks the bytes of a word that are a quote, a backslash or a control character, in their highest bits. Bytes after the
/// first marked one may be marked too often.
#[inline]
const fn special(word: u64) -> u64 {
    let quote = word ^ (ONES * 0x22);
    let slash = word ^ (ONES * 0x5c);
    let quotes = quote.wrapping_sub(ONES) & !quote;
    let slashes = slash.wrapping_sub(ONES) & !slash;
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (quotes | slashes | controls) & HIGHS
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Digits and point of a number that is read by hand.
const EXACT_DIGITS: usize = 15;

const TENS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
