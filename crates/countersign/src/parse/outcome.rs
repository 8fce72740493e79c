//! The whole of what was read, gathered from the events: the answer of `countersign parse`.

use super::event::{Event, Finish, Place, Repair, TagRead};
use super::tags::{Lines, TagProtocol};
use crate::contract::Language;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a model's output holds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Outcome {
    /// The readable text: each tag replaced by its sentence.
    pub text: String,
    /// The text without tags and calls; empty where there is nothing else, which is normal.
    pub remaining_text: String,
    /// The messages for the reader: those the protocol marks, else the paragraphs of the remaining text.
    pub messages: Vec<Message>,
    /// The complete calls, in order.
    pub calls: Vec<Call>,
    /// The value of a JSON answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The tags of a tag protocol; absent for other protocols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<TagRead>>,
    /// Whether nothing was cut.
    pub complete: bool,
    /// What was begun and not finished. It never runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Unfinished>,
    /// What was mended.
    pub repairs: Vec<Repair>,
    /// What the model said to itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// What could not be understood and stayed text, and what else is worth a look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Remark>,
}

/// One message for the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    /// Its number, for a numbered one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Its text.
    pub text: String,
}

/// A complete call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call {
    /// The call's own id, where the format has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// Where it stood, when not in the answer itself.
    #[serde(skip_serializing_if = "in_the_answer")]
    pub place: Place,
    /// Its closing mark was missing: it must not run where it cannot be undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unclosed: bool,
}

/// A call or tag that was begun and not finished.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Unfinished {
    /// A call.
    Call {
        /// The tool.
        name: String,
        /// Its arguments so far, as they were written.
        arguments: String,
        /// Where it stood, when not in the answer itself.
        #[serde(skip_serializing_if = "in_the_answer")]
        place: Place,
    },
    /// A tag.
    Tag(TagRead),
}

/// Something worth a look at one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remark {
    /// A stable code.
    pub code: &'static str,
    /// Where, as a byte offset.
    pub at: usize,
    /// What it is, in one sentence.
    pub note: String,
}

/// A call that is being gathered.
#[derive(Debug, Default)]
struct Open {
    id: Option<String>,
    name: String,
    raw: String,
    place: Place,
    at: usize,
}

/// Gathers events into an outcome.
#[derive(Debug, Default)]
pub struct Gather {
    outcome: Outcome,
    open: Vec<(usize, Open)>,
    /// Calls that stood in reasoning, with the offset at which they began: they count only if the reasoning never ended.
    thought: Vec<(usize, Call)>,
    unclosed_reasoning: Option<usize>,
    /// What tags mean; none where there are none.
    protocol: Option<Arc<TagProtocol>>,
    /// The language of the sentences, where it is known from elsewhere.
    language: Option<Language>,
    /// The readable text, until the language of its sentences is known.
    shown: Vec<Shown>,
    marked: Vec<Message>,
}

/// A piece of the readable text.
#[derive(Debug)]
enum Shown {
    Words(String),
    Tag(TagRead),
}

impl Gather {
    /// Takes one event.
    pub fn take(&mut self, event: Event) {
        let outcome = &mut self.outcome;
        match event {
            Event::Text { text, .. } => self.words(text),
            Event::Reasoning { text, .. } => outcome.reasoning.push_str(&text),
            Event::CallStart { index, id, name, place, at, .. } => {
                self.open.push((index, Open { id, name, place, at, raw: String::new() }));
            }
            Event::ArgDelta { index, delta, .. } => {
                if let Some((_, open)) = self.open.iter_mut().find(|(known, _)| *known == index) {
                    open.raw.push_str(&delta);
                }
            }
            Event::CallEnd { index, complete, unclosed, arguments, .. } => {
                self.end(index, arguments.filter(|_| complete), unclosed);
            }
            Event::Tag { tag, .. } => self.tag(tag),
            Event::Value { value, complete, .. } => {
                outcome.value = Some(value);
                outcome.complete &= complete;
            }
            Event::Markup { .. } => {}
            Event::Repair(repair) => {
                if repair.kind.code == UNCLOSED_REASONING {
                    self.unclosed_reasoning = Some(repair.span.start);
                }
                let unopened = repair.ends_unopened_thought();
                outcome.repairs.push(repair);
                if unopened {
                    self.all_was_thought();
                }
            }
            Event::Unrecovered { text, reason, span } => {
                outcome.findings.push(Remark { code: "parse.unrecovered", at: span.start, note: reason });
                self.words(text);
            }
        }
    }

    /// A thought ends that nobody saw begin: what came before it was thought.
    fn all_was_thought(&mut self) {
        let calls = std::mem::take(&mut self.outcome.calls);
        self.thought.extend(calls.into_iter().map(|call| (0, call)));
        self.shown.clear();
        self.outcome.reasoning.push_str(&std::mem::take(&mut self.outcome.remaining_text));
    }

    /// Everything has been taken.
    pub fn finish(mut self, reason: Finish) -> Outcome {
        for (_, open) in std::mem::take(&mut self.open) {
            self.end_unfinished(open);
        }
        self.judge_thoughts();
        let mut outcome = self.outcome;
        outcome.complete = outcome.unfinished.is_empty() && !reason.is_cut() && outcome.complete;
        outcome.text = match &self.protocol {
            Some(protocol) => say_all(&self.shown, protocol, self.language),
            None => join_words(self.shown),
        };
        trim(&mut outcome.remaining_text);
        outcome.messages = if self.marked.is_empty() { paragraphs(&outcome.remaining_text) } else { self.marked };
        outcome
    }

