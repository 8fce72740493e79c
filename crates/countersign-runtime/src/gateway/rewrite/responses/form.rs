//! The forms of a response that are written here: calls, messages, the status, the bill. Streams and bodies share them.
//!
//! Fields that nobody here knows stay as they came.

use crate::gateway::held::{CallForm, Released, Settled, SettledChoice};
use crate::gateway::rewrite::{UnknownItems, add_usage};
use countersign::wire::built_in;
use serde_json::{Map, Value, json};

/// What an item of an answer is to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::gateway) enum Role {
    /// It is shown: words, thoughts, and what the provider runs itself.
    #[default]
    Shown,
    /// The client is to run it.
    Call,
    /// The client may be meant to run it: nobody here knows the kind.
    Unknown,
}

impl Role {
    /// The role of an item.
    pub(in crate::gateway) fn of(item: &Value) -> Self {
        let hosted = item.as_object().is_some_and(built_in::is_server_run);
        Self::of_kind(text_of(item, "type"), !text_of(item, "call_id").is_empty(), hosted)
    }

    /// The same, from what tells it: the type, whether a result would name it, and whether the provider runs it.
    pub(super) fn of_kind(kind: &str, answerable: bool, hosted: bool) -> Self {
        match kind {
            "function_call" | "custom_tool_call" => Self::Call,
            _ if built_in::item(kind).is_some() => {
                if hosted {
                    Self::Shown
                } else {
                    Self::Call
                }
            }
            _ if SHOWN.contains(&kind) || kind.ends_with("_output") => Self::Shown,
            _ if answerable || kind.ends_with("_call") => Self::Unknown,
            _ => Self::Shown,
        }
    }

    /// Whether such an item is held.
    pub(in crate::gateway) fn is_held(self, unknown: UnknownItems) -> bool {
        match self {
            Self::Call => true,
            Self::Unknown => unknown == UnknownItems::Refuse,
            Self::Shown => false,
        }
    }
}

/// The tool that an item calls; blank where it does not say.
pub(in crate::gateway) fn tool_of(item: &Value) -> &str {
    built_in::item(text_of(item, "type")).map_or_else(|| text_of(item, "name"), |known| known.tool)
}

/// What a call is known by: its call id, else its item's id.
pub(in crate::gateway) fn call_key(item: &Value) -> Option<&str> {
    [text_of(item, "call_id"), text_of(item, "id")].into_iter().find(|id| !id.trim().is_empty())
}

/// The item of a call that goes to the client; fields of the item that came stay.
pub(in crate::gateway) fn call_item(came: Option<Value>, call: &Released) -> Value {
    let (kind, prefix) = match call.form {
        CallForm::Text => ("custom_tool_call", "ctc"),
        CallForm::Item(item) => (item.kind, item.tool),
        _ => ("function_call", "fc"),
    };
    let mut fields = match came {
        Some(Value::Object(fields)) if fields.get("type").is_none_or(|came| came == kind) => fields,
        _ => Map::new(),
    };
    let known = |fields: &Map<String, Value>, key: &str| {
        fields.get(key).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    };
    if !known(&fields, "id") {
        fields.insert("id".to_owned(), Value::String(item_id(prefix, &call.id)));
    }
    fields.insert("type".to_owned(), kind.into());
    fields.insert("status".to_owned(), "completed".into());
    fields.insert("call_id".to_owned(), Value::String(call.id.clone()));
    match call.form {
        CallForm::Item(item) => {
            item.put_arguments(&mut fields, serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({})));
        }
        form => {
            let (key, other) = if form == CallForm::Text { ("input", "arguments") } else { ("arguments", "input") };
            // Only what was judged goes out.
            fields.shift_remove(other);
            fields.insert("name".to_owned(), Value::String(call.name.clone()));
            fields.insert(key.to_owned(), Value::String(call.arguments.clone()));
        }
    }
    Value::Object(fields)
}

