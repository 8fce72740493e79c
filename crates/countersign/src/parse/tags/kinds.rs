//! What is mended in tags, each with a code that does not change.

use crate::parse::Kind;
use crate::parse::markup::Oddities;

/// Every kind of repair that reading tags makes.
pub const KINDS: &[&Kind] = &[
    &CASE,
    &WIDTH,
    &ENTITY,
    &INVISIBLE,
    &BLANK,
    &BRACKET,
    &NO_BRACKET,
    &QUOTE,
    &MISSPELT,
    &NUMBER,
    &UNCLOSED,
    &NESTED,
    &MISMATCH,
    &STRAY,
    &EMPTY,
    &CUT,
    &ATTRIBUTE,
    &BODY,
    &BARE,
    &STRAY_TEXT,
    &UNCLOSED_FIELD,
    &DOUBLED_FIELD,
    &REASONING,
    &NO_CONTENT,
];

/// The kinds for what was tolerated in writing a tag.
pub(super) fn of(odd: Oddities) -> impl Iterator<Item = &'static Kind> {
    let seen = [
        (odd.case, &CASE),
        (odd.wide, &WIDTH),
        (odd.entity, &ENTITY),
        (odd.invisible, &INVISIBLE),
        (odd.blank, &BLANK),
        (odd.doubled || odd.foreign || odd.backslash, &BRACKET),
        (odd.unterminated, &NO_BRACKET),
        (odd.quote, &QUOTE),
    ];
    seen.into_iter().filter_map(|(seen, kind)| seen.then_some(kind))
}

const fn kind(code: &'static str, note: &'static str, confidence: f64) -> Kind {
    Kind { code, note, confidence }
}

pub(super) static CASE: Kind = kind("tag.case", "capital letters or other separators in a tag", 0.99);
pub(super) static WIDTH: Kind = kind("tag.width", "full-width characters in a tag", 0.98);
pub(super) static ENTITY: Kind = kind("tag.entity", "a tag was written with entities", 0.95);
pub(super) static INVISIBLE: Kind = kind("tag.invisible", "invisible characters in a tag", 0.98);
pub(super) static BLANK: Kind = kind("tag.blank", "blanks inside a tag", 0.97);
pub(super) static BRACKET: Kind = kind("tag.bracket", "brackets or slash of another kind", 0.9);
pub(super) static NO_BRACKET: Kind = kind("tag.no-bracket", "a tag without its closing bracket", 0.85);
pub(super) static QUOTE: Kind = kind("tag.quote", "a quotation mark in a tag was never closed", 0.8);
pub(super) static MISSPELT: Kind = kind("tag.misspelt", "a misspelt tag", 0.9);
pub(super) static NUMBER: Kind = kind("tag.number", "the number of a tag was written in another way", 0.95);
pub(super) static UNCLOSED: Kind = kind("tag.unclosed", "a tag was never closed", 0.85);
pub(super) static NESTED: Kind = kind("tag.nested", "a tag began inside another, which it ends", 0.85);
pub(super) static MISMATCH: Kind = kind("tag.mismatch", "a closing of another name or number", 0.9);
pub(super) static STRAY: Kind = kind("tag.stray-closing", "a closing without its opening", 0.95);
pub(super) static EMPTY: Kind = kind("tag.empty", "an opening with nothing behind it", 0.8);
pub(super) static CUT: Kind = kind("tag.cut", "a tag was cut off by the end of the output", 0.9);
pub(super) static ATTRIBUTE: Kind = kind("tag.attribute", "what belongs inside a tag stood in its attributes", 0.95);
pub(super) static BODY: Kind = kind("tag.body", "the content of a tag was written in another notation", 0.85);
pub(super) static BARE: Kind = kind("tag.bare", "bare text in a tag with fields is its content", 0.9);
pub(super) static STRAY_TEXT: Kind = kind("tag.stray-text", "bare text beside the content of a tag was left out", 0.7);
pub(super) static UNCLOSED_FIELD: Kind = kind("tag.unclosed-field", "a field was never closed", 0.9);
pub(super) static DOUBLED_FIELD: Kind = kind("tag.doubled-field", "a field stands twice", 0.7);
pub(super) static REASONING: Kind = kind("tag.reasoning", "a tag in reasoning that was never closed", 0.6);
pub(super) static NO_CONTENT: Kind =
    kind("tag.no-content", "a tag does not say what it is for, and is told as a failure", 0.9);
