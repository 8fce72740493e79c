//! Exchanges, put into their conversations and written.
//!
//! The conversation of an exchange is looked for among the newest, which may not be written yet, and then in the store:
//! first the same words again, then the words before each answer that the history holds, the last one first.

use super::{Begun, Ending, Post};
use crate::examination::keep_content;
use crate::gateway::people::read_conversation;
use crate::metrics::Metrics;
use crate::review::Conversation;
use crate::store::{Applied, Change, Kind, Order, Query, Record, Records, StoreError};
use crate::stream::now_millis;
use countersign::contract::{Message, Role};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Writes what happens.
pub(super) struct Writer {
    records: Arc<dyn Records>,
    metrics: Arc<Metrics>,
    /// The newest exchanges: most requests go on from one of them.
    recent: VecDeque<Known>,
    /// Exchanges that are not over.
    open: HashMap<String, Record>,
}

/// An exchange that a later one may go on from.
#[derive(Debug, Clone)]
struct Known {
    id: String,
    caller: String,
    digest: String,
    conversation: String,
    text: String,
    at: i64,
}

/// Where an exchange belongs, and which of its messages are new.
#[derive(Debug, Default)]
struct Place {
    conversation: Option<String>,
    new_from: usize,
    is_repeat: bool,
}

impl Writer {
    /// A writer that knows nothing yet.
    pub(super) fn new(records: Arc<dyn Records>, metrics: Arc<Metrics>) -> Self {
        Self { records, metrics, recent: VecDeque::new(), open: HashMap::new() }
    }

