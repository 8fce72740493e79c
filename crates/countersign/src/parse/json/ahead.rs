//! What stands ahead: a key with its colon, a string, a word, a literal.
//!
//! Each look goes over blanks, at most one string up to its next quote, and a bounded piece of anything else. What is
//! looked up here is never taken as read.

use super::cursor::Cursor;
use super::glyph::is_quote;
use super::scalar;

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

    /// The content of a string here whose quotes are both escaped, and the place after it. Goes no further than the next
    /// escaped quote.
    pub(super) fn escaped_string(&self, at: usize) -> Option<(usize, usize)> {
        let start = at + 2;
        let rest = self.text.as_bytes().get(start..).filter(|_| self.goes_on(at, "\\\""))?;
        let step = memchr::memmem::find(rest, b"\\\"")?;
        let whole = !rest.get(..step)?.contains(&b'"');
        whole.then_some((start + step, start + step + 2))
    }

    /// Whether a key in escaped quotes and its colon stand here.
    pub(super) fn escaped_key_ahead(&self, at: usize) -> bool {
        let colon = self.escaped_string(at).map(|(_, end)| self.after_blanks(end));
        colon.is_some_and(|colon| self.token(colon).is_some_and(|t| t.byte == b':'))
    }

    /// Whether a comma, a closing bracket or nothing follows.
    pub(super) fn structure_ahead(&self, at: usize) -> bool {
        let next = self.after_blanks(at);
        self.token(next).is_none_or(|t| matches!(t.byte, b',' | b'}' | b']'))
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

/// Arrows that stand for a colon.
const ARROWS: &[&str] = &["->", "→", "⇒", "➔"];

/// The longest word that a look ahead takes for a key.
const LONG_WORD: usize = 64;
