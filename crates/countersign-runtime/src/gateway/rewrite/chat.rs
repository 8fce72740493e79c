//! Chat completions: chunks with choices, deltas of text and of calls, a finish, perhaps a bill, and `[DONE]`.

pub(in crate::gateway) use super::chunk::{is_limit, put_finish};

use super::chunk::{Chunk, call_delta, end_of, says};
use super::glance::{CallGlance, ChoiceGlance, DeltaGlance, Glance, Said, Text};
use super::measured::Measured;
use super::repeated::{Repeated, place_in};
use super::{Ended, Extend, Options, Rewriter, add_usage, remember};
use crate::gateway::held::{CallReader, Held, HeldCall, HeldChoice, Origin, Settled, SettledChoice};
use crate::gateway::json::{Document, put};
use crate::gateway::sse::{Frame, Output};
use crate::gateway::wire::Fault;
use crate::models::TextScan;
use bytes::Bytes;
use countersign::parse::Finish;
use countersign::parse::native::Dialect;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The rewriter.
pub(crate) struct Chat {
    options: Options,
    choices: BTreeMap<u64, Choice>,
    /// A chunk as the upstream writes them, for chunks that we make.
    pattern: Option<Bytes>,
    /// Chunks that say how the answer ended, held because they may change.
    tail: Vec<Chunk>,
    usage: Option<Value>,
    /// The end mark, as it came.
    done: Option<Frame>,
    failed: bool,
    /// The last chunk of which one string alone mattered.
    repeated: Option<Repeated<Said>>,
}

/// One choice.
#[derive(Default)]
struct Choice {
    reader: Option<CallReader>,
    scan: Option<TextScan>,
    text: String,
    thoughts: String,
    finish: Option<String>,
    /// Whether it says something beside words, thoughts and calls.
    has_more: bool,
    /// Log-probabilities of text that is held back.
    measured: Measured,
    /// The first number that no call of the upstream's has that went to the client.
    next_index: usize,
}

