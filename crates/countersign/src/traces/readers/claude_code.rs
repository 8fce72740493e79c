//! Transcripts of Claude Code: a line for each piece of a message; side chains are conversations of their own.

use super::Reader;
use crate::contract::{Message, Role};
use crate::traces::form::{Format, Tokens, Trace};
use crate::traces::record::Record;
use crate::wire::messages::read_message;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A transcript.
#[derive(Default)]
pub(super) struct Transcript {
    main: Option<Chain>,
    sides: Vec<Chain>,
    /// Which side chain a line belongs to.
    lines: FxHashMap<String, usize>,
    tools: Option<String>,
}

struct Chain {
    trace: Trace,
    /// The answer that a line is a piece of, and what it has cost so far: each piece repeats the cost.
    last: (Option<String>, Tokens),
}

/// Everything else in a line is skipped without being kept; results stand there twice.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    message: Option<Value>,
    uuid: Option<String>,
    parent_uuid: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_compact_summary: bool,
    session_id: Option<String>,
    cwd: Option<String>,
    #[serde(borrow)]
    shape: Option<&'a RawValue>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Listed<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
}

impl Reader for Transcript {
    fn read(&mut self, record: &Record<'_>, _: &mut Vec<Trace>) -> Result<(), String> {
        let mut line: Line<'_> =
            serde_json::from_str(record.text).map_err(|error| format!("cannot be read: {error}"))?;
        for listed in [line.shape, line.attachment].into_iter().flatten() {
            self.add_tools(listed.get());
        }
        let spoken = matches!(line.kind.as_deref(), Some("user" | "assistant"));
        let Some(body) = line.message.take().filter(|_| spoken) else { return Ok(()) };
        // What the program says in the model's place.
        if body.get("model").and_then(Value::as_str) == Some("<synthetic>") {
            return Ok(());
        }
        let Some(mut message) = read_message(&body) else { return Ok(()) };
        if (line.is_meta || line.is_compact_summary) && message.results.is_empty() {
            message.role = Role::System;
        }
        let (whole, side) = (!line.is_compact_summary, self.find_side(&line));
        let chain = match side {
            Some(at) => {
                while self.sides.len() <= at {
                    self.sides.push(Chain::new(record));
                }
                self.sides.get_mut(at)
            }
            None => Some(self.main.get_or_insert_with(|| Chain::new(record))),
        };
        if let Some(chain) = chain {
            chain.trace.whole &= whole;
            chain.add(line, &body, message, record);
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        let tools = self.tools.take();
        let chains = self.main.take().into_iter().chain(self.sides.drain(..));
        let mut traces: Vec<Trace> = chains.map(|chain| chain.trace).collect();
        if let Some(tools) = &tools {
            traces.iter_mut().for_each(|trace| trace.add_tools(tools));
        }
        traces
    }
}

impl Transcript {
    fn add_tools(&mut self, listed: &str) {
        let Ok(Listed { tools: Some(tools) }) = serde_json::from_str(listed) else { return };
        let mut known = Trace::new(Format::ClaudeCode, 0);
        if let Some(before) = &self.tools {
            known.add_tools(before);
        }
        if serde_json::from_str::<Vec<Value>>(tools.get()).is_ok_and(|tools| tools.iter().all(Value::is_object)) {
            known.add_tools(tools.get());
            self.tools = known.tools.map(|tools| tools.to_string());
        }
    }

    /// The side chain of a line: that of the line before it, or a new one.
    fn find_side(&mut self, line: &Line<'_>) -> Option<usize> {
        if !line.is_sidechain {
            return None;
        }
        let known = line.parent_uuid.as_ref().and_then(|parent| self.lines.get(parent)).copied();
        let at = known.unwrap_or(self.sides.len()).min(MAX_SIDES);
        self.lines.extend(line.uuid.clone().map(|uuid| (uuid, at)));
        Some(at)
    }
}

impl Chain {
    fn new(record: &Record<'_>) -> Self {
        Self { trace: Trace::new(Format::ClaudeCode, record.line), last: (None, Tokens::default()) }
    }

    fn add(&mut self, line: Line<'_>, body: &Value, message: Message, record: &Record<'_>) {
        let trace = &mut self.trace;
        trace.id = trace.id.take().or(line.session_id);
        if let Some(cwd) = line.cwd.filter(|_| trace.cwd.is_empty()) {
            trace.cwd = cwd;
        }
        if let Some(model) = body.get("model").and_then(Value::as_str) {
            trace.model = Some(model.to_owned());
        }
        if let Some(usage) = body.get("usage") {
            let (id, cost) = (body.get("id").and_then(Value::as_str).map(str::to_owned), Tokens::read(usage));
            let known = if id.is_some() && id == self.last.0 { self.last.1 } else { Tokens::default() };
            trace.tokens.add(Tokens {
                input: cost.input.saturating_sub(known.input),
                cached: cost.cached.saturating_sub(known.cached),
                output: cost.output.saturating_sub(known.output),
            });
            self.last = (id, cost);
        }
        trace.push(message, |id| record.line_of(id));
    }
}

/// What does not fit is added to the last.
const MAX_SIDES: usize = 1000;
