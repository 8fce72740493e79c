//! From the text of arguments to an object, or to the reason why there is none.
//!
//! Empty arguments are `{}` only where the stream says that the call is whole. Anything that cannot be read stays
//! unread: a call with made-up arguments is worse than none.

use super::page::Seen;
use super::repairs;
use crate::parse::event::{ParseOptions, Repair, Span};
use crate::parse::json;
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
    let one = json::read_one(text, options);
    let alone = text.get(one.end..).unwrap_or_default().trim().is_empty();
    match one.value {
        Some(Value::Object(arguments)) if alone => Read {
            arguments: Some(arguments),
            seen: if one.complete { seen } else { Seen::Part },
            repairs: one.repairs,
            fault: None,
        },
        Some(Value::String(inner)) if alone && one.complete && text.trim_start().starts_with('"') => {
            decode(&inner, seen, options)
        }
        _ => read_surrounded(text, seen, options),
    }
}

/// The arguments of a custom tool, which takes free text.
pub(super) fn of_text(text: &str) -> Map<String, Value> {
    Map::from_iter([("input".to_owned(), Value::String(text.to_owned()))])
}

/// Arguments that are a string which holds JSON.
fn decode(inner: &str, seen: Seen, options: &ParseOptions) -> Read {
    let one = json::read_one(inner, options);
    let alone = inner.get(one.end..).unwrap_or_default().trim().is_empty();
    let Some(Value::Object(arguments)) = one.value.filter(|_| alone) else {
        return Read { fault: Some(NO_OBJECT), ..Read::default() };
    };
    let mut repairs = vec![Repair::new(&repairs::DOUBLE_ENCODED, Span::default(), inner, inner)];
    repairs.extend(one.repairs);
    Read { arguments: Some(arguments), seen: if one.complete { seen } else { Seen::Part }, repairs, fault: None }
}

/// Arguments with something around them. The same object twice does no harm; two that differ leave two readings.
fn read_surrounded(text: &str, seen: Seen, options: &ParseOptions) -> Read {
    let mut document = json::read(text, options);
    let mut values = std::mem::take(&mut document.values).into_iter().filter(|found| !found.reasoning);
    let Some(first) = values.next() else {
        return Read { fault: Some(UNREADABLE), ..Read::default() };
    };
    let Value::Object(arguments) = first.value else {
        return Read { fault: Some(NO_OBJECT), ..Read::default() };
    };
    let mut found =
        Read { seen: if first.complete { seen } else { Seen::Part }, repairs: document.repairs, ..Read::default() };
    let mut repeated = false;
    for next in values {
        if next.value.as_object() != Some(&arguments) || !next.complete {
            return Read { fault: Some(TWO_VALUES), ..Read::default() };
        }
        repeated = true;
    }
    if repeated {
        let once = text.get(first.span.start..first.span.end).unwrap_or_default();
        found.repairs = vec![Repair::new(&repairs::REPEATED_ARGUMENTS, Span::default(), text, once)];
    }
    found.arguments = Some(arguments);
    found
}

const NO_OBJECT: &str = "the arguments are no object";
const UNREADABLE: &str = "the arguments cannot be read";
const TWO_VALUES: &str = "behind the arguments stands something else";
