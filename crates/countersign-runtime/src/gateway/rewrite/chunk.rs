//! One chunk of a chat completion that is read whole: as it came, what it says, and what it is to say.

use crate::gateway::held::{CallForm, Origin, Released, Settled};
use crate::gateway::json::{Document, put};
use crate::gateway::sse::{Frame, Output};
use serde_json::{Map, Value, json};

/// A chunk.
pub(super) struct Chunk {
    /// The frame that it came in.
    pub(super) frame: Frame,
    /// Its data.
    pub(super) document: Document,
    /// Texts that are put into it where it is written, each at a JSON pointer.
    pub(super) places: Vec<(String, String)>,
}

impl Chunk {
    /// Reads a frame. None where its data is no object.
    pub(super) fn read(frame: &Frame) -> Option<Self> {
        let document = Document::read(&frame.data()?).filter(|read| read.value.is_object())?;
        Some(Self { frame: frame.clone(), document, places: Vec::new() })
    }

    /// A chunk that is written later, when its place in the piece means nothing any more.
    pub(super) fn later(frame: &Frame, document: Document) -> Self {
        Self { frame: Frame { start: usize::MAX, ..frame.clone() }, document, places: Vec::new() }
    }

    /// Whether it says that the answer failed.
    pub(super) fn is_error(&self) -> bool {
        self.document.value.get("error").is_some_and(|error| error.is_object() || error.is_string())
    }

    /// Its choices.
    pub(super) fn choices(&mut self) -> Option<&mut Vec<Value>> {
        self.document.value.get_mut("choices").and_then(Value::as_array_mut)
    }

    /// Whether it differs from what came.
    pub(super) fn is_changed(&self) -> bool {
        self.document.is_changed() || self.document.cleaned || !self.places.is_empty()
    }

    /// Leaves what it says, and takes away how it ends and what it cost.
    pub(super) fn keep_words(&mut self) {
        let Some(object) = self.document.value.as_object_mut() else { return };
        object.shift_remove("usage");
        for choice in object.get_mut("choices").and_then(Value::as_array_mut).into_iter().flatten() {
            choice.get_mut("finish_reason").into_iter().for_each(|finish| *finish = Value::Null);
        }
    }

    /// Leaves how it ends and what it cost, and takes away what it says.
    pub(super) fn keep_ends(&mut self) {
        let ends: Vec<Value> = self.choices().into_iter().flatten().filter_map(|choice| end_of(choice)).collect();
        if let Some(object) = self.document.value.as_object_mut() {
            object.insert("choices".to_owned(), Value::Array(ends));
        }
    }

    /// Writes it: as it came where nothing in it is changed.
    pub(super) fn write(&self, out: &mut Output) {
        if !self.is_changed() {
            return out.pass(&self.frame);
        }
        let text = self.document.write();
        match self.places.is_empty() {
            true => out.pass(&self.frame.with_data(&text)),
            false => out.pass(&self.frame.with_data(&put(&text, &self.places))),
        }
    }
}

/// Whether a delta says anything.
pub(super) fn says(delta: &Map<String, Value>) -> bool {
    delta.values().any(|value| !value.is_null() && value != "")
}

/// The end of a choice, without what it says.
pub(super) fn end_of(choice: &Value) -> Option<Value> {
    choice.get("finish_reason").filter(|finish| finish.is_string())?;
    let mut end = choice.clone();
    let fields = end.as_object_mut()?;
    fields.insert("delta".to_owned(), json!({}));
    fields.shift_remove("message");
    if let Some(measured) = fields.get_mut("logprobs") {
        *measured = Value::Null;
    }
    Some(end)
}

/// One call in one delta.
pub(super) fn call_delta(at: usize, call: &Released) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    match (call.origin, call.form) {
        (Origin::Legacy, _) => json!({"function_call": function}),
        (_, CallForm::Text) => {
            let custom = json!({"name": call.name, "input": call.arguments});
            json!({"tool_calls": [{"index": at, "id": call.id, "type": "custom", "custom": custom}]})
        }
        _ => json!({"tool_calls": [{"index": at, "id": call.id, "type": "function", "function": function}]}),
    }
}

/// The finish that belongs to what became of the calls.
pub(in crate::gateway) fn put_finish(choice: &mut Value, settled: &Settled) {
    let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
    let Some(settled) = settled.choice(index) else { return };
    let finish = match settled.calls.first() {
        Some(call) if call.origin == Origin::Legacy => "function_call",
        Some(_) => "tool_calls",
        None if settled.at_limit => "length",
        None => "stop",
    };
    if let Some(choice) = choice.as_object_mut() {
        choice.insert("finish_reason".to_owned(), finish.into());
    }
}

/// Whether a reason to end means that the model was cut.
pub(in crate::gateway) fn is_limit(reason: &str) -> bool {
    matches!(reason, "length" | "max_tokens" | "model_length")
}
