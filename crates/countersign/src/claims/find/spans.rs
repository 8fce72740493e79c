//! From runs of tokens to claims: text and UTF-16 offsets, counted in one pass.

use super::found::Found;
use super::sentence::{Language, Sentence};
use crate::contract::{Claim, ClaimKind, ClaimStatus};
use std::ops::Range;

/// Counts UTF-16 units on the way through a text.
pub(crate) struct Utf16<'a> {
    text: &'a str,
    /// Whether bytes and units are the same.
    ascii: bool,
    at: usize,
    units: usize,
}

impl<'a> Utf16<'a> {
    /// Begins at the start of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, ascii: text.is_ascii(), at: 0, units: 0 }
    }

    /// The claim that was found in a sentence; claims must come in order.
    pub(crate) fn claim(&mut self, sentence: &Sentence, found: Found) -> Claim {
        let (start, end) = (sentence.at(found.first).start, sentence.before(found.end).end);
        Claim {
            id: None,
            start,
            end,
            utf16_start: self.units(start),
            utf16_end: self.units(end),
            text: self.text.get(start..end).unwrap_or_default().to_owned(),
            kind: found.kind,
            value: found.value,
            language: if sentence.chinese { Language::Chinese } else { Language::English },
            status: ClaimStatus::Pending,
            verify_note: None,
            source: None,
        }
    }

    /// A claim that a pattern of the user's own found; claims must come in order.
    pub(crate) fn own(&mut self, range: Range<usize>, kind: ClaimKind, language: Language) -> Claim {
        Claim {
            id: None,
            start: range.start,
            end: range.end,
            utf16_start: self.units(range.start),
            utf16_end: self.units(range.end),
            text: self.text.get(range).unwrap_or_default().to_owned(),
            kind,
            value: None,
            language,
            status: ClaimStatus::Pending,
            verify_note: None,
            source: None,
        }
    }

    /// The units before a byte; places must not go back.
    fn units(&mut self, byte: usize) -> usize {
        if self.ascii {
            return byte;
        }
        let between = self.text.as_bytes().get(self.at..byte).unwrap_or_default();
        // Every character has one byte that is no continuation; one of four bytes takes two units.
        let (eights, rest) = between.as_chunks::<8>();
        for eight in eights {
            let eight = u64::from_le_bytes(*eight);
            let inner = eight & !eight << 1 & HIGHEST;
            let four = eight & eight << 1 & eight << 2 & eight << 3 & HIGHEST;
            self.units += 8 + sum(four) - sum(inner);
        }
        self.units +=
            rest.iter().map(|byte| usize::from(byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0)).sum::<usize>();
        self.at = byte.max(self.at);
        self.units
    }
}

/// How many of the highest bits of eight bytes are set.
fn sum(bits: u64) -> usize {
    ((bits >> 7).wrapping_mul(HIGHEST >> 7) >> 56) as usize
}

/// The highest bit of each byte.
const HIGHEST: u64 = u64::MAX / 0xff * 0x80;
