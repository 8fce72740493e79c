//! From byte spans to claims: text and UTF-16 offsets, counted in one pass.

use super::reader::Span;
use crate::contract::{Claim, ClaimStatus};

/// The claims of a text whose spans are known, in order.
pub fn claims(text: &str, spans: Vec<Span>) -> Vec<Claim> {
    let mut counter = Utf16 { text, ascii: text.is_ascii(), at: 0, units: 0 };
    let claim = |span: Span| Claim {
        id: None,
        start: span.start,
        end: span.end,
        utf16_start: counter.at(span.start),
        utf16_end: counter.at(span.end),
        text: text.get(span.start..span.end).unwrap_or_default().to_owned(),
        kind: span.kind,
        value: span.value,
        language: span.language,
        status: ClaimStatus::Pending,
        verify_note: None,
        source: None,
    };
    spans.into_iter().map(claim).collect()
}

/// Counts UTF-16 units on the way through a text.
struct Utf16<'a> {
    text: &'a str,
    ascii: bool,
    at: usize,
    units: usize,
}

impl Utf16<'_> {
    /// The units before a byte; places must not go back.
    fn at(&mut self, byte: usize) -> usize {
        if self.ascii {
            return byte;
        }
        let between = self.text.as_bytes().get(self.at..byte).unwrap_or_default();
        // Every character has one byte that is no continuation; one of four bytes takes two units.
        self.units +=
            between.iter().map(|byte| usize::from(byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0)).sum::<usize>();
        self.at = byte.max(self.at);
        self.units
    }
}
