//! A place in the text, and what can be told from there: the next token, blanks and comments, the next closing quote.
//!
//! Everything here runs forward; what was looked up ahead is remembered, so that no stretch is searched twice for the
//! same quote. It knows nothing of containers.

use std::cell::Cell;

use crate::parse::event::{Kind, Repair, Span};

use super::glyph::{self, Quote};
use super::kind;

/// The text, the place, and the repairs so far.
pub(super) struct Cursor<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The next byte to be read; always on a character's border.
    pub at: usize,
    /// What was mended so far.
    pub repairs: Vec<Repair>,
    most_repairs: usize,
    seen_quotes: [Ahead; Quote::COUNT],
    unpaired_triples: [bool; 2],
    /// How many bytes may still be searched for the end of JSON in a string.
    pub nested_budget: usize,
    // Remembered after a shared reference: looking ahead does not move the cursor.
    seen_marks: [Cell<Ahead>; Mark::COUNT],
}

/// What a comment ends with.
#[derive(Clone, Copy)]
enum Mark {
    Line,
    Block,
    Markup,
}

impl Mark {
    const COUNT: usize = 3;
}

/// From a place on, the next closing quote of one kind. Valid for every place between the two.
#[derive(Debug, Clone, Copy, Default)]
struct Ahead {
    from: usize,
    found: usize,
    width: usize,
}

