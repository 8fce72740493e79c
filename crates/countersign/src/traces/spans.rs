//! Spans of one trace, put together: requests to models are joined, and calls that only a tool's span tells of are added.
//!
//! Spans are written when they end, so a trace is complete only when its file is, or when it has been quiet for long.

use super::exchange::Exchange;
use super::form::{Format, Trace};
use super::linker::Linker;
use super::record::Record;
use crate::contract::{Arguments, Message, Role, ToolCall, ToolResult};
use crate::wire::messages::unwrap_content;
use serde_json::Value;
use std::collections::VecDeque;

/// One span.
#[derive(Debug)]
pub struct Span {
    /// The trace or the session that it belongs to.
    pub trace: String,
    /// When it began; spans are put in this order.
    pub start: String,
    /// Its line.
    pub line: u64,
    /// What it tells.
    pub part: Part,
}

/// What a span tells.
#[derive(Debug)]
pub enum Part {
    /// A request to a model.
    Model(Box<Exchange>),
    /// A call of a tool.
    Tool(ToolSpan),
}

/// A call of a tool, and what came back.
#[derive(Debug, Default)]
pub struct ToolSpan {
    /// The call's id.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments; none where they were not recorded.
    pub arguments: Option<Value>,
    /// What came back; none where it was not recorded.
    pub result: Option<Value>,
    /// Whether it failed.
    pub failed: bool,
}

/// Spans that wait for the rest of their trace.
#[derive(Debug)]
pub struct Spans {
    format: Format,
    waiting: VecDeque<(String, Vec<Span>)>,
    count: usize,
}

impl Spans {
    /// None yet.
    pub fn new(format: Format) -> Self {
        Self { format, waiting: VecDeque::new(), count: 0 }
    }

    /// Adds a span. Traces that have waited longest are given out where there are too many.
    pub fn add(&mut self, span: Span, out: &mut Vec<Trace>) {
        self.count += 1;
        match self.waiting.iter_mut().rev().find(|(trace, _)| *trace == span.trace) {
            Some((_, spans)) => spans.push(span),
            None => self.waiting.push_back((span.trace.clone(), vec![span])),
        }
        while (self.count > MAX_SPANS || self.waiting.len() > MAX_TRACES) && self.waiting.len() > 1 {
            let Some((id, spans)) = self.waiting.pop_front() else { break };
            self.count = self.count.saturating_sub(spans.len());
            out.extend(assemble(self.format, id, spans));
        }
    }

    /// Gives out what is left.
    pub fn finish(&mut self) -> Vec<Trace> {
        let format = self.format;
        self.waiting.drain(..).flat_map(|(id, spans)| assemble(format, id, spans)).collect()
    }
}

fn assemble(format: Format, id: String, mut spans: Vec<Span>) -> Vec<Trace> {
    spans.sort_by(|a, b| a.start.cmp(&b.start));
    let mut linker = Linker::new(format);
    let mut done = Vec::new();
    let has_models = spans.iter().any(|span| matches!(span.part, Part::Model(_)));
    let mut tools = Vec::new();
    for span in spans {
        let record = Record { text: "", line: span.line };
        match span.part {
            Part::Model(exchange) => done.extend(linker.add(*exchange, Some(id.clone()), &record)),
            // The requests tell of most calls; what they do not tell of is added at the end.
            Part::Tool(tool) if has_models => tools.push((tool, record)),
            Part::Tool(tool) => push_tool(&mut linker, tool, &record),
        }
    }
    for (mut tool, record) in tools {
        // Spans of tools often lack the call's id: the first open call of that tool is theirs.
        tool.id = tool.id.take().or_else(|| linker.find_open_call(&tool.name));
        let named = tool.id.is_some();
        if !linker.has_call(tool.id.as_deref(), &tool.name) {
            push_tool(&mut linker, tool, &record);
        } else if named && !linker.has_result(tool.id.as_deref()) {
            linker.push(result_of(tool), &record);
        }
    }
    done.extend(linker.finish());
    for trace in &mut done {
        trace.id.get_or_insert_with(|| id.clone());
    }
    done
}

fn push_tool(linker: &mut Linker, mut tool: ToolSpan, record: &Record<'_>) {
    let Some(arguments) = tool.arguments.take() else { return };
    let id = tool.id.get_or_insert_with(|| format!("line {}", record.line)).clone();
    let mut message = Message::text(Role::Assistant, "");
    message.calls.push(ToolCall { id: Some(id), name: tool.name.clone(), arguments: Arguments::from(arguments) });
    linker.push(message, record);
    if tool.result.is_some() {
        linker.push(result_of(tool), record);
    }
}

fn result_of(tool: ToolSpan) -> Message {
    let mut message = Message::text(Role::Tool, "");
    if let Some(content) = tool.result {
        message.results.push(ToolResult {
            call_id: tool.id,
            name: Some(tool.name),
            content: unwrap_content(content),
            is_error: tool.failed,
            seal: None,
        });
    }
    message
}

const MAX_SPANS: usize = 20_000;
const MAX_TRACES: usize = 500;
