//! A model's output while it comes: pieces in, events as JSON out, and at the end the same reading as of the whole.

use crate::contract::{Language, ToolSpec};
use crate::inspect::parse::{Reading, finish_reason, settle, unknown_protocol};
use crate::parse::{Event, Gather, ParseOptions, Parser, Protocol};
use crate::policy::Policy;
use crate::wire::WireError;
use serde_json::{Value, json};

/// A parser of one output.
pub struct OutputStream {
    parser: Parser,
    gather: Gather,
    tools: Vec<ToolSpec>,
}

impl OutputStream {
    /// Begins an output, read in the protocol of that name.
    pub fn new(protocol: &str, schema: Option<&Value>, tools: Vec<ToolSpec>) -> Result<Self, WireError> {
        let named = Protocol::from_name(protocol, schema).ok_or_else(|| unknown_protocol(protocol))?;
        let gather = match &named {
            Protocol::Tags(tags) => Gather::with_tags(tags, None::<Language>),
            _ => Gather::new(),
        };
        Ok(Self { parser: Parser::new(&named, &tools, ParseOptions::default()), gather, tools })
    }

    /// Takes the next piece and gives what can be said by now.
    pub fn push(&mut self, piece: &str) -> Vec<Value> {
        let events = self.parser.push(piece.as_bytes());
        self.take(events)
    }

    /// Nothing more comes: the last events, and the reading of the whole.
    pub fn finish(mut self, reason: Option<&str>, policy: &Policy) -> Result<(Vec<Value>, Reading), WireError> {
        let reason = finish_reason(reason)?;
        let parser = std::mem::replace(&mut self.parser, Parser::new(&Protocol::Auto, &[], ParseOptions::default()));
        let last = self.take(parser.finish(reason));
        let outcome = settle(self.gather.finish(reason), &self.tools, policy);
        Ok((last, Reading { id: Value::Null, outcome }))
    }

    fn take(&mut self, events: Vec<Event>) -> Vec<Value> {
        let told = events.iter().map(tell).collect();
        events.into_iter().for_each(|event| self.gather.take(event));
        told
    }
}

impl std::fmt::Debug for OutputStream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("OutputStream").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}

/// An event as JSON, by its `type`.
fn tell(event: &Event) -> Value {
    match event {
        Event::Text { text, span } => json!({"type": "text", "text": text, "span": span}),
        Event::Reasoning { text, span } => json!({"type": "reasoning", "text": text, "span": span}),
        Event::CallStart { index, id, name, raw_name, place, at } => {
            json!({"type": "call_start", "index": index, "id": id, "name": name, "raw_name": raw_name, "place": place, "at": at})
        }
        Event::ArgDelta { index, delta, span } => {
            json!({"type": "arg_delta", "index": index, "delta": delta, "span": span})
        }
        Event::CallEnd { index, complete, unclosed, arguments, at } => {
            json!({"type": "call_end", "index": index, "complete": complete, "unclosed": unclosed, "arguments": arguments, "at": at})
        }
        Event::Tag { tag, span } => json!({"type": "tag", "tag": tag, "span": span}),
        Event::Value { value, complete, span } => {
            json!({"type": "value", "value": value, "complete": complete, "span": span})
        }
        Event::Markup { text, span } => json!({"type": "markup", "text": text, "span": span}),
        Event::Repair(repair) => json!({"type": "repair", "repair": repair}),
        Event::Unrecovered { text, reason, span } => {
            json!({"type": "unrecovered", "text": text, "reason": reason, "span": span})
        }
    }
}
