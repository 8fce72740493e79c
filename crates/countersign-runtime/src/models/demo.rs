//! A small model that is built in, so that the first run needs no account and no network.
//!
//! It makes the mistakes that real ones make: a tool's name in another case, a number in quotes, a tag that is not closed,
//! figures that nobody verified. What it says depends on the conversation alone, so that a demonstration can be repeated.

use super::{Answer, Ask, Model, ModelError};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The demo model.
#[derive(Debug, Clone)]
pub struct DemoModel {
    /// How long it takes for a piece.
    pub pace: Duration,
}

impl Default for DemoModel {
    fn default() -> Self {
        Self { pace: Duration::from_millis(25) }
    }
}

#[async_trait]
impl Model for DemoModel {
    async fn ask(&self, ask: Ask) -> Result<Answer, ModelError> {
        let pace = self.pace;
        let chunks = stream::iter(answer(&ask)).then(move |chunk| async move {
            tokio::time::sleep(pace).await;
            Ok(Bytes::from(format!("data: {chunk}\n\n")))
        });
        Ok(Box::pin(chunks.chain(stream::once(async { Ok(Bytes::from_static(b"data: [DONE]\n\n")) }))))
    }
}

/// The chunks of an answer.
fn answer(ask: &Ask) -> Vec<Value> {
    let last = ask.messages.last();
    let role = last.and_then(|message| message.get("role")).and_then(Value::as_str).unwrap_or_default();
    let question = ask.messages.iter().rev().find(|message| is(message, "user")).map(text_of).unwrap_or_default();
    match (role, ask.tools.first()) {
        ("tool", _) => said(&after_tool(&last.map(text_of).unwrap_or_default())),
        (_, Some(tool)) => called(tool, &question),
        (_, None) => said(&small_talk(&question)),
    }
}

fn is(message: &Value, role: &str) -> bool {
    message.get("role").and_then(Value::as_str) == Some(role)
}

fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn after_tool(result: &str) -> String {
    let short: String = result.chars().take(200).collect();
    format!("The tool answered: {short}")
}

/// An answer with figures that nobody verified, and a note whose tag is not closed.
fn small_talk(question: &str) -> String {
    let chinese = question.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    if chinese {
        return format!(
            "您问的是：{question}\n\n根据演示研究院2024年报告，市场增长了25%，规模达到3.4亿元。这些数字尚未经过验证。\n\n<create_note><name>演示</name><content>市场增长25%"
        );
    }
    format!(
        "You asked: {question}\n\nAccording to the 2024 Demo Institute report, the market grew by 25% to $3.5 billion. \
         Nobody has verified these figures yet.\n\n<create_note><name>demo</name><content>The market grew by 25%."
    )
}

fn said(text: &str) -> Vec<Value> {
    let mut pieces: Vec<String> = Vec::new();
    for word in text.split_inclusive([' ', '\n', '，', '。']) {
        pieces.push(word.to_owned());
    }
    let mut chunks: Vec<_> = pieces.into_iter().map(|piece| chunk(json!({"content": piece}), None)).collect();
    chunks.push(chunk(json!({}), Some("stop")));
    chunks
}

/// A call of a tool, wrong in the ways that can be mended for certain.
fn called(tool: &Value, question: &str) -> Vec<Value> {
    let function = tool.get("function").unwrap_or(tool);
    let name = function.get("name").and_then(Value::as_str).unwrap_or("tool");
    let schema = function.get("parameters").or_else(|| function.get("input_schema"));
    let arguments = invented(schema.unwrap_or(&Value::Null), question).to_string();
    let middle = (arguments.len() / 2..=arguments.len()).find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
    let (first, second) = arguments.split_at(middle);
    let call = |function: Value| json!({"tool_calls": [{"index": 0, "id": "call_demo", "type": "function", "function": function}]});
    let more = json!({"tool_calls": [{"index": 0, "function": {"arguments": second}}]});
    vec![
        chunk(call(json!({"name": name, "arguments": first})), None),
        chunk(more, None),
        chunk(json!({}), Some("tool_calls")),
    ]
}

/// Arguments for a schema: texts from the question, numbers in quotes.
fn invented(schema: &Value, question: &str) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut arguments = Map::new();
    for (name, field) in properties.into_iter().flatten() {
        let value = match (field.get("enum").and_then(Value::as_array), field.get("type").and_then(Value::as_str)) {
            (Some(choices), _) => choices.first().cloned().unwrap_or_default(),
            (None, Some("integer" | "number")) => Value::from("3"),
            (None, Some("boolean")) => Value::from("true"),
            (None, Some("array")) => json!([question]),
            (None, Some("object")) => json!({}),
            _ => Value::from(question),
        };
        arguments.insert(name.clone(), value);
    }
    Value::Object(arguments)
}

fn chunk(delta: Value, finish: Option<&str>) -> Value {
    json!({
        "id": "chatcmpl-demo",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "demo",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
}
