//! Strings that a quote of another kind closes than the one that opened them: `"name': 1`, `'kg", `.
//!
//! Asked only where no quote of the right kind closes the string. A sign that closes a pair of its own inside the string
//! is left alone, and so is an apostrophe in a word. One pass over what the string may hold; it never looks beyond it
//! but for the next key.

use super::around::{EndedBy, Ending, Setting, ValuePosition};
use super::cursor::Cursor;
use super::glyph::{Quote, is_quote};

impl Cursor<'_> {
    /// The end of the string whose content begins at `start`, if a quote of another kind closes it before `limit`.
    pub(super) fn mixed_end(&mut self, quote: Quote, start: usize, limit: usize, setting: Setting) -> Option<Ending> {
        let limit = if setting.place == ValuePosition::Key { limit.min(start + LONG_KEY) } else { limit };
        let mut open = [false; Quote::COUNT];
        let mut at = start;
        while let Some((sign, kind)) = self.next_sign(&mut at, limit) {
            let after = at + sign.len_utf8();
            let slot = open.get_mut(kind as usize)?;
            let closes_pair = *slot;
            if !self.is_in_word(at, after) {
                *slot = !closes_pair;
                if !quote.closed_by(sign) && !closes_pair && at > start && self.fits_after_mixed(after, setting) {
                    return Some(Ending { content: at, after, by: EndedBy::OtherQuote, inner: 0 });
                }
            }
            at = after;
        }
        None
    }

    /// How much of a text remains without a last quote that has no partner in it. Nothing where it does not end in one.
    pub(super) fn without_mixed(&self, quote: Quote, start: usize, end: usize) -> Option<usize> {
        let content = self.slice(start, end);
        content.chars().next_back().filter(|last| !quote.closed_by(*last))?;
        Quote::unpaired_end(content).map(|length| start + length)
    }

    /// Moves on to the next quote of any kind before `limit`.
    fn next_sign(&self, at: &mut usize, limit: usize) -> Option<(char, Quote)> {
        while *at < limit {
            let rest = self.text.as_bytes().get(*at..limit)?;
            *at += rest.iter().position(|b| matches!(b, b'"' | b'\'' | b'`' | b'\\' | 0xc2 | 0xe2 | 0xe3 | 0xef))?;
            let sign = self.sign(*at)?;
            if let Some(kind) = Quote::of(sign) {
                return Some((sign, kind));
            }
            *at += sign.len_utf8();
            if sign == '\\' {
                *at += self.sign(*at).map_or(0, char::len_utf8);
            }
        }
        None
    }

    fn is_in_word(&self, at: usize, after: usize) -> bool {
        let before = self.byte(at.wrapping_sub(1)).is_some_and(|b| b.is_ascii_alphanumeric());
        before && self.byte(after).is_some_and(|b| b.is_ascii_alphanumeric())
    }

    /// Whether a value begins here by its first sign. A bare word does not: it may be the rest of a key that was cut.
    fn marked_value_ahead(&self, at: usize) -> bool {
        let next = self.after_blanks(at);
        let Some(token) = self.token(next) else { return false };
        is_quote(token.byte)
            || matches!(token.byte, b'{' | b'[' | b'-')
            || token.byte.is_ascii_digit()
            || self.literal_ahead(next)
    }

    fn fits_after_mixed(&mut self, after: usize, setting: Setting) -> bool {
        let next = self.after_blanks(after);
        let Some(token) = self.token(next) else { return false };
        match (setting.place, token.byte) {
            (ValuePosition::Key, byte) => byte == b':' && self.marked_value_ahead(next + token.width),
            (ValuePosition::Root, _) => false,
            (_, b'}' | b']') => self.fits_after_closers(next, setting),
            (place, b',') => {
                let more = self.after_blanks(next + token.width);
                let quoted = self.token(more).is_some_and(|t| is_quote(t.byte));
                quoted
                    && if place == ValuePosition::Member {
                        self.quoted_key_ahead(more)
                    } else {
                        self.string_ahead(more)
                    }
            }
            _ => false,
        }
    }
}

/// The longest key that another quote may close.
const LONG_KEY: usize = 64;
