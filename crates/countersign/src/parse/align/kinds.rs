//! The kinds of repair that fitting a value to its schema can make. Their codes never change.

use crate::parse::event::Kind;

/// A string was read as a number.
pub(super) static NUMBER: Kind = kind("align.number", "text was read as the number that the schema wants", 0.9);
/// A fraction was rounded.
pub(super) static ROUNDED: Kind =
    kind("align.rounded", "a fraction was rounded to the integer that the schema wants", 0.6);
/// A number was found in a sentence.
pub(super) static NUMBER_IN_PROSE: Kind = kind("align.number-in-prose", "the only number in a sentence was taken", 0.7);
/// A string was read as a boolean.
pub(super) static BOOLEAN: Kind = kind("align.boolean", "text was read as true or false", 0.9);
/// A boolean was found in a sentence.
pub(super) static BOOLEAN_IN_PROSE: Kind = kind("align.boolean-in-prose", "true or false was found in a sentence", 0.7);
/// A string was read as null.
pub(super) static NULL: Kind = kind("align.null", "text was read as null", 0.9);
/// Something else became a string.
pub(super) static STRING: Kind = kind("align.string", "a value was written as the text that the schema wants", 0.8);
/// A string held JSON.
pub(super) static DECODED: Kind = kind("align.decoded", "a string that holds JSON was read as that JSON", 0.9);
/// A choice was matched by its folded letters or its alias.
pub(super) static CHOICE: Kind = kind("align.choice", "text was matched to one of the allowed values", 0.9);
/// A choice was found in a sentence.
pub(super) static CHOICE_IN_PROSE: Kind =
    kind("align.choice-in-prose", "one allowed value was found in a sentence", 0.7);
/// A key was matched by its folded letters or its alias.
pub(super) static KEY: Kind = kind("align.key", "a key was matched to the name that the schema gives it", 0.9);
/// A key that the schema does not know.
pub(super) static EXTRA_KEY: Kind = kind("align.extra-key", "a key that the schema does not know was left out", 0.8);
/// A single value became a list of one.
pub(super) static WRAPPED: Kind = kind("align.wrapped", "a single value was made the list that the schema wants", 0.9);
/// One was taken out of a list.
pub(super) static ONE_OF_LIST: Kind = kind("align.one-of-list", "the best fitting item of a list was taken", 0.7);
/// The value of an object's only key was taken.
pub(super) static UNWRAPPED: Kind = kind("align.unwrapped", "the value of an object's only key was taken", 0.7);
/// A value became the only field of an object.
pub(super) static IMPLIED_KEY: Kind =
    kind("align.implied-key", "a value was taken for the only field of its object", 0.7);
/// An item or a value that does not fit was left out.
pub(super) static DROPPED: Kind = kind("align.dropped", "a value that does not fit was left out", 0.5);
/// A missing field got its default or an empty container.
pub(super) static DEFAULT: Kind = kind("align.default", "a missing field was given its default", 0.5);
/// A required field did not come before the output was cut.
pub(super) static MISSING: Kind = kind("align.missing", "a required field was not there when the output ended", 0.3);
/// The indentation of a block was removed.
pub(super) static BLOCK: Kind =
    kind("align.block", "a text in triple quotes lost the indentation of the JSON around it", 0.8);
/// Fitting took too long.
pub(super) static BUDGET: Kind =
    kind("align.budget", "the value is too large for this schema and was kept as it is", 0.2);

const fn kind(code: &'static str, note: &'static str, confidence: f64) -> Kind {
    Kind { code, note, confidence }
}

/// All kinds of this module.
pub const KINDS: &[&Kind] = &[
    &NUMBER,
    &ROUNDED,
    &NUMBER_IN_PROSE,
    &BOOLEAN,
    &BOOLEAN_IN_PROSE,
    &NULL,
    &STRING,
    &DECODED,
    &CHOICE,
    &CHOICE_IN_PROSE,
    &KEY,
    &EXTRA_KEY,
    &WRAPPED,
    &ONE_OF_LIST,
    &UNWRAPPED,
    &IMPLIED_KEY,
    &DROPPED,
    &DEFAULT,
    &MISSING,
    &BLOCK,
    &BUDGET,
];
