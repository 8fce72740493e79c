//! Chat completions: chunks with choices, deltas of text and of calls, a finish, perhaps a bill, and `[DONE]`.

use super::{Ended, Extend, Options, Rewriter, add_usage, remember};
use crate::gateway::held::{
    CallForm, CallReader, Held, HeldCall, HeldChoice, Origin, Released, Settled, SettledChoice,
};
use crate::gateway::sse::{Frame, Output};
use crate::gateway::wire::Fault;
use crate::models::TextScan;
use countersign::parse::Finish;
use countersign::parse::native::Dialect;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The rewriter.
pub struct Chat {
    options: Options,
    choices: BTreeMap<u64, Choice>,
    /// Fields of a chunk beside its choices, for chunks that we make.
    envelope: Map<String, Value>,
    /// Chunks that say how the answer ended, held because they may change.
    tail: Vec<Value>,
    usage: Option<Value>,
    /// The end mark, as it came.
    done: Option<Frame>,
    failed: bool,
}

/// One choice.
#[derive(Default)]
struct Choice {
    reader: Option<CallReader>,
    scan: Option<TextScan>,
    text: String,
    thoughts: String,
    finish: Option<String>,
}

/// The parts of a chunk that decide what is done with it.
#[derive(Deserialize)]
struct Glance<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<ChoiceGlance<'a>>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ChoiceGlance<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(borrow, default)]
    delta: Option<DeltaGlance<'a>>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct DeltaGlance<'a> {
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow, default, alias = "reasoning")]
    reasoning_content: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function_call: Option<&'a RawValue>,
}

