//! The part of the output that is still needed, by offsets into all of it.

use crate::parse::Span;

/// What was not given out yet, and a little before it.
#[derive(Debug, Default)]
pub(super) struct Window {
    text: String,
    base: usize,
}

impl Window {
    /// Adds what came.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Where the output ends so far.
    pub(super) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// A stretch of it.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start.saturating_sub(self.base)..span.end.saturating_sub(self.base)).unwrap_or_default()
    }

    /// From a place on.
    pub(super) fn rest(&self, from: usize) -> &str {
        self.text.get(from.saturating_sub(self.base)..).unwrap_or_default()
    }

    /// At most [`LOOK_BACK`] bytes before a place.
    pub(super) fn before(&self, at: usize) -> &str {
        let at = at.saturating_sub(self.base);
        self.text.get(self.text.ceil_char_boundary(at.saturating_sub(LOOK_BACK))..at).unwrap_or_default()
    }

    /// The last character boundary not after a place.
    pub(super) fn floor(&self, at: usize) -> usize {
        self.base + self.text.floor_char_boundary(at.saturating_sub(self.base))
    }

    /// Forgets what is before a place, except for what [`Self::before`] may ask for. Waits until it is worth while.
    pub(super) fn forget_before(&mut self, at: usize) {
        let at = at.saturating_sub(self.base);
        if at > WORTH_FORGETTING {
            let cut = self.text.floor_char_boundary(at - LOOK_BACK);
            self.text.drain(..cut);
            self.base += cut;
        }
    }
}

/// Enough to see what is before a tag.
const LOOK_BACK: usize = 64;

/// Moving the rest costs time, so it is done only now and then.
const WORTH_FORGETTING: usize = 4096;
