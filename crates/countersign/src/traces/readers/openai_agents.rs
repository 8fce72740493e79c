//! Traces of the OpenAI Agents SDK: spans of generations and functions.

use super::Reader;
use crate::contract::Role;
use crate::traces::exchange::{self, Exchange};
use crate::traces::form::{Format, Tokens, Trace};
use crate::traces::record::Record;
use crate::traces::spans::{Part, Span, Spans, ToolSpan};
use crate::wire::messages::read_messages;
use serde_json::Value;

/// Spans.
pub(super) struct OpenaiAgents(Spans);

impl Default for OpenaiAgents {
    fn default() -> Self {
        Self(Spans::new(Format::OpenaiAgents))
    }
}

impl Reader for OpenaiAgents {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let inside = record.elements(Some("data")).or_else(|| record.elements(None));
        for span in inside.unwrap_or_else(|| vec![*record]) {
            if let Some(span) = read(&span.value()?, span.line) {
                self.0.add(span, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        self.0.finish()
    }
}

fn read(span: &Value, line: u64) -> Option<Span> {
    let data = span.get("span_data")?;
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let part = match word(data, "type")?.as_str() {
        "generation" => {
            let mut output = data.get("output").map(read_messages).unwrap_or_default();
            output.iter_mut().for_each(|message| message.role = Role::Assistant);
            Part::Model(Box::new(Exchange {
                tools: exchange::read_tools(data).or_else(|| exchange::read_tools(data.get("model_config")?)),
                messages: data.get("input").map(read_messages).unwrap_or_default(),
                output,
                model: word(data, "model"),
                tokens: data.get("usage").map(Tokens::read).unwrap_or_default(),
            }))
        }
        "function" => Part::Tool(ToolSpan {
            id: None,
            name: word(data, "name").unwrap_or_default(),
            arguments: data.get("input").filter(|input| !input.is_null()).cloned(),
            result: data.get("output").filter(|output| !output.is_null()).cloned(),
            failed: span.get("error").is_some_and(|error| !error.is_null()),
        }),
        _ => return None,
    };
    let start = word(span, "started_at").unwrap_or_default();
    Some(Span { trace: word(span, "trace_id").unwrap_or_default(), start, line, part })
}
