//! Server-sent events, to the byte: `id`, `event` and `data` lines, a blank line, and nothing that a browser would drop.
//!
//! A row of the log is JSON without `meta`; here the metadata of this reading is put in before the closing brace.

use crate::store::Entry;
use crate::store::stored_json::decode;
use countersign::contract::{ContentType, EVENT_VERSION, EventId, EventType, Meta, Payload, Phase, StreamEvent};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The end of every stream.
pub const DONE: &[u8] = b"data: [DONE]\n\n";
/// A sign of life.
pub const HEARTBEAT: &[u8] = b": heartbeat\n\n";

/// Writes an event.
pub fn write_event(out: &mut Vec<u8>, entry: &Entry, phase: Phase) {
    // Writing to memory cannot fail.
    let _ = write!(out, "id: {}\nevent: {}\ndata: ", entry.id, entry.kind.name());
    out.extend_from_slice(entry.body.strip_suffix('}').unwrap_or(&entry.body).as_bytes());
    out.extend_from_slice(match phase {
        Phase::Live => LIVE,
        _ => REPLAY,
    });
}

/// An event as JSON, as a reader gets it. One that cannot be read says so in its place.
pub fn event_json(entry: &Entry, phase: Phase) -> Value {
    let mut event = match decode(&entry.body) {
        Ok(Value::Object(event)) => event,
        Ok(_) => unreadable(entry, "it is no object"),
        Err(error) => unreadable(entry, &error.to_string()),
    };
    event.insert("meta".to_owned(), json!(Meta::of(phase)));
    Value::Object(event)
}

fn unreadable(entry: &Entry, why: &str) -> Map<String, Value> {
    let event = json!({"id": entry.id, "event_type": entry.kind, "unreadable": why, "payload": {}});
    event.as_object().cloned().unwrap_or_default()
}

/// Why a reader starts over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reset {
    /// In a word: `unknown_epoch`, `past_head`, `history_lost`.
    pub reason: &'static str,
    /// The oldest event there is.
    pub oldest: Option<EventId>,
    /// The newest.
    pub newest: Option<EventId>,
}

/// Writes a reset: it has no id, because it does not move the reader's cursor.
pub fn write_reset(out: &mut Vec<u8>, session: &str, timestamp: String, reset: &Reset) {
    let fields = json!({"reason": reset.reason, "oldest": reset.oldest, "newest": reset.newest});
    let event = StreamEvent {
        version: EVENT_VERSION,
        id: None,
        session_id: session.to_owned(),
        event_type: EventType::Reset,
        agent_source: "countersign".to_owned(),
        timestamp,
        payload: Payload { content_type: ContentType::Json, fields: fields.as_object().cloned().unwrap_or_default() },
        meta: Meta::of(Phase::Replay),
    };
    out.extend_from_slice(b"event: reset\ndata: ");
    // Strings and numbers only: writing them to memory cannot fail.
    let _ = serde_json::to_writer(&mut *out, &event);
    out.extend_from_slice(b"\n\n");
}

const REPLAY: &[u8] = b",\"meta\":{\"is_replay\":true,\"is_realtime\":false,\"phase\":\"replay\"}}\n\n";
const LIVE: &[u8] = b",\"meta\":{\"is_replay\":false,\"is_realtime\":true,\"phase\":\"live\"}}\n\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::draft::Draft;

    // STREAM-1, STREAM-2
    #[test]
    fn a_frame_is_one_event_of_the_contract() {
        let draft = Draft::new(EventType::TextDelta, "concierge", ContentType::Text, json!({"delta": "line\nbreak"}));
        let id = EventId { epoch: 1, seq: 7 };
        let mut out = Vec::new();
        write_event(&mut out, &draft.entry("s1", id, 0), Phase::Live);
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.split('\n').collect();
        assert_eq!((lines[0], lines[1]), ("id: 1.7", "event: text_delta"));
        let event: StreamEvent = serde_json::from_str(lines[2].strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!((event.id, event.meta), (Some(id), Meta::of(Phase::Live)));
        assert_eq!(event.timestamp, "1970-01-01T00:00:00.000Z");
        assert_eq!(lines[3..], ["", ""]);
    }
}