    /// Writes until nobody is left who tells it anything.
    pub(super) async fn run(mut self, mut posts: mpsc::Receiver<Post>) {
        let mut batch = Vec::new();
        while posts.recv_many(&mut batch, BATCH).await > 0 {
            let (mut inserts, mut changes, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
            for post in batch.drain(..) {
                match post {
                    Post::Begin(begun) => inserts.extend(self.begin(*begun).await),
                    Post::End(id, ending) => changes.extend(self.end(&mut inserts, &id, ending)),
                    Post::Flush(tell) => waiting.push(tell),
                }
            }
            let begun = inserts.into_iter().map(|record| Change::Insert(record, None));
            self.apply(begun.chain(changes).collect()).await;
            for tell in waiting {
                // Whoever asked may have left.
                let _ = tell.send(());
            }
        }
    }

    /// The record of an exchange that has begun.
    async fn begin(&mut self, begun: Begun) -> Option<Record> {
        let Begun { id, asked, caller, mode, at } = begun;
        let (route, model) = (asked.wire.name(), asked.model.clone());
        // Long histories take a while to read, and other requests must not wait for it.
        let (named, messages) = tokio::task::spawn_blocking(move || read_conversation(&asked)).await.ok()?;
        let place = self.find_place(&caller, &named, &messages, at).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "an exchange is shown as a conversation of its own");
            Place::default()
        });
        let conversation = place.conversation.unwrap_or_else(|| id.replacen("ans_", "con_", 1));
        let new = messages.get(place.new_from..).unwrap_or_default();
        let shown = new.get(new.len().saturating_sub(MOST_MESSAGES)..).unwrap_or_default();
        let body = json!({
            "answer_id": id, "conversation_id": conversation, "caller": caller, "route": route, "model": model,
            "mode": mode, "title": title(&messages), "messages": shown.iter().map(render).collect::<Vec<_>>(),
            "left_out": new.len() - shown.len(), "repeat": place.is_repeat, "state": "open",
        });
        let (state, parent) = (named.now, conversation);
        let (digest, conversation) = (state.clone(), parent.clone());
        self.recent.push_back(Known { id: id.clone(), caller, digest, conversation, text: String::new(), at });
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        let record = Record { kind: Kind::Exchange, id, parent, state, created_at: at, version: 1, body };
        self.open.insert(record.id.clone(), record.clone());
        Some(record)
    }

    /// Ends an exchange: in the record that is about to be written, or in the one that is.
    fn end(&mut self, inserts: &mut [Record], id: &str, ending: Ending) -> Option<Change> {
        let Record { mut body, state, .. } = self.open.remove(id)?;
        if let Some(known) = self.recent.iter_mut().rev().find(|known| known.id == id) {
            known.text = ending.text.clone();
        }
        if let Some(fields) = body.as_object_mut() {
            fields.insert("state".to_owned(), ending.state.into());
            fields.insert("ended_at".to_owned(), now_millis().into());
            fields.insert("answer".to_owned(), json!({"text": ending.text, "note": ending.note}));
            fields.extend(ending.reason.map(|reason| ("reason".to_owned(), reason.into())));
        }
        match inserts.iter_mut().find(|record| record.id == id) {
            Some(record) => {
                record.body = body;
                None
            }
            None => Some(Change::Replace { kind: Kind::Exchange, id: id.to_owned(), version: 1, state, body }),
        }
    }

    /// The conversation that a request goes on with.
    async fn find_place(
        &self,
        caller: &str,
        named: &Conversation,
        messages: &[Message],
        at: i64,
    ) -> Result<Place, StoreError> {
        let is_first = !messages.iter().any(|message| message.role == Role::Assistant);
        if let Some(same) = self.find(caller, &named.now, "").await?
            && (!is_first || (at - same.at < AGAIN && self.is_newest(&same).await?))
        {
            return Ok(Place { conversation: Some(same.conversation), new_from: messages.len(), is_repeat: true });
        }
        for begin in answers_in(messages).into_iter().rev().take(MOST_LOOKS) {
            let Some(digest) = begin.checked_sub(1).and_then(|before| named.earlier.get(before)) else { continue };
            let answer = messages.get(begin).map(|message| message.text.as_str()).unwrap_or_default();
            if let Some(earlier) = self.find(caller, digest, answer).await? {
                let is_answer = |message: &&Message| message.role == Role::Assistant;
                let length = messages.iter().skip(begin).take_while(is_answer).count();
                let conversation = Some(earlier.conversation);
                return Ok(Place { conversation, new_from: begin + length, is_repeat: false });
            }
        }
        Ok(Place::default())
    }

    /// The exchange of a caller after which this was said: the one with this answer, where there are several, else the
    /// newest.
    async fn find(&self, caller: &str, digest: &str, answer: &str) -> Result<Option<Known>, StoreError> {
        let known = |known: &&Known| known.caller == caller && known.digest == digest;
        let mut found: Vec<Known> = self.recent.iter().rev().filter(known).cloned().collect();
        if found.is_empty() {
            let query = Query { state: Some(digest), order: Order::NewestFirst, limit: ALIKE, ..Query::default() };
            let stored = self.records.list(Kind::Exchange, query).await?;
            found = stored.iter().filter_map(Known::of).filter(|known| known.caller == caller).collect();
        }
        let same = found.iter().position(|known| !answer.is_empty() && known.text == answer);
        Ok(found.into_iter().nth(same.unwrap_or(0)))
    }

    /// Whether nothing came after it in its conversation.
    async fn is_newest(&self, known: &Known) -> Result<bool, StoreError> {
        let later = |other: &Known| other.conversation == known.conversation && other.digest != known.digest;
        if self.recent.iter().any(later) {
            return Ok(false);
        }
        let query =
            Query { parent: Some(&known.conversation), order: Order::NewestFirst, limit: 1, ..Query::default() };
        let newest = self.records.list(Kind::Exchange, query).await?;
        Ok(newest.first().is_none_or(|newest| newest.state == known.digest))
    }

    async fn apply(&self, mut changes: Vec<Change>) {
        for _ in 0..TRIES {
            if changes.is_empty() {
                return;
            }
            match self.records.apply(changes.clone()).await {
                Ok(Applied::Done) => return,
                // It is there already, or gone: it must not keep the others out.
                Ok(Applied::Conflict(at)) => drop(changes.remove(at.min(changes.len() - 1))),
                Err(error) => {
                    self.metrics.store_errors.of(["traffic"]).add_one();
                    tracing::warn!(%error, exchanges = changes.len(), "exchanges could not be written");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

impl Known {
    fn of(record: &Record) -> Option<Self> {
        let word = |place: &str| record.body.pointer(place).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: record.id.clone(),
            caller: word("/caller")?,
            digest: record.state.clone(),
            conversation: record.parent.clone(),
            text: word("/answer/text").unwrap_or_default(),
            at: record.created_at,
        })
    }
}

/// Where the answers of a history begin; one that is written as several messages counts once.
fn answers_in(messages: &[Message]) -> Vec<usize> {
    let is_answer = |at: usize| messages.get(at).is_some_and(|message| message.role == Role::Assistant);
    (1..messages.len()).filter(|at| is_answer(*at) && !is_answer(at - 1)).collect()
}

/// The first words of the user.
fn title(messages: &[Message]) -> String {
    let first = messages.iter().find(|message| message.role == Role::User && !message.text.trim().is_empty());
    let text = first.map(|message| message.text.trim()).unwrap_or_default();
    super::shorten(text.get(..text.floor_char_boundary(LONGEST_TITLE)).unwrap_or_default())
}

fn render(message: &Message) -> Value {
    let keep = |value: &Value| keep_content(value);
    let calls = message
        .calls
        .iter()
        .map(|call| json!({"id": call.id, "name": call.name, "arguments": keep(&json!(call.arguments))}));
    let results = message.results.iter().map(
        |result| json!({"call_id": result.call_id, "content": keep(&result.content), "is_error": result.is_error}),
    );
    let role = match message.role {
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::System => "system",
        _ => "user",
    };
    json!({
        "role": role, "text": super::shorten(&message.text),
        "calls": calls.collect::<Vec<_>>(), "results": results.collect::<Vec<_>>(),
    })
}

/// So many exchanges are written at once.
const BATCH: usize = 256;
/// So many are remembered.
const RECENT: usize = 1024;
/// So many with the same words are told apart by their answers.
const ALIKE: usize = 16;
/// So many answers of a history are looked for.
const MOST_LOOKS: usize = 6;
/// So many new messages of one request are kept.
const MOST_MESSAGES: usize = 40;
const LONGEST_TITLE: usize = 200;
/// A first request that is made again within this time is a retry, in milliseconds.
const AGAIN: i64 = 3_600_000;
const TRIES: usize = 30;
const PAUSE: Duration = Duration::from_secs(1);
