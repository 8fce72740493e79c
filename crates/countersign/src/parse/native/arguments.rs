//! From the text of arguments to an object, or to the reason why there is none.
//!
//! Empty arguments are `{}` only where the stream says that the call is whole. Anything that cannot be read stays
//! unread: a call with made-up arguments is worse than none.

use super::page::Seen;
use super::repairs;
use crate::parse::event::{ParseOptions, Repair, Span};
use serde_json::{Map, Value};

/// What came of reading.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) arguments: Option<Map<String, Value>>,
    /// How much of them there is.
    pub(super) seen: Seen,
    pub(super) repairs: Vec<Repair>,
    /// Why there are none.
    pub(super) fault: Option<&'static str>,
}

/// Reads the text of arguments, of which the stream says how much there is.
pub(super) fn read(text: &str, seen: Seen, options: &ParseOptions) -> Read {
    if text.trim().is_empty() {
        return Read { arguments: (seen == Seen::Whole).then(Map::new), seen, ..Read::default() };
    }
    if let Ok(Value::Object(arguments)) = serde_json::from_str(text) {
        return Read { arguments: Some(arguments), seen, ..Read::default() };
    }
    let first = read_one(text, options);
    let rest = text.get(first.end..).unwrap_or_default().trim();
    let seen = if first.complete { seen } else { Seen::Part };
    let mut found = Read { seen, repairs: first.repairs, ..Read::default() };
    match first.value {
        Some(Value::Object(arguments)) => found.arguments = Some(arguments),
        Some(Value::String(inner)) if first.complete => return decoded(&inner, found, options),
        Some(_) => found.fault = Some(NO_OBJECT),
        None => found.fault = Some(UNREADABLE),
    }
    if !rest.is_empty() && found.fault.is_none() {
        only_repeats(text, first.end, &mut found, options);
    }
    found
}

/// The arguments of a custom tool, which takes free text.
pub(super) fn of_text(text: &str) -> Map<String, Value> {
    Map::from_iter([("input".to_owned(), Value::String(text.to_owned()))])
}

/// Arguments that are a string which holds JSON.
fn decoded(inner: &str, outer: Read, options: &ParseOptions) -> Read {
    let one = read_one(inner, options);
    let alone = inner.get(one.end..).unwrap_or_default().trim().is_empty();
    let mut found = outer;
    match one.value {
        Some(Value::Object(arguments)) if alone => {
            found.seen = if one.complete { found.seen } else { Seen::Part };
            found.repairs.push(Repair::new(&repairs::DOUBLE_ENCODED, Span::default(), inner, inner));
            found.repairs.extend(one.repairs);
            found.arguments = Some(arguments);
        }
        _ => found.fault = Some(NO_OBJECT),
    }
    found
}

/// Behind the arguments stands more: the same again does no harm, anything else leaves two readings.
fn only_repeats(text: &str, end: usize, found: &mut Read, options: &ParseOptions) {
    let mut rest = text.get(end..).unwrap_or_default();
    while !rest.trim().is_empty() {
        let next = read_one(rest, options);
        let same = next.value.as_ref().and_then(Value::as_object) == found.arguments.as_ref();
        if !same || !next.complete || next.end == 0 {
            found.arguments = None;
            found.fault = Some(TWO_VALUES);
            return;
        }
        rest = rest.get(next.end..).unwrap_or_default();
    }
    let first = text.get(..end).unwrap_or_default();
    found.repairs.push(Repair::new(&repairs::REPEATED_ARGUMENTS, Span::default(), text, first));
}

/// One value at the beginning of a text, strictly read.
struct One {
    value: Option<Value>,
    end: usize,
    complete: bool,
    repairs: Vec<Repair>,
}

fn read_one(text: &str, _options: &ParseOptions) -> One {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => One { value: Some(value), end: values.byte_offset(), complete: true, repairs: Vec::new() },
        _ => One { value: None, end: text.len(), complete: false, repairs: Vec::new() },
    }
}

const NO_OBJECT: &str = "the arguments are no object";
const UNREADABLE: &str = "the arguments cannot be read";
const TWO_VALUES: &str = "behind the arguments stands something else";
