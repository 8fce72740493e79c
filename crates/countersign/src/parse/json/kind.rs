//! The kinds of repair that the JSON reader makes, each with a code that does not change.
//!
//! A mend that is certain from the grammar alone has a confidence near 1; one that chose the likelier of two readings
//! has less. This module only names them; it never decides.

use crate::parse::event::Kind;

pub(super) const FENCE: Kind = kind("json.fence", "the value stood in a fenced block", 1.0);
pub(super) const PROSE: Kind = kind("json.prose-around", "words around the value were left out", 0.9);
pub(super) const REASONING: Kind = kind("json.in-reasoning", "the only value stood in the model's reasoning", 0.5);
pub(super) const SEVERAL: Kind = kind("json.several-values", "several values in a row were put into one array", 0.8);
pub(super) const LINES: Kind = kind("json.no-braces", "the members had no braces around them", 0.8);
pub(super) const STRINGIFIED: Kind = kind("json.stringified", "the JSON was escaped once too often", 0.9);
pub(super) const ENTITIES: Kind = kind("json.entities", "character references stood for characters", 0.9);
pub(super) const LINE_MARKS: Kind =
    kind("json.line-marks", "the mark at the beginning of each line was left out", 0.95);
pub(super) const TRAILING_COMMA: Kind =
    kind("json.trailing-comma", "a comma before the closing bracket was left out", 1.0);
pub(super) const STRAY_COMMA: Kind = kind("json.stray-comma", "a comma without a value was left out", 0.95);
pub(super) const MISSING_COMMA: Kind = kind("json.missing-comma", "a comma was missing between two values", 0.95);
pub(super) const OTHER_COMMA: Kind = kind("json.other-comma", "another sign stood for a comma", 0.95);
pub(super) const MISSING_COLON: Kind = kind("json.missing-colon", "a colon was missing after a key", 0.9);
pub(super) const OTHER_COLON: Kind = kind("json.other-colon", "another sign stood for a colon", 0.95);
pub(super) const MISSING_VALUE: Kind = kind("json.missing-value", "a key had no value and was given null", 0.5);
pub(super) const DROPPED_KEY: Kind = kind("json.dropped-key", "the text ended in a key, which was left out", 0.9);
pub(super) const OTHER_BRACKET: Kind = kind("json.other-bracket", "another sign stood for a bracket", 0.95);
pub(super) const MISSING_CLOSER: Kind = kind("json.missing-closer", "a closing bracket was missing", 0.9);
pub(super) const WRONG_CLOSER: Kind = kind("json.wrong-closer", "a bracket was closed by one of another kind", 0.85);
pub(super) const STRAY_CLOSER: Kind =
    kind("json.stray-closer", "a closing bracket without an opening one was left out", 0.9);
pub(super) const STRAY_OPENER: Kind = kind("json.stray-opener", "an opening bracket too many was left out", 0.8);
pub(super) const IMPLIED_OBJECT: Kind = kind("json.implied-object", "members in an array were put into an object", 0.7);
pub(super) const QUOTES: Kind = kind("json.other-quotes", "another sign stood for a quote", 1.0);
pub(super) const MISSING_QUOTE: Kind = kind("json.missing-quote", "a quote was missing", 0.85);
pub(super) const INNER_QUOTE: Kind = kind("json.inner-quote", "a quote inside a string was not escaped", 0.85);
pub(super) const DOUBLED_QUOTES: Kind = kind("json.doubled-quotes", "the quotes of a string were doubled", 0.9);
pub(super) const TRIPLE_QUOTES: Kind = kind("json.triple-quotes", "a string stood in triple quotes", 0.95);
pub(super) const UNQUOTED_KEY: Kind = kind("json.unquoted-key", "a key had no quotes", 1.0);
pub(super) const UNQUOTED_TEXT: Kind = kind("json.unquoted-text", "a text had no quotes", 0.85);
pub(super) const LITERAL: Kind =
    kind("json.literal", "a literal of another language was read as its like in JSON", 0.95);
pub(super) const NOT_A_VALUE: Kind = kind("json.no-such-value", "JSON has no such value; null stands for it", 0.7);
pub(super) const NUMBER: Kind = kind("json.number", "a number was not written as JSON writes it", 0.9);
pub(super) const CUT_VALUE: Kind = kind("json.cut-value", "the text ended inside a value", 0.6);
pub(super) const COMMENT: Kind = kind("json.comment", "a comment was left out", 1.0);
pub(super) const ODD_BLANK: Kind =
    kind("json.odd-blank", "a character that JSON does not count as blank was left out", 1.0);
pub(super) const RAW_CONTROL: Kind = kind("json.raw-control", "a control character in a string was not escaped", 1.0);
pub(super) const BAD_ESCAPE: Kind = kind("json.bad-escape", "an escape that JSON does not have", 0.8);
pub(super) const LONE_SURROGATE: Kind = kind("json.lone-surrogate", "half of a character was replaced", 0.7);
pub(super) const JOINED: Kind = kind("json.joined-strings", "strings joined by a plus were put together", 0.95);
pub(super) const ELLIPSIS: Kind = kind("json.ellipsis", "an ellipsis was left out", 0.8);
pub(super) const WRAPPER: Kind = kind("json.wrapper", "a call around a value was left out", 0.9);
pub(super) const TUPLE: Kind = kind("json.tuple", "values in other brackets were read as an array", 0.9);
pub(super) const TOO_DEEP: Kind = kind("json.too-deep", "what was nested too deep was kept as text", 1.0);
pub(super) const DROPPED: Kind = kind("json.dropped", "a piece that fits nowhere was left out", 0.4);

/// Every kind of this module.
pub const KINDS: &[&Kind] = &[
    &FENCE,
    &PROSE,
    &REASONING,
    &SEVERAL,
    &LINES,
    &STRINGIFIED,
    &ENTITIES,
    &LINE_MARKS,
    &TRAILING_COMMA,
    &STRAY_COMMA,
    &MISSING_COMMA,
    &OTHER_COMMA,
    &MISSING_COLON,
    &OTHER_COLON,
    &MISSING_VALUE,
    &DROPPED_KEY,
    &OTHER_BRACKET,
    &MISSING_CLOSER,
    &WRONG_CLOSER,
    &STRAY_CLOSER,
    &STRAY_OPENER,
    &IMPLIED_OBJECT,
    &QUOTES,
    &MISSING_QUOTE,
    &INNER_QUOTE,
    &DOUBLED_QUOTES,
    &TRIPLE_QUOTES,
    &UNQUOTED_KEY,
    &UNQUOTED_TEXT,
    &LITERAL,
    &NOT_A_VALUE,
    &NUMBER,
    &CUT_VALUE,
    &COMMENT,
    &ODD_BLANK,
    &RAW_CONTROL,
    &BAD_ESCAPE,
    &LONE_SURROGATE,
    &JOINED,
    &ELLIPSIS,
    &WRAPPER,
    &TUPLE,
    &TOO_DEEP,
    &DROPPED,
];

const fn kind(code: &'static str, note: &'static str, confidence: f64) -> Kind {
    Kind { code, note, confidence }
}
