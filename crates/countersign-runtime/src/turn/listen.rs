//! One answer of the model, as it comes: bytes into text, tags and calls, and how it ended.
//!
//! Text is passed on as soon as it cannot be part of a tag or of a written call any more. A call is only given when all
//! of it was seen; what was cut is never run.

use super::ending::Ending;
use super::journal::Payload;
use super::outbox::Outbox;
use crate::metrics::Tokens;
use crate::models::{AnswerStream, ModelError, TextScan};
use crate::stream::{BugSwitch, PlantedBug};
use crate::usage::read_usage;
use countersign::contract::{Arguments, ToolCall};
use countersign::parse::json::keep_halves;
use countersign::parse::native::{Dialect, NativeStream};
use countersign::parse::tags::{Lines, TagProtocol};
use countersign::parse::{Event, Finish, KnownTools, ParseOptions, TagRead};
use countersign::parse::{Parser, Protocol};
use countersign::resolve::Extent;
use futures_util::StreamExt;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// What an answer held.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// All words of the answer as the model wrote them, tags included, calls left out.
    pub raw: String,
    /// The words for the reader.
    pub text: String,
    /// Those of them that stand for no tag.
    pub remaining: String,
    /// Complete tags.
    pub tags: Vec<TagRead>,
    /// The calls, in order; what was cut is among them and never runs.
    pub calls: Vec<HeardCall>,
    /// Calls that were cut, in a sentence each.
    pub cut: Vec<String>,
    /// What the model thought.
    pub thought: String,
    /// What else could not be read.
    pub troubles: Vec<String>,
    /// Why the model stopped.
    pub finish: Option<String>,
    /// The log-probabilities of its words, where the model's server gives them.
    pub logprobs: Vec<f64>,
    /// The model that answered, by its own word.
    pub model: Option<String>,
    /// What it cost, where the model's server says so.
    pub tokens: Tokens,
}

impl Heard {
    /// An answer from the event that the log has of it: its words, and what it sent others off for.
    pub(super) fn read(said: Option<&Payload>) -> Self {
        let word = |name: &str| said.and_then(|said| said.get(name)).and_then(Value::as_str);
        let list = |name: &str| said.and_then(|said| said.get(name)).and_then(Value::as_array).into_iter().flatten();
        let tag = |tag: &Value| TagRead {
            tag: tag.get("tag").and_then(Value::as_str).unwrap_or_default().to_owned(),
            text: tag.get("text").and_then(Value::as_str).map(str::to_owned),
            complete: true,
            ..TagRead::default()
        };
        let text = word("content").unwrap_or_default().to_owned();
        Self {
            raw: word("raw").map_or_else(|| text.clone(), str::to_owned),
            remaining: text.clone(),
            text,
            tags: list("errands").map(tag).collect(),
            cut: list("cut").filter_map(Value::as_str).map(str::to_owned).collect(),
            finish: Some(word("finish").unwrap_or_default().to_owned()),
            ..Self::default()
        }
    }
}

/// A call that was heard, whole or cut.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeardCall {
    /// The call.
    pub call: ToolCall,
    /// How much of it was heard.
    pub extent: Extent,
}

/// How an answer is listened to.
pub(super) struct Listening<'a> {
    /// Where its words go as they come; none for words that are not for the reader.
    pub aloud: Option<(&'a Outbox, Arc<str>)>,
    /// Which tags it may hold.
    pub tags: Option<Arc<TagProtocol>>,
    /// Which tools a call in the text may name.
    pub tools: Option<KnownTools>,
    /// A mistake on purpose.
    pub planted: BugSwitch,
}

/// What tags do while the answer goes on: the sentence that stands for each.
#[async_trait::async_trait]
pub(super) trait TagKeeper: Send {
    /// Carries a tag out; gives the sentence that stands for it.
    async fn keep(&mut self, tag: &TagRead) -> Result<String, Ending>;
}

/// Why there is no answer.
pub(super) enum Unheard {
    /// The model failed before it said anything: it may be asked in another way.
    Refused(ModelError),
    /// It is over.
    Ended(Ending),
}

impl From<Ending> for Unheard {
    fn from(ending: Ending) -> Self {
        Self::Ended(ending)
    }
}

impl From<Unheard> for Ending {
    fn from(unheard: Unheard) -> Self {
        match unheard {
            Unheard::Refused(error) => error.into(),
            Unheard::Ended(ending) => ending,
        }
    }
}

