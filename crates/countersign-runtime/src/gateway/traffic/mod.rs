//! The traffic that people look at: every exchange on record, in the conversation that its history tells.
//!
//! A client has no name for its conversation; it sends the history again with each request. So an exchange is kept under the
//! digest of what was said, and a later request that goes on from those words joins its conversation. Only what is new in
//! a request is kept, shortened and without secrets. This is a view for people and never holds up an answer: where the queue
//! is full, an exchange is left out and counted. What was decided about calls is the ledger's.

/// Where an exchange belongs, and its record.
mod writer;

use super::asked::Asked;
use super::held::Settled;
use crate::metrics::Metrics;
use crate::store::Records;
use crate::stream::now_millis;
use countersign::check_call::secrets::redact;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use writer::Writer;

/// Where exchanges are put on record.
#[derive(Clone)]
pub struct Traffic {
    /// None where no conversations are kept.
    queue: Option<mpsc::Sender<Post>>,
    metrics: Arc<Metrics>,
}

/// An exchange that has begun. Dropped without an end, it broke off.
pub struct OpenExchange {
    id: String,
    traffic: Option<Traffic>,
}

/// How an exchange ended.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    /// `answered`, `failed`, `broken` or `unread`.
    state: &'static str,
    /// What the model said.
    text: String,
    /// What the client was told about calls that it did not get.
    note: String,
    /// Why it failed.
    reason: Option<String>,
}

/// A request, as it came.
struct Begun {
    id: String,
    asked: Asked,
    caller: String,
    mode: &'static str,
    at: i64,
}

/// What the writer is told.
enum Post {
    /// An exchange has begun.
    Begin(Box<Begun>),
    /// The exchange of this name is over.
    End(String, Ending),
    /// Tells when everything before it is written.
    Flush(oneshot::Sender<()>),
}

impl Traffic {
    /// A queue, and its writer, which ends when the last of the traffic is gone.
    pub fn new(records: Arc<dyn Records>, metrics: Arc<Metrics>) -> (Self, impl Future<Output = ()> + Send) {
        let (queue, posts) = mpsc::channel(QUEUE);
        let writer = Writer::new(records, Arc::clone(&metrics));
        (Self { queue: Some(queue), metrics }, writer.run(posts))
    }

    /// Traffic that nobody keeps.
    pub fn off(metrics: Arc<Metrics>) -> Self {
        Self { queue: None, metrics }
    }

    /// Puts the beginning of an exchange on record, under the name that its answer has in the audit.
    pub fn begin(&self, id: &str, asked: &Asked, caller: &str, mode: &'static str) -> OpenExchange {
        let (id, caller) = (id.to_owned(), caller.to_owned());
        let begun = Begun { id: id.clone(), asked: asked.clone(), caller, mode, at: now_millis() };
        let is_kept = self.post(Post::Begin(Box::new(begun)));
        OpenExchange { id, traffic: is_kept.then(|| self.clone()) }
    }

    /// Waits until everything so far is written, or for a moment.
    pub async fn flush(&self) {
        let Some(queue) = &self.queue else { return };
        let (tell, told) = oneshot::channel();
        if queue.send(Post::Flush(tell)).await.is_ok() {
            let _ = tokio::time::timeout(LONGEST_FLUSH, told).await;
        }
    }

    fn post(&self, post: Post) -> bool {
        let Some(queue) = &self.queue else { return false };
        let is_taken = queue.try_send(post).is_ok();
        if !is_taken {
            self.metrics.store_errors.of(["traffic"]).add_one();
        }
        is_taken
    }
}

impl OpenExchange {
    /// Ends it with what the client got.
    pub fn answer(self, held_text: &str, settled: &Settled) {
        let choice = settled.choices.first();
        let text = choice.and_then(|choice| choice.replacement.as_deref()).unwrap_or(held_text);
        let note = choice.map(|choice| choice.notes.join("\n\n")).unwrap_or_default();
        self.end(Ending { state: "answered", text: shorten(text), note: shorten(&note), reason: None });
    }

    /// Ends it with words that were only watched.
    pub fn watched(self, text: &str) {
        self.end(Ending { state: "answered", text: shorten(text), ..Ending::default() });
    }

    /// Ends it: nobody here read the answer.
    pub fn unread(self) {
        self.end(Ending { state: "unread", ..Ending::default() });
    }

    /// Ends it with a failure.
    pub fn fail(self, reason: &str) {
        self.end(Ending { state: "failed", reason: Some(shorten(reason)), ..Ending::default() });
    }

    fn end(mut self, ending: Ending) {
        if let Some(traffic) = self.traffic.take() {
            traffic.post(Post::End(std::mem::take(&mut self.id), ending));
        }
    }
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        if let Some(traffic) = self.traffic.take() {
            let ending = Ending { state: "broken", ..Ending::default() };
            traffic.post(Post::End(std::mem::take(&mut self.id), ending));
        }
    }
}

/// What is kept of a text: its beginning, without secrets.
fn shorten(text: &str) -> String {
    let begin = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or_default();
    let cut = if begin.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", redact(begin))
}

/// So many exchanges may wait to be written.
const QUEUE: usize = 2048;
/// So much of a text is kept, in bytes.
const LONGEST_TEXT: usize = 8 * 1024;
const LONGEST_FLUSH: Duration = Duration::from_secs(3);
