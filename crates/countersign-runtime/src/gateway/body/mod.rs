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
use super::rewrite::Options;
use super::wire::{Fault, Wire};
use bytes::Bytes;
use serde_json::Value;

/// A whole answer.
#[derive(Debug)]
pub struct WholeAnswer {
    wire: Wire,
    bytes: Bytes,
    /// As it was read, where that was needed.
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
        let mut value: Value = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
        if !value.is_object() {
            return Err(Fault::new(502, "upstream_unreadable", "the upstream's answer is no JSON object"));
        }
        let held = match wire {
            Wire::Chat => chat::read(&mut value, text_tools),
            Wire::Messages => messages::read(&mut value, options),
            Wire::Responses => responses::read(&mut value, text_tools, options.unknown_items),
        };
        Ok(Self { wire, bytes, value: Some(value), held })
    }

    /// The answer with what was decided.
    pub fn write(self, settled: &Settled) -> Bytes {
        if !self.held.has_calls() && settled.extension.is_none() && settled.more_usage.is_empty() {
            return self.bytes;
        }
        let read = || serde_json::from_slice(&self.bytes).unwrap_or_default();
        let mut value: Value = self.value.unwrap_or_else(read);
        match self.wire {
            Wire::Chat => chat::write(&mut value, &self.held, settled),
            Wire::Messages => messages::write(&mut value, &self.held, settled),
            Wire::Responses => responses::write(&mut value, &self.held, settled),
        }
        if let (Some(extension), Some(object)) = (&settled.extension, value.as_object_mut()) {
            object.insert("countersign".to_owned(), extension.clone());
        }
        // Reading took calls out of texts, so that the answer as it came is the one to compare with.
        let unchanged = serde_json::from_slice::<Value>(&self.bytes).is_ok_and(|before| before == value);
        if unchanged { self.bytes } else { Bytes::from(value.to_string()) }
    }
}

fn unreadable(error: &serde_json::Error) -> Fault {
    if error.is_eof() {
        return Fault::cut("the body ends in the middle");
    }
    Fault::new(502, "upstream_unreadable", format!("the upstream's answer is no JSON: {error}"))
}