/// Listens to an answer to its end.
pub(super) async fn listen(
    mut answer: AnswerStream,
    listening: &Listening<'_>,
    keeper: &mut dyn TagKeeper,
) -> Result<Heard, Unheard> {
    let mut reader = StreamReader::new(listening);
    loop {
        let due = reader.due();
        let wait = async {
            match due {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = wait => reader.flush().await?,
            chunk = answer.next() => match chunk {
                Some(Ok(bytes)) => reader.take(&bytes, keeper).await?,
                Some(Err(_)) if reader.runs_what_was_cut() => break,
                Some(Err(error)) => return Err(reader.broken(error, keeper).await.into()),
                None => break,
            },
        }
    }
    drop(answer);
    reader.finish(keeper).await
}

/// What is being heard.
struct StreamReader<'a> {
    listening: &'a Listening<'a>,
    native: NativeStream,
    written: Option<TextScan>,
    tags: Option<Parser>,
    /// Bytes of a character that is not all there.
    carry: Vec<u8>,
    /// Calls that have begun.
    begun: HashMap<usize, Begun>,
    heard: Heard,
    /// Puts sentences on their own lines.
    lines: Lines,
    /// What the server said went wrong.
    error: Option<String>,
}

/// A call that has begun.
struct Begun {
    id: Option<String>,
    name: String,
    written: String,
}

impl<'a> StreamReader<'a> {
    fn new(listening: &'a Listening<'a>) -> Self {
        let options = ParseOptions::default();
        let protocol = listening.tags.as_ref().map(|tags| Protocol::Tags(Arc::clone(tags)));
        Self {
            listening,
            native: NativeStream::new(Dialect::OpenAi, &options),
            written: listening.tools.as_ref().map(TextScan::new),
            tags: protocol.map(|protocol| Parser::new(&protocol, &[], options)),
            carry: Vec::new(),
            begun: HashMap::new(),
            heard: Heard::default(),
            lines: Lines::default(),
            error: None,
        }
    }

    fn runs_what_was_cut(&self) -> bool {
        self.listening.planted.is(PlantedBug::RunPartialArguments)
    }

    fn due(&self) -> Option<tokio::time::Instant> {
        self.listening.aloud.as_ref().and_then(|(outbox, _)| outbox.due())
    }

    async fn flush(&mut self) -> Result<(), Ending> {
        match &self.listening.aloud {
            Some((outbox, _)) => outbox.flush().await,
            None => Ok(()),
        }
    }

