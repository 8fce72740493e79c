//! Exports of Langfuse: observations, one a line or in a list; generations hold the conversation.

use super::Reader;
use crate::contract::Role;
use crate::traces::exchange::{self, Exchange};
use crate::traces::form::{Format, Tokens, Trace};
use crate::traces::record::Record;
use crate::traces::spans::{Part, Span, Spans, ToolSpan};
use crate::wire::messages::{read_message, read_messages};
use serde_json::Value;

/// An export.
pub(super) struct Langfuse(Spans);

impl Default for Langfuse {
    fn default() -> Self {
        Self(Spans::new(Format::Langfuse))
    }
}

impl Reader for Langfuse {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let inside = record.elements(Some("observations")).or_else(|| record.elements(Some("data")));
        for observation in inside.or_else(|| record.elements(None)).unwrap_or_else(|| vec![*record]) {
            if let Some(span) = read(&observation.value()?, observation.line) {
                self.0.add(span, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        self.0.finish()
    }
}

fn read(body: &Value, line: u64) -> Option<Span> {
    let word = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
    let field = |key: &str| body.get(key).filter(|value| !value.is_null()).map(from_text);
    let part = match word("type")?.as_str() {
        "GENERATION" => {
            let (asked, said) = (field("input").unwrap_or_default(), field("output").unwrap_or_default());
            let messages = if asked.is_array() { read_messages(&asked) } else { exchange::read_asked(&asked) };
            let mut output = exchange::read_answer(&said);
            if output.is_empty() {
                output.extend(read_message(&said).filter(|_| said.is_object() || said.is_string()));
            }
            output.iter_mut().for_each(|message| message.role = Role::Assistant);
            let tools = exchange::read_tools(&asked)
                .or_else(|| exchange::read_tools(body.get("modelParameters")?))
                .or_else(|| exchange::read_tools(body.get("metadata")?));
            let tokens = body.get("usage").or_else(|| body.get("usageDetails")).map(Tokens::read).unwrap_or_default();
            Part::Model(Box::new(Exchange { tools, messages, output, model: word("model"), tokens }))
        }
        "TOOL" => Part::Tool(ToolSpan {
            id: None,
            name: word("name").unwrap_or_default(),
            arguments: field("input"),
            result: field("output"),
            failed: word("level").as_deref() == Some("ERROR"),
        }),
        _ => return None,
    };
    let trace = word("traceId").or_else(|| word("trace_id")).unwrap_or_default();
    let start = word("startTime").or_else(|| word("start_time")).unwrap_or_default();
    Some(Span { trace, start, line, part })
}

/// Some exports keep JSON as text.
fn from_text(value: &Value) -> Value {
    let text = value.as_str().filter(|text| text.trim_start().starts_with(['{', '[']));
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}
