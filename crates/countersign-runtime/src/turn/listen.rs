//! One answer of the model, as it comes: bytes into text, tags and calls, and how it ended.
//!
//! Text is passed on as soon as it cannot be part of a tag any more. A call is only given when all of it was seen; what
//! was cut is never run.

use super::ending::Ending;
use super::outbox::Outbox;
use crate::models::{Answer, ModelError};
use crate::stream::PlantedBug;
use countersign::contract::ToolCall;
use countersign::parse::native::{Dialect, NativeStream};
use countersign::parse::tags::concierge;
use countersign::parse::{Event, Finish, ParseOptions, TagRead};
use countersign::parse::{Parser, Protocol};
use futures_util::StreamExt;
use serde_json::Value;
use std::collections::HashMap;

/// What an answer held.
#[derive(Debug, Default)]
pub struct Heard {
    /// The name of the message that it becomes; its deltas carry it too.
    pub message_id: String,
    /// All words of the answer as the model wrote them, tags included.
    pub raw: String,
    /// The words for the reader.
    pub text: String,
    /// Complete tags.
    pub tags: Vec<TagRead>,
    /// Complete calls.
    pub calls: Vec<ToolCall>,
    /// What was left out: calls and tags that were cut, frames that could not be read.
    pub troubles: Vec<String>,
    /// The model has given an answer of nothing, or was cut at a limit.
    pub finish: Option<String>,
}

/// What tags do while the answer goes on: the sentence that stands for each.
#[async_trait::async_trait]
pub trait TagKeeper: Send {
    /// Carries a tag out; gives the sentence that stands for it.
    async fn keep(&mut self, tag: &TagRead) -> Result<String, Ending>;
}

/// Listens to an answer to its end.
pub async fn listen(
    mut answer: Answer,
    outbox: &Outbox,
    keeper: &mut dyn TagKeeper,
    planted: Option<PlantedBug>,
) -> Result<Heard, Ending> {
    let mut ear = Ear::new(planted);
    loop {
        let due = outbox.due();
        let wait = async {
            match due {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = wait => outbox.flush().await?,
            chunk = answer.next() => match chunk {
                Some(Ok(bytes)) => ear.take(&bytes, outbox, keeper).await?,
                Some(Err(_)) if ear.runs_what_was_cut() => break,
                Some(Err(error)) => return Err(ear.broken(error, outbox, keeper).await),
                None => break,
            },
        }
    }
    drop(answer);
    ear.finish(outbox, keeper).await
}

/// What is being heard.
struct Ear {
    native: NativeStream,
    tags: Option<Parser>,
    /// Bytes of a character that is not all there.
    carry: Vec<u8>,
    /// Calls that have begun: id and name.
    begun: HashMap<usize, (Option<String>, String)>,
    heard: Heard,
    /// What the server said went wrong.
    error: Option<String>,
    planted: Option<PlantedBug>,
}

impl Ear {
    fn new(planted: Option<PlantedBug>) -> Self {
        let options = ParseOptions::default();
        Self {
            native: NativeStream::new(Dialect::OpenAi, &options),
            tags: Some(Parser::new(&Protocol::Tags(concierge()), &[], options)),
            carry: Vec::new(),
            begun: HashMap::new(),
            heard: Heard::default(),
            error: None,
            planted,
        }
    }

    fn runs_what_was_cut(&self) -> bool {
        self.planted == Some(PlantedBug::RunPartialArguments)
    }

    async fn take(&mut self, bytes: &[u8], outbox: &Outbox, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
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
        self.read(events, outbox, keeper).await
    }

    async fn finish(mut self, outbox: &Outbox, keeper: &mut dyn TagKeeper) -> Result<Heard, Ending> {
        let said = self.native.facts().finish_reason.clone();
        let reason = match said.as_deref() {
            None if self.runs_what_was_cut() => Finish::Stop,
            None => Finish::Cancelled,
            Some("length" | "max_tokens") => Finish::Length,
            Some(_) => Finish::Stop,
        };
        let mut events = Vec::new();
        self.native.finish(reason, &mut events);
        self.read(events, outbox, keeper).await?;
        self.close_tags(reason, outbox, keeper).await?;
        if let Some(message) = self.error {
            return Err(Ending::Failed { code: "upstream_error", message, retryable: true });
        }
        if self.runs_what_was_cut() {
            return Ok(self.heard);
        }
        // Some servers say at the very end what others say in every chunk.
        let Some(finish) = self.native.facts().finish_reason.clone() else {
            let cut = ModelError::Cut("it ended without its finish marker".to_owned());
            return Err(cut.into());
        };
        self.heard.finish = Some(finish);
        Ok(self.heard)
    }

    /// The connection broke: what was heard of text is kept, what was open is not run.
    async fn broken(mut self, error: ModelError, outbox: &Outbox, keeper: &mut dyn TagKeeper) -> Ending {
        match self.close_tags(Finish::Cancelled, outbox, keeper).await {
            Ok(()) => error.into(),
            Err(ending) => ending,
        }
    }

    async fn close_tags(&mut self, reason: Finish, outbox: &Outbox, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        let Some(parser) = self.tags.take() else { return Ok(()) };
        self.show(parser.finish(reason), outbox, keeper).await
    }

    async fn read(&mut self, events: Vec<Event>, outbox: &Outbox, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        for event in events {
            match event {
                Event::Text { text, .. } => {
                    self.heard.raw.push_str(&text);
                    let read = self.tags.as_mut().map(|parser| parser.push(text.as_bytes())).unwrap_or_default();
                    self.show(read, outbox, keeper).await?;
                }
                Event::CallStart { index, id, raw_name, .. } => {
                    self.begun.insert(index, (id, raw_name));
                }
                Event::CallEnd { index, complete, arguments, .. } => self.end_call(index, complete, arguments),
                Event::Unrecovered { reason, .. } if reason.starts_with("the server reports an error") => {
                    self.error = Some(reason);
                }
                Event::Unrecovered { reason, .. } => self.heard.troubles.push(reason),
                _ => {}
            }
        }
        Ok(())
    }

    fn end_call(&mut self, index: usize, complete: bool, arguments: Option<serde_json::Map<String, Value>>) {
        let Some((id, name)) = self.begun.remove(&index) else { return };
        match (complete || self.runs_what_was_cut(), arguments) {
            (true, Some(arguments)) => {
                let arguments = Value::Object(arguments).into();
                self.heard.calls.push(ToolCall { id, name, arguments });
            }
            (true, None) => {
                self.heard.troubles.push(format!("the arguments of the call to {name:?} could not be read"));
            }
            (false, _) => self.heard.troubles.push(format!("the call to {name:?} was cut off and is not run")),
        }
    }

    /// Passes on what the tag parser gives.
    async fn show(&mut self, events: Vec<Event>, outbox: &Outbox, keeper: &mut dyn TagKeeper) -> Result<(), Ending> {
        for event in events {
            match event {
                Event::Text { text, .. } | Event::Unrecovered { text, .. } => self.say(&text, outbox),
                Event::Tag { tag, .. } => {
                    let sentence = keeper.keep(&tag).await?;
                    self.say(&sentence, outbox);
                    self.heard.tags.push(tag);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn say(&mut self, text: &str, outbox: &Outbox) {
        self.heard.text.push_str(text);
        outbox.add(text);
    }
}