impl Chat {
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            choices: BTreeMap::new(),
            pattern: None,
            tail: Vec::new(),
            usage: None,
            done: None,
            failed: false,
            repeated: None,
        }
    }

    /// Whether the ends of choices are held.
    fn holds(&self) -> bool {
        self.options.extend != Extend::No || self.choices.values().any(Choice::is_holding)
    }

    /// A chunk of plain text, which is most of them. Gives false where the chunk must be read whole.
    fn plain(&mut self, glance: &Glance, data: &[u8], frame: &Frame, out: &mut Output) -> bool {
        let Some(choices) = &glance.choices else { return false };
        if glance.error.is_some() || (glance.usage.is_some() && self.holds()) {
            return false;
        }
        if self.swallowed(choices, glance, data) {
            return true;
        }
        let simple = |choice: &ChoiceGlance| {
            let more = |delta: &DeltaGlance| delta.tool_calls.or(delta.function_call).or(delta.refusal).is_some();
            !choice.delta.as_ref().is_some_and(more) && choice.message.is_none()
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
        remember(&mut self.choice(index).thoughts, thought);
        if let Some(Text(Cow::Borrowed(text))) = choice.delta.as_ref().and_then(|delta| delta.content.as_ref())
            && thought.is_empty()
            && glance.usage.is_none()
        {
            let place = place_in(data, text).and_then(|place| Some(place.start.checked_sub(1)?..place.end + 1));
            self.repeated = place.and_then(|place| Repeated::of(data, place, Said::Text(index)));
        }
        self.say(index, text, frame, out);
        true
    }

    /// A chunk that differs in one string from one that was read. Gives false where it differs in more.
    fn repeat(&mut self, data: &[u8], frame: &Frame, out: &mut Output) -> bool {
        let Some(repeated) = &mut self.repeated else { return false };
        let Some(text) = repeated.text(data) else { return false };
        match &mut repeated.read {
            Said::Text(index) => {
                let index = *index;
                self.say(index, &text, frame, out);
            }
            Said::Arguments(index, chunk) => {
                let reader = self.choices.get_mut(index).and_then(|choice| choice.reader.as_mut());
                let (Some(reader), Some(arguments)) = (reader, Said::arguments(chunk)) else {
                    return false;
                };
                *arguments = Value::String(text.into_owned());
                reader.take(chunk);
            }
        }
        true
    }

    /// Text that is shown unless it may be a call.
    fn say(&mut self, index: u64, text: &str, frame: &Frame, out: &mut Output) {
        let known = self.choice(index);
        match known.scan.as_mut().filter(|_| !text.is_empty()).and_then(|scan| scan.push(text)) {
            None => {
                remember(&mut known.text, text);
                out.pass(frame);
            }
            Some(shown) => self.show(index, text.len(), shown, frame, out),
        }
    }

    /// A chunk of which another text is shown than it holds: less, or what was held back before it.
    fn show(&mut self, index: u64, length: usize, shown: String, frame: &Frame, out: &mut Output) {
        let Some(mut chunk) = Chunk::read(frame) else { return };
        self.pattern = frame.data();
        let known = self.choice(index);
        remember(&mut known.text, &shown);
        if let Some(scan) = &known.scan {
            known.measured.put_into(&mut chunk, 0, length, scan);
        }
        if let Some(delta) = chunk.document.value.pointer_mut("/choices/0/delta").and_then(Value::as_object_mut) {
            delta.insert("content".to_owned(), Value::String(shown));
            if says(delta) {
                chunk.write(out);
            }
        }
    }

    /// A further piece of a call that is held already, and nothing else.
    fn swallowed(&mut self, choices: &[ChoiceGlance], glance: &Glance, data: &[u8]) -> bool {
        let [ChoiceGlance { index, delta: Some(delta), message: None, finish_reason: None }] = choices else {
            return false;
        };
        let alone = delta.content.as_deref().is_none_or(str::is_empty)
            && delta.reasoning_content.as_deref().is_none_or(str::is_empty)
            && delta.function_call.is_none()
            && glance.usage.is_none();
        let Some(raw) = delta.tool_calls.filter(|_| alone) else { return false };
        let index = index.unwrap_or(0);
        let Some(reader) = self.choices.get_mut(&index).and_then(|choice| choice.reader.as_mut()) else {
            return false;
        };
        let Ok(calls) = serde_json::from_str::<Value>(raw.get()) else { return false };
        let said = nest("tool_calls", calls);
        let holds = has_calls(&said);
        if holds {
            let chunk = nest("choices", Value::Array(vec![nest("delta", said)]));
            reader.take(&chunk);
            if let Ok([CallGlance { function }]) = serde_json::from_str::<[CallGlance; 1]>(raw.get()) {
                let place = place_in(data, function.arguments.get());
                self.repeated = place.and_then(|place| Repeated::of(data, place, Said::Arguments(index, chunk)));
            }
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
    fn whole(&mut self, mut chunk: Chunk, out: &mut Output) -> Result<(), Fault> {
        if chunk.is_error() {
            self.give_up(out);
            self.failed = true;
            chunk.write(out);
            return Ok(());
        }
        self.pattern = chunk.frame.data();
        if let Some(usage) = chunk.document.value.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        let mut ends = Vec::new();
        let mut says = false;
        let count = chunk.choices().map_or(0, |choices| choices.len());
        for at in 0..count {
            let Some(choice) = chunk.choices().and_then(|choices| choices.get_mut(at)).map(Value::take) else {
                continue;
            };
            let (choice, said) = self.read_choice(at, choice, &mut chunk);
            says |= said;
            ends.extend(end_of(&choice));
            chunk
                .choices()
                .and_then(|choices| choices.get_mut(at))
                .into_iter()
                .for_each(|place| *place = choice.clone());
        }
        if self.holds() && (count == 0 || !ends.is_empty()) {
            return self.hold(chunk, ends, says, out);
        }
        if says || !ends.is_empty() || !chunk.is_changed() {
            chunk.write(out);
        }
        Ok(())
    }

    /// Holds the ends of choices, and the bill; what the same chunk says goes out.
    fn hold(&mut self, mut chunk: Chunk, ends: Vec<Value>, says: bool, out: &mut Output) -> Result<(), Fault> {
        if !chunk.is_changed() && !self.choices.values().any(Choice::is_holding) {
            // Most answers stay as they are: their last words leave with their end, as they came.
            self.tail.push(Chunk::later(&chunk.frame, chunk.document));
            return self.check_tail();
        }
        let mut document = chunk.document.clone();
        if let Some(object) = document.value.as_object_mut() {
            object.insert("choices".to_owned(), Value::Array(ends));
        }
        self.tail.push(Chunk::later(&chunk.frame, document));
        if says {
            chunk.keep_words();
            chunk.write(out);
        }
        self.check_tail()
    }

    fn check_tail(&self) -> Result<(), Fault> {
        match self.tail.len() > MAX_TAIL {
            true => Err(Fault::cut("it ends more often than an answer can")),
            false => Ok(()),
        }
    }

    /// The last words of an answer to which something is added leave before what is added.
    fn release_last_words(&mut self, out: &mut Output) {
        for chunk in &mut self.tail {
            let spoken = chunk.choices().into_iter().flatten().any(|choice| {
                let delta = |key: &str| choice.get(key).and_then(Value::as_object).is_some_and(says);
                delta("delta") || delta("message")
            });
            if !spoken {
                continue;
            }
            let mut words = Chunk::later(&chunk.frame, chunk.document.clone());
            words.keep_words();
            words.write(out);
            chunk.keep_ends();
        }
    }

    /// Takes calls out of a choice, and text that is held. Gives it back, and says whether anything is left to say.
    fn read_choice(&mut self, at: usize, mut choice: Value, chunk: &mut Chunk) -> (Value, bool) {
        let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        let known = self.choice(index);
        if ["delta", "message"].iter().any(|key| choice.get(*key).is_some_and(has_calls)) {
            known.take_calls(&mut choice);
        }
        let mut said = false;
        for key in ["delta", "message"] {
            if let Some(delta) = choice.get_mut(key).and_then(Value::as_object_mut) {
                known.pass_calls(delta);
                known.take_text(at, delta, chunk);
                known.has_more |= has_more(delta);
                said |= says(delta);
            }
        }
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
            known.finish = Some(finish.to_owned());
        }
        (choice, said)
    }

    /// The rest of all texts, where the answer breaks off: what is no call is not lost.
    fn give_up(&mut self, out: &mut Output) {
        let mut rests = Vec::new();
        for (index, choice) in &mut self.choices {
            rests.push((*index, choice.rest(Finish::Cancelled)));
        }
        self.write_rests(rests, out);
    }

    fn write_rests(&self, rests: Vec<(u64, Rest)>, out: &mut Output) {
        for (index, Rest { text, measured }) in rests {
            if text.is_empty() {
                continue;
            }
            let mut chunk = self.chunk(index, json!({"content": text}));
            if let Some(list) = measured {
                chunk = put(&chunk, &[("/choices/0/logprobs".to_owned(), format!("{{\"content\":{list}}}"))]);
            }
            out.data(&chunk);
        }
    }

    /// A chunk of one choice.
    fn chunk(&self, index: u64, delta: Value) -> String {
        let mut document = self.pattern.as_ref().and_then(|data| Document::read(data)).unwrap_or_default();
        if !document.value.is_object() {
            document.value = json!({});
        }
        if let Some(fields) = document.value.as_object_mut() {
            fields.shift_remove("usage");
            fields.shift_remove("error");
            fields.insert("choices".to_owned(), json!([{"index": index, "delta": delta, "finish_reason": null}]));
        }
        document.write().into_owned()
    }

    fn write_calls(&self, settled: &SettledChoice, out: &mut Output) {
        let mut at = self.choices.get(&settled.index).map_or(0, |choice| choice.next_index);
        for call in &settled.calls {
            out.data(&self.chunk(settled.index, call_delta(at, call)));
            at += usize::from(call.origin != Origin::Legacy);
        }
        let shown = self.choices.get(&settled.index).map_or("", |choice| choice.text.as_str());
        if let Some(note) = settled.stream_note(shown) {
            out.data(&self.chunk(settled.index, json!({"content": note})));
        }
    }
}

impl Rewriter for Chat {
    fn frame(&mut self, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        // Nothing that comes behind the end is part of the answer.
        if self.is_over() {
            return Ok(());
        }
        let Some(data) = frame.data() else {
            out.pass(frame);
            return Ok(());
        };
        if data.trim_ascii() == b"[DONE]" {
            self.done = Some(Frame { start: usize::MAX, ..frame.clone() });
            return Ok(());
        }
        if self.repeat(&data, frame, out) {
            return Ok(());
        }
        if let Ok(glance) = serde_json::from_slice::<Glance>(&data)
            && self.plain(&glance, &data, frame, out)
        {
            return Ok(());
        }
        self.whole(Chunk::read(frame).ok_or_else(unreadable)?, out)
    }

    fn is_over(&self) -> bool {
        self.done.is_some() || self.failed
    }

    fn end(&mut self, ended: Ended, out: &mut Output) -> Result<Held, Fault> {
        if self.failed {
            return Ok(Held::default());
        }
        if let (Ended::Broken(why), None) = (&ended, &self.done) {
            self.give_up(out);
            return Err(Fault::cut(why));
        }
        if self.choices.is_empty() && self.done.is_none() || self.choices.values().any(|choice| choice.finish.is_none())
        {
            self.give_up(out);
            return Err(Fault::cut("it ended without saying why"));
        }
        let mut held = Held { choices: Vec::new(), usage: self.usage.clone() };
        let mut rests = Vec::new();
        for (index, choice) in &mut self.choices {
            let (choice, rest) = choice.end(*index);
            rests.push((*index, rest));
            held.choices.push(choice);
        }
        self.write_rests(rests, out);
        Ok(held)
    }

    fn close(&mut self, settled: &Settled, out: &mut Output) {
        if !settled.choices.is_empty() {
            self.release_last_words(out);
        }
        for choice in &settled.choices {
            self.write_calls(choice, out);
        }
        out.write(settled.comments().as_bytes());
        let last = self.tail.len();
        for (at, mut chunk) in std::mem::take(&mut self.tail).into_iter().enumerate() {
            chunk.choices().into_iter().flatten().for_each(|choice| put_finish(choice, settled));
            let value = &mut chunk.document.value;
            if let Some(usage) = value.get_mut("usage").filter(|usage| usage.is_object()) {
                settled.more_usage.iter().for_each(|more| add_usage(usage, more));
            }
            if let (Some(extension), Some(object), true) = (&settled.extension, value.as_object_mut(), at + 1 == last) {
                object.insert("countersign".to_owned(), extension.clone());
            }
            chunk.write(out);
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

    /// Calls that are none of ours go to the client under their own numbers, which ours must not have too.
    fn pass_calls(&mut self, delta: &Map<String, Value>) {
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let index = call.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
            self.next_index = self.next_index.max(index.map_or(self.next_index, |index| index.saturating_add(1)));
        }
    }

    fn take_text(&mut self, at: usize, delta: &mut Map<String, Value>, chunk: &mut Chunk) {
        for key in THOUGHTS {
            remember(&mut self.thoughts, delta.get(*key).and_then(Value::as_str).unwrap_or_default());
        }
        let Some(Value::String(text)) = delta.get_mut("content") else { return };
        if let Some(scan) = self.scan.as_mut().filter(|_| !text.is_empty())
            && let Some(shown) = scan.push(text)
        {
            self.measured.put_into(chunk, at, text.len(), scan);
            *text = shown;
        }
        remember(&mut self.text, text);
    }

    /// The rest of the text.
    fn rest(&mut self, finish: Finish) -> Rest {
        let text = self.scan.as_mut().map(|scan| scan.finish(finish)).unwrap_or_default();
        remember(&mut self.text, &text);
        let measured = self.scan.as_ref().and_then(|scan| self.measured.shown(scan));
        Rest { text, measured }
    }

    /// What is held of the choice, and the rest of its text.
    fn end(&mut self, index: u64) -> (HeldChoice, Rest) {
        let at_limit = self.finish.as_deref().is_some_and(is_limit);
        let finish = if at_limit { Finish::Length } else { Finish::Stop };
        let rest = self.rest(finish);
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
        (HeldChoice { index, calls, text: self.text.clone(), thoughts, at_limit, has_more: self.has_more }, rest)
    }
}

/// An object of one field, without copying what is in it.
fn nest(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// The end of a text: what was held back of it, and what was measured of that.
struct Rest {
    text: String,
    measured: Option<String>,
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

/// Whether a message or a delta holds something beside words, thoughts and calls.
pub(in crate::gateway) fn has_more(said: &Map<String, Value>) -> bool {
    let empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let known = |key: &str| key == "role" || key == "content" || CALLS.contains(&key) || THOUGHTS.contains(&key);
    let listed = said.get("content").and_then(Value::as_array).is_some_and(|parts| !parts.is_empty());
    listed || said.iter().any(|(key, value)| !known(key) && !empty(value))
}

fn unreadable() -> Fault {
    Fault::new(502, "upstream_unreadable", "the upstream sent something that is no part of a chat completion")
}

const CALLS: &[&str] = &["tool_calls", "function_call"];
const THOUGHTS: &[&str] = &["reasoning_content", "reasoning"];
/// More frames than any answer ends with.
const MAX_TAIL: usize = 4096;
