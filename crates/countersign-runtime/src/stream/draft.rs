//! An event before it has a number, and as a row of the log.

use crate::store::Entry;
use crate::store::stored_json::encode;
use countersign::contract::{ContentType, EVENT_VERSION, EventId, EventType};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// What somebody wants to write.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What happened.
    pub kind: EventType,
    /// Who did it.
    pub source: Arc<str>,
    /// What the payload holds.
    pub content: ContentType,
    /// The payload's fields.
    pub fields: Map<String, Value>,
}

impl Draft {
    /// An event whose payload is an object. What is no object becomes the field `value`.
    pub fn new(kind: EventType, source: impl Into<Arc<str>>, content: ContentType, fields: Value) -> Self {
        let fields = match fields {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        Self { kind, source: source.into(), content, fields }
    }

    /// The event as a row, at its place.
    pub fn entry(&self, session: &str, id: EventId, at: i64) -> Entry {
        let row = Row {
            version: EVENT_VERSION,
            id,
            session_id: session,
            event_type: self.kind,
            agent_source: &self.source,
            timestamp: timestamp(at),
            payload: Body { content_type: self.content, fields: &self.fields },
        };
        Entry { id, kind: self.kind, at, body: encode(&row).into() }
    }
}

/// The event without `meta`, in the order of the contract.
#[derive(Serialize)]
struct Row<'a> {
    version: u32,
    id: EventId,
    session_id: &'a str,
    event_type: EventType,
    agent_source: &'a str,
    timestamp: String,
    payload: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    content_type: ContentType,
    #[serde(flatten)]
    fields: &'a Map<String, Value>,
}

/// The time now, in milliseconds since 1970.
pub fn now_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A time in RFC 3339.
pub fn timestamp(at: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}
