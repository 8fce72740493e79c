//! The common form of a trace: one conversation, its tools where they are known, and the line of each thing.

use crate::contract::{Message, Role};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// A transcript of Claude Code.
    ClaudeCode,
    /// A rollout of Codex.
    Codex,
    /// A chat of Gemini CLI.
    GeminiCli,
    /// Requests and answers in the shapes of OpenAI and Anthropic, and lines of our own contract.
    Requests,
    /// OpenTelemetry spans with the GenAI conventions.
    Otlp,
    /// Our own verdicts and sessions.
    Countersign,
    /// An export of Langfuse.
    Langfuse,
    /// Runs of LangSmith.
    Langsmith,
    /// Traces of the OpenAI Agents SDK.
    OpenaiAgents,
    /// A log of Inspect.
    Inspect,
    /// Results of tau2, or of its first version.
    Tau2,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Requests => "requests",
            Self::Otlp => "otlp",
            Self::Countersign => "countersign",
            Self::Langfuse => "langfuse",
            Self::Langsmith => "langsmith",
            Self::OpenaiAgents => "openai-agents",
            Self::Inspect => "inspect",
            Self::Tau2 => "tau2",
        }
    }

    /// Whether these are sessions of a coding agent.
    pub fn is_coding(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Codex | Self::GeminiCli)
    }
}

/// One conversation.
#[derive(Debug, Clone)]
pub struct Trace {
    /// What it was read from.
    pub format: Format,
    /// Its id, where it has one.
    pub id: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The tools, as JSON; none where the trace does not list them.
    pub tools: Option<Arc<str>>,
    /// What was said, called and returned, in order.
    pub steps: Vec<Step>,
    /// What it cost.
    pub tokens: Tokens,
    /// The folder of a coding agent.
    pub cwd: String,
    /// Whether the trace has the conversation from its beginning.
    pub whole: bool,
    /// Whether it was longer than what is kept.
    pub cut: bool,
    /// How many results were too large to keep whole.
    pub shortened: usize,
    /// Calls that were judged when they were made: our own verdicts.
    pub recorded: Vec<Recorded>,
    /// The line where it begins.
    pub line: u64,
    bytes: usize,
}

/// A message and its place.
#[derive(Debug, Clone)]
pub struct Step {
    /// The message.
    pub message: Message,
    /// Its line.
    pub line: u64,
    /// The lines of its calls.
    pub call_lines: Vec<u64>,
    /// The lines of its results.
    pub result_lines: Vec<u64>,
    /// Which of its results are kept in part.
    pub shortened: Vec<bool>,
}

/// A verdict that was written when the call was made.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// `call`, `result` or `answer`.
    pub kind: String,
    /// The tool.
    pub tool: Option<String>,
    /// How it ended.
    pub status: String,
    /// The findings, as they were written.
    pub findings: Vec<Value>,
    /// Where.
    pub line: u64,
}

/// Tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tokens {
    /// Read by the model, cached ones included.
    pub input: u64,
    /// Of these, from a cache.
    pub cached: u64,
    /// Written by the model.
    pub output: u64,
}

impl Tokens {
    /// Reads the usage of an answer, in any provider's words.
    pub fn read(usage: &Value) -> Self {
        let first = |keys: &[&str]| keys.iter().find_map(|key| usage.get(*key)?.as_u64()).unwrap_or(0);
        let inside = |outer: &str| usage.get(outer).and_then(|inner| inner.get("cached_tokens")?.as_u64()).unwrap_or(0);
        let apart = first(&["cache_read_input_tokens"]).saturating_add(first(&["cache_creation_input_tokens"]));
        let cached = [
            first(&["cache_read_input_tokens"]),
            first(&["cached_input_tokens", "cached"]),
            inside("prompt_tokens_details"),
            inside("input_tokens_details"),
        ];
        Self {
            input: first(&["input_tokens", "prompt_tokens", "input"]).saturating_add(apart),
            cached: cached.into_iter().max().unwrap_or(0),
            output: first(&["output_tokens", "completion_tokens", "output"]),
        }
    }

    /// Adds others.
    pub fn add(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.cached = self.cached.saturating_add(more.cached);
        self.output = self.output.saturating_add(more.output);
    }
}

