//! Messages in OpenAI chat, OpenAI responses and Anthropic shape.

use super::built_in;
use super::mark::strip_mark;
use crate::contract::{Arguments, FREE_TEXT, Message, Role, ToolCall, ToolResult};
use serde_json::{Map, Value};

/// Reads a conversation. What is not a message is left out; a bare string is a user's message.
pub fn read_messages(value: &Value) -> Vec<Message> {
    match value {
        Value::Array(items) => items.iter().filter_map(read_message).collect(),
        Value::String(text) => vec![Message::text(Role::User, text.clone())],
        _ => Vec::new(),
    }
}

/// Reads one message or one item of a responses conversation.
pub fn read_message(value: &Value) -> Option<Message> {
    let Value::Object(item) = value else {
        return value.as_str().map(|text| Message::text(Role::User, text));
    };
    if let Some(message) = read_item(item) {
        return Some(message);
    }
    let role = match item.get("role").and_then(Value::as_str).unwrap_or("user") {
        "system" | "developer" => Role::System,
        "assistant" | "model" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::User,
    };
    let mut message = Message::text(role, "");
    if role == Role::Tool {
        message.results.push(read_result(item));
    } else {
        read_content(item.get("content"), &mut message);
    }
    for call in item.get("tool_calls").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        message.calls.push(read_call(call));
    }
    if let Some(call) = item.get("function_call").and_then(Value::as_object) {
        message.calls.push(read_call(call));
    }
    Some(message)
}

/// An item of a responses conversation that is a call or a result.
fn read_item(item: &Map<String, Value>) -> Option<Message> {
    let kind = item.get("type").and_then(Value::as_str)?;
    let call = match kind {
        "function_call" | "custom_tool_call" => Some(read_call(item)),
        _ => built_in::item(kind).and_then(|known| known.call(item)),
    };
    if let Some(call) = call {
        let mut message = Message::text(Role::Assistant, "");
        message.calls.push(call);
        return Some(message);
    }
    if !RESULTS.contains(&kind) {
        return None;
    }
    let mut message = Message::text(Role::Tool, "");
    message.results.push(read_result(item));
    Some(message)
}

fn read_content(content: Option<&Value>, message: &mut Message) {
    match content {
        Some(Value::String(text)) => message.text.clone_from(text),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| read_part(part, message)),
        _ => {}
    }
}

fn read_part(part: &Value, message: &mut Message) {
    if let Some(text) = part.as_str().or_else(|| part.get("text").and_then(Value::as_str)) {
        if !message.text.is_empty() {
            message.text.push('\n');
        }
        message.text.push_str(text);
    }
    let Some(item) = part.as_object() else { return };
    match item.get("type").and_then(Value::as_str) {
        Some("tool_use") => message.calls.push(read_call(item)),
        Some("tool_result") => message.results.push(read_result(item)),
        _ => {}
    }
}

/// Reads a call in any shape: `{function: {name, arguments}}`, `{name, arguments | input | raw_params}`,
/// `{tool_name, tool_input}`, and with free text `{custom: {name, input}}`.
pub fn read_call(item: &Map<String, Value>) -> ToolCall {
    if let Some(call) = read_free_text(item) {
        return call;
    }
    let body = item.get("function").and_then(Value::as_object).unwrap_or(item);
    let name = ["name", "tool_name", "tool"].iter().find_map(|key| body.get(*key)?.as_str()).unwrap_or_default();
    let arguments = ["arguments", "input", "raw_params", "tool_input", "parameters", "params", "args"]
        .iter()
        .find_map(|key| body.get(*key));
    let id = ["call_id", "id", "tool_use_id", "tool_call_id"].iter().find_map(|key| item.get(*key)?.as_str());
    ToolCall {
        id: id.map(str::to_owned),
        name: name.to_owned(),
        arguments: arguments.cloned().map_or(Arguments::Absent, Arguments::from),
    }
}

