//! The JSON Schema of an event, with the shapes of the server's answers under `$defs`.

use crate::shapes::{Held, Place, describe};
use countersign::contract::payload::{Holds, Presence, payload_of};
use countersign::contract::{ContentType, EVENT_VERSION, EventType};
use serde_json::{Map, Value, json};

/// The schema.
pub(super) fn schema() -> Value {
    let kinds: Vec<Value> = EventType::ALL.iter().map(|kind| event(*kind)).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "StreamEvent",
        "description": "An event of a session, as a reader of a stream gets it. Readers ignore event types and fields that they do not know.",
        "type": "object",
        "required": ["version", "id", "session_id", "event_type", "agent_source", "timestamp", "payload", "meta"],
        "properties": {
            "version": {"const": EVENT_VERSION},
            "id": {"type": ["string", "null"], "pattern": "^[0-9]+\\.[0-9]+$"},
            "session_id": {"type": "string"},
            "event_type": {"enum": EventType::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>()},
            "agent_source": {"type": "string"},
            "timestamp": {"type": "string", "format": "date-time"},
            "payload": {
                "type": "object",
                "required": ["content_type"],
                "properties": {
                    "content_type": {"enum": ContentType::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>()},
                },
            },
            "meta": {
                "type": "object",
                "required": ["is_replay", "is_realtime", "phase"],
                "properties": {
                    "is_replay": {"type": "boolean"},
                    "is_realtime": {"type": "boolean"},
                    "phase": {"enum": ["replay", "live"]},
                },
            },
        },
        "oneOf": kinds,
        "$defs": SHAPES.schemas(),
    })
}

fn event(kind: EventType) -> Value {
    let shape = payload_of(kind);
    let mut properties = Map::new();
    let content: Vec<_> = shape.content.iter().map(|content| content.name()).collect();
    properties.insert("content_type".to_owned(), json!({ "enum": content }));
    for field in shape.fields {
        properties.insert(field.name.to_owned(), describe(payload_schema(field.holds), field.about));
    }
    let always = shape.fields.iter().filter(|field| field.presence == Presence::Always).map(|field| field.name);
    let required: Vec<_> = std::iter::once("content_type").chain(always).collect();
    json!({
        "properties": {
            "event_type": {"const": kind.name()},
            "payload": {"properties": properties, "required": required},
        },
    })
}

fn payload_schema(holds: Holds) -> Value {
    SHAPES.schema_of(match holds {
        Holds::Text => Held::Text,
        Holds::TextOrNull => Held::OrNull(&Held::Text),
        Holds::Truth => Held::Truth,
        Holds::Anything => Held::Anything,
        Holds::Object => Held::Object,
        Holds::List => Held::List(&Held::Anything),
        Holds::Claims => Held::List(&Held::Named("Claim")),
        Holds::ClaimUpdates => Held::List(&Held::Named("ClaimUpdate")),
        Holds::Verdict => Held::Named("Verdict"),
        Holds::Verification => Held::Named("VerificationReport"),
        Holds::Call => Held::Named("ToolCall"),
        Holds::Findings => Held::List(&Held::Named("Finding")),
    })
}

const SHAPES: Place = Place("#/$defs/");
