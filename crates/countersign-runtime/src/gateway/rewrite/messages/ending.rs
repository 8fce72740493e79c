//! The end of a message: why it ended and what it cost, held back where that depends on what becomes of the calls.
//!
//! What it cost is told twice, at the beginning and at the end, and the end counts. It never says that tools are to be
//! run when no call was released, nor keeps silent about one that was.

use super::blocks::Blocks;
use super::glance::pass_named;
use crate::gateway::held::{Settled, SettledChoice};
use crate::gateway::json::{Document, put};
use crate::gateway::rewrite::add_usage;
use crate::gateway::sse::{Frame, Output};
use crate::gateway::wire::Fault;
use serde_json::{Map, Value, json};

/// What is known of the end, and the frames that tell it.
#[derive(Default)]
pub(super) struct Ending {
    reason: Option<String>,
    usage: Map<String, Value>,
    tail: Vec<Tail>,
    /// The text that was shown.
    pub(super) shown: String,
    /// Whether calls were held.
    pub(super) has_calls: bool,
}

/// A frame of the end.
enum Tail {
    Delta(Frame),
    Stop(Frame),
}

impl Ending {
    /// Why the message ended.
    pub(super) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// What the message cost.
    pub(super) fn usage(&self) -> Option<Value> {
        Some(&self.usage).filter(|usage| !usage.is_empty()).map(|usage| Value::Object(usage.clone()))
    }

    /// Takes figures: what comes later replaces what came before.
    pub(super) fn count(&mut self, usage: Option<&Value>) {
        let told = usage.and_then(Value::as_object).into_iter().flatten().filter(|(_, value)| !value.is_null());
        self.usage.extend(told.map(|(key, value)| (key.clone(), value.clone())));
    }

    /// Takes what a `message_delta` says.
    pub(super) fn read(&mut self, event: &Value) {
        self.count(event.get("usage"));
        if let Some(reason) = reason_in(event) {
            self.reason = Some(reason.to_owned());
        }
    }

    /// Holds a `message_delta`.
    pub(super) fn hold_delta(&mut self, frame: &Frame) -> Result<(), Fault> {
        if self.tail.len() >= MAX_TAIL {
            return Err(Fault::cut("it ends more often than a message can"));
        }
        self.tail.push(Tail::Delta(apart(frame)));
        Ok(())
    }

    /// Holds the `message_stop`.
    pub(super) fn hold_stop(&mut self, frame: &Frame) {
        self.tail.push(Tail::Stop(apart(frame)));
    }

    /// Writes what was decided, and the end behind it.
    pub(super) fn write(&mut self, settled: &Settled, blocks: &mut Blocks, out: &mut Output) {
        let undecided = SettledChoice::default();
        let decided = settled.choice(0).unwrap_or(&undecided);
        for call in &decided.calls {
            let block = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
            blocks.write(&block, &json!({"type": "input_json_delta", "partial_json": call.arguments}), out);
        }
        if let Some(note) = decided.stream_note(&self.shown) {
            blocks.write(&json!({"type": "text", "text": ""}), &json!({"type": "text_delta", "text": note}), out);
        }
        out.write(settled.comments().as_bytes());
        if self.has_calls || settled.is_changed() {
            self.write_deltas(decided, settled, out);
        }
        self.write_tail(settled, out);
    }