    async fn take(&mut self, bytes: &[u8], keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        self.carry.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.carry) {
            Ok(_) => self.carry.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            // Bytes that are no text: the parser is given what stands for them.
            Err(_) => self.carry.len(),
        };
        let rest = self.carry.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.carry, rest)).into_owned();
        let mut events = Vec::new();
        self.native.push(&text, &mut events);
        self.read(events, keeper).await?;
        if self.heard.raw.len() > MAX_ANSWER {
            let message = format!("the answer was longer than {} MiB and was broken off", MAX_ANSWER >> 20);
            return Err(Ending::Failed { code: "answer_too_long", message, retryable: true });
        }
        Ok(())
    }

    async fn finish(mut self, keeper: &mut dyn TagKeeper) -> Result<Heard, Unheard> {
        let said = self.native.facts().finish_reason.clone();
        let reason = match said.as_deref() {
            None if self.runs_what_was_cut() => Finish::Stop,
            None => Finish::Cancelled,
            Some("length" | "max_tokens") => Finish::Length,
            Some(_) => Finish::Stop,
        };
        let mut events = Vec::new();
        self.native.finish(reason, &mut events);
        self.read(events, keeper).await?;
        self.close(reason, keeper).await?;
        if let Some(message) = self.error {
            let error = ModelError::Reported(message);
            let is_first = self.heard.raw.is_empty() && self.heard.calls.is_empty();
            return Err(if is_first { Unheard::Refused(error) } else { Unheard::Ended(error.into()) });
        }
        if self.runs_what_was_cut() {
            return Ok(self.heard);
        }
        // Some servers say at the very end what others say in every chunk.
        let Some(finish) = self.native.facts().finish_reason.clone() else {
            let cut = ModelError::Cut("it ended without its finish marker".to_owned());
            return Err(Unheard::Ended(cut.into()));
        };
        self.heard.finish = Some(finish);
        let facts = self.native.facts();
        self.heard.logprobs.clone_from(&facts.logprobs);
        self.heard.model.clone_from(&facts.model);
        self.heard.tokens = facts.usage.as_ref().map(read_usage).unwrap_or_default();
        Ok(self.heard)
    }

    /// The connection broke: what was heard of text is kept, what was open is not run.
    async fn broken(mut self, error: ModelError, keeper: &mut dyn TagKeeper) -> Ending {
        match self.close(Finish::Cancelled, keeper).await {
            Ok(()) => error.into(),
            Err(ending) => ending,
        }
    }

    /// No more text comes.
    async fn close(&mut self, reason: Finish, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        if let Some(mut scan) = self.written.take() {
            let rest = scan.finish(reason);
            self.pass(&rest, keeper).await?;
            for call in scan.take_calls() {
                self.end_call(call.complete, call.unclosed, call.id, call.name, &call.written);
            }
        }
        let Some(parser) = self.tags.take() else { return Ok(()) };
        self.show(parser.finish(reason), keeper).await?;
        let rest = self.lines.finish();
        self.say(&rest);
        Ok(())
    }

    async fn read(&mut self, events: Vec<Event>, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        for event in events {
            match event {
                Event::Text { text, .. } => {
                    let shown = self.written.as_mut().and_then(|scan| scan.push(&text));
                    self.pass(shown.as_deref().unwrap_or(&text), keeper).await?;
                }
                Event::Reasoning { text, .. } if self.heard.thought.len() + text.len() <= MAX_ANSWER => {
                    self.heard.thought.push_str(&text);
                }
                Event::CallStart { index, id, raw_name, .. } => {
                    self.begun.insert(index, Begun { id, name: raw_name, written: String::new() });
                }
                Event::ArgDelta { index, delta, .. } => {
                    if let Some(begun) = self.begun.get_mut(&index)
                        && begun.written.len() + delta.len() <= MAX_ANSWER
                    {
                        begun.written.push_str(&delta);
                    }
                }
                Event::CallEnd { index, complete, unclosed, arguments, .. } => {
                    let Some(Begun { id, name, written }) = self.begun.remove(&index) else { continue };
                    // Half of a character is no value: what stands there is for the check to refuse, not for us to replace.
                    let halved = matches!(keep_halves(&written), Cow::Owned(_));
                    let read = arguments.filter(|_| !halved).map(|arguments| Value::Object(arguments).to_string());
                    self.end_call(complete, unclosed, id, name, read.as_deref().unwrap_or(&written));
                }
                Event::Unrecovered { reason, .. } if reason.starts_with("the server reports an error") => {
                    self.error = Some(reason);
                }
                Event::Unrecovered { reason, .. } => self.heard.troubles.push(reason),
                _ => {}
            }
        }
        Ok(())
    }

    /// A call is over. One whose arguments nobody can read is given as it was written: the check says what is wrong with it.
    fn end_call(&mut self, complete: bool, unclosed: bool, id: Option<String>, name: String, written: &str) {
        // A call without a name is no call that was cut: the check says what is wrong with it.
        if !complete && !name.trim().is_empty() && !self.runs_what_was_cut() {
            self.heard.cut.push(format!("the call to {name:?} was cut off and is not run"));
        }
        let extent = match (complete, unclosed) {
            (false, _) if !name.trim().is_empty() && !self.runs_what_was_cut() => Extent::Cut,
            (_, true) => Extent::Unclosed,
            _ => Extent::Whole,
        };
        let arguments = match serde_json::from_str::<Value>(written) {
            Ok(arguments @ Value::Object(_)) => arguments.into(),
            _ if written.trim().is_empty() => Arguments::Absent,
            _ => Arguments::Text(written.to_owned()),
        };
        self.heard.calls.push(HeardCall { call: ToolCall { id, name, arguments }, extent });
    }

    /// Passes text on to the tags, or to the reader where there are none.
    async fn pass(&mut self, text: &str, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        self.heard.raw.push_str(text);
        match self.tags.as_mut().map(|parser| parser.push(text.as_bytes())) {
            Some(read) => self.show(read, keeper).await,
            None => {
                self.heard.remaining.push_str(text);
                self.say(text);
                Ok(())
            }
        }
    }

    /// Passes on what the tag parser gives.
    async fn show(&mut self, events: Vec<Event>, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        for event in events {
            match event {
                Event::Text { text, .. } | Event::Unrecovered { text, .. } => {
                    self.heard.remaining.push_str(&text);
                    let shown = self.lines.words(&text);
                    self.say(&shown);
                }
                Event::Tag { tag, .. } => {
                    let sentence = keeper.keep(&tag).await?;
                    let shown = self.lines.sentence(&sentence);
                    self.say(&shown);
                    self.heard.tags.push(tag);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn say(&mut self, text: &str) {
        self.heard.text.push_str(text);
        if let Some((outbox, message_id)) = &self.listening.aloud {
            outbox.add(message_id, text);
        }
    }
}

/// The longest answer that is listened to, in bytes.
const MAX_ANSWER: usize = 16 << 20;
