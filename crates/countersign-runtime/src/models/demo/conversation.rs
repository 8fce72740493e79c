//! What a request comes to, whichever dialect it was written in.

use super::fault::{Habit, models};
use super::schema::plain;
use super::trouble::Trouble;
use countersign::conversation::vocabulary::Vocabulary;
use countersign::text::fold::fold;
use countersign::text::words::identifier_words;
use serde_json::{Map, Value};

/// A request, understood.
#[derive(Debug, Clone)]
pub(super) struct Conversation {
    /// The model's name as it was asked for.
    pub(super) model: String,
    /// What that name means.
    pub(super) habit: Habit,
    /// What was said, oldest first; the system's words left out.
    pub(super) turns: Vec<Said>,
    /// The functions that may be called.
    pub(super) tools: Vec<Tool>,
    /// What the client says about calling.
    pub(super) choice: Choice,
    /// The most calls of one answer.
    pub(super) most_calls: usize,
    /// A JSON Schema that the answer's words must keep to.
    pub(super) format: Option<Value>,
    /// The most tokens of the answer.
    pub(super) most_tokens: Option<usize>,
    /// How many alternatives are told for each token; none where no probabilities are asked for.
    pub(super) alternatives: Option<usize>,
    /// How it is delivered.
    pub(super) delivery: Delivery,
    /// The request itself.
    pub(super) body: Map<String, Value>,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// By the user.
    User(String),
    /// By the model: the calls that it made.
    Model(Vec<PastCall>),
    /// By a tool.
    Result(PastResult),
}

/// A call of an earlier turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PastCall {
    /// Its id.
    pub(super) id: String,
    /// The name that was called.
    pub(super) name: String,
    /// Its arguments.
    pub(super) arguments: Value,
}

/// What came back for a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PastResult {
    /// The call's id.
    pub(super) id: String,
    /// Its content as text.
    pub(super) text: String,
    /// What the dialect says about it.
    pub(super) outcome: Outcome,
}

/// Whether a dialect marks a result as an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It does not say.
    Unmarked,
    /// It is marked as an error.
    Failed,
}

/// A function that may be called.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: String,
    /// The schema of its arguments, made plain.
    pub(super) schema: Value,
    /// The telling words of its name.
    pub(super) name_words: Vocabulary,
    /// The telling words of its description.
    pub(super) told: Vocabulary,
}

impl Tool {
    /// A tool as it was declared, read for a request.
    pub(super) fn new(name: &str, description: &str, schema: &Value, request: &str) -> Self {
        let mut name_words = Vocabulary::default();
        identifier_words(name).iter().for_each(|word| name_words.add(word));
        let told = Vocabulary::of(&fold(description));
        let schema = plain(schema, request);
        Self { name: name.to_owned(), schema, name_words, told }
    }
}

/// What a client says about calling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// As the model likes.
    Free,
    /// No calls.
    Never,
    /// At least one.
    Some,
    /// This one.
    Named(String),
}

/// How an answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// As one body.
    Whole,
    /// As events.
    Stream,
    /// As events, with what it cost.
    StreamWithUsage,
}

impl Conversation {
    /// What all dialects have in common; the rest is for the dialect's own reader.
    pub(super) fn begin(body: Map<String, Value>) -> Result<Self, Trouble> {
        let model = match body.get("model") {
            Some(Value::String(model)) if !model.is_empty() => model.clone(),
            Some(Value::Null) | None => return Err(Trouble::field("model", "it is required, such as `demo`")),
            Some(_) => return Err(Trouble::field("model", "it must be a text that is not empty")),
        };
        let known = || models().collect::<Vec<_>>().join(", ");
        let habit = Habit::of_model(&model).ok_or_else(|| Trouble::model(&model, &known()))?;
        let delivery = match body.get("stream") {
            Some(Value::Bool(true)) => Delivery::Stream,
            Some(Value::Bool(false) | Value::Null) | None => Delivery::Whole,
            Some(_) => return Err(Trouble::field("stream", "it must be true or false")),
        };
        let (choice, most_calls) = (Choice::Free, usize::MAX);
        let (turns, tools, format, most_tokens, alternatives) = (Vec::new(), Vec::new(), None, None, None);
        Ok(Self { model, habit, turns, tools, choice, most_calls, format, most_tokens, alternatives, delivery, body })
    }

    /// The last words of the user.
    pub(super) fn question(&self) -> &str {
        let words = |said: &'_ Said| matches!(said, Said::User(text) if !text.trim().is_empty());
        match self.turns.iter().rev().find(|said| words(said)) {
            Some(Said::User(text)) => text.trim(),
            _ => "",
        }
    }

    /// What the system says, in any dialect.
    pub(super) fn instructions(&self) -> String {
        let list = |field: &str| self.body.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let of_system =
            |message: &&Value| matches!(message.get("role").and_then(Value::as_str), Some("system" | "developer"));
        let messages = list("messages").iter().chain(list("input")).filter(of_system);
        let contents = messages.filter_map(|message| message.get("content"));
        let alone = ["system", "instructions"].iter().filter_map(|field| self.body.get(*field));
        contents.chain(alone).map(read_text).collect::<Vec<_>>().join("\n")
    }

    /// What was said since the user spoke last.
    pub(super) fn since_question(&self) -> &[Said] {
        let at = self.turns.iter().rposition(|said| matches!(said, Said::User(_))).map_or(0, |at| at + 1);
        self.turns.get(at..).unwrap_or_default()
    }

    /// The results that wait for an answer: those after the model's last words.
    pub(super) fn fresh_results(&self) -> Vec<&PastResult> {
        let fresh = |said: &'_ &Said| matches!(said, Said::Result(_));
        let mut results: Vec<_> = self.turns.iter().rev().take_while(fresh).filter_map(Said::result).collect();
        results.reverse();
        results
    }

    /// The call of an id, the latest.
    pub(super) fn called(&self, id: &str) -> Option<&PastCall> {
        self.turns.iter().rev().flat_map(Said::calls).find(|call| call.id == id)
    }

    /// The user's words as one request: where the model only asked back, its answer belongs to the words before.
    pub(super) fn request(&self) -> String {
        let mut parts = Vec::new();
        for said in self.turns.iter().rev() {
            match said {
                Said::User(text) => parts.push(text.trim()),
                Said::Model(calls) if calls.is_empty() && !parts.is_empty() => {}
                Said::Model(_) | Said::Result(_) if parts.is_empty() => {}
                Said::Model(_) | Said::Result(_) => break,
            }
            if parts.len() == MOST_PARTS {
                break;
            }
        }
        parts.reverse();
        parts.join(", ")
    }
}

/// The words of a content: a text, or the texts of its parts.
fn read_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

impl Said {
    /// The result, where it is one.
    pub(super) fn result(&self) -> Option<&PastResult> {
        match self {
            Self::Result(result) => Some(result),
            Self::User(_) | Self::Model(_) => None,
        }
    }

    /// The calls, where there are some.
    pub(super) fn calls(&self) -> &[PastCall] {
        match self {
            Self::Model(calls) => calls,
            Self::User(_) | Self::Result(_) => &[],
        }
    }
}

/// So many messages of the user make one request.
const MOST_PARTS: usize = 3;