impl Trace {
    /// An empty trace.
    pub fn new(format: Format, line: u64) -> Self {
        Self {
            format,
            id: None,
            model: None,
            tools: None,
            steps: Vec::new(),
            tokens: Tokens::default(),
            cwd: String::new(),
            whole: true,
            cut: false,
            shortened: 0,
            recorded: Vec::new(),
            line,
            bytes: 0,
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.recorded.is_empty()
    }

    /// Adds a message. What one answer was written in several pieces becomes one message again.
    pub fn push(&mut self, message: Message, line: impl Fn(Option<&str>) -> u64) {
        if message.text.is_empty() && message.calls.is_empty() && message.results.is_empty() {
            return;
        }
        let (message, shortened) = shorten(message);
        self.bytes = self.bytes.saturating_add(weigh(&message));
        if self.bytes > MAX_BYTES {
            self.cut = true;
            return;
        }
        self.shortened += shortened.iter().filter(|shortened| **shortened).count();
        let call_lines: Vec<u64> = message.calls.iter().map(|call| line(call.id.as_deref())).collect();
        let result_lines: Vec<u64> = message.results.iter().map(|result| line(result.call_id.as_deref())).collect();
        let continued = self.steps.last_mut().filter(|last| is_one_answer(&last.message, &message));
        if let Some(last) = continued {
            if !last.message.text.is_empty() && !message.text.is_empty() {
                last.message.text.push('\n');
            }
            last.message.text.push_str(&message.text);
            last.message.calls.extend(message.calls);
            last.call_lines.extend(call_lines);
            return;
        }
        let first = call_lines.first().or(result_lines.first()).copied();
        let line = first.unwrap_or_else(|| line(None));
        self.steps.push(Step { message, line, call_lines, result_lines, shortened });
    }

    /// Adds tools to those that are known; of two with one name the newer counts.
    pub fn add_tools(&mut self, tools: &str) {
        match &self.tools {
            Some(known) if known.as_ref() == tools => {}
            Some(known) => self.tools = Some(Arc::from(merge(known, tools))),
            None => self.tools = Some(Arc::from(tools)),
        }
    }
}

fn is_one_answer(last: &Message, next: &Message) -> bool {
    last.role == Role::Assistant && next.role == Role::Assistant && last.results.is_empty() && next.results.is_empty()
}

fn merge(known: &str, more: &str) -> String {
    let read = |text: &str| serde_json::from_str::<Vec<Value>>(text).unwrap_or_default();
    let name = |tool: &Value| {
        let name = tool.get("name").or_else(|| tool.get("function")?.get("name")).or_else(|| tool.get("type"));
        name.and_then(Value::as_str).map(str::to_owned)
    };
    let more = read(more);
    let newer: Vec<Option<String>> = more.iter().map(name).collect();
    let mut all: Vec<Value> = read(known).into_iter().filter(|tool| !newer.contains(&name(tool))).collect();
    all.extend(more);
    all.truncate(MAX_TOOLS);
    serde_json::to_string(&all).unwrap_or_default()
}

/// Keeps the beginning and the end of a large output: nothing that is looked for stands only in its middle.
fn shorten(mut message: Message) -> (Message, Vec<bool>) {
    let mut cut = Vec::with_capacity(message.results.len());
    for result in &mut message.results {
        let long = matches!(&result.content, Value::String(text) if text.len() > MAX_RESULT);
        if let Value::String(text) = &mut result.content
            && long
        {
            let from = text.ceil_char_boundary(text.len() - MAX_RESULT / 4);
            let tail = text.get(from..).unwrap_or_default().to_owned();
            text.truncate(text.floor_char_boundary(MAX_RESULT / 2));
            text.push('\n');
            text.push_str(&tail);
        }
        cut.push(long);
    }
    (message, cut)
}

fn weigh(message: &Message) -> usize {
    let results = message.results.iter().map(|result| match &result.content {
        Value::String(text) => text.len(),
        Value::Array(items) => items.len().saturating_mul(64),
        Value::Object(fields) => fields.len().saturating_mul(64),
        _ => 8,
    });
    message.text.len() + results.sum::<usize>() + message.calls.len() * 128
}

/// So much of a result is kept.
const MAX_RESULT: usize = 64 * 1024;
/// So much of a conversation is kept.
const MAX_BYTES: usize = 32 * 1024 * 1024;
const MAX_TOOLS: usize = 2000;
