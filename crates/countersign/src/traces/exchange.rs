//! One exchange with a model, in the shape of OpenAI (chat and responses), of Anthropic, or of our own contract.

use super::form::Tokens;
use crate::contract::{Message, Role};
use crate::wire::messages::{read_call, read_message, read_messages};
use serde_json::Value;

/// What was asked, and what was answered.
#[derive(Debug, Default)]
pub struct Exchange {
    /// The tools, as JSON.
    pub tools: Option<String>,
    /// What was said before.
    pub messages: Vec<Message>,
    /// What the model said.
    pub output: Vec<Message>,
    /// The model.
    pub model: Option<String>,
    /// What it cost.
    pub tokens: Tokens,
}

/// Reads an exchange from a line of a log; none where there is no conversation in it.
pub fn read(body: &Value) -> Option<Exchange> {
    let inside =
        |keys: &[&str]| keys.iter().find_map(|key| body.get(*key).map(unwrap)).filter(|value| !value.is_null());
    let asked = inside(&["request", "req", "kwargs", "body"]).filter(|asked| asked.is_object()).unwrap_or(body);
    let answered = inside(&["response", "completion", "res", "result"]);
    let mut exchange = Exchange { tools: read_tools(asked), messages: read_asked(asked), ..Exchange::default() };
    let said = answered.unwrap_or(body);
    exchange.output = read_answer(said);
    if let (true, Some(call)) = (exchange.output.is_empty(), body.get("call").and_then(Value::as_object)) {
        let mut message = Message::text(Role::Assistant, "");
        message.calls.push(read_call(call));
        exchange.output.push(message);
    }
    exchange.model = [said, asked].iter().find_map(|part| part.get("model")?.as_str()).map(str::to_owned);
    exchange.tokens = said.get("usage").or_else(|| body.get("usage")).map(Tokens::read).unwrap_or_default();
    (!exchange.messages.is_empty() || !exchange.output.is_empty()).then_some(exchange)
}

/// A batch keeps a request or an answer one level deeper.
fn unwrap(value: &Value) -> &Value {
    value.get("body").filter(|body| body.is_object()).unwrap_or(value)
}

/// The list of tools, as JSON.
pub fn read_tools(asked: &Value) -> Option<String> {
    let tools = asked.get("tools").or_else(|| asked.get("functions"))?.as_array()?;
    serde_json::to_string(tools).ok()
}

/// The messages of a request.
pub fn read_asked(asked: &Value) -> Vec<Message> {
    let mut messages = Vec::new();
    for key in ["system", "instructions", "system_instruction"] {
        if let Some(text) = asked.get(key).map(text_of).filter(|text| !text.is_empty()) {
            messages.push(Message::text(Role::System, text));
        }
    }
    let said = ["messages", "input", "conversation", "prompt"].iter().find_map(|key| asked.get(*key));
    let said = said.filter(|said| said.as_array().is_none_or(|items| items.iter().all(Value::is_object)));
    messages.extend(said.map(read_messages).unwrap_or_default());
    messages
}

/// The messages of an answer.
pub fn read_answer(said: &Value) -> Vec<Message> {
    let as_assistant = |mut message: Message| {
        message.role = Role::Assistant;
        message
    };
    if let Some(choices) = said.get("choices").and_then(Value::as_array) {
        let first = choices.first().and_then(|choice| choice.get("message"));
        return first.and_then(read_message).map(as_assistant).into_iter().collect();
    }
    match said.get("output") {
        Some(Value::Array(items)) if items.iter().all(Value::is_object) => {
            return items.iter().filter(|item| is_said(item)).filter_map(read_message).collect();
        }
        Some(Value::String(text)) => return vec![Message::text(Role::Assistant, text.clone())],
        Some(message @ Value::Object(_)) if message.get("role").is_some() => {
            return read_message(message).map(as_assistant).into_iter().collect();
        }
        _ => {}
    }
    let is_message = said.get("content").is_some() && said.get("role").and_then(Value::as_str) == Some("assistant");
    let alone = is_message.then(|| read_message(said)).flatten();
    alone.or_else(|| read_message(said.get("message")?)).map(as_assistant).into_iter().collect()
}

/// What a model thinks is no message.
fn is_said(item: &Value) -> bool {
    item.get("type").and_then(Value::as_str) != Some("reasoning")
}

/// Text, or the text of parts.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            ["text", "content", "parts"].iter().find_map(|key| part.get(*key)).map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}
