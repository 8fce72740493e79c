//! Whole answers of the three dialects: their calls found, and what was decided put in their place.
//!
//! An answer that needs no change is given back as the very bytes that came.

/// Chat completions.
mod chat;
/// Messages.
mod messages;
/// Responses.
mod responses;

use super::held::{Held, Settled};
use super::json::{self, Document, Read};
use super::rewrite::Options;
use super::wire::{Fault, Wire};
use bytes::Bytes;
use serde_json::Value;

/// A whole answer.
#[derive(Debug)]
pub struct WholeAnswer {
    wire: Wire,
    bytes: Bytes,
    /// What it says, without the calls that were taken out of its texts, where that was needed.
    value: Option<Value>,
    /// What is held of it.
    pub held: Held,
}

impl WholeAnswer {
    /// Reads an answer. Calls are looked for in the text where the options name tools.
    pub fn read(wire: Wire, bytes: Bytes, options: &Options) -> Result<Self, Fault> {
        let text_tools = options.text_tools.as_ref();
        if let Some(held) = Some(wire).filter(|wire| *wire == Wire::Chat).and_then(|_| chat::glance(&bytes, text_tools))
        {
            return Ok(Self { wire, bytes, value: None, held });
        }
        let text = String::from_utf8_lossy(&bytes);
        let Read { mut value, repeats, .. } = json::read(&text).ok_or_else(|| unreadable(&bytes))?;
        if !value.is_object() {
            return Err(Fault::new(502, "upstream_unreadable", "the upstream's answer is no JSON object"));
        }
        // A key that stands there twice is taken out in any case: nobody must see another call than was judged.
        let clean = repeats.then(|| json::without_repeats_around_calls(&text)).filter(|clean| *clean != text);
        let text = clean.as_deref().unwrap_or(&text);
        let held = match wire {
            Wire::Chat => {
                quote(&mut value, text, &chat::arguments);
                chat::read(&mut value, text_tools)
            }
            Wire::Messages => messages::read(&mut value, text, options),
            Wire::Responses => {
                quote(&mut value, text, &responses::arguments);
                responses::read(&mut value, text_tools, options.unknown_items)
            }
        };
        let bytes = clean.map_or_else(|| bytes.clone(), Bytes::from);
        Ok(Self { wire, bytes, value: Some(value), held })
    }

    /// The answer with what was decided. Only what was decided about is written again.
    pub fn write(self, settled: &Settled) -> Bytes {
        if !settled.is_changed() && !self.held.has_calls() {
            return self.bytes;
        }
        let Some(mut document) = Document::read(&self.bytes) else { return self.bytes };
        document.value = self.value.unwrap_or(document.value);
        let mut places = Vec::new();
        match self.wire {
            Wire::Chat => chat::write(&mut document.value, settled),
            Wire::Messages => places = messages::write(&mut document.value, &self.held, settled),
            Wire::Responses => responses::write(&mut document.value, &self.held, settled),
        }
        if let (Some(extension), Some(object)) = (&settled.extension, document.value.as_object_mut()) {
            object.insert("countersign".to_owned(), extension.clone());
        }
        match document.is_changed() || !places.is_empty() {
            true => Bytes::from(json::put(&document.write(), &places)),
            false => self.bytes,
        }
    }
}

/// Arguments that are an object where their text is due, as that text: it is judged and released as it was written.
fn quote(value: &mut Value, text: &str, arguments: &dyn Fn(&Value) -> Vec<String>) {
    for pointer in arguments(value) {
        if let (Some(place), Some(written)) = (value.pointer_mut(&pointer), json::find(text, &pointer)) {
            *place = Value::String(written.to_owned());
        }
    }
}

fn unreadable(bytes: &[u8]) -> Fault {
    let Err(error) = serde_json::from_slice::<Value>(bytes) else {
        return Fault::new(502, "upstream_unreadable", "the upstream's answer is no JSON");
    };
    if error.is_eof() {
        return Fault::cut("the body ends in the middle");
    }
    Fault::new(502, "upstream_unreadable", format!("the upstream's answer is no JSON: {error}"))
}
