//! The configuration as TOML with a note where each value comes from. Secrets are shown as `***`.

use super::keys::{Form, KEYS, Key};
use super::layers::Layers;
use super::raw::RawConfig;
use crate::failure::Failure;
use serde_json::{Map, Value};

/// Writes every setting: what was set as it was set, the rest as a comment with its default.
pub(crate) fn show(layers: &Layers) -> Result<String, Failure> {
    let raw: RawConfig = layers.raw()?;
    let raw = serde_json::to_value(&raw).map_err(|error| Failure::Internal(error.to_string()))?;
    let mut out = String::new();
    let mut section = "";
    for key in KEYS.iter().filter(|key| key.form != Form::Named) {
        let (table, name) = key.path.split_once('.').unwrap_or(("", key.path));
        if table != section {
            out.push_str(&format!("\n[{table}]\n"));
            section = table;
        }
        let value = if table.is_empty() { raw.get(name) } else { raw.get(table).and_then(|table| table.get(name)) };
        out.push_str(&line(key, name, value, layers.source(key.path)));
    }
    for key in KEYS.iter().filter(|key| key.form == Form::Named) {
        for (name, table) in raw.get(key.path).and_then(Value::as_object).into_iter().flatten() {
            let source = layers.source(key.path).unwrap_or_default();
            out.push_str(&format!("\n[{}.{name}]  # {source}\n", key.path));
            out.push_str(&name_of(table));
        }
    }
    Ok(out)
}

fn line(key: &Key, name: &str, value: Option<&Value>, source: Option<&str>) -> String {
    match (value.filter(|value| is_written(value)), source) {
        (Some(value), Some(source)) => format!("{name} = {}  # {source}\n", write_value(key.form, value)),
        _ => format!("# {name}  # default: {}\n", key.default),
    }
}

/// The keys of a table that has a name.
fn name_of(table: &Value) -> String {
    let keys = table.as_object().into_iter().flatten().filter(|(_, value)| is_written(value));
    let written = keys.map(|(name, value)| {
        let form = if HIDDEN.contains(&name.as_str()) { Form::Hidden } else { Form::Text };
        format!("{name} = {}\n", write_value(form, value))
    });
    written.collect()
}

fn is_written(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

fn write_value(form: Form, value: &Value) -> String {
    match (form, value) {
        (Form::Secret, _) => "\"***\"".to_owned(),
        (Form::Secrets, Value::Array(words)) => format!("[{}]", vec!["\"***\""; words.len()].join(", ")),
        (Form::Tables, Value::Array(tables)) => {
            let kinds = tables.iter().map(|table| table.get("kind").unwrap_or(&Value::Null));
            let shown: Vec<String> = kinds.map(|kind| format!("{{ kind = {kind}, url = \"***\" }}")).collect();
            format!("[{}]", shown.join(", "))
        }
        (Form::Hidden, Value::String(_)) => "\"***\"".to_owned(),
        (form, Value::Object(fields)) => inline(form, fields),
        (_, Value::String(text)) => Value::String(without_login(text)).to_string(),
        // JSON's strings, numbers and lists of strings are TOML's as well.
        (_, value) => value.to_string(),
    }
}

/// A table in one line.
fn inline(form: Form, fields: &Map<String, Value>) -> String {
    let shown = fields.iter().filter(|(_, value)| is_written(value)).map(|(name, value)| {
        let value = if form == Form::Hidden { "\"***\"".to_owned() } else { value.to_string() };
        format!("{} = {value}", Value::from(name.as_str()))
    });
    format!("{{ {} }}", shown.collect::<Vec<_>>().join(", "))
}

/// An address without the login and without what follows its question mark: both may hold a key.
fn without_login(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (place, query) = rest.split_once('?').map_or((rest, ""), |(place, _)| (place, "?***"));
    let (authority, path) = place.split_once('/').map_or((place, None), |(authority, path)| (authority, Some(path)));
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => format!("***@{host}"),
        None => authority.to_owned(),
    };
    let path = path.map(|path| format!("/{path}")).unwrap_or_default();
    format!("{scheme}://{host}{path}{query}")
}

/// Keys of named tables whose values are never shown.
const HIDDEN: &[&str] = &["headers", "env", "webhook"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_be_a_key() {
        for (written, shown) in [
            ("http://127.0.0.1:1/mcp", "http://127.0.0.1:1/mcp"),
            ("https://ann:word@host/mcp?key=word", "https://***@host/mcp?***"),
            ("https://host?key=word", "https://host?***"),
            ("pets.json", "pets.json"),
        ] {
            assert_eq!(without_login(written), shown);
        }
    }
}
