//! Values that are in a CSV or JSON file.
//!
//! Another value is only named as meant when it differs in case, blanks and marks alone. `C-17` and `C-18` are as near
//! as two texts can be, and two different customers: naming one for the other would be wrong and would give it away.

use crate::ask::file::{Watched, document};
use crate::ask::{AskError, FactChecker};
use countersign::contract::{Answer, Question};
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

/// The values of a file.
#[derive(Debug)]
pub(super) struct Listed {
    values: Watched<Values>,
}

/// Each value by its letters and digits in lower case, and all values that look so.
type Values = HashMap<String, Vec<String>>;

/// The column of a CSV file.
pub(super) fn csv(base: &Path, file: &str, column: &str) -> Result<Listed, AskError> {
    let column = column.to_owned();
    Ok(Listed { values: Watched::open(base, file, move |bytes| read_csv(bytes, &column))? })
}

/// A list in a JSON file, or the keys of an object.
pub(super) fn json(base: &Path, file: &str, pointer: &str, field: Option<&str>) -> Result<Listed, AskError> {
    let (pointer, field) = (pointer.to_owned(), field.map(str::to_owned));
    let read = move |bytes: &[u8]| document(bytes).and_then(|value| read_json(&value, &pointer, field.as_deref()));
    Ok(Listed { values: Watched::open(base, file, read)? })
}

impl FactChecker for Listed {
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let Question::Record { value, .. } = question else { return Err(AskError::OtherQuestion) };
        let values = self.values.current()?;
        let alike = values.get(&fold(value)).map(Vec::as_slice).unwrap_or_default();
        Ok(match alike {
            _ if alike.contains(value) => Answer::Yes,
            [only] => Answer::No { nearest: Some(only.clone()), note: None },
            _ => Answer::No { nearest: None, note: None },
        })
    }
}

fn read_csv(bytes: &[u8], column: &str) -> Result<Values, String> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(bytes);
    let headers = reader.headers().map_err(|error| format!("it is not CSV: {error}"))?.clone();
    let at = headers.iter().position(|header| header == column).ok_or_else(|| {
        let known: Vec<&str> = headers.iter().collect();
        format!("it has no column `{column}`, only {}", known.join(", "))
    })?;
    let mut values = Values::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!("it is not CSV: {error}"))?;
        record.get(at).into_iter().for_each(|value| add(&mut values, value.to_owned()));
    }
    Ok(values)
}

fn read_json(document: &Value, pointer: &str, field: Option<&str>) -> Result<Values, String> {
    let list = document.pointer(pointer).ok_or_else(|| format!("there is nothing at `{pointer}` in it"))?;
    let mut values = Values::new();
    match list {
        Value::Array(items) => {
            let of = |item: &Value| field.map_or_else(|| text(item), |field| item.get(field).and_then(text));
            items.iter().filter_map(of).for_each(|value| add(&mut values, value));
        }
        Value::Object(map) => map.keys().for_each(|key| add(&mut values, key.clone())),
        _ => return Err(format!("`{pointer}` is neither a list nor an object")),
    }
    Ok(values)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn add(values: &mut Values, value: String) {
    if value.is_empty() {
        return;
    }
    match values.entry(fold(&value)) {
        Entry::Occupied(mut alike) if !alike.get().contains(&value) => alike.get_mut().push(value),
        Entry::Occupied(_) => {}
        Entry::Vacant(place) => {
            place.insert(vec![value]);
        }
    }
}

/// Letters and digits in lower case; the value itself where it has none.
fn fold(value: &str) -> String {
    let letters: String = value.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if letters.is_empty() { value.to_owned() } else { letters }
}
