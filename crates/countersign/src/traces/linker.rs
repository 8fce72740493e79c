//! Requests that repeat their history, joined into conversations.
//!
//! Every request to a model carries the conversation so far. A request that begins with all of an open conversation
//! goes on with it, and only what is new is added; so no call is judged twice. What was said is compared by a hash that
//! grows with each message, without instructions: those change from request to request.

use super::exchange::Exchange;
use super::form::{Format, Trace};
use super::record::Record;
use crate::contract::{Arguments, Message, Role, ToolCall};
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// The conversations that may still go on.
#[derive(Debug)]
pub struct Linker {
    format: Format,
    open: VecDeque<Open>,
}

#[derive(Debug)]
struct Open {
    trace: Trace,
    head: u64,
}

impl Linker {
    /// No conversation yet.
    pub fn new(format: Format) -> Self {
        Self { format, open: VecDeque::new() }
    }

    /// Adds an exchange. A conversation that has been quiet for long is given out.
    pub fn add(&mut self, exchange: Exchange, id: Option<String>, record: &Record<'_>) -> Option<Trace> {
        let mut heads = vec![0];
        for message in &exchange.messages {
            heads.push(grow(heads.last().copied().unwrap_or(0), message));
        }
        let continued = (1..heads.len()).rev().find_map(|until| {
            let head = heads.get(until).copied().filter(|head| *head != 0)?;
            Some((until, self.open.iter().position(|open| open.head == head)?))
        });
        let (known, at) = match continued {
            Some((until, at)) => (until, self.open.remove(at)),
            None => (0, None),
        };
        let mut open = at.unwrap_or_else(|| Open { trace: Trace::new(self.format, record.line), head: 0 });
        let trace = &mut open.trace;
        trace.id = trace.id.take().or(id);
        trace.model = exchange.model.or(trace.model.take());
        trace.tokens.add(exchange.tokens);
        if let Some(tools) = &exchange.tools {
            trace.add_tools(tools);
        }
        open.head = heads.last().copied().unwrap_or(0);
        let fresh = exchange.messages.into_iter().skip(known);
        for message in fresh {
            trace.push(message, |id| record.line_of(id));
        }
        for message in exchange.output {
            open.head = grow(open.head, &message);
            trace.push(message, |id| record.line_of(id));
        }
        self.open.push_back(open);
        if self.open.len() > MAX_OPEN { self.open.pop_front().map(|open| open.trace) } else { None }
    }

    /// Adds to the newest conversation what no request carries.
    pub fn push(&mut self, message: Message, record: &Record<'_>) {
        let mut open =
            self.open.pop_back().unwrap_or_else(|| Open { trace: Trace::new(self.format, record.line), head: 0 });
        open.trace.push(message, |id| record.line_of(id));
        self.open.push_back(open);
    }

    /// Whether a call is in one of the conversations.
    pub fn has_call(&self, id: Option<&str>, name: &str) -> bool {
        let calls = self.open.iter().flat_map(|open| &open.trace.steps).flat_map(|step| &step.message.calls);
        let same = |call: &ToolCall| if id.is_some() { call.id.as_deref() == id } else { call.name == name };
        calls.into_iter().any(same)
    }

    /// The first call of a tool that has no result yet.
    pub fn find_open_call(&self, name: &str) -> Option<String> {
        let calls = self.open.iter().flat_map(|open| &open.trace.steps).flat_map(|step| &step.message.calls);
        let mut named = calls.filter(|call| call.name == name).filter_map(|call| call.id.clone());
        named.find(|id| !self.has_result(Some(id)))
    }

    /// Whether a call's result is in one of the conversations.
    pub fn has_result(&self, id: Option<&str>) -> bool {
        let results = self.open.iter().flat_map(|open| &open.trace.steps).flat_map(|step| &step.message.results);
        results.into_iter().any(|result| result.call_id.as_deref() == id)
    }

    /// Gives out what is left.
    pub fn finish(&mut self) -> Vec<Trace> {
        self.open.drain(..).map(|open| open.trace).collect()
    }
}

fn grow(head: u64, message: &Message) -> u64 {
    let quiet = message.text.trim().is_empty() && message.calls.is_empty() && message.results.is_empty();
    if message.role == Role::System || quiet {
        return head;
    }
    let mut hasher = FxHasher::default();
    head.hash(&mut hasher);
    message.role.hash(&mut hasher);
    message.text.trim().hash(&mut hasher);
    for call in &message.calls {
        call.name.hash(&mut hasher);
        match &call.arguments {
            Arguments::Text(text) => text.hash(&mut hasher),
            other => serde_json::to_string(other).unwrap_or_default().hash(&mut hasher),
        }
    }
    for result in &message.results {
        result.call_id.hash(&mut hasher);
        match result.content.as_str() {
            Some(text) => text.hash(&mut hasher),
            None => result.content.to_string().hash(&mut hasher),
        }
    }
    hasher.finish().max(1)
}

/// So many conversations are kept open.
const MAX_OPEN: usize = 48;
