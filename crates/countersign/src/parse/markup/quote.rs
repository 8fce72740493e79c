//! Quotation marks around values, in all the ways that models write them.

use super::Input;
use super::characters::{Peek, peek};

/// An opening quotation mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote {
    pub(super) kind: QuoteKind,
    pub(super) style: QuoteStyle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteKind {
    Double,
    Single,
    Corner,
    WhiteCorner,
    Backtick,
}

/// How the opening mark was written; the closing one is written alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteStyle {
    Plain,
    Entity,
    Backslash,
}

/// The text ends before it can be told.
pub(super) struct MoreNeeded;

/// Whether a closing mark is at a place.
pub(super) enum Closes {
    NeedMore,
    Yes(usize),
    No(usize),
}

impl Quote {
    /// Whether the closing mark is at a place, and how many bytes to go on.
    pub(super) fn closes(self, text: &str, at: usize, input: Input) -> Closes {
        let rest = text.get(at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else { return Closes::NeedMore };
        match (c, self.style) {
            ('\\', style) => match rest.chars().nth(1) {
                None if input == Input::Open => Closes::NeedMore,
                Some(next) if quote_kind(next) == Some(self.kind) => {
                    let len = 1 + next.len_utf8();
                    if style == QuoteStyle::Backslash { Closes::Yes(len) } else { Closes::No(len) }
                }
                _ => Closes::No(1),
            },
            ('&', QuoteStyle::Entity) => match peek(text, at, input) {
                Peek::NeedMore => Closes::NeedMore,
                Peek::Unit(unit) if quote_kind(unit.symbol) == Some(self.kind) => Closes::Yes(unit.len),
                _ => Closes::No(1),
            },
            _ if quote_kind(c) == Some(self.kind) => Closes::Yes(c.len_utf8()),
            _ => Closes::No(c.len_utf8()),
        }
    }
}

/// The opening quotation mark at a place, and its bytes.
pub(super) fn opening_quote(text: &str, at: usize, input: Input) -> Result<Option<(Quote, usize)>, MoreNeeded> {
    let unit = match peek(text, at, input) {
        Peek::Unit(unit) => unit,
        Peek::NeedMore => return Err(MoreNeeded),
        Peek::End => return Ok(None),
    };
    if unit.symbol == '\\' {
        return match peek(text, at + unit.len, input) {
            Peek::NeedMore => Err(MoreNeeded),
            Peek::Unit(mark) => {
                Ok(quote_kind(mark.symbol)
                    .map(|kind| (Quote { kind, style: QuoteStyle::Backslash }, unit.len + mark.len)))
            }
            Peek::End => Ok(None),
        };
    }
    let style = if unit.odd.entity { QuoteStyle::Entity } else { QuoteStyle::Plain };
    Ok(quote_kind(unit.symbol).map(|kind| (Quote { kind, style }, unit.len)))
}

/// The kind of a quotation mark.
pub(super) fn quote_kind(c: char) -> Option<QuoteKind> {
    match c {
        '"' | '“' | '”' | '„' | '＂' => Some(QuoteKind::Double),
        '\'' | '‘' | '’' | '＇' => Some(QuoteKind::Single),
        '「' | '」' => Some(QuoteKind::Corner),
        '『' | '』' => Some(QuoteKind::WhiteCorner),
        '`' => Some(QuoteKind::Backtick),
        _ => None,
    }
}