impl Chat {
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            choices: BTreeMap::new(),
            envelope: Map::new(),
            tail: Vec::new(),
            usage: None,
            done: None,
            failed: false,
        }
    }

    /// Whether the ends of choices are held.
    fn holds(&self) -> bool {
        self.options.extend == Extend::Field || self.choices.values().any(Choice::is_holding)
    }

    /// A chunk of plain text, which is most of them. Gives false where the chunk must be read whole.
    fn plain(&mut self, glance: &Glance, frame: &Frame, out: &mut Output) -> bool {
        let Some(choices) = &glance.choices else { return false };
        if glance.error.is_some() || (glance.usage.is_some() && self.holds()) {
            return false;
        }
        if self.swallowed(choices, glance) {
            return true;
        }
        let simple = |choice: &ChoiceGlance| {
            let calls = choice.delta.as_ref().is_some_and(|delta| delta.tool_calls.or(delta.function_call).is_some());
            !calls && choice.message.is_none()
        };
        if !choices.iter().all(simple) {
            return false;
        }
        let [choice] = choices.as_slice() else { return self.pass_many(choices, frame, out) };
        let text = choice.delta.as_ref().and_then(|delta| delta.content.as_deref()).unwrap_or_default();
        let index = choice.index.unwrap_or(0);
        if choice.finish_reason.is_some() || (text.is_empty() && choice.delta.is_none()) {
            return false;
        }
        let thought = choice.delta.as_ref().and_then(|delta| delta.reasoning_content.as_deref()).unwrap_or_default();
        let known = self.choice(index);
        remember(&mut known.thoughts, thought);
        match known.scan.as_mut().filter(|_| !text.is_empty()).and_then(|scan| scan.push(text)) {
            None => {
                remember(&mut known.text, text);
                out.pass(frame);
            }
            Some(shown) => {
                remember(&mut known.text, &shown);
                replace_text(frame, &shown, out);
            }
        }
        true
    }

    /// A further piece of a call that is held already, and nothing else.
    fn swallowed(&mut self, choices: &[ChoiceGlance], glance: &Glance) -> bool {
        let [ChoiceGlance { index, delta: Some(delta), message: None, finish_reason: None }] = choices else {
            return false;
        };
        let alone = delta.content.as_deref().is_none_or(str::is_empty)
            && delta.reasoning_content.as_deref().is_none_or(str::is_empty)
            && delta.function_call.is_none()
            && glance.usage.is_none();
        let Some(calls) = delta.tool_calls.filter(|_| alone) else { return false };
        let Some(reader) = self.choices.get_mut(&index.unwrap_or(0)).and_then(|choice| choice.reader.as_mut()) else {
            return false;
        };
        let Ok(calls) = serde_json::from_str::<Value>(calls.get()) else { return false };
        let said = nest("tool_calls", calls);
        let holds = has_calls(&said);
        if holds {
            reader.take(&nest("choices", Value::Array(vec![nest("delta", said)])));
        }
        holds
    }

    /// Chunks of several choices pass where nothing is looked for in them.
    fn pass_many(&mut self, choices: &[ChoiceGlance], frame: &Frame, out: &mut Output) -> bool {
        let quiet = choices.is_empty() && !self.holds();
        if quiet {
            out.pass(frame);
        }
        quiet
    }

    fn choice(&mut self, index: u64) -> &mut Choice {
        let tools = &self.options.text_tools;
        self.choices
            .entry(index)
            .or_insert_with(|| Choice { scan: tools.as_ref().map(TextScan::new), ..Choice::default() })
    }

    /// A chunk that is read whole: calls are taken out of it, ends are held.
    fn whole(&mut self, mut chunk: Value, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        if chunk.get("error").is_some_and(|error| error.is_object() || error.is_string()) {
            self.failed = true;
            out.pass(frame);
            return Ok(());
        }
        let before = chunk.clone();
        let Some(object) = chunk.as_object_mut() else {
            return Err(unreadable());
        };
        self.envelope =
            object.iter().filter(|(key, _)| is_envelope(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
        if let Some(usage) = object.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        let mut ends = Vec::new();
        let mut says = false;
        let choices = object.get_mut("choices").and_then(Value::as_array_mut);
        let none = choices.as_ref().is_none_or(|choices| choices.is_empty());
        for choice in choices.into_iter().flatten() {
            let (said, end) = self.read_choice(choice);
            says |= said;
            ends.extend(end);
        }
        if self.holds() && (none || !ends.is_empty()) {
            return self.hold(chunk, ends, says, out);
        }
        // Nothing is held: an end that was taken out goes back in by passing the chunk as it came.
        if !ends.is_empty() || chunk == before {
            out.pass(frame);
        } else if says {
            out.data(&chunk.to_string());
        }
        Ok(())
    }

    /// Holds the ends of choices, and the bill; what the same chunk says goes out.
    fn hold(&mut self, mut chunk: Value, ends: Vec<Value>, says: bool, out: &mut Output) -> Result<(), Fault> {
        let mut tail = chunk.clone();
        if let Some(object) = tail.as_object_mut() {
            object.insert("choices".to_owned(), Value::Array(ends));
        }
        self.tail.push(tail);
        if says && let Some(object) = chunk.as_object_mut() {
            object.shift_remove("usage");
            out.data(&chunk.to_string());
        }
        if self.tail.len() > MAX_TAIL {
            return Err(Fault::cut("it ends more often than an answer can"));
        }
        Ok(())
    }

    /// Takes calls and the end out of a choice. Says whether something is left to say, and gives the end.
    fn read_choice(&mut self, choice: &mut Value) -> (bool, Option<Value>) {
        let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        let known = self.choice(index);
        if ["delta", "message"].iter().any(|key| choice.get(*key).is_some_and(has_calls)) {
            known.take_calls(choice);
        }
        let mut said = false;
        for key in ["delta", "message"] {
            if let Some(delta) = choice.get_mut(key).and_then(Value::as_object_mut) {
                known.take_text(delta);
                said |= delta.values().any(|value| !value.is_null() && value != "");
            }
        }
        let finish = choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned);
        let end = finish.map(|finish| {
            known.finish = Some(finish);
            let mut end = choice.clone();
            if let (Some(end), Some(choice)) = (end.as_object_mut(), choice.as_object_mut()) {
                end.insert("delta".to_owned(), json!({}));
                end.shift_remove("message");
                choice.insert("finish_reason".to_owned(), Value::Null);
            }
            end
        });
        (said, end)
    }

    /// A chunk of one choice.
    fn chunk(&self, index: u64, delta: Value) -> String {
        let mut chunk = self.envelope.clone();
        chunk.insert("choices".to_owned(), json!([{"index": index, "delta": delta, "finish_reason": null}]));
        Value::Object(chunk).to_string()
    }

    fn write_calls(&self, settled: &SettledChoice, out: &mut Output) {
        for (at, call) in settled.calls.iter().enumerate() {
            out.data(&self.chunk(settled.index, call_delta(at, call)));
        }
        let shown = self.choices.get(&settled.index).map_or("", |choice| choice.text.as_str());
        if let Some(note) = settled.note(shown) {
            out.data(&self.chunk(settled.index, json!({"content": note})));
        }
    }
}