    /// The frames that say why it ended, put right.
    fn write_deltas(&mut self, decided: &SettledChoice, settled: &Settled, out: &mut Output) {
        let told = self.reason.clone();
        let decides = self.has_calls || settled.choice(0).is_some();
        let reason =
            if decides { stop_reason(told.as_deref(), decided) } else { told.as_deref().unwrap_or("end_turn") };
        let (deltas, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.tail).into_iter().partition(|tail| matches!(tail, Tail::Delta(_)));
        self.tail = rest;
        let mut last = deltas.len();
        if last == 0 {
            let mut event = json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}});
            self.bill(&mut event, settled);
            return out.event("message_delta", &event.to_string());
        }
        for frame in deltas.iter().map(Tail::frame) {
            last -= 1;
            let Some(mut event) = Document::read(&frame.data().unwrap_or_default()) else { continue };
            let told = reason_in(&event.value).is_some();
            if let (true, Some(delta)) = (told, event.value.get_mut("delta").and_then(Value::as_object_mut)) {
                delta.insert("stop_reason".to_owned(), reason.into());
            }
            if last == 0 {
                self.bill(&mut event.value, settled);
            }
            match event.is_changed() {
                true => out.event("message_delta", &event.write()),
                false => pass_named(frame, out),
            }
        }
    }

    /// Puts the cost of all attempts together. The first attempt's input was told at the beginning, but what stands at
    /// the end replaces it.
    fn bill(&self, event: &mut Value, settled: &Settled) {
        let Some(event) = event.as_object_mut().filter(|_| !settled.more_usage.is_empty()) else { return };
        let mut total = Value::Object(self.usage.clone());
        settled.more_usage.iter().for_each(|more| add_usage(&mut total, more));
        let usage = event.entry("usage").or_insert_with(|| json!({}));
        if !usage.is_object() {
            *usage = json!({});
        }
        let (Some(usage), Value::Object(total)) = (usage.as_object_mut(), total) else { return };
        for (key, figure) in total {
            if usage.contains_key(&key) || FIGURES.contains(&key.as_str()) {
                usage.insert(key, figure);
            }
        }
    }

    /// What is left of the end, as it came, and the last frame with what is added to it.
    fn write_tail(&mut self, settled: &Settled, out: &mut Output) {
        let tail = std::mem::take(&mut self.tail);
        let stopped = tail.iter().any(|tail| matches!(tail, Tail::Stop(_)));
        for tail in &tail {
            match (tail, &settled.extension) {
                (Tail::Stop(frame), Some(extension)) => {
                    let data = frame.data().unwrap_or_default();
                    let added = [("/countersign".to_owned(), extension.to_string())];
                    out.event("message_stop", &put(&String::from_utf8_lossy(&data), &added));
                }
                _ => pass_named(tail.frame(), out),
            }
        }
        if !stopped && (self.has_calls || settled.is_changed()) {
            write_stop(settled.extension.as_ref(), out);
        }
    }
}

impl Tail {
    fn frame(&self) -> &Frame {
        match self {
            Self::Delta(frame) | Self::Stop(frame) => frame,
        }
    }
}

/// The reason that belongs to what became of the calls.
pub(in crate::gateway) fn stop_reason<'r>(told: Option<&'r str>, decided: &SettledChoice) -> &'r str {
    if !decided.calls.is_empty() {
        return "tool_use";
    }
    match told.filter(|reason| is_limit(reason)) {
        Some(limit) if decided.at_limit => limit,
        None if decided.at_limit => "max_tokens",
        _ => "end_turn",
    }
}

/// Whether a reason to end means that the model was cut.
pub(in crate::gateway) fn is_limit(reason: &str) -> bool {
    matches!(reason, "max_tokens" | "model_context_window_exceeded")
}

fn reason_in(event: &Value) -> Option<&str> {
    event.pointer("/delta/stop_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty())
}

fn write_stop(extension: Option<&Value>, out: &mut Output) {
    let mut event = json!({"type": "message_stop"});
    if let (Some(extension), Some(event)) = (extension, event.as_object_mut()) {
        event.insert("countersign".to_owned(), extension.clone());
    }
    out.event("message_stop", &event.to_string());
}

/// A frame that is written later, when its place in the piece means nothing any more.
fn apart(frame: &Frame) -> Frame {
    Frame { start: usize::MAX, ..frame.clone() }
}

/// What is summed up at the end, even where the end did not tell it before.
const FIGURES: &[&str] = &[
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "cache_creation",
    "server_tool_use",
    "output_tokens",
];
/// More frames than any message ends with.
const MAX_TAIL: usize = 4096;
