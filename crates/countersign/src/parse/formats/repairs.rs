//! What is mended in the formats of open models.

use crate::parse::event::Kind;

/// Every kind of repair made here.
pub(crate) const KINDS: &[&Kind] = &[
    &UNCLOSED_CALL,
    &STRAY_CLOSING,
    &ODD_TAG,
    &MISSPELT_TAG,
    &MISSING_CLOSING,
    &FOLDED_NAME,
    &UNCLOSED_REASONING,
    &UNOPENED_REASONING,
];

pub(super) const UNCLOSED_CALL: Kind =
    Kind { code: "call.unclosed", note: "the call was not closed; the model had stopped by itself", confidence: 0.7 };
pub(super) const STRAY_CLOSING: Kind =
    Kind { code: "call.stray-closing", note: "a closing mark without its opening was left out", confidence: 0.9 };
pub(super) const ODD_TAG: Kind =
    Kind { code: "call.odd-tag", note: "a tag was written in an unusual way and read as meant", confidence: 0.95 };
pub(super) const MISSPELT_TAG: Kind =
    Kind { code: "call.misspelt-tag", note: "a tag was misspelt, and only one tag is near", confidence: 0.9 };
pub(super) const MISSING_CLOSING: Kind = Kind {
    code: "call.missing-closing",
    note: "a closing mark was missing; the next one implied it",
    confidence: 0.85,
};
pub(super) const FOLDED_NAME: Kind = Kind {
    code: "call.folded-name",
    note: "the tool's name was written with other case or separators",
    confidence: 0.95,
};
pub(super) const UNCLOSED_REASONING: Kind =
    Kind { code: "reasoning.unclosed", note: "the reasoning was begun and never ended", confidence: 0.8 };
pub(super) const UNOPENED_REASONING: Kind = Kind {
    code: "reasoning.unopened",
    note: "the reasoning ended without a beginning; the text before it may be reasoning",
    confidence: 0.8,
};
