//! The text that has come and not yet left.
//!
//! Every position is an offset into the whole output. What has left is forgotten at the end of a push, unless a state
//! still needs it, so that many small events cost no more than one move of the rest.

use crate::parse::event::Span;

/// Text on its way through.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    text: String,
    /// Where the buffer begins in the output.
    base: usize,
    /// The byte before the buffer.
    last: Option<u8>,
    /// What has left.
    done: usize,
    /// Where scanning goes on.
    pub scan: usize,
    /// What a state still needs, though it has left.
    pub keep: Option<usize>,
}

impl Buffer {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// One past the last byte that has come.
    pub(super) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// Everything from `at` on.
    pub(super) fn from(&self, at: usize) -> &str {
        self.text.get(at.saturating_sub(self.base)..).unwrap_or_default()
    }

    /// A piece.
    pub(super) fn piece(&self, start: usize, end: usize) -> &str {
        self.text.get(start.saturating_sub(self.base)..end.saturating_sub(self.base)).unwrap_or_default()
    }

    /// The byte at `at`.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at.saturating_sub(self.base)).copied()
    }

    /// The bytes of a piece.
    pub(super) fn bytes(&self, start: usize, end: usize) -> &[u8] {
        self.text.as_bytes().get(start.saturating_sub(self.base)..end.saturating_sub(self.base)).unwrap_or_default()
    }

    /// The byte before `at`, which has not been forgotten.
    pub(super) fn before(&self, at: usize) -> Option<u8> {
        match at.saturating_sub(self.base).checked_sub(1) {
            Some(before) => self.text.as_bytes().get(before).copied(),
            None => self.last,
        }
    }

    /// The next byte from `at` on that is wanted.
    pub(super) fn find(&self, at: usize, wanted: &[bool; 256]) -> Option<usize> {
        let is_wanted = |byte: &u8| wanted.get(usize::from(*byte)).is_some_and(|wanted| *wanted);
        let bytes = self.text.as_bytes().get(at.saturating_sub(self.base)..).unwrap_or_default();
        // By eight, as long as none of them is wanted: most are not.
        let plain = |chunk: &&[u8; 8]| !chunk.iter().fold(false, |found, byte| found | is_wanted(byte));
        let passed = bytes.as_chunks().0.iter().take_while(plain).count() * 8;
        let rest = bytes.get(passed..).unwrap_or_default();
        rest.iter().position(is_wanted).map(|found| at + passed + found)
    }

    /// The beginning of the character at or before `at`.
    pub(super) fn floor(&self, at: usize) -> usize {
        let mut floor = at.min(self.end());
        while floor > self.base && !self.text.is_char_boundary(floor - self.base) {
            floor -= 1;
        }
        floor
    }

    /// What has not left yet begins here.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    /// The length of the character at `at`.
    pub(super) fn character(&self, at: usize) -> usize {
        self.from(at).chars().next().map_or(1, char::len_utf8)
    }

    /// Lets everything before `to` leave.
    pub(super) fn take(&mut self, to: usize) -> Option<(String, Span)> {
        if to <= self.done {
            return None;
        }
        let text = self.piece(self.done, to).to_owned();
        let span = Span::new(self.done, to);
        self.done = to;
        self.scan = self.scan.max(to);
        Some((text, span))
    }

    /// Forgets what has left.
    pub(super) fn forget(&mut self) {
        let cut = self.done.min(self.keep.unwrap_or(usize::MAX)) - self.base;
        // Moving the rest for a few bytes would cost more than keeping them.
        if cut > self.text.len() / 2 {
            self.last = self.text.as_bytes().get(cut - 1).copied();
            if cut == self.text.len() {
                self.text.clear();
            } else {
                self.text.drain(..cut);
            }
            self.base += cut;
        }
    }
}

/// A set of bytes.
#[expect(clippy::indexing_slicing, reason = "evaluated when the program is built; both indices are in bounds")]
pub(super) const fn bytes(list: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    let mut at = 0;
    while at < list.len() {
        set[list[at] as usize] = true;
        at += 1;
    }
    set
}
