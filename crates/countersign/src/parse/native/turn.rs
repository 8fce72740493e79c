//! One turn of a model, common to all dialects: its calls, how it ended, and what the server told about it.

use super::calls::{Calls, Ending};
use super::framing::Closing;
use super::page::Page;
use crate::parse::event::{Finish, ParseOptions};
use serde_json::{Map, Value};

/// What a server tells about a turn beside its words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamFacts {
    /// The model that answered.
    pub model: Option<String>,
    /// Why it stopped, in the server's words.
    pub finish_reason: Option<String>,
    /// The response's id.
    pub id: Option<String>,
    /// What it cost, as the server counts it.
    pub usage: Option<Value>,
    /// The log-probabilities of the tokens of its words, where the server gives them; of a very long answer the first.
    pub logprobs: Vec<f64>,
}

/// A turn that is being read.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) calls: Calls,
    pub(super) facts: StreamFacts,
    /// How it ended, once the stream has said so.
    ending: Option<Ending>,
}

impl Turn {
    pub(super) fn new(options: &ParseOptions) -> Self {
        Self { calls: Calls::new(options), facts: StreamFacts::default(), ending: None }
    }

    /// Keeps id, model and usage of a response or a chunk.
    pub(super) fn note(&mut self, object: &Map<String, Value>) {
        for (key, fact) in [("id", &mut self.facts.id), ("model", &mut self.facts.model)] {
            let told = object.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            if fact.is_none() {
                *fact = told.map(str::to_owned);
            }
        }
        match (object.get("usage"), &mut self.facts.usage) {
            // Some servers count in two places: what comes later adds to what came before.
            (Some(Value::Object(more)), Some(Value::Object(known))) if known.len() < MAX_USAGE => {
                known.extend(more.clone());
            }
            (Some(Value::Object(_)), Some(_)) => {}
            (Some(usage @ Value::Object(_)), known) => *known = Some(usage.clone()),
            _ => {}
        }
    }

    /// Keeps the log-probabilities of a choice: of each token, or of all of them in the form of older servers.
    pub(super) fn note_logprobs(&mut self, told: &Map<String, Value>) {
        let tokens = told.get("content").and_then(Value::as_array).into_iter().flatten();
        let tokens = tokens.filter_map(|token| token.get("logprob")?.as_f64());
        let older = told.get("token_logprobs").and_then(Value::as_array).into_iter().flatten();
        let room = MAX_LOGPROBS.saturating_sub(self.facts.logprobs.len());
        self.facts.logprobs.extend(tokens.chain(older.filter_map(Value::as_f64)).take(room));
    }

    /// Keeps the reason why the turn ends. It takes effect when the stream is over: servers send more after it.
    pub(super) fn reason(&mut self, reason: Option<&Value>) {
        if let Some(reason) = reason.and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            self.facts.finish_reason = Some(reason.to_owned());
            self.ending = Some(ending(reason));
        }
    }

    pub(super) fn has_reason(&self) -> bool {
        self.ending.is_some()
    }

    /// The turn's last chunk: every call ends as the stream has said, else because the model stopped.
    pub(super) fn over(&mut self, page: &mut Page) {
        let ending = self.ending.take().unwrap_or(Ending::Stop);
        self.calls.settle(ending, page);
    }

    /// A whole body was read: its calls end with it where it says why it ended.
    pub(super) fn body_over(&mut self, page: &mut Page) {
        if self.has_reason() {
            self.over(page);
        }
    }

    /// The server reports that it failed.
    pub(super) fn failed(&mut self, error: &Value, page: &mut Page) {
        let told = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let message = told(error).or_else(|| error.get("message").and_then(told)).or_else(|| told(error.get("type")?));
        let reason = message.map_or("the server reports an error".to_owned(), |text| {
            format!("the server reports an error: {}", text.chars().take(MAX_MESSAGE).collect::<String>())
        });
        page.unrecovered(page.raw().trim(), reason);
        self.facts.finish_reason.get_or_insert_with(|| "error".to_owned());
        self.ending = Some(Ending::Cut);
        self.calls.settle(Ending::Cut, page);
    }

    /// The input is over.
    pub(super) fn finish(&mut self, finish: Finish, closing: Closing, page: &mut Page) {
        let ending = match finish {
            Finish::Length => Ending::Length,
            Finish::Cancelled => Ending::Cut,
            Finish::Stop | Finish::Unsaid if closing == Closing::Open => Ending::Cut,
            Finish::Stop | Finish::Unsaid => match self.ending.take() {
                Some(Ending::Stop) => Ending::Unmarked,
                said => said.unwrap_or(Ending::Unsaid),
            },
        };
        self.calls.settle(ending, page);
    }
}

/// What a server's word for the end means. An unknown word is no promise that the calls are whole.
fn ending(reason: &str) -> Ending {
    let reason = reason.to_ascii_lowercase();
    match reason.as_str() {
        reason if STOPPED.contains(&reason) => Ending::Stop,
        reason if AT_LIMIT.contains(&reason) => Ending::Length,
        _ => Ending::Cut,
    }
}

const STOPPED: &[&str] = &[
    "stop",
    "tool_calls",
    "tool_call",
    "function_call",
    "tool_use",
    "end_turn",
    "stop_sequence",
    "pause_turn",
    "eos",
    "eos_token",
    "completed",
];
const AT_LIMIT: &[&str] =
    &["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete"];
/// More figures than any bill has.
const MAX_USAGE: usize = 64;
/// So many log-probabilities of one turn are kept.
const MAX_LOGPROBS: usize = 16 * 1024;
const MAX_MESSAGE: usize = 300;
