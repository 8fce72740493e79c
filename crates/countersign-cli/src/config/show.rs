//! The configuration as TOML with a note where each value comes from. Secrets are shown as `***`.

use super::keys::{Form, KEYS, Key};
use super::layers::Layers;
use super::raw::RawConfig;
use crate::failure::Failure;
use serde_json::Value;

/// Writes every setting: what was set as it was set, the rest as a comment with its default.
pub fn show(layers: &Layers) -> Result<String, Failure> {
    let raw: RawConfig = layers.raw()?;
    let raw = serde_json::to_value(&raw).map_err(|error| Failure::Internal(error.to_string()))?;
    let mut out = String::new();
    let mut section = "";
    for key in KEYS {
        let (table, name) = key.path.split_once('.').unwrap_or(("", key.path));
        if table != section {
            out.push_str(&format!("\n[{table}]\n"));
            section = table;
        }
        let value = if table.is_empty() { raw.get(name) } else { raw.get(table).and_then(|table| table.get(name)) };
        out.push_str(&line(key, name, value, layers.source(key.path)));
    }
    Ok(out)
}

fn line(key: &Key, name: &str, value: Option<&Value>, source: Option<&str>) -> String {
    match (value.filter(|value| !value.is_null()), source) {
        (Some(value), Some(source)) => format!("{name} = {}  # {source}\n", written(key.form, value)),
        _ => format!("# {name}  # default: {}\n", key.default),
    }
}

fn written(form: Form, value: &Value) -> String {
    match (form, value) {
        (Form::Secret, _) => "\"***\"".to_owned(),
        (Form::Secrets, Value::Array(words)) => format!("[{}]", vec!["\"***\""; words.len()].join(", ")),
        (Form::Tables, Value::Array(tables)) => {
            let kinds = tables.iter().map(|table| table.get("kind").unwrap_or(&Value::Null));
            let shown: Vec<String> = kinds.map(|kind| format!("{{ kind = {kind}, url = \"***\" }}")).collect();
            format!("[{}]", shown.join(", "))
        }
        // JSON's strings, numbers and lists of strings are TOML's as well.
        (_, value) => value.to_string(),
    }
}
