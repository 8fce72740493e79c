//! One event of a messages stream, seen only as far as it decides what is done with it.
//!
//! Deltas are nearly all of the traffic, so they are read without a copy, and where only the number of the block is
//! wrong, that number alone is written again. It changes nothing else in a frame.

use crate::gateway::json::{find, put};
use crate::gateway::sse::{Frame, Output};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The parts of an event that decide.
#[derive(Deserialize)]
pub(super) struct Glance<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Word<'a>>,
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) delta: Option<DeltaGlance<'a>>,
}

/// The parts of a delta that are read.
#[derive(Deserialize)]
pub(super) struct DeltaGlance<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Word<'a>>,
    #[serde(borrow, default)]
    text: Option<Word<'a>>,
    #[serde(borrow, default)]
    thinking: Option<Word<'a>>,
    #[serde(borrow, default)]
    signature: Option<Word<'a>>,
}

/// A string that is borrowed where nothing in it is escaped; an optional `Cow` would always be copied.
#[derive(Deserialize)]
#[serde(transparent)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Glance<'a> {
    /// Looks at an event. Gives none where it is not written as events are.
    pub(super) fn of(data: &'a [u8]) -> Option<Self> {
        // A list would be read as the fields in their order.
        data.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(data).ok())?
    }

    /// What the event is; some servers say it only in the frame.
    pub(super) fn kind(&'a self, frame: &'a Frame) -> &'a str {
        word(self.kind.as_ref()).or_else(|| frame.event()).unwrap_or_default()
    }

    /// The number of the block.
    pub(super) fn index(&self) -> Option<u64> {
        self.index?.get().parse().ok()
    }

    /// Passes the frame with this number: as it came where it has that number already.
    pub(super) fn pass(&self, shown: u64, frame: &Frame, out: &mut Output) {
        let named = frame.event().is_some();
        match self.index {
            Some(_) if named && self.index() == Some(shown) => out.pass(frame),
            Some(index) if named && let Some((before, behind)) = around(&frame.raw, index.get()) => {
                out.write(before);
                out.write(shown.to_string().as_bytes());
                out.write(behind);
            }
            _ => write_again(Some(shown), &[], frame, out),
        }
    }

    /// Passes the frame with this number and another text at a place of it.
    pub(super) fn pass_with(&self, shown: u64, pointer: &str, text: &str, frame: &Frame, out: &mut Output) {
        let text = Value::from(text).to_string();
        write_again(Some(shown), &[(pointer.to_owned(), text)], frame, out);
    }
}

impl DeltaGlance<'_> {
    /// What the delta is.
    pub(super) fn kind(&self) -> &str {
        word(self.kind.as_ref()).unwrap_or_default()
    }

    /// Its text.
    pub(super) fn text(&self) -> &str {
        word(self.text.as_ref()).unwrap_or_default()
    }

    /// Its thought.
    pub(super) fn thinking(&self) -> &str {
        word(self.thinking.as_ref()).unwrap_or_default()
    }

    /// Its signature.
    pub(super) fn signature(&self) -> &str {
        word(self.signature.as_ref()).unwrap_or_default()
    }
}

/// Passes a frame that belongs to no block. Clients skip frames without a name, so it gets one.
pub(super) fn pass_named(frame: &Frame, out: &mut Output) {
    match frame.event() {
        Some(_) => out.pass(frame),
        None => write_again(None, &[], frame, out),
    }
}

/// A frame as bytes of its own, to be written later.
pub(super) fn kept(pass: impl FnOnce(&mut Output)) -> Bytes {
    let mut out = Output::new(Bytes::new());
    pass(&mut out);
    out.take()
}

/// The frame with other values at places of its data, perhaps with another number, and with a name.
fn write_again(shown: Option<u64>, places: &[(String, String)], frame: &Frame, out: &mut Output) {
    let data = frame.data().unwrap_or_default();
    let text = String::from_utf8_lossy(&data);
    let index = shown.map(|shown| ("/index".to_owned(), shown.to_string()));
    let places: Vec<_> = places.iter().cloned().chain(index).collect();
    let written = put(&text, &places);
    if frame.event().is_some() {
        return out.pass(&frame.with_data(&written));
    }
    let kind = find(&text, "/type").and_then(|kind| serde_json::from_str::<String>(kind).ok()).unwrap_or_default();
    // What has no name at all is nothing that a client waits for.
    if kind.is_empty() || kind.contains(['\n', '\r']) {
        return out.pass(frame);
    }
    out.event(&kind, &written);
}

/// What stands before and behind a part of a frame, where it is a part of it and not of a copy.
fn around<'f>(raw: &'f [u8], part: &str) -> Option<(&'f [u8], &'f [u8])> {
    let start = (part.as_ptr() as usize).checked_sub(raw.as_ptr() as usize)?;
    Some((raw.get(..start)?, raw.get(start + part.len()..)?))
}

fn word<'w>(word: Option<&'w Word>) -> Option<&'w str> {
    word.map(|word| word.0.as_ref())
}
