//! Chats of Gemini CLI: messages with their calls and results; later lines change earlier ones.

use super::Reader;
use crate::contract::{Arguments, Message, Role, ToolCall, ToolResult};
use crate::traces::exchange::text_of;
use crate::traces::form::{Format, Tokens, Trace};
use crate::traces::record::Record;
use serde_json::{Map, Value};

/// A chat.
#[derive(Default)]
pub(super) struct Chat {
    head: Map<String, Value>,
    messages: Vec<(u64, Value)>,
    line: u64,
}

impl Reader for Chat {
    fn read(&mut self, record: &Record<'_>, _: &mut Vec<Trace>) -> Result<(), String> {
        let Value::Object(mut line) = record.value()? else { return Err("is no object".to_owned()) };
        self.line = if self.line == 0 { record.line } else { self.line };
        if let Some(Value::Array(messages)) = line.remove("messages") {
            let place = |message: &Value| record.line_of(message.get("id").and_then(Value::as_str));
            self.messages = messages.into_iter().map(|message| (place(&message), message)).collect();
            self.head.extend(line);
            return Ok(());
        }
        match line.remove("$set") {
            Some(Value::Object(set)) => {
                for (key, value) in set {
                    match value {
                        Value::Array(messages) if key == "messages" => {
                            self.messages = messages.into_iter().map(|message| (record.line, message)).collect();
                        }
                        value => drop(self.head.insert(key, value)),
                    }
                }
            }
            _ if line.contains_key("type") => self.put(record.line, Value::Object(line)),
            _ => self.head.extend(line),
        }
        if self.messages.len() > MAX_MESSAGES {
            return Err("the chat is too long".to_owned());
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        let mut trace = Trace::new(Format::GeminiCli, self.line.max(1));
        trace.id = self.head.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        for (line, message) in std::mem::take(&mut self.messages) {
            push(&mut trace, line, &message);
        }
        if trace.is_empty() { Vec::new() } else { vec![trace] }
    }
}

impl Chat {
    /// A message with the id of an earlier one is that one, as it is now.
    fn put(&mut self, line: u64, message: Value) {
        let id = message.get("id").filter(|id| !id.is_null());
        match self.messages.iter_mut().rev().take(NEAR).find(|(_, known)| id.is_some() && known.get("id") == id) {
            Some((_, known)) => *known = message,
            None => self.messages.push((line, message)),
        }
    }
}

fn push(trace: &mut Trace, line: u64, message: &Value) {
    let content = message.get("content").map(text_of).unwrap_or_default();
    let role = match message.get("type").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("gemini" | "model") => Role::Assistant,
        _ => return,
    };
    if let Some(model) = message.get("model").and_then(Value::as_str) {
        trace.model = Some(model.to_owned());
    }
    trace.tokens.add(message.get("tokens").map(Tokens::read).unwrap_or_default());
    let mut said = Message::text(role, content);
    let mut results = Message::text(Role::Tool, "");
    for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
        let word = |key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
        let arguments = call.get("args").cloned().map_or(Arguments::Absent, Arguments::from);
        said.calls.push(ToolCall { id: word("id"), name: word("name").unwrap_or_default(), arguments });
        if let Some(content) = call.get("result").filter(|result| !result.is_null()) {
            let output = content.pointer("/0/functionResponse/response").unwrap_or(content);
            let is_error = word("status").is_some_and(|status| status != "success");
            let content = output.get("output").unwrap_or(output).clone();
            results.results.push(ToolResult { call_id: word("id"), name: None, content, is_error, seal: None });
        }
    }
    trace.push(said, |_| line);
    trace.push(results, |_| line);
}

const MAX_MESSAGES: usize = 200_000;
/// A message is changed soon after it is written.
const NEAR: usize = 50;
