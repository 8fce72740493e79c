//! JSON as it is stored: never nested deeper than a reader takes.
//!
//! The JSON reader refuses what is nested deeper than 128 levels, and everything that is stored is wrapped: in a record, in
//! a list, in an answer. What a model or a client nested more deeply is therefore stored as the text of its JSON. Nothing is
//! lost, and a row that was written can always be read. A row that cannot be read all the same is told by its name and
//! takes none of the others with it.

use super::{Kind, Record};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// How deep stored JSON is nested at most. Answers wrap it a few levels deeper.
pub const DEEPEST: usize = 112;

/// Writes a value as it is stored.
pub fn encode(value: &impl Serialize) -> String {
    // Strings, numbers and maps with string keys: writing them to memory cannot fail.
    let text = serde_json::to_string(value).unwrap_or_default();
    match shallow(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shallow) => shallow,
    }
}

/// Reads what was stored, also where an older version stored it more deeply nested.
pub fn decode(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match shallow(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(shallow) => serde_json::from_str(&shallow),
    })
}

/// The value as it would come back from a store.
pub fn as_stored(value: Value) -> Value {
    if nesting(&value, DEEPEST) <= DEEPEST {
        return value;
    }
    decode(&encode(&value)).unwrap_or(value)
}

/// How deep a value is nested; it is not looked further than one level below the bound.
pub fn nesting(value: &Value, bound: usize) -> usize {
    let mut open = vec![(value, 1)];
    let mut deepest = 0;
    while let Some((value, level)) = open.pop() {
        let parts: &mut dyn Iterator<Item = &Value> = match value {
            Value::Array(items) => &mut items.iter(),
            Value::Object(fields) => &mut fields.values(),
            _ => continue,
        };
        deepest = deepest.max(level);
        if level <= bound {
            open.extend(parts.map(|part| (part, level + 1)));
        }
    }
    deepest
}

/// JSON text in which every part below [`DEEPEST`] levels is a string that holds its text.
fn shallow(text: &str) -> Cow<'_, str> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let (mut out, mut copied, mut begun) = (String::new(), 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth == DEEPEST + 1 {
                    begun = at;
                }
            }
            b'}' | b']' if !in_string => {
                if depth == DEEPEST + 1 {
                    out.push_str(text.get(copied..begun).unwrap_or_default());
                    let part = text.get(begun..=at).unwrap_or_default();
                    out.push_str(&serde_json::to_string(part).unwrap_or_default());
                    copied = at + 1;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

impl Record {
    /// What is in the place of a body that cannot be read.
    pub(super) fn unreadable_body(why: &str) -> Value {
        json!({ UNREADABLE: why })
    }

    /// Why its body cannot be read, where it cannot.
    pub fn problem(&self) -> Option<&str> {
        let fields = self.body.as_object().filter(|fields| fields.len() == 1)?;
        fields.get(UNREADABLE)?.as_str()
    }
}

/// The rows of a store that could not be read when they were asked for.
#[derive(Debug, Default)]
pub(super) struct Unreadable {
    rows: Mutex<BTreeSet<(Kind, String)>>,
}

impl Unreadable {
    /// Takes note of a row, and says so once in the log.
    pub(super) fn note(&self, kind: Kind, id: &str, why: &str) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.len() < MOST && rows.insert((kind, id.to_owned())) {
            tracing::error!(kind = kind.name(), id, why, "a stored row cannot be read; the others are not affected");
        }
    }

    /// All that were met.
    pub(super) fn rows(&self) -> Vec<(Kind, String)> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// The one field of a body that stands for one that cannot be read.
const UNREADABLE: &str = "unreadable";
/// So many rows are remembered.
const MOST: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(levels: usize) -> String {
        format!("{}\"}}]\"{}", "{\"a\":[".repeat(levels / 2), "]}".repeat(levels / 2))
    }

    // SERVE-5: whatever is written can be read, and nothing of it is lost.
    #[test]
    fn what_is_stored_can_be_read() {
        for levels in [2, 100, DEEPEST, DEEPEST + 2, 126, 128, 200, 10_000] {
            let text = deep(levels);
            // Older rows may be as deep as a reader takes; what is written now is not.
            let read = decode(&text).unwrap();
            assert!(nesting(&read, 1_000) < 128, "{levels}");
            assert!(nesting(&as_stored(read.clone()), 1_000) <= DEEPEST, "{levels}");
            if levels <= DEEPEST {
                assert_eq!(read.to_string(), text, "what is not too deep stays as it is");
            }
            let stored = encode(&json!([read, {"quote": "\\\"{[", "levels": levels}]));
            assert_eq!(decode(&stored).unwrap()[1]["levels"], json!(levels));
        }
        assert!(decode("{\"a\":").is_err() && decode(&"[".repeat(500)).is_err());
    }

    #[test]
    fn a_part_that_is_too_deep_is_kept_as_its_text() {
        let text = format!("{}{{\"x\": [1, \"\\\"\"]}}{}", "[".repeat(DEEPEST), "]".repeat(DEEPEST));
        let mut read = &as_stored(decode(&text).unwrap());
        while let Some(inner) = read.as_array().and_then(|list| list.first()) {
            read = inner;
        }
        assert_eq!(read, &json!("{\"x\":[1,\"\\\"\"]}"));
    }
}
