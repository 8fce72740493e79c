//! What is held back of an answer until it is decided, and what was decided, in words that all dialects share.

use crate::models::WrittenCall;
use countersign::contract::{Arguments, FREE_TEXT, MAX_NAME, ToolCall};
use countersign::parse::native::{Dialect, Form, NativeStream};
use countersign::parse::{Event, Finish, ParseOptions};
use countersign::wire::built_in::Item;
use serde_json::{Map, Value};

/// A call that the client has not seen yet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeldCall {
    /// Its id, where it has one.
    pub id: Option<String>,
    /// The tool's name, as it was written.
    pub name: String,
    /// The arguments, as they were written.
    pub written: String,
    /// Whether all of it was seen.
    pub complete: bool,
    /// Whether its closing mark was missing though the model had stopped.
    pub unclosed: bool,
    /// Whether it was longer than is held, so that a part of it is lost.
    pub overlong: bool,
    /// How it came.
    pub origin: Origin,
    /// How it is written.
    pub form: CallForm,
}

/// How a call is written, and so how it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallForm {
    /// A name and a JSON object.
    #[default]
    Arguments,
    /// A name and free text.
    Text,
    /// An item of a responses answer that says what the client is to do.
    Item(&'static Item),
    /// An item of a kind that nobody here knows. It is never released.
    Unknown,
}

/// How a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// As a call of the dialect.
    #[default]
    Native,
    /// As the one `function_call` of older clients.
    Legacy,
    /// Written into the text.
    Text,
}

impl From<WrittenCall> for HeldCall {
    fn from(call: WrittenCall) -> Self {
        let WrittenCall { id, name, written, complete, unclosed } = call;
        let (origin, form) = (Origin::Text, CallForm::Arguments);
        Self { id, name, written, complete, unclosed, overlong: false, origin, form }
    }
}

impl HeldCall {
    /// A block that says it is a call and is of a kind that nobody here knows, as a call of that name.
    pub(super) fn unknown(kind: &str, id: Option<String>, item: &Value) -> Self {
        let (name, written) = (bounded_name(kind), item.to_string());
        Self { id, name, written, complete: true, form: CallForm::Unknown, ..Self::default() }
    }

    /// The call as the engine takes it.
    pub fn to_judge(&self) -> ToolCall {
        let arguments = match self.form {
            CallForm::Text => Arguments::from_free_text(&self.written),
            _ if self.written.trim().is_empty() => Arguments::Absent,
            _ => Arguments::Text(self.written.clone()),
        };
        ToolCall { id: self.id.clone(), name: self.name.clone(), arguments }
    }

    fn append(&mut self, delta: &str) {
        if self.written.len() + delta.len() > MAX_ARGUMENTS {
            self.overlong = true;
        } else {
            self.written.push_str(delta);
        }
    }

    /// Takes how the reader found it written.
    fn take_form(&mut self, form: Form) {
        match form {
            Form::Text => self.form = CallForm::Text,
            Form::Item(item) => self.form = CallForm::Item(item),
            Form::FunctionCall => self.origin = Origin::Legacy,
            _ => {}
        }
    }

    /// Where the server gave the arguments as a whole and they differ from their pieces, the whole counts.
    fn confirm(&mut self, arguments: Option<Map<String, Value>>) {
        let Some(arguments) = arguments else { return };
        if self.form == CallForm::Text {
            self.written = arguments.get(FREE_TEXT).and_then(Value::as_str).unwrap_or_default().to_owned();
            return;
        }
        let pieces = serde_json::from_str::<Map<String, Value>>(&self.written);
        if pieces.is_ok_and(|pieces| pieces != arguments) {
            self.written = Value::Object(arguments).to_string();
        }
    }
}

/// A name, as much of it as tells whether it is one.
pub(super) fn bounded_name(name: &str) -> String {
    name.get(..name.ceil_char_boundary(MAX_NAME + 1)).unwrap_or(name).to_owned()
}

/// One choice of an answer, as far as it is held.
#[derive(Debug, Clone, Default)]
pub struct HeldChoice {
    /// Its number; most answers have one choice, number 0.
    pub index: u64,
    /// The calls, in order.
    pub calls: Vec<HeldCall>,
    /// The text that was shown, for a correction and for claims.
    pub text: String,
    /// What the model thought, as a correction must repeat it: `reasoning_content`, thinking blocks, reasoning items.
    pub thoughts: Vec<Value>,
    /// Whether the model was cut at a limit.
    pub at_limit: bool,
    /// Whether it holds something beside words, thoughts and calls: what a server ran, a picture, a refusal.
    pub has_more: bool,
}

/// What is held of an answer when it is over.
#[derive(Debug, Clone, Default)]
pub struct Held {
    /// The choices, in order.
    pub choices: Vec<HeldChoice>,
    /// What it cost, as the upstream counts.
    pub usage: Option<Value>,
}

impl Held {
    /// Whether anything must be decided.
    pub fn has_calls(&self) -> bool {
        self.choices.iter().any(|choice| !choice.calls.is_empty())
    }
}