impl Rewriter for Chat {
    fn frame(&mut self, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        let Some(data) = frame.data() else {
            out.pass(frame);
            return Ok(());
        };
        if data.trim_ascii() == b"[DONE]" {
            self.done = Some(Frame { start: usize::MAX, ..frame.clone() });
            return Ok(());
        }
        if let Ok(glance) = serde_json::from_slice::<Glance>(&data)
            && self.plain(&glance, frame, out)
        {
            return Ok(());
        }
        let chunk = serde_json::from_slice(&data).map_err(|_| unreadable())?;
        self.whole(chunk, frame, out)
    }

    fn is_over(&self) -> bool {
        self.done.is_some() || self.failed
    }

    fn end(&mut self, ended: Ended, out: &mut Output) -> Result<Held, Fault> {
        if self.failed {
            return Ok(Held::default());
        }
        if let (Ended::Broken(why), None) = (&ended, &self.done) {
            return Err(Fault::cut(why));
        }
        if self.choices.is_empty() && self.done.is_none() || self.choices.values().any(|choice| choice.finish.is_none())
        {
            return Err(Fault::cut("it ended without saying why"));
        }
        let mut held = Held { choices: Vec::new(), usage: self.usage.clone() };
        let mut rests = Vec::new();
        for (index, choice) in &mut self.choices {
            let (choice, rest) = choice.end(*index);
            rests.push((*index, rest));
            held.choices.push(choice);
        }
        for (index, rest) in rests.into_iter().filter(|(_, rest)| !rest.is_empty()) {
            out.data(&self.chunk(index, json!({"content": rest})));
        }
        Ok(held)
    }

    fn close(&mut self, settled: &Settled, out: &mut Output) {
        for choice in &settled.choices {
            self.write_calls(choice, out);
        }
        out.write(settled.comments().as_bytes());
        let last = self.tail.len();
        for (at, mut chunk) in std::mem::take(&mut self.tail).into_iter().enumerate() {
            for choice in chunk.get_mut("choices").and_then(Value::as_array_mut).into_iter().flatten() {
                put_finish(choice, settled);
            }
            if let Some(usage) = chunk.get_mut("usage").filter(|usage| usage.is_object()) {
                settled.more_usage.iter().for_each(|more| add_usage(usage, more));
            }
            if let (Some(extension), Some(object), true) = (&settled.extension, chunk.as_object_mut(), at + 1 == last) {
                object.insert("countersign".to_owned(), extension.clone());
            }
            out.data(&chunk.to_string());
        }
        if let Some(done) = self.done.take() {
            out.write(&done.raw);
        }
    }
}

impl Choice {
    fn is_holding(&self) -> bool {
        self.reader.is_some() || self.scan.as_ref().is_some_and(TextScan::is_holding)
    }

    fn take_calls(&mut self, choice: &mut Value) {
        let reader = self.reader.get_or_insert_with(|| CallReader::new(Dialect::OpenAi));
        let mut taken = Map::new();
        for key in ["delta", "message"] {
            let Some(said) = choice.get_mut(key).and_then(Value::as_object_mut) else { continue };
            let calls: Map<_, _> =
                CALLS.iter().filter_map(|key| Some(((*key).to_owned(), said.shift_remove(*key)?))).collect();
            taken.insert(key.to_owned(), Value::Object(calls));
        }
        reader.take(&json!({"choices": [taken]}));
    }

    fn take_text(&mut self, delta: &mut Map<String, Value>) {
        for key in THOUGHTS {
            remember(&mut self.thoughts, delta.get(*key).and_then(Value::as_str).unwrap_or_default());
        }
        let Some(Value::String(text)) = delta.get_mut("content") else { return };
        if let Some(shown) = self.scan.as_mut().filter(|_| !text.is_empty()).and_then(|scan| scan.push(text)) {
            *text = shown;
        }
        remember(&mut self.text, text);
    }

