//! `countersign events`: the events of a stream as a JSON Schema and as TypeScript types.
//!
//! Both are written from the table in the contract, and the copies in `docs/` are held against it by a test.

use super::print;
use crate::args::{EventsArgs, EventsCommand};
use crate::failure::Failure;
use countersign::contract::payload::{Holds, PayloadField, Presence, payload_of};
use countersign::contract::{ClaimKind, ContentType, EVENT_VERSION, EventType};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Prints one of them.
pub fn run(args: &EventsArgs) -> Result<u8, Failure> {
    let text = match args.command {
        EventsCommand::Schema => {
            let schema = serde_json::to_string_pretty(&schema());
            format!("{}\n", schema.map_err(|error| Failure::Internal(error.to_string()))?)
        }
        EventsCommand::Types => types(),
    };
    print(&text).map(|()| 0)
}

/// The JSON Schema of an event.
fn schema() -> Value {
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
    })
}

fn event(kind: EventType) -> Value {
    let shape = payload_of(kind);
    let mut properties = Map::new();
    let content: Vec<_> = shape.content.iter().map(|content| content.name()).collect();
    properties.insert("content_type".to_owned(), json!({ "enum": content }));
    for field in shape.fields {
        let mut held = holds_schema(field.holds);
        if let Some(held) = held.as_object_mut() {
            held.insert("description".to_owned(), json!(field.about));
        }
        properties.insert(field.name.to_owned(), held);
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

fn holds_schema(holds: Holds) -> Value {
    match holds {
        Holds::Text => json!({"type": "string"}),
        Holds::TextOrNull => json!({"type": ["string", "null"]}),
        Holds::Truth => json!({"type": "boolean"}),
        Holds::Anything => json!({}),
        Holds::Object => json!({"type": "object"}),
        Holds::List => json!({"type": "array"}),
        Holds::Claims => json!({"type": "array", "items": {
            "type": "object",
            "required": ["start", "end", "utf16_start", "utf16_end", "text", "kind", "status", "verified"],
        }}),
        Holds::ClaimUpdates => json!({"type": "array", "items": {"type": "object", "required": ["id", "status"]}}),
    }
}

/// The TypeScript types of an event.
fn types() -> String {
    let mut out = String::from(HEAD);
    let kinds: Vec<_> = ClaimKind::SHIPPED.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "export type ClaimKind = {} | (string & {{}});\n", kinds.join(" | "));
    out.push_str(CLAIMS);
    for kind in EventType::ALL {
        let shape = payload_of(*kind);
        let content: Vec<_> = shape.content.iter().map(|content| format!("\"{}\"", content.name())).collect();
        let _ = writeln!(out, "export interface {}Payload {{", pascal(kind.name()));
        let _ = writeln!(out, "  content_type: {};", content.join(" | "));
        shape.fields.iter().for_each(|field| write_field(&mut out, field));
        out.push_str("  [field: string]: unknown;\n}\n\n");
    }
    out.push_str(
        "/** An event, told apart by `event_type`. Ignore types that you do not know. */\nexport type StreamEvent =\n",
    );
    for (at, kind) in EventType::ALL.iter().enumerate() {
        let end = if at + 1 == EventType::ALL.len() { ";" } else { "" };
        let _ = writeln!(out, "  | Event<\"{}\", {}Payload>{end}", kind.name(), pascal(kind.name()));
    }
    out.push_str(TAIL);
    out
}

fn write_field(out: &mut String, field: &PayloadField) {
    let mark = if field.presence == Presence::Always { "" } else { "?" };
    let held = match field.holds {
        Holds::Text => "string",
        Holds::TextOrNull => "string | null",
        Holds::Truth => "boolean",
        Holds::Anything => "unknown",
        Holds::Object => "Record<string, unknown>",
        Holds::List => "unknown[]",
        Holds::Claims => "Claim[]",
        Holds::ClaimUpdates => "ClaimUpdate[]",
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  /** {} */\n  {}{mark}: {held};", field.about, field.name);
}

fn pascal(word: &str) -> String {
    let parts = word.split('_').map(|part| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
    });
    parts.collect()
}

const HEAD: &str =
    "// Written by `countersign events types`. Do not edit: a test holds this file against the code.\n\n";

const CLAIMS: &str = "export type ClaimStatus = \"pending\" | \"verified\" | \"disputed\" | \"unverifiable\";

/** A claim where it stands in its message. */
export interface Claim {
  id?: string;
  /** UTF-8 byte offsets. */
  start: number;
  end: number;
  /** UTF-16 offsets, as JavaScript counts. */
  utf16_start: number;
  utf16_end: number;
  text: string;
  kind: ClaimKind;
  type: ClaimKind;
  value?: Record<string, unknown>;
  status: ClaimStatus;
  verified: boolean;
  verify_note: string | null;
  source?: Record<string, unknown>;
}

export interface ClaimUpdate {
  id: string;
  status: ClaimStatus;
  note: string | null;
  source: Record<string, unknown> | null;
}

export interface Meta {
  is_replay: boolean;
  is_realtime: boolean;
  phase: \"replay\" | \"live\";
}

export interface Event<Type extends string, Payload> {
  version: number;
  /** `epoch.seq`; null for `reset`, which does not move the cursor. */
  id: string | null;
  session_id: string;
  event_type: Type;
  agent_source: string;
  /** RFC 3339. */
  timestamp: string;
  payload: Payload;
  meta: Meta;
}

";

const TAIL: &str = "
/** The events that end a turn; `data: [DONE]` ends the stream. */
export type Terminal = Extract<StreamEvent, { event_type: \"completed\" | \"failed\" | \"stopped\" | \"lost\" }>;
";
