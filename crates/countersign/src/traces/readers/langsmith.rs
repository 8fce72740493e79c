//! Runs of LangSmith: messages in LangChain's shape.

use super::Reader;
use crate::contract::{Arguments, Message, Role, ToolCall, ToolResult};
use crate::traces::exchange::{self, Exchange, text_of};
use crate::traces::form::{Format, Tokens, Trace};
use crate::traces::record::Record;
use crate::traces::spans::{Part, Span, Spans, ToolSpan};
use crate::wire::messages::{read_message, unwrap_content};
use serde_json::Value;

/// Runs.
pub(super) struct Langsmith(Spans);

impl Default for Langsmith {
    fn default() -> Self {
        Self(Spans::new(Format::Langsmith))
    }
}

impl Reader for Langsmith {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let inside = record.elements(Some("runs")).or_else(|| record.elements(None));
        for run in inside.unwrap_or_else(|| vec![*record]) {
            if let Some(span) = read(&run.value()?, run.line) {
                self.0.add(span, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        self.0.finish()
    }
}

fn read(run: &Value, line: u64) -> Option<Span> {
    let word = |key: &str| run.get(key).and_then(Value::as_str).map(str::to_owned);
    let (inputs, outputs) = (run.get("inputs").unwrap_or(&Value::Null), run.get("outputs").unwrap_or(&Value::Null));
    let part = match word("run_type")?.as_str() {
        "llm" => {
            let listed = run.pointer("/extra/invocation_params").and_then(exchange::read_tools);
            let usage = run.pointer("/outputs/usage_metadata").or_else(|| run.pointer("/extra/usage"));
            Part::Model(Box::new(Exchange {
                tools: listed.or_else(|| exchange::read_tools(inputs)),
                messages: read_all(inputs.get("messages").unwrap_or(&Value::Null)),
                output: read_output(outputs),
                model: run.pointer("/extra/invocation_params/model").and_then(Value::as_str).map(str::to_owned),
                tokens: usage.map(Tokens::read).unwrap_or_default(),
            }))
        }
        "tool" => Part::Tool(ToolSpan {
            id: outputs.pointer("/output/tool_call_id").and_then(Value::as_str).map(str::to_owned),
            name: word("name").unwrap_or_default(),
            arguments: read_input(inputs),
            result: outputs.get("output").map(|output| output.get("content").unwrap_or(output).clone()),
            failed: run.get("error").is_some_and(|error| !error.is_null()),
        }),
        _ => return None,
    };
    let start = word("dotted_order").or_else(|| word("start_time")).unwrap_or_default();
    Some(Span { trace: word("trace_id").or_else(|| word("id")).unwrap_or_default(), start, line, part })
}

/// A tool's input is an object, or Python's way to write one, which is left alone.
fn read_input(inputs: &Value) -> Option<Value> {
    match inputs.get("input") {
        Some(Value::String(text)) => serde_json::from_str::<Value>(text).ok().filter(Value::is_object),
        Some(other) => Some(other.clone()),
        None => Some(inputs.clone()).filter(Value::is_object),
    }
}

fn read_output(outputs: &Value) -> Vec<Message> {
    let said = outputs.pointer("/generations/0/0/message").or_else(|| outputs.pointer("/generations/0/message"));
    let mut read: Vec<Message> = match said.or_else(|| outputs.get("message")) {
        Some(message) => read_one(message).into_iter().collect(),
        None => exchange::read_answer(outputs),
    };
    read.iter_mut().for_each(|message| message.role = Role::Assistant);
    read
}

/// Messages come in a list, or in a list of lists.
fn read_all(value: &Value) -> Vec<Message> {
    let Value::Array(items) = value else { return Vec::new() };
    match items.first() {
        Some(inner @ Value::Array(_)) => read_all(inner),
        _ => items.iter().filter_map(read_one).collect(),
    }
}

fn read_one(value: &Value) -> Option<Message> {
    let kwargs = value.get("kwargs").or_else(|| value.get("data")).filter(|kwargs| kwargs.is_object());
    let body = kwargs.unwrap_or(value);
    let class = value.get("id").and_then(Value::as_array).and_then(|path| path.last()?.as_str());
    let kind = class.or_else(|| body.get("type")?.as_str()).or_else(|| value.get("type")?.as_str()).unwrap_or_default();
    let role = match kind {
        "HumanMessage" | "human" => Role::User,
        "SystemMessage" | "system" => Role::System,
        "AIMessage" | "AIMessageChunk" | "ai" => Role::Assistant,
        "ToolMessage" | "tool" => Role::Tool,
        _ => return read_message(body),
    };
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let content = body.get("content").cloned().unwrap_or_default();
    if role == Role::Tool {
        let mut message = Message::text(Role::Tool, "");
        message.results.push(ToolResult {
            call_id: word(body, "tool_call_id"),
            name: word(body, "name"),
            content: unwrap_content(content),
            is_error: word(body, "status").as_deref() == Some("error"),
            seal: None,
        });
        return Some(message);
    }
    let mut message = Message::text(role, text_of(&content));
    for call in body.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let arguments = call.get("args").cloned().map_or(Arguments::Absent, Arguments::from);
        message.calls.push(ToolCall { id: word(call, "id"), name: word(call, "name").unwrap_or_default(), arguments });
    }
    Some(message)
}
