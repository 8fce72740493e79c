//! What is mended in native streams.

use crate::parse::event::Kind;

/// An id was used for two calls.
pub(crate) const REPEATED_ID: Kind = Kind {
    code: "native.repeated-id",
    note: "the id belongs to an earlier call; this one is left without",
    confidence: 0.9,
};
/// A delta had no index.
pub(crate) const MISSING_INDEX: Kind = Kind {
    code: "native.missing-index",
    note: "the call has no index; its pieces are told by id or order",
    confidence: 0.9,
};
/// An index was used for two calls.
pub(crate) const REUSED_INDEX: Kind = Kind {
    code: "native.reused-index",
    note: "the index belongs to an earlier call; this is another one",
    confidence: 0.9,
};
/// A name came in pieces.
pub(crate) const SPLIT_NAME: Kind =
    Kind { code: "native.split-name", note: "the name came in pieces and was joined", confidence: 0.9 };
/// Arguments were JSON where a string belongs.
pub(crate) const OBJECT_ARGUMENTS: Kind =
    Kind { code: "native.object-arguments", note: "the arguments were an object and not a string", confidence: 1.0 };
/// Arguments stood under another key.
pub(crate) const ARGUMENTS_FIELD: Kind =
    Kind { code: "native.arguments-field", note: "the arguments stood under another key", confidence: 0.95 };
/// Arguments were a string inside a string.
pub(crate) const DOUBLE_ENCODED: Kind =
    Kind { code: "native.double-encoded", note: "the arguments were encoded twice", confidence: 0.95 };
/// Arguments were sent twice.
pub(crate) const REPEATED_ARGUMENTS: Kind =
    Kind { code: "native.repeated-arguments", note: "the same arguments were sent more than once", confidence: 0.9 };
/// The pieces differ from the whole.
pub(crate) const DELTAS_DIFFER: Kind = Kind {
    code: "native.deltas-differ",
    note: "the pieces of the arguments differ from the whole that was sent after them; the whole counts",
    confidence: 0.85,
};

/// Every kind of this module.
pub const KINDS: &[&Kind] = &[
    &REPEATED_ID,
    &MISSING_INDEX,
    &REUSED_INDEX,
    &SPLIT_NAME,
    &OBJECT_ARGUMENTS,
    &ARGUMENTS_FIELD,
    &DOUBLE_ENCODED,
    &REPEATED_ARGUMENTS,
    &DELTAS_DIFFER,
];
