//! Logs of Inspect: a sample for each conversation, with long texts kept apart.

use super::Reader;
use crate::traces::exchange::{Exchange, read_tools};
use crate::traces::form::{Format, Trace};
use crate::traces::linker::Linker;
use crate::traces::record::Record;
use crate::wire::messages::read_message;
use serde_json::Value;

/// A log.
pub(super) struct Inspect;

impl Reader for Inspect {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let samples = record.elements(Some("samples")).unwrap_or_else(|| vec![*record]);
        for sample in samples {
            let mut value = sample.value()?;
            let kept = value.get_mut("attachments").map(Value::take).unwrap_or_default();
            put_back(&mut value, &kept, 0);
            let word = |key: &str| value.get(key).map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            let id = word("id").map(|id| format!("sample {id}, epoch {}", word("epoch").unwrap_or_else(|| "1".into())));
            let said = value.get("messages").and_then(Value::as_array);
            let messages = said.into_iter().flatten().map(as_chat).filter_map(|message| read_message(&message));
            let events = value.get("events").and_then(Value::as_array).into_iter().flatten();
            let tools = events.filter_map(read_tools).next_back();
            let model = value.pointer("/output/model").and_then(Value::as_str).map(str::to_owned);
            let exchange = Exchange { messages: messages.collect(), tools, model, ..Exchange::default() };
            let mut linker = Linker::new(Format::Inspect);
            out.extend(linker.add(exchange, id, &sample));
            out.extend(linker.finish());
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        Vec::new()
    }
}

/// Inspect names a called function by its name alone, and an error in an object.
fn as_chat(message: &Value) -> Value {
    let mut message = message.clone();
    for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(fields) = call.as_object_mut() else { continue };
        if let Some(Value::String(name)) = fields.remove("function") {
            fields.insert("name".to_owned(), name.into());
        }
    }
    if message.get("error").is_some_and(Value::is_object)
        && let Some(fields) = message.as_object_mut()
    {
        fields.insert("is_error".to_owned(), true.into());
    }
    message
}

/// Long texts are kept under `attachments` and named where they stood.
fn put_back(value: &mut Value, kept: &Value, depth: usize) {
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::String(text) => {
            if let Some(whole) = text.strip_prefix("attachment://").and_then(|name| kept.get(name)) {
                *value = whole.clone();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_back(item, kept, depth + 1)),
        Value::Object(fields) => fields.values_mut().for_each(|item| put_back(item, kept, depth + 1)),
        _ => {}
    }
}

const MAX_DEPTH: usize = 40;