/// The item of a message of ours, in the response of that id.
pub(in crate::gateway) fn message_item(response: &Value, text: &str) -> Value {
    let id = item_id("msg", &format!("note_{}", text_of(response, "id")));
    json!({"id": id, "type": "message", "status": "completed", "role": "assistant", "content": [text_part(text)]})
}

/// A part of a message.
pub(super) fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text})
}

/// Puts another text into a part or an event; what was measured of the old one goes.
pub(in crate::gateway) fn put_text(fields: &mut Map<String, Value>, key: &str, text: &str) {
    if fields.get(key).is_some_and(|before| before == text) {
        return;
    }
    fields.insert(key.to_owned(), Value::String(text.to_owned()));
    if let Some(measured) = fields.get_mut("logprobs").filter(|measured| measured.is_array()) {
        *measured = json!([]);
    }
}

/// How the response ends after what was decided. Gives the word for it.
pub(in crate::gateway) fn put_status(response: &mut Map<String, Value>, settled: &SettledChoice) -> &'static str {
    let status = response.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
    // Other reasons than a limit, such as a filter, stand as long as nothing is left to do.
    let filtered = status == "incomplete" && !is_limit(&Value::Object(response.clone()));
    if settled.calls.is_empty() && (settled.at_limit || filtered) {
        if status != "incomplete" {
            response.insert("status".to_owned(), "incomplete".into());
            response.insert("incomplete_details".to_owned(), json!({"reason": "max_output_tokens"}));
        }
        return "incomplete";
    }
    if status != "completed" {
        response.insert("status".to_owned(), "completed".into());
    }
    if let Some(details) = response.get_mut("incomplete_details") {
        *details = Value::Null;
    }
    "completed"
}

/// Whether a response that is incomplete was cut at a limit.
pub(in crate::gateway) fn is_limit(response: &Value) -> bool {
    let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
    matches!(reason, None | Some("max_output_tokens" | "max_tokens" | "length"))
}

/// Adds what the corrections cost, and puts the text that some servers repeat beside the output.
pub(in crate::gateway) fn put_sums(response: &mut Map<String, Value>, settled: &Settled) {
    for more in &settled.more_usage {
        let usage = response.entry("usage").or_insert(Value::Null);
        add_usage(usage, &with_total(more));
    }
    if response.get("output_text").is_some_and(Value::is_string) {
        let text = response.get("output").map(said).unwrap_or_default();
        response.insert("output_text".to_owned(), Value::String(text));
    }
}

/// All text of the messages among the items.
pub(in crate::gateway) fn said(output: &Value) -> String {
    let items = output.as_array().into_iter().flatten().filter(|item| text_of(item, "type") == "message");
    let parts = items.flat_map(|item| item.get("content").and_then(Value::as_array).into_iter().flatten());
    parts.filter(|part| text_of(part, "type") == "output_text").map(|part| text_of(part, "text")).collect()
}

/// The text of a field; nothing where it has none.
pub(in crate::gateway) fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A bill whose sum is told: without it the sum of two bills would be wrong.
fn with_total(usage: &Value) -> Value {
    let mut usage = usage.clone();
    let figure = |key: &str| usage.get(key).and_then(Value::as_u64);
    if let (Some(one), Some(two), None) = (figure("input_tokens"), figure("output_tokens"), figure("total_tokens"))
        && let Some(fields) = usage.as_object_mut()
    {
        fields.insert("total_tokens".to_owned(), one.saturating_add(two).into());
    }
    usage
}

/// An id of an item: providers check the prefix, the letters and the length when it comes back.
fn item_id(prefix: &str, from: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let kept = from.chars().count().saturating_sub(LONGEST_ID - prefix.len() - 1);
    let rest: String = from.chars().skip(kept).map(safe).collect();
    format!("{prefix}_{rest}")
}

const LONGEST_ID: usize = 64;
/// What the client is shown and never runs: words, thoughts, what the provider runs itself, and what it keeps.
const SHOWN: &[&str] = &[
    "message",
    "reasoning",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "compaction",
    "program",
    "item_reference",
];