    /// Starts with an outcome that has tags, though there may be none.
    ///
    /// Their sentences are in this language; without one, in that of the words around them.
    pub fn with_tags(protocol: &Arc<TagProtocol>, language: Option<Language>) -> Self {
        let mut gather = Self::new();
        gather.outcome.tags = Some(Vec::new());
        gather.protocol = Some(Arc::clone(protocol));
        gather.language = language;
        gather
    }

    /// Starts empty.
    pub fn new() -> Self {
        let mut gather = Self::default();
        gather.outcome.complete = true;
        gather
    }

    fn words(&mut self, text: String) {
        self.outcome.remaining_text.push_str(&text);
        match self.shown.last_mut() {
            Some(Shown::Words(words)) => words.push_str(&text),
            _ => self.shown.push(Shown::Words(text)),
        }
    }

    fn end(&mut self, index: usize, arguments: Option<Map<String, Value>>, unclosed: bool) {
        let Some(at) = self.open.iter().position(|(known, _)| *known == index) else { return };
        let (_, open) = self.open.remove(at);
        let Some(arguments) = arguments else { return self.end_unfinished(open) };
        let call = Call { id: open.id, name: open.name, arguments, place: open.place, unclosed };
        match open.place {
            Place::Reasoning => self.thought.push((open.at, call)),
            Place::Answer | Place::Fence => self.outcome.calls.push(call),
        }
    }

    fn end_unfinished(&mut self, open: Open) {
        // What has no name is told by a finding: it is nobody's call.
        if open.name.is_empty() {
            return;
        }
        let Open { name, raw: arguments, place, .. } = open;
        self.outcome.unfinished.push(Unfinished::Call { name, arguments, place });
    }

    /// A call in the model's reasoning is a thought. Only where the reasoning was never ended did the model forget to
    /// end it before it called.
    fn judge_thoughts(&mut self) {
        for (at, call) in std::mem::take(&mut self.thought) {
            if self.unclosed_reasoning.is_some_and(|start| start <= at) {
                self.outcome.calls.push(call);
            } else {
                let note = format!("the call of `{}` stands in the model's reasoning and was not taken", call.name);
                self.outcome.findings.push(Remark { code: "parse.call-in-reasoning", at, note });
            }
        }
    }

    fn tag(&mut self, tag: TagRead) {
        self.shown.push(Shown::Tag(tag.clone()));
        if !tag.complete {
            self.outcome.unfinished.push(Unfinished::Tag(tag));
            return;
        }
        let rule = self.protocol.as_ref().and_then(|protocol| protocol.tag(&tag.tag));
        if rule.is_some_and(|rule| rule.numbered) {
            let text = tag.text.clone().unwrap_or_default();
            self.marked.push(Message { number: tag.number, text });
        }
        self.outcome.tags.get_or_insert_default().push(tag);
    }
}

/// The readable text where tags mean nothing.
fn join_words(shown: Vec<Shown>) -> String {
    let words = shown.into_iter().filter_map(|piece| match piece {
        Shown::Words(words) => Some(words),
        Shown::Tag(_) => None,
    });
    // Words are a single piece where no tag comes between them.
    words.reduce(|text, words| text + &words).unwrap_or_default()
}

/// Takes off the blanks around a text.
fn trim(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.drain(..text.len() - text.trim_start().len());
}

/// The readable text: words as they are, each tag as a sentence on its own line.
fn say_all(shown: &[Shown], protocol: &TagProtocol, language: Option<Language>) -> String {
    let language = language.unwrap_or_else(|| find_language(shown));
    let mut lines = Lines::default();
    let mut text = String::new();
    for piece in shown {
        text.push_str(&match piece {
            Shown::Words(words) => lines.words(words),
            Shown::Tag(tag) => lines.sentence(&protocol.sentence(tag, language)),
        });
    }
    text + &lines.finish()
}

/// The language of the words, or of what the tags say where there are none.
fn find_language(shown: &[Shown]) -> Language {
    let has_letters = |text: &String| text.chars().any(char::is_alphabetic);
    let words = shown.iter().filter_map(|piece| match piece {
        Shown::Words(words) => Some(words.as_str()),
        Shown::Tag(_) => None,
    });
    let said = shown.iter().filter_map(|piece| match piece {
        Shown::Tag(tag) => Some(tag.words()),
        Shown::Words(_) => None,
    });
    let words = words.collect::<String>();
    Language::of(&Some(words).filter(has_letters).unwrap_or_else(|| said.collect::<Vec<_>>().join("\n")))
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.kind.code)?;
        map.serialize_entry("at", &self.span.start)?;
        map.serialize_entry("end", &self.span.end)?;
        map.serialize_entry("note", self.kind.note)?;
        map.serialize_entry("before", &self.before)?;
        map.serialize_entry("after", &self.after)?;
        map.serialize_entry("confidence", &self.kind.confidence)?;
        map.end()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn in_the_answer(place: &Place) -> bool {
    *place == Place::Answer
}

/// The paragraphs of a text: what is between blank lines.
fn paragraphs(text: &str) -> Vec<Message> {
    let mut found = vec![String::new()];
    for line in text.lines() {
        match (line.trim().is_empty(), found.last_mut()) {
            (true, Some(paragraph)) if paragraph.is_empty() => {}
            (true, _) => found.push(String::new()),
            (false, Some(paragraph)) => {
                if !paragraph.is_empty() {
                    paragraph.push('\n');
                }
                paragraph.push_str(line);
            }
            (false, None) => {}
        }
    }
    found.iter_mut().for_each(trim);
    found.retain(|text| !text.is_empty());
    found.into_iter().map(|text| Message { number: None, text }).collect()
}

/// The code by which the engines tell that reasoning was begun and never ended.
pub(super) const UNCLOSED_REASONING: &str = "reasoning.unclosed";
