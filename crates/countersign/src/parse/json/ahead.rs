//! What stands ahead: a key with its colon, a string, a word, a literal.
//!
//! Each look goes over blanks, at most one string up to its next quote, and a bounded piece of anything else. What is
//! looked up here is never taken as read.

use super::cursor::Cursor;
use super::glyph::{Quote, is_plain_blank, is_quote};
use super::scalar;

/// A key in square brackets.
pub(super) struct BracketedKey {
    /// Where the key begins, inside the brackets.
    pub start: usize,
    /// One past its last byte, inside the brackets.
    pub end: usize,
    /// Where reading goes on.
    pub after: usize,
}

/// A string whose quotes are both escaped.
pub(super) struct EscapedString {
    /// Where what it says begins.
    pub content: usize,
    /// One past the last byte of what it says.
    pub end: usize,
    /// Where reading goes on.
    pub after: usize,
}

impl Cursor<'_> {
    /// Whether a key in quotes and its colon stand here, or the text ends in that key.
    pub(super) fn quoted_key_ahead(&mut self, at: usize) -> bool {
        let Some((quote, width)) = self.quote(at) else { return false };
        let Some((end, width)) = self.next_quote(quote, at + width) else { return true };
        let next = self.after_blanks(end + width);
        self.token(next).is_none_or(|t| matches!(t.byte, b':' | b'='))
    }

    /// Whether a string stands here that something fitting follows.
    pub(super) fn string_ahead(&mut self, at: usize) -> bool {
        let Some((quote, width)) = self.quote(at) else { return false };
        let Some((end, width)) = self.next_quote(quote, at + width) else { return true };
        let next = self.after_blanks(end + width);
        self.token(next).is_none_or(|t| matches!(t.byte, b',' | b']' | b'}' | b')' | b':' | b'+'))
    }

    /// The quote of a string at this place, after the letters that a program writes before it: `u'…'`, `@"…"`.
    pub(super) fn prefixed(&self, at: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(at..)?;
        let width = rest.iter().take(LONG_PREFIX + 1).position(|b| matches!(b, b'"' | b'\''))?;
        let prefix = rest.get(..width)?;
        PREFIXES.iter().any(|known| prefix.eq_ignore_ascii_case(known)).then_some(at + width)
    }

    /// Whether the bracket at this place, which opened nothing, stands for another: a key, an element or nothing at all
    /// follows it.
    pub(super) fn odd_closer_ahead(&mut self, at: usize) -> bool {
        let mut next = at;
        while let Some(token) = self.token(next).filter(|t| matches!(t.byte, b'}' | b']' | b')' | b'>')) {
            next = self.after_blanks(next + token.width);
        }
        let Some(token) = self.token(next) else { return true };
        match token.byte {
            b'`' => self.goes_on(next, "```"),
            b',' => {
                let more = self.after_blanks(next + token.width);
                match self.token(more).map(|t| t.byte) {
                    Some(b'{' | b'[') => true,
                    Some(byte) => is_quote(byte) && (self.quoted_key_ahead(more) || self.string_ahead(more)),
                    None => true,
                }
            }
            _ => false,
        }
    }

    /// Where the content of a block in three backticks ends, and the block: structure follows it, or the text ends in it.
    /// Nothing where the backticks end a fenced block instead.
    pub(super) fn block_end(&self, at: usize) -> Option<(usize, usize)> {
        let start = at + TICKS.len();
        let rest = self.text.get(start..)?;
        let (content, end) = match memchr::memmem::find(rest.as_bytes(), TICKS.as_bytes()) {
            Some(step) => (start + step, start + step + TICKS.len()),
            None => (self.text.len(), self.text.len()),
        };
        if self.token(self.after_blanks(end)).is_some() {
            return self.structure_ahead(end).then_some((content, end));
        }
        // With nothing after it, only a block that begins in the line of its key is one.
        let line = self.text.get(..at)?.trim_end_matches([' ', '\t']);
        let fence = line.is_empty() || line.ends_with(['\n', '\r']) || rest.trim().is_empty();
        (!fence).then_some((content, end))
    }

    /// Whether the full stop at this place stands for a comma: a key in quotes follows.
    pub(super) fn stop_for_comma(&mut self, at: usize) -> bool {
        let width = self.token(at).filter(|t| t.byte == b'.').map_or(0, |t| t.width);
        let next = self.after_blanks(at + width);
        width > 0 && self.key_is_closed(next)
    }

    /// Whether a whole key in quotes and its colon stand at a place.
    pub(super) fn key_is_closed(&mut self, at: usize) -> bool {
        let Some((quote, width)) = self.quote(at) else { return false };
        let Some((end, width)) = self.next_quote(quote, at + width) else { return false };
        let next = self.after_blanks(end + width);
        self.token(next).is_some_and(|t| t.byte == b':')
    }

    /// Whether a colour as the web writes it is the whole value here: `#ff0000`.
    pub(super) fn color_ahead(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at + 1..).filter(|_| self.byte(at) == Some(b'#')).unwrap_or_default();
        let digits = rest.iter().take(LONG_COLOR + 1).take_while(|b| b.is_ascii_hexdigit()).count();
        matches!(digits, 3 | 4 | 6 | LONG_COLOR) && matches!(rest.get(digits), Some(b',' | b'}'))
    }

    /// Whether one word is here between two commas, before a key in quotes.
    pub(super) fn stray_word_ahead(&mut self, at: usize) -> bool {
        let comma = self.after_blanks(self.word_end(at));
        self.word_end(at) > at
            && self.token(comma).is_some_and(|t| t.byte == b',' && t.width == 1)
            && self.quoted_key_ahead(self.after_blanks(comma + 1))
    }

    /// A string here whose quotes are both escaped: where its content begins and ends, and the place after it. Goes no
    /// further than the next escaped quote.
    pub(super) fn escaped_string(&self, at: usize) -> Option<EscapedString> {
        let (quote, width) = self.escaped_quote(at)?;
        let content = at + 1 + width;
        let mut end = content;
        loop {
            end += memchr::memchr2(b'\\', b'"', self.text.as_bytes().get(end..)?)?;
            match self.sign(end + 1).filter(|_| self.byte(end) == Some(b'\\'))? {
                sign if quote.closed_by(sign) => {
                    return Some(EscapedString { content, end, after: end + 1 + sign.len_utf8() });
                }
                sign if Quote::of(sign).is_some() => return None,
                sign => end += 1 + sign.len_utf8(),
            }
        }
    }

    /// The kind of quote that a backslash is before at this place, and its width.
    pub(super) fn escaped_quote(&self, at: usize) -> Option<(Quote, usize)> {
        self.quote(at + 1).filter(|_| self.byte(at) == Some(b'\\'))
    }

    /// Whether a key in escaped quotes and its colon stand here.
    pub(super) fn escaped_key_ahead(&self, at: usize) -> bool {
        let colon = self.escaped_string(at).map(|string| self.after_blanks(string.after));
        colon.is_some_and(|colon| self.token(colon).is_some_and(|t| t.byte == b':'))
    }

    /// Whether a comma, a closing bracket or nothing follows.
    pub(super) fn structure_ahead(&self, at: usize) -> bool {
        let next = self.after_blanks(at);
        self.token(next).is_none_or(|t| matches!(t.byte, b',' | b'}' | b']'))
    }

    /// Whether something is here that a member's value may be, and no closing bracket, comma or key with its colon.
    pub(super) fn value_ahead(&mut self, at: usize) -> bool {
        let next = self.after_blanks(at);
        let Some(token) = self.token(next) else { return false };
        match token.byte {
            b'}' | b']' | b')' | b',' | b';' => false,
            byte if is_quote(byte) => !self.quoted_key_ahead(next),
            _ => !self.bare_key_ahead(next),
        }
    }

    /// Whether a key of an array of PHP stands here with its arrow: a whole string, or an integer.
    pub(super) fn arrow_key_ahead(&mut self, at: usize) -> bool {
        let end = match self.quote(at) {
            Some((quote, width)) => self.next_quote(quote, at + width).map(|(end, width)| end + width),
            None => self.integer_end(at),
        };
        end.is_some_and(|end| self.goes_on(self.after_blanks(end), "=>"))
    }

    /// The key in square brackets at this place, as Lua and JavaScript write it: `["b c"] = 2`, `[3] = "x"`.
    pub(super) fn bracketed_key(&mut self, at: usize) -> Option<BracketedKey> {
        let token = self.token(at).filter(|t| t.byte == b'[')?;
        let start = self.after_blanks(at + token.width);
        let end = match self.quote(start) {
            Some((quote, width)) => self.next_quote(quote, start + width).map(|(end, width)| end + width)?,
            None => self.integer_end(start)?,
        };
        let close = self.after_blanks(end);
        let after = close + self.token(close).filter(|t| t.byte == b']')?.width;
        let colon = self.token(self.after_blanks(after))?;
        matches!(colon.byte, b'=' | b':').then_some(BracketedKey { start, end, after })
    }

    /// The end of the digits at a place.
    fn integer_end(&self, at: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(at..)?;
        let digits = rest.iter().take(LONG_WORD).take_while(|b| b.is_ascii_digit()).count();
        (digits > 0).then_some(at + digits)
    }

    /// Whether the names of a function of JavaScript stand here, and its arrow: `(a, b) =>`.
    pub(super) fn function_ahead(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at + 1..).unwrap_or_default();
        let name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b',' | b' ');
        let close = rest.iter().take(LONG_WORD).position(|b| !name(b)).filter(|close| rest.get(*close) == Some(&b')'));
        close.is_some_and(|close| self.goes_on(self.after_blanks(at + close + 2), "=>"))
    }

    /// The width of an arrow at this place.
    pub(super) fn arrow(&self, at: usize) -> Option<usize> {
        ARROWS.iter().find(|arrow| self.goes_on(at, arrow)).map(|arrow| arrow.len())
    }

    /// Whether a symbol of Ruby stands here, and its arrow: `:name =>`.
    fn symbol_ahead(&self, at: usize) -> bool {
        let word = self.word_end(at + 1);
        let next = self.after_blanks(word);
        word > at + 1 && self.byte(next) == Some(b'=')
    }

    /// Whether a key without quotes and its colon stand here. One word only: prose has colons too.
    pub(super) fn bare_key_ahead(&self, at: usize) -> bool {
        if self.byte(at) == Some(b':') {
            return self.symbol_ahead(at);
        }
        let word = self.word_end(at);
        if word == at || word - at > LONG_WORD {
            return false;
        }
        let quoted = self.token(word).filter(|t| is_quote(t.byte)).map_or(0, |t| t.width);
        let next = self.after_blanks(word + quoted);
        match self.token(next) {
            Some(token) if token.byte == b':' => !self.goes_on(next, "://"),
            Some(token) => token.byte == b'=' || self.arrow(next).is_some(),
            None => false,
        }
    }

    /// Whether a word or a number is here up to the next comma, bracket or line, without a quote in it.
    pub(super) fn bare_ahead(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let stop =
            rest.iter().take(LONG_WORD).position(|b| matches!(b, b'"' | b'\'' | b',' | b']' | b'}' | b'\n' | b':'));
        match stop.and_then(|stop| rest.get(stop)) {
            Some(b'"' | b'\'' | b':') => false,
            Some(_) => true,
            None => rest.len() < LONG_WORD,
        }
    }

    /// Whether a call with a value in it begins here: `Decimal("1.5")`, `set([1])`.
    pub(super) fn call_ahead(&self, at: usize) -> bool {
        let word = self.word_end(at);
        let inside = self.after_blanks(word + 1);
        let value = |byte: u8| is_quote(byte) || matches!(byte, b'{' | b'[' | b'(' | b'0'..=b'9' | b'-');
        word > at && self.byte(word) == Some(b'(') && self.token(inside).is_some_and(|t| value(t.byte))
    }

    /// Whether an element is here that lost its opening quote: a few words, and a closing quote with structure behind it.
    pub(super) fn unopened_ahead(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let stops = |b: &u8| matches!(b, b'"' | b',' | b':' | b'\n' | b'\\' | b'[' | b']' | b'{' | b'}');
        let stop = rest.iter().take(LONG_WORD).position(stops).filter(|stop| rest.get(*stop) == Some(&b'"'));
        stop.is_some_and(|stop| {
            let word = stop > 0 && !rest.get(stop - 1).is_some_and(|b| is_plain_blank(*b));
            word && self.token(self.after_blanks(at + stop + 1)).is_some_and(|t| matches!(t.byte, b',' | b']'))
        })
    }

    /// Whether `true`, `false`, `null` or one of their relatives stands here.
    pub(super) fn literal_ahead(&self, at: usize) -> bool {
        let word = self.word_end(at);
        scalar::literal(self.slice(at, word)).is_some()
    }

    /// The end of the word at a place: letters, digits, `_`, `$`, `-` and `.`, at most a little more than
    /// [`LONG_WORD`] bytes.
    pub(super) fn word_end(&self, at: usize) -> usize {
        let mut end = at;
        while let Some(byte) = self.byte(end).filter(|_| end <= at + LONG_WORD) {
            end += match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | b'-' | b'.' => 1,
                0x80.. => match self.sign(end) {
                    Some(sign) if sign.is_alphanumeric() => sign.len_utf8(),
                    _ => break,
                },
                _ => break,
            };
        }
        end
    }

    /// Whether a line ends between two places.
    pub(super) fn breaks(&self, start: usize, end: usize) -> bool {
        memchr::memchr(b'\n', self.slice(start, end).as_bytes()).is_some()
    }
}

/// The letters that programs write before a string.
const PREFIXES: &[&[u8]] = &[b"b", b"r", b"u", b"f", b"br", b"rb", b"fr", b"rf", b"@"];

const LONG_PREFIX: usize = 2;

/// The digits of a colour with its transparency.
const LONG_COLOR: usize = 8;

/// What fences a block of code.
pub(super) const TICKS: &str = "```";

/// What begins a comment of Lua or SQL.
pub(super) const DASHES: &str = "-- ";

/// Arrows that stand for a colon.
const ARROWS: &[&str] = &["->", "→", "⇒", "➔"];

/// The longest word that a look ahead takes for a key.
const LONG_WORD: usize = 64;
