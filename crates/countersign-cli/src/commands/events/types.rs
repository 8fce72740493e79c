//! The TypeScript types: of the shapes, and of the events.

use crate::shapes::{self, Field, Form, Held, Shape};
use countersign::contract::EventType;
use countersign::contract::payload::{Holds, PayloadField, Presence, payload_of};
use std::fmt::Write;

/// All of them, as one file.
pub(super) fn types() -> String {
    let mut out = String::from(HEAD);
    shapes::all().for_each(|shape| write_shape(&mut out, shape));
    out.push_str(ENVELOPE);
    EventType::ALL.iter().for_each(|kind| write_payload(&mut out, *kind));
    out.push_str(
        "/** An event, told apart by `event_type`. Ignore types that you do not know. */\nexport type StreamEvent =\n",
    );
    for (at, kind) in EventType::ALL.iter().enumerate() {
        let end = if at + 1 == EventType::ALL.len() { ";" } else { "" };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "  | Event<\"{}\", {}Payload>{end}", kind.name(), pascal(kind.name()));
    }
    out.push_str(TAIL);
    out
}

fn write_shape(out: &mut String, shape: &Shape) {
    let Shape { name, about, form } = shape;
    let _ = writeln!(out, "/** {about} */");
    let (opening, own) = match form {
        Form::Words(words) => {
            let _ = writeln!(out, "export type {name} = {};\n", union(words));
            return;
        }
        Form::OpenWords(words) => {
            let _ = writeln!(out, "export type {name} = {} | (string & {{}});\n", union(&words()));
            return;
        }
        Form::Fields(own) | Form::Open(own) => (format!("export interface {name} {{"), own),
        Form::Extends(base, own) => (format!("export interface {name} extends {base} {{"), own),
    };
    let _ = writeln!(out, "{opening}");
    own.iter().for_each(|field| write_field(out, field));
    if matches!(form, Form::Open(_)) {
        out.push_str("  [field: string]: unknown;\n");
    }
    out.push_str("}\n\n");
}

fn write_field(out: &mut String, field: &Field) {
    if !field.about.is_empty() {
        let _ = writeln!(out, "  /** {} */", field.about);
    }
    let _ = writeln!(out, "  {}{}: {};", field.name, mark(field.presence), type_of(field.holds));
}

fn mark(presence: Presence) -> &'static str {
    if presence == Presence::Always { "" } else { "?" }
}

fn type_of(holds: Held) -> String {
    match holds {
        Held::Text => "string".to_owned(),
        Held::Number => "number".to_owned(),
        Held::Truth => "boolean".to_owned(),
        Held::Anything => "unknown".to_owned(),
        Held::Object => "Record<string, unknown>".to_owned(),
        Held::Arguments => "Record<string, unknown> | string".to_owned(),
        Held::OneOf(words) => union(words),
        Held::Named(name) => name.to_owned(),
        Held::List(item) => match item {
            Held::OneOf(_) | Held::OrNull(_) | Held::AnyOf(_) => format!("({})[]", type_of(*item)),
            _ => format!("{}[]", type_of(*item)),
        },
        Held::Map(item) => format!("Record<string, {}>", type_of(*item)),
        Held::OrNull(inner) => format!("{} | null", type_of(*inner)),
        Held::AnyOf(several) => several.iter().map(|one| type_of(*one)).collect::<Vec<_>>().join(" | "),
    }
}

fn union(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | ")
}

fn write_payload(out: &mut String, kind: EventType) {
    let shape = payload_of(kind);
    let content: Vec<_> = shape.content.iter().map(|content| content.name()).collect();
    let _ = writeln!(out, "export interface {}Payload {{\n  content_type: {};", pascal(kind.name()), union(&content));
    shape.fields.iter().for_each(|field| write_payload_field(out, field));
    out.push_str("  [field: string]: unknown;\n}\n\n");
}

fn write_payload_field(out: &mut String, field: &PayloadField) {
    let held = match field.holds {
        Holds::Text => "string",
        Holds::TextOrNull => "string | null",
        Holds::Truth => "boolean",
        Holds::Anything => "unknown",
        Holds::Object => "Record<string, unknown>",
        Holds::List => "unknown[]",
        Holds::Claims => "Claim[]",
        Holds::ClaimUpdates => "ClaimUpdate[]",
        Holds::Verdict => "Verdict",
        Holds::Verification => "VerificationReport",
        Holds::Call => "ToolCall",
        Holds::Findings => "Finding[]",
    };
    let _ = writeln!(out, "  /** {} */\n  {}{}: {held};", field.about, field.name, mark(field.presence));
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

const ENVELOPE: &str = "export interface Meta {
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
