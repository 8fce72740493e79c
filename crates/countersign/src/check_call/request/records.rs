//! What results said, as records: objects with their fields, and which of them stand beside each other in a list.

use crate::check_call::role::{Role, Roles};
use crate::text::words::identifier_words;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::cell::OnceCell;

/// One object of a result.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// The list that it is in; records of one list have the same.
    pub list: usize,
    /// Its fields, those of objects inside it too.
    pub fields: Vec<(&'a str, &'a Value)>,
    /// Its telling words, read when they are first asked for.
    pub words: OnceCell<FxHashSet<String>>,
}

impl Record<'_> {
    /// Whether a field holds a text, whole.
    pub(crate) fn has(&self, lower: &str) -> bool {
        self.fields.iter().any(|(_, value)| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(lower)))
    }

    /// The number of a field of money, where there is just one.
    pub(crate) fn money(&self) -> Option<f64> {
        let mut found = self.fields.iter().filter(|(key, _)| is_money(key)).filter_map(|(_, value)| value.as_f64());
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// The records of results. Their number is bounded.
pub(crate) fn collect<'a>(results: &[&'a Value]) -> Vec<Record<'a>> {
    let mut records = Vec::new();
    let mut open: Vec<(&'a Value, usize)> = results.iter().map(|result| (*result, 0)).collect();
    let mut lists = 0;
    let mut seen = 0;
    while let Some((value, list)) = open.pop() {
        seen += 1;
        if records.len() >= MAX_RECORDS || seen > MAX_VALUES {
            break;
        }
        match value {
            Value::Array(items) => {
                lists += 1;
                open.extend(items.iter().take(MAX_RECORDS).map(|item| (item, lists)));
            }
            Value::Object(map) => {
                lists += 1;
                let own = if list == 0 { lists } else { list };
                let mut fields = Vec::with_capacity(map.len());
                for (key, value) in map {
                    match value {
                        Value::Object(inner) => {
                            fields.extend(
                                inner
                                    .iter()
                                    .filter(|(_, value)| is_leaf(value))
                                    .map(|(key, value)| (key.as_str(), value)),
                            );
                            open.extend(inner.values().filter(|value| !is_leaf(value)).map(|value| (value, 0)));
                        }
                        Value::Array(items) if items.iter().all(is_leaf) => {
                            fields.extend(items.iter().map(|item| (key.as_str(), item)))
                        }
                        Value::Array(_) => open.push((value, 0)),
                        _ => fields.push((key.as_str(), value)),
                    }
                }
                records.push(Record { list: own, fields, words: OnceCell::new() });
            }
            _ => {}
        }
    }
    records
}

fn is_leaf(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Whether a field is called what money is called.
pub(crate) fn is_money(key: &str) -> bool {
    Roles::of(key, "", None).has(Role::Amount)
        || identifier_words(key).iter().any(|word| {
            matches!(
                word.as_str(),
                "paid"
                    | "due"
                    | "fine"
                    | "fines"
                    | "charge"
                    | "subtotal"
                    | "premium"
                    | "refund"
                    | "tariff"
                    | "worth"
                    | "debt"
                    | "bill"
                    | "rent"
                    | "copay"
                    | "charges"
                    | "fees"
                    | "wage"
                    | "bonus"
            )
        })
}

/// Whether a field is called what nobody counts with: an id, a room, a year.
pub(crate) fn is_label(key: &str) -> bool {
    Roles::of(key, "", None).has(Role::Id)
        || identifier_words(key).iter().any(|word| {
            matches!(
                word.as_str(),
                "room"
                    | "no"
                    | "number"
                    | "year"
                    | "zip"
                    | "postal"
                    | "phone"
                    | "seat"
                    | "row"
                    | "table"
                    | "code"
                    | "index"
                    | "version"
                    | "gate"
                    | "platform"
                    | "unit"
            )
        })
}

const MAX_RECORDS: usize = 200;
const MAX_VALUES: usize = 2000;