/// A call of a tool that takes free text.
fn read_free_text(item: &Map<String, Value>) -> Option<ToolCall> {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    let inner = item.get("custom").and_then(Value::as_object);
    let body = match kind {
        "custom" => inner?,
        "custom_tool_call" => item,
        _ => inner.filter(|_| !item.contains_key("function") && !item.contains_key("name"))?,
    };
    let word = |fields: &Map<String, Value>, key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ToolCall {
        id: word(item, "call_id").or_else(|| word(item, "id")),
        name: word(body, "name").unwrap_or_default(),
        arguments: Arguments::from_free_text(&word(body, FREE_TEXT).unwrap_or_default()),
    })
}

/// Reads a result in any shape; a string that is JSON counts as that JSON.
pub fn read_result(item: &Map<String, Value>) -> ToolResult {
    let id = ["call_id", "tool_call_id", "tool_use_id", "id"].iter().find_map(|key| item.get(*key)?.as_str());
    let content = item.get("content").or_else(|| item.get("output")).cloned().unwrap_or(Value::Null);
    ToolResult {
        call_id: id.map(str::to_owned),
        name: item.get("name").and_then(Value::as_str).map(str::to_owned),
        content: unwrap_content(content),
        is_error: item.get("is_error").or_else(|| item.get("isError")).and_then(Value::as_bool).unwrap_or(false),
        seal: item.get("seal").and_then(Value::as_str).map(str::to_owned),
    }
}

/// The content itself: text parts joined, JSON in a string read.
pub fn unwrap_content(content: Value) -> Value {
    match content {
        Value::String(text) => read_json_text(strip_mark(&text).to_owned()),
        Value::Array(parts) if !parts.is_empty() && parts.iter().all(is_text_part) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            read_json_text(strip_mark(&texts.join("\n")).to_owned())
        }
        other => other,
    }
}

fn is_text_part(part: &Value) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    matches!(kind, "text" | "input_text" | "output_text") && part.get("text").is_some_and(Value::is_string)
}

fn read_json_text(text: String) -> Value {
    let looks = text.trim_start().starts_with(['{', '[', '"'])
        || matches!(text.trim(), "null" | "true" | "false")
        || is_number(&text);
    if looks { serde_json::from_str(&text).unwrap_or(Value::String(text)) } else { Value::String(text) }
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    text.len() < 40 && text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && text.parse::<f64>().is_ok()
}

/// Items that are results.
const RESULTS: &[&str] = &[
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "apply_patch_call_output",
    "computer_call_output",
    "tool_search_output",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_and_results_are_read_from_every_shape() {
        let chat = json!([
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "{\"a\": 1}"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c2", "name": "g", "input": {"x": 1}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "done"}], "is_error": true}]},
            {"type": "function_call", "call_id": "c3", "name": "h", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c3", "output": "7"},
        ]);
        let read = read_messages(&chat);
        assert_eq!(read.len(), 7);
        assert_eq!(read[1].calls[0].arguments, Arguments::Text("{}".into()));
        assert_eq!(read[2].results[0].content, json!({"a": 1}));
        assert_eq!(read[3].calls[0].name, "g");
        assert!(read[4].results[0].is_error);
        assert_eq!(read[5].calls[0].id.as_deref(), Some("c3"));
        assert_eq!(read[6].results[0].content, json!(7));
    }

    // CALL-5: a call that was made in another form is a call of the conversation too.
    #[test]
    fn free_text_and_items_are_calls_of_the_conversation() {
        let read = read_messages(&json!([
            {"role": "assistant", "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "exec", "input": "ls"}}]},
            {"type": "custom_tool_call", "call_id": "c2", "name": "exec", "input": "{\"a\": 1}"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
            {"type": "shell_call", "call_id": "c3", "action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "call_id": "c3", "output": [{"stdout": "a"}]},
            {"type": "reasoning", "summary": []},
        ]));
        assert_eq!(read[0].calls[0].arguments.free_text(), Some("ls"));
        assert_eq!(read[1].calls[0].arguments.free_text(), Some("{\"a\": 1}"), "free text is not read as JSON");
        assert_eq!(read[2].results[0].call_id.as_deref(), Some("c2"));
        assert_eq!((read[3].calls[0].name.as_str(), read[3].calls[0].id.as_deref()), ("shell", Some("c3")));
        assert_eq!(read[4].results[0].call_id.as_deref(), Some("c3"));
        assert!(read[5].calls.is_empty() && read[5].results.is_empty());
    }
}