    /// What is held of the choice, and the rest of its text.
    fn end(&mut self, index: u64) -> (HeldChoice, String) {
        let at_limit = self.finish.as_deref().is_some_and(is_limit);
        let finish = if at_limit { Finish::Length } else { Finish::Stop };
        let rest = self.scan.as_mut().map(|scan| scan.finish(finish)).unwrap_or_default();
        remember(&mut self.text, &rest);
        let mut calls = Vec::new();
        if let Some(reader) = &mut self.reader {
            // The reason tells the reader which of the calls are whole.
            reader.take(&json!({"choices": [{"finish_reason": self.finish}]}));
            reader.done();
            calls = reader.finish(finish);
        }
        let written = self.scan.as_mut().map(TextScan::take_calls).unwrap_or_default();
        calls.extend(written.into_iter().map(HeldCall::from));
        let thoughts = Some(&self.thoughts).filter(|text| !text.is_empty());
        let thoughts = thoughts.map(|text| Value::String(text.clone())).into_iter().collect();
        (HeldChoice { index, calls, text: self.text.clone(), thoughts, at_limit }, rest)
    }
}

/// An object of one field, without copying what is in it.
fn nest(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// A chunk with another text.
fn replace_text(frame: &Frame, shown: &str, out: &mut Output) {
    let data = frame.data().unwrap_or_default();
    let Ok(mut chunk) = serde_json::from_slice::<Value>(&data) else { return };
    let Some(delta) = chunk.pointer_mut("/choices/0/delta").and_then(Value::as_object_mut) else { return };
    delta.insert("content".to_owned(), Value::String(shown.to_owned()));
    if delta.values().any(|value| !value.is_null() && value != "") {
        out.data(&chunk.to_string());
    }
}

/// One call in one delta.
pub(in crate::gateway) fn call_delta(at: usize, call: &Released) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    match (call.origin, call.form) {
        (Origin::Legacy, _) => json!({"function_call": function}),
        (_, CallForm::Text) => {
            let custom = json!({"name": call.name, "input": call.arguments});
            json!({"tool_calls": [{"index": at, "id": call.id, "type": "custom", "custom": custom}]})
        }
        _ => json!({"tool_calls": [{"index": at, "id": call.id, "type": "function", "function": function}]}),
    }
}

/// The finish that belongs to what became of the calls.
pub(in crate::gateway) fn put_finish(choice: &mut Value, settled: &Settled) {
    let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
    let Some(settled) = settled.choice(index) else { return };
    let finish = match settled.calls.first() {
        Some(call) if call.origin == Origin::Legacy => "function_call",
        Some(_) => "tool_calls",
        None if settled.at_limit => "length",
        None => "stop",
    };
    if let Some(choice) = choice.as_object_mut() {
        choice.insert("finish_reason".to_owned(), finish.into());
    }
}

/// Whether a reason to end means that the model was cut.
pub(in crate::gateway) fn is_limit(reason: &str) -> bool {
    matches!(reason, "length" | "max_tokens" | "model_length")
}

/// Whether a delta or a message has calls. A server may put one call in the place of the list, and the call of the old
/// form beside it.
pub(in crate::gateway) fn has_calls(said: &Value) -> bool {
    let listed = match said.get("tool_calls") {
        Some(Value::Array(calls)) => !calls.is_empty(),
        Some(calls) => calls.is_object(),
        None => false,
    };
    listed || said.get("function_call").is_some_and(Value::is_object)
}

fn is_envelope(key: &str) -> bool {
    !matches!(key, "choices" | "usage" | "error")
}

fn unreadable() -> Fault {
    Fault::new(502, "upstream_unreadable", "the upstream sent something that is no part of a chat completion")
}

const CALLS: &[&str] = &["tool_calls", "function_call"];
const THOUGHTS: &[&str] = &["reasoning_content", "reasoning"];
/// More frames than any answer ends with.
const MAX_TAIL: usize = 4096;