/// A call that goes to the client.
#[derive(Debug, Clone, PartialEq)]
pub struct Released {
    /// Its id, unlike every other of the answer.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: the text of a JSON object, or the free text.
    pub arguments: String,
    /// How it came.
    pub origin: Origin,
    /// How it is written.
    pub form: CallForm,
}

/// What was decided about a choice, where that changes it.
#[derive(Debug, Clone, Default)]
pub struct SettledChoice {
    /// Its number.
    pub index: u64,
    /// The calls that go to the client.
    pub calls: Vec<Released>,
    /// What is said about those that do not, a paragraph each.
    pub notes: Vec<String>,
    /// Words of a later answer in place of those that came. In a stream they follow them.
    pub replacement: Option<String>,
    /// Whether a call was lost to a limit.
    pub at_limit: bool,
}

impl SettledChoice {
    /// All notes as one text; `after` is the text before them, which they must not run into.
    pub fn note(&self, after: &str) -> Option<String> {
        join(self.notes.iter(), after)
    }

    /// The same for a stream, where the words that came cannot be taken back: a later answer follows them.
    pub fn stream_note(&self, after: &str) -> Option<String> {
        join(self.replacement.iter().chain(&self.notes), after)
    }
}

fn join<'a>(paragraphs: impl Iterator<Item = &'a String>, after: &str) -> Option<String> {
    let paragraphs: Vec<&str> = paragraphs.map(String::as_str).collect();
    let gap = if after.trim().is_empty() { "" } else { "\n\n" };
    (!paragraphs.is_empty()).then(|| format!("{gap}{}", paragraphs.join("\n\n")))
}

/// What was decided about an answer.
#[derive(Debug, Clone, Default)]
pub struct Settled {
    /// The choices that change.
    pub choices: Vec<SettledChoice>,
    /// What the corrections cost, to be added to the answer's own usage.
    pub more_usage: Vec<Value>,
    /// The verdicts to name: id and status.
    pub verdicts: Vec<(String, &'static str)>,
    /// The extension field, where the client asked for one.
    pub extension: Option<Value>,
}

impl Settled {
    /// What was decided about a choice.
    pub fn choice(&self, index: u64) -> Option<&SettledChoice> {
        self.choices.iter().find(|choice| choice.index == index)
    }

    /// Whether anything changes in what came.
    pub fn is_changed(&self) -> bool {
        !self.choices.is_empty() || !self.more_usage.is_empty() || self.extension.is_some()
    }

    /// The comments that carry the verdicts in a stream.
    pub fn comments(&self) -> String {
        self.verdicts.iter().map(|(id, status)| format!(": countersign-verdict {id} {status}\n\n")).collect()
    }
}

/// Puts the calls of one choice together from chunks of its dialect.
#[derive(Debug)]
pub struct CallReader {
    stream: NativeStream,
    events: Vec<Event>,
    calls: Vec<HeldCall>,
}

impl CallReader {
    /// A reader.
    pub fn new(dialect: Dialect) -> Self {
        let mut options = ParseOptions::default();
        options.max_region = MAX_ARGUMENTS;
        Self { stream: NativeStream::new(dialect, &options), events: Vec::new(), calls: Vec::new() }
    }

    /// Takes a chunk that has been read.
    pub fn take(&mut self, chunk: &Value) {
        self.stream.take(chunk, &mut self.events);
        self.gather();
    }

    /// Takes bytes as they came, a stream or a body.
    pub fn push(&mut self, text: &str) -> String {
        self.stream.push(text, &mut self.events);
        self.gather()
    }

    /// Takes the stream's end mark.
    pub fn done(&mut self) {
        self.stream.done(&mut self.events);
        self.gather();
    }

    /// The calls, in order. `finish` is how the turn ended.
    pub fn finish(&mut self, finish: Finish) -> Vec<HeldCall> {
        self.stream.finish(finish, &mut self.events);
        self.gather();
        std::mem::take(&mut self.calls)
    }

    fn gather(&mut self) -> String {
        let mut text = String::new();
        for event in self.events.drain(..) {
            match event {
                Event::Text { text: more, .. } => text.push_str(&more),
                // The name as it was written: cutting leaked tokens is the engine's to do, and to tell.
                Event::CallStart { id, raw_name, .. } => {
                    self.calls.push(HeldCall { id, name: raw_name, ..HeldCall::default() });
                }
                Event::ArgDelta { index, delta, .. } => {
                    if let Some(call) = self.calls.get_mut(index) {
                        call.append(&delta);
                    }
                }
                Event::CallEnd { index, complete, unclosed, arguments, .. } => {
                    if let Some(call) = self.calls.get_mut(index) {
                        call.complete = complete;
                        call.unclosed = unclosed;
                        call.take_form(self.stream.form(index));
                        call.confirm(arguments);
                    }
                }
                _ => {}
            }
        }
        text
    }
}

/// The most bytes of arguments that are held for one answer.
const MAX_ARGUMENTS: usize = 16 << 20;
