//! The JSON Schema of an event, with the shapes of the server's answers under `$defs`.

use super::shapes::{self, Form, Held, Shape};
use countersign::contract::payload::{Holds, Presence, payload_of};
use countersign::contract::{ContentType, EVENT_VERSION, EventType};
use serde_json::{Map, Value, json};

/// The schema.
pub(super) fn schema() -> Value {
    let kinds: Vec<Value> = EventType::ALL.iter().map(|kind| event(*kind)).collect();
    let shapes: Map<String, Value> = shapes::all().map(|shape| (shape.name.to_owned(), shape_schema(shape))).collect();
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
        "$defs": shapes,
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
    match holds {
        Holds::Text => schema_of(Held::Text),
        Holds::TextOrNull => schema_of(Held::OrNull(&Held::Text)),
        Holds::Truth => schema_of(Held::Truth),
        Holds::Anything => schema_of(Held::Anything),
        Holds::Object => schema_of(Held::Object),
        Holds::List => schema_of(Held::List(&Held::Anything)),
        Holds::Claims => schema_of(Held::List(&Held::Named("Claim"))),
        Holds::ClaimUpdates => schema_of(Held::List(&Held::Named("ClaimUpdate"))),
        Holds::Verdict => schema_of(Held::Named("Verdict")),
        Holds::Verification => schema_of(Held::Named("VerificationReport")),
        Holds::Call => schema_of(Held::Named("ToolCall")),
        Holds::Findings => schema_of(Held::List(&Held::Named("Finding"))),
    }
}

fn shape_schema(shape: &Shape) -> Value {
    match shape.form {
        Form::Words(words) => return json!({"description": shape.about, "enum": words}),
        Form::OpenWords(_) => return json!({"description": shape.about, "type": "string"}),
        Form::Fields(_) | Form::Open(_) | Form::Extends(..) => {}
    }
    let fields = shapes::fields(shape);
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), describe(schema_of(field.holds), field.about))).collect();
    let required: Vec<_> =
        fields.iter().filter(|field| field.presence == Presence::Always).map(|field| field.name).collect();
    json!({"description": shape.about, "type": "object", "required": required, "properties": properties})
}

fn schema_of(holds: Held) -> Value {
    match holds {
        Held::Text => json!({"type": "string"}),
        Held::Number => json!({"type": "number"}),
        Held::Truth => json!({"type": "boolean"}),
        Held::Anything | Held::Arguments => json!({}),
        Held::Object => json!({"type": "object"}),
        Held::OneOf(words) => json!({ "enum": words }),
        Held::Named(name) => json!({ "$ref": format!("#/$defs/{name}") }),
        Held::List(item) => json!({"type": "array", "items": schema_of(*item)}),
        Held::Map(item) => json!({"type": "object", "additionalProperties": schema_of(*item)}),
        Held::OrNull(inner) => json!({"anyOf": [schema_of(*inner), {"type": "null"}]}),
    }
}

fn describe(mut schema: Value, about: &str) -> Value {
    if let Some(fields) = schema.as_object_mut().filter(|_| !about.is_empty()) {
        fields.insert("description".to_owned(), json!(about));
    }
    schema
}
