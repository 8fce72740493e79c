//! What programs put around a value: `ObjectId("…")`, `dict(a=1)`, `callback({…})`, and the letters before a Python string.
//!
//! Only known names are taken for wrappers inside a value; any other call is text. The value inside is read elsewhere.

use super::around::ValuePosition;
use super::cursor::Cursor;

/// A wrapper that begins at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrapper {
    /// A call; its argument begins at the place.
    Call(usize),
    /// A call with named arguments.
    Named(usize),
    /// The letters before a string, which begins at the place.
    Prefix(usize),
}

impl Cursor<'_> {
    /// The wrapper at a place.
    pub(super) fn wrapper(&self, at: usize, place: ValuePosition) -> Option<Wrapper> {
        if self.byte(at) == Some(b'@') {
            return self.prefixed(at).map(Wrapper::Prefix);
        }
        let start = if self.goes_on(at, "new ") { self.after_blanks(at + 4) } else { at };
        let end = self.word_end(start);
        let word = self.slice(start, end);
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$') {
            return None;
        }
        match self.byte(end)? {
            b'(' => self.call(word, end + 1, place),
            // `["a", b"]` lost a quote.
            b'"' if place == ValuePosition::Element && self.unopened_ahead(at) => None,
            b'"' | b'\'' => self.prefixed(at).map(Wrapper::Prefix),
            b' ' if place == ValuePosition::Root => {
                let round = self.after_blanks(end);
                (self.byte(round) == Some(b'(')).then_some(Wrapper::Call(round + 1))
            }
            _ => None,
        }
    }

    /// Whether the call that begins at a place is one whose arguments are members.
    pub(super) fn names_members(&self, at: usize) -> bool {
        let word = self.slice(at, self.word_end(at));
        let name = word.rsplit('.').next().unwrap_or(word);
        NAMED.iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    fn call(&self, word: &str, inside: usize, place: ValuePosition) -> Option<Wrapper> {
        let name = word.rsplit('.').next().unwrap_or(word);
        let known = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        // `User(name="Ann")`: an object as Python prints it.
        let printed = place == ValuePosition::Root || name.starts_with(|c: char| c.is_ascii_uppercase());
        if (known(NAMED) || printed) && self.argument_name_ahead(self.after_blanks(inside)) {
            return Some(Wrapper::Named(inside));
        }
        (place == ValuePosition::Root || known(CALLS) || known(NAMED)).then_some(Wrapper::Call(inside))
    }

    /// Whether a name and an equals sign stand here.
    fn argument_name_ahead(&self, at: usize) -> bool {
        let word = self.word_end(at);
        let next = self.after_blanks(word);
        word > at && self.byte(next) == Some(b'=') && self.byte(next + 1) != Some(b'=')
    }
}

/// Calls whose named arguments are members.
const NAMED: &[&str] = &["dict", "object", "ordereddict", "simplenamespace", "namespace"];

/// Calls that stand for their argument: MongoDB's shell, Python, JavaScript.
const CALLS: &[&str] = &[
    "objectid",
    "isodate",
    "date",
    "timestamp",
    "numberlong",
    "numberint",
    "numberdecimal",
    "numberdouble",
    "bindata",
    "uuid",
    "decimal",
    "decimal128",
    "int32",
    "int64",
    "double",
    "list",
    "tuple",
    "set",
    "frozenset",
    "array",
    "deque",
    "str",
    "string",
    "int",
    "float",
    "float32",
    "float64",
    "number",
    "bool",
    "boolean",
    "bigint",
    "defaultdict",
    "datetime",
    "path",
    "posixpath",
    "windowspath",
    "parse",
    "loads",
    "stringify",
    "dumps",
    "callback",
];