/// The sign at a place: an ASCII byte of the grammar, whatever its width in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// The sign, folded to ASCII. Letters that fold to nothing are [`OTHER`].
    pub byte: u8,
    /// How many bytes it takes in the text.
    pub width: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of `text`.
    pub(super) fn new(text: &'a str, most_repairs: usize) -> Self {
        Self {
            text,
            at: 0,
            repairs: Vec::new(),
            most_repairs,
            seen_quotes: [Ahead::default(); Quote::COUNT],
            unpaired_triples: [false; 2],
            nested_budget: text.len(),
            seen_marks: Default::default(),
        }
    }

    /// The byte at a place.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The character at a place.
    pub(super) fn sign(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// A piece of the text.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Whether the text goes on with `word` at a place.
    pub(super) fn goes_on(&self, at: usize, word: &str) -> bool {
        self.text.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
    }

    /// The sign at a place, folded to ASCII.
    #[inline]
    pub(super) fn token(&self, at: usize) -> Option<Token> {
        match self.byte(at)? {
            byte if byte < 0x80 => Some(Token { byte, width: 1 }),
            _ => {
                let sign = self.sign(at)?;
                let byte = match Quote::opened_by(sign) {
                    Some(_) => b'"',
                    None => glyph::folded(sign).unwrap_or(OTHER),
                };
                Some(Token { byte, width: sign.len_utf8() })
            }
        }
    }

    /// The kind of quote that opens at a place, and its width.
    pub(super) fn quote(&self, at: usize) -> Option<(Quote, usize)> {
        let sign = self.sign(at)?;
        Some((Quote::opened_by(sign)?, sign.len_utf8()))
    }

    /// Writes a repair down, while there is room.
    #[cold]
    pub(super) fn mend(&mut self, kind: &'static Kind, span: Span, after: &str) {
        if self.repairs.len() < self.most_repairs {
            let before = self.slice(span.start, span.end);
            self.repairs.push(Repair::new(kind, span, before, after));
        }
    }

    /// Goes over blanks and comments.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while self.byte(self.at).is_some_and(glyph::is_plain_blank) {
            self.at += 1;
        }
        if self.byte(self.at).is_some_and(|b| b <= b' ' || b == b'/' || b == b'#' || b == b'<' || b >= 0x7f) {
            self.skip_odd_blanks();
        }
    }

    /// Where the next token begins, from a place on.
    #[inline]
    pub(super) fn after_blanks(&self, mut at: usize) -> usize {
        while self.byte(at).is_some_and(glyph::is_plain_blank) {
            at += 1;
        }
        match self.byte(at) {
            Some(b) if b <= b' ' || b == b'/' || b == b'#' || b == b'<' || b >= 0x7f => self.after_odd_blanks(at),
            _ => at,
        }
    }

    /// The next sign that may close a string of this kind, from a place on, escaped ones left out.
    pub(super) fn next_quote(&mut self, quote: Quote, from: usize) -> Option<(usize, usize)> {
        let known = self.seen_quotes.get(quote as usize).copied().unwrap_or_default();
        let ahead = if known.found > 0 && known.from <= from && from <= known.found {
            known
        } else {
            let (found, width) = self.search_quote(quote, from).unwrap_or((self.text.len(), 0));
            Ahead { from, found, width }
        };
        if let Some(slot) = self.seen_quotes.get_mut(quote as usize) {
            *slot = ahead;
        }
        (ahead.width > 0).then_some((ahead.found, ahead.width))
    }

    /// The same, looked up again.
    #[inline]
    fn search_quote(&self, quote: Quote, from: usize) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            let rest = bytes.get(at..)?;
            let step = match quote.byte() {
                Some(close) => memchr::memchr2(close, b'\\', rest)?,
                // Every other closing sign begins with one of these, or is one of the two ASCII quotes.
                None => {
                    rest.iter().position(|b| matches!(b, b'"' | b'\'' | b'`' | b'\\' | 0xc2 | 0xe2 | 0xe3 | 0xef))?
                }
            };
            at += step;
            let sign = self.sign(at)?;
            if sign == '\\' {
                at += 1 + self.sign(at + 1).map_or(0, char::len_utf8);
            } else if quote.closed_by(sign) {
                return Some((at, sign.len_utf8()));
            } else {
                at += sign.len_utf8();
            }
        }
    }

    /// Where the triple quote that closes one of this kind begins.
    pub(super) fn next_triple(&mut self, quote: Quote, from: usize) -> Option<usize> {
        let (slot, word) = match quote {
            Quote::Double => (0, "\"\"\""),
            Quote::Single => (1, "'''"),
            _ => return None,
        };
        if self.unpaired_triples.get(slot).copied()? {
            return None;
        }
        let found = memchr::memmem::find(self.text.as_bytes().get(from..)?, word.as_bytes());
        if let (None, Some(unpaired)) = (found, self.unpaired_triples.get_mut(slot)) {
            *unpaired = true;
        }
        found.map(|step| from + step)
    }

    #[cold]
    fn skip_odd_blanks(&mut self) {
        while let Some((end, kind)) = self.blank_at(self.at) {
            if let Some(kind) = kind {
                self.mend(kind, Span::new(self.at, end), "");
            }
            self.at = end;
        }
    }

    /// At most [`FEW_COMMENTS`] are gone over: a quote inside a comment looks ahead as well, and so each comment is
    /// seen from a few quotes only.
    #[cold]
    fn after_odd_blanks(&self, mut at: usize) -> usize {
        let mut comments = 0;
        while let Some((end, kind)) = self.blank_at(at) {
            comments += usize::from(kind == Some(&kind::COMMENT));
            if comments > FEW_COMMENTS {
                break;
            }
            at = end;
        }
        at
    }

    /// The end of the blank or comment that begins at a place, and the repair that leaving it out is.
    fn blank_at(&self, at: usize) -> Option<(usize, Option<&'static Kind>)> {
        match self.byte(at)? {
            byte if glyph::is_plain_blank(byte) => Some((at + 1, None)),
            b'/' if self.byte(at + 1) == Some(b'*') => Some((self.after_mark(at + 2, Mark::Block), COMMENT)),
            b'/' if self.byte(at + 1) == Some(b'/') => Some((self.after_mark(at, Mark::Line), COMMENT)),
            b'#' => Some((self.after_mark(at, Mark::Line), COMMENT)),
            b'<' if self.goes_on(at, "<!--") => Some((self.after_mark(at + 4, Mark::Markup), COMMENT)),
            byte if !(b' '..0x7f).contains(&byte) => {
                let sign = self.sign(at)?;
                glyph::is_blank(sign).then_some((at + sign.len_utf8(), Some(&kind::ODD_BLANK)))
            }
            _ => None,
        }
    }

    /// Just after the next mark, or the end of the text. The end of a line is found, not passed.
    fn after_mark(&self, at: usize, mark: Mark) -> usize {
        let known = self.seen_marks.get(mark as usize).map(Cell::get).unwrap_or_default();
        if known.found > 0 && known.from <= at && at <= known.found {
            return known.found + known.width;
        }
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let (step, width) = match mark {
            Mark::Line => (memchr::memchr2(b'\n', b'\r', rest), 0),
            Mark::Block => (memchr::memmem::find(rest, b"*/"), 2),
            Mark::Markup => (memchr::memmem::find(rest, b"-->"), 3),
        };
        let ahead = match step {
            Some(step) => Ahead { from: at, found: at + step, width },
            None => Ahead { from: at, found: self.text.len(), width: 0 },
        };
        if let Some(slot) = self.seen_marks.get(mark as usize) {
            slot.set(ahead);
        }
        ahead.found + ahead.width
    }

    /// Where the bracket at a place is closed, strings left out, or the end of the text.
    pub(super) fn balanced_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let (mut at, mut depth) = (start, 0_usize);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'{' | b'[' | b'(' => depth += 1,
                b'}' | b']' | b')' if depth == 1 => return at + 1,
                b'}' | b']' | b')' => depth = depth.saturating_sub(1),
                b'"' => {
                    at += 1;
                    while let Some(byte) = bytes.get(at).filter(|b| **b != b'"') {
                        at += 1 + usize::from(*byte == b'\\');
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }

    /// The end of the line at a place.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.after_mark(at, Mark::Line)
    }
}

/// How many comments a look ahead goes over.
const FEW_COMMENTS: usize = 4;

const COMMENT: Option<&'static Kind> = Some(&kind::COMMENT);

/// A sign that is no part of JSON's grammar and no ASCII.
pub(super) const OTHER: u8 = 0x80;
