//! OpenAI chat completions, and the many servers that speak them more or less.
//!
//! A chunk has choices with a delta, a body has choices with a message; both may also come as a part. Only one choice
//! is read: alternatives of the same turn must not run side by side.

use super::calls::{Form, Origin, Piece};
use super::fields::{field, identifier, listed, number, string};
use super::page::Page;
use super::repairs;
use super::turn::Turn;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// What is remembered between chunks.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The choice that is read.
    choice: Option<u64>,
}

impl Reader {
    /// Reads a chunk, a body, or a part of one.
    pub(super) fn read(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        turn.note(object);
        if let Some(choices) = object.get("choices").and_then(Value::as_array) {
            for choice in choices.iter().filter_map(Value::as_object) {
                self.choice(choice, turn, page);
            }
            // The bill comes last.
            if choices.is_empty() && turn.has_reason() {
                turn.over(page);
            }
        }
        let failed = object.get("error").filter(|error| error.is_object() || error.is_string());
        if let Some(error) = failed {
            turn.failed(error, page);
        } else if object.get("choices").is_none_or(|choices| !choices.is_array()) {
            self.part(object, turn, page);
        }
    }

    /// A choice, a message or a call that comes without what is around it.
    fn part(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        if ["message", "delta"].iter().any(|key| object.get(*key).is_some_and(Value::is_object)) {
            self.choice(object, turn, page);
        } else if MESSAGE.iter().any(|key| object.contains_key(*key)) {
            message(object, turn, page);
        } else if ["function", "custom", "name"].iter().any(|key| object.contains_key(*key)) {
            let _ = whole_call(&Value::Object(object.clone()), turn, page);
        } else if !object.keys().all(|key| ENVELOPE.contains(&key.as_str())) {
            page.unrecovered(page.raw(), "this is no part of a chat completion");
        }
    }

    fn choice(&mut self, choice: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        let index = number(choice.get("index"));
        if index.is_some_and(|index| *self.choice.get_or_insert(index) != index) {
            return page.unrecovered(&serde_json::to_string(choice).unwrap_or_default(), "another choice of this turn");
        }
        if let Some(delta) = choice.get("delta").and_then(Value::as_object) {
            words(delta, page);
            deltas(delta, turn, page);
        }
        let whole = choice.get("message").and_then(Value::as_object);
        if let Some(whole) = whole {
            message(whole, turn, page);
        }
        page.text(string(choice, "text"));
        if let Some(told) = choice.get("logprobs").and_then(Value::as_object)
            && choice.get("delta").or(choice.get("message")).is_none_or(is_said_aloud)
        {
            turn.note_logprobs(told);
        }
        turn.reason(choice.get("finish_reason").or(choice.get("done_reason")));
        if whole.is_some() {
            turn.body_over(page);
        }
    }
}

/// A whole message.
fn message(message: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
    words(message, page);
    for call in listed(message.get("tool_calls")) {
        let _ = whole_call(call, turn, page);
    }
    if let Some(call) = message.get("function_call").filter(|call| call.is_object())
        && let Some(at) = whole_call(call, turn, page)
    {
        turn.calls.set_form(at, Form::FunctionCall);
    }
}

/// Whether the tokens of a message or a delta are words for the reader: not a thought, and not a part of a call.
fn is_said_aloud(said: &Value) -> bool {
    let thinks = THOUGHTS.iter().any(|key| !field(said, key).is_empty());
    let calls = ["tool_calls", "function_call", "reasoning_details"];
    !thinks
        && calls
            .iter()
            .all(|key| said.get(*key).is_none_or(|part| part.is_null() || part.as_array().is_some_and(Vec::is_empty)))
}

/// What a message or a delta says to the reader and to itself.
fn words(said: &Map<String, Value>, page: &mut Page) {
    // Servers that know two names for it send the same under both.
    let thought = THOUGHTS.iter().map(|key| string(said, key)).find(|text| !text.is_empty());
    match thought {
        Some(thought) => page.reasoning(thought),
        None => listed(said.get("reasoning_details")).for_each(|part| page.reasoning(field(part, "text"))),
    }
    match said.get("content") {
        Some(Value::String(text)) => page.text(text),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| content(part, page)),
        _ => {}
    }
    page.text(string(said, "refusal"));
}

/// A part of a message's content.
fn content(part: &Value, page: &mut Page) {
    match part.get("thinking") {
        Some(Value::String(thought)) => page.reasoning(thought),
        Some(Value::Array(thoughts)) => thoughts.iter().for_each(|part| page.reasoning(field(part, "text"))),
        _ => {
            page.text(part.as_str().unwrap_or_default());
            page.text(field(part, "text"));
            page.text(field(part, "refusal"));
        }
    }
}

/// Pieces of calls.
fn deltas(delta: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
    for call in listed(delta.get("tool_calls")) {
        let (said, form) = body(call);
        let piece = Piece {
            index: number(call.get("index")),
            id: identifier(call, "id"),
            name: field(said, "name"),
            arguments: arguments(said, form, page),
            form,
        };
        turn.calls.take(&piece, page);
    }
    if let Some(call) = delta.get("function_call").filter(|call| call.is_object()) {
        let arguments = arguments(call, Form::Json, page);
        let (index, form) = (Some(LEGACY), Form::FunctionCall);
        let piece = Piece { index, name: field(call, "name"), arguments, form, ..Piece::default() };
        turn.calls.take(&piece, page);
    }
}

/// A call of a whole message.
fn whole_call(call: &Value, turn: &mut Turn, page: &mut Page) -> Option<usize> {
    let (said, form) = body(call);
    let text = arguments(said, form, page);
    let at = turn.calls.begin(identifier(call, "id"), field(said, "name"), Origin::Body, page)?;
    turn.calls.set_form(at, form);
    turn.calls.append(at, &text, page);
    Some(at)
}

/// The part of a call that has its name and arguments. Where it has two, its type says which is meant.
fn body(call: &Value) -> (&Value, Form) {
    match (call.get("function"), call.get("custom")) {
        (Some(function), custom) if function.is_object() => match custom.filter(|custom| custom.is_object()) {
            Some(custom) if field(call, "type") == "custom" => (custom, Form::Text),
            _ => (function, Form::Json),
        },
        (_, Some(custom)) if custom.is_object() => (custom, Form::Text),
        _ => (call, Form::Json),
    }
}

/// The text of arguments, however they are given.
fn arguments<'a>(said: &'a Value, form: Form, page: &mut Page) -> Cow<'a, str> {
    if form == Form::Text {
        return field(said, "input").into();
    }
    let found = ["arguments", "parameters", "input"].iter().find_map(|key| Some((*key, said.get(*key)?)));
    let Some((key, value)) = found else {
        return Cow::default();
    };
    if key != "arguments" {
        page.repair(&repairs::ARGUMENTS_FIELD, key, "arguments");
    }
    match value {
        Value::String(text) => text.into(),
        Value::Null => Cow::default(),
        other => {
            let text = other.to_string();
            page.repair(&repairs::OBJECT_ARGUMENTS, &text, &text);
            text.into()
        }
    }
}

const THOUGHTS: &[&str] = &["reasoning_content", "reasoning", "thinking"];
const MESSAGE: &[&str] = &["content", "tool_calls", "function_call", "role", "refusal"];
/// What a chunk without words may hold.
const ENVELOPE: &[&str] =
    &["id", "object", "created", "model", "usage", "system_fingerprint", "service_tier", "provider", "done"];
/// The one call of the old form stands beside the numbered ones.
const LEGACY: u64 = u64::MAX;
