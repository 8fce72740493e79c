//! What is around a string, and how it may end. Shared by all that look for the end of one.

use super::cursor::Cursor;
use super::glyph::is_quote;

/// What a string is, in the structure around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValuePosition {
    /// A key.
    Key,
    /// The value of a member.
    Member,
    /// An element of an array.
    Element,
    /// Not inside anything.
    Root,
}

/// What is around a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    /// What the string is.
    pub place: ValuePosition,
    /// How many containers are open.
    pub depth: usize,
    /// Whether the innermost container is a round bracket.
    pub round: bool,
    /// Whether the string began with two quotes.
    pub doubled: bool,
}

/// Where a string ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ending {
    /// One past the last byte of what it says.
    pub content: usize,
    /// Where reading goes on.
    pub after: usize,
    /// What ended it.
    pub by: EndedBy,
    /// How many unescaped quotes it holds.
    pub inner: usize,
}

/// What ended a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndedBy {
    /// Its closing quote.
    Quote,
    /// A quote of another kind than the one that opened it.
    OtherQuote,
    /// The structure around it; the closing quote was missing.
    Structure,
    /// The brackets that end the text; nothing shows whether they belong to the string and the rest was cut off.
    Brackets,
    /// The end of the text.
    Cut,
}

/// Whether an inner quote of the string is open: whether the number of unescaped quotes in it so far is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inner {
    Open,
    Closed,
}

impl Cursor<'_> {
    /// Whether the brackets at this place may close what is open: after them comes nothing, a comma, or a new line.
    pub(super) fn fits_after_closers(&self, mut at: usize, setting: Setting) -> bool {
        let mut closed = 0;
        let mut end = at;
        while let Some(token) = self.token(at).filter(|t| matches!(t.byte, b'}' | b']' | b')')) {
            closed += 1;
            end = at + token.width;
            at = self.after_blanks(end);
        }
        let Some(token) = self.token(at) else { return true };
        match token.byte {
            b',' | b';' | b'+' => true,
            b':' => false,
            _ if self.breaks(end, at) => true,
            byte if is_quote(byte) => {
                byte == b'`'
                    || (at > end && closed < setting.depth)
                    || self.after_blanks(at + token.width) == self.text.len()
            }
            _ if closed >= setting.depth => true,
            b'{' | b'[' => true,
            _ => at > end,
        }
    }
}
