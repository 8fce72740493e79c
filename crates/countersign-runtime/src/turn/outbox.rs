//! What goes to the log, in order, a few pieces at a time.
//!
//! Wake-ups cost more than bytes: deltas that come within some milliseconds of each other are one event. The first is
//! written at once. Several agents may speak in one turn, each with an outbox of its own over the same log. What is still
//! here when a turn is stopped goes out with its terminal event.

use super::ending::Ending;
use crate::stream::{Draft, RunWriter};
use countersign::contract::{ContentType, EventType};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The outbox of an agent in a turn.
#[derive(Clone)]
pub(super) struct Outbox {
    writer: RunWriter,
    agent: Arc<str>,
    kept: Arc<Mutex<Kept>>,
}

/// What the agents of a turn have said and is not written yet.
#[derive(Default)]
struct Kept {
    spoken: Vec<Spoken>,
    /// When text was last written.
    written: Option<Instant>,
}

/// Text of one message.
struct Spoken {
    agent: Arc<str>,
    message_id: Arc<str>,
    text: String,
}

impl Outbox {
    /// An outbox to a log.
    pub(super) fn new(writer: RunWriter, agent: &str) -> Self {
        Self { writer, agent: agent.into(), kept: Arc::default() }
    }

    /// The outbox of another agent in the same turn.
    pub(super) fn of(&self, agent: &str) -> Self {
        Self { writer: self.writer.clone(), agent: agent.into(), kept: Arc::clone(&self.kept) }
    }

    /// The writer.
    pub(super) fn writer(&self) -> &RunWriter {
        &self.writer
    }

    /// Who speaks.
    pub(super) fn agent(&self) -> &str {
        &self.agent
    }

    /// Adds text of a message.
    pub(super) fn add(&self, message_id: &Arc<str>, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut kept = self.kept();
        match kept.spoken.iter_mut().find(|spoken| spoken.message_id == *message_id) {
            Some(spoken) => spoken.text.push_str(text),
            None => {
                let (agent, message_id) = (Arc::clone(&self.agent), Arc::clone(message_id));
                kept.spoken.push(Spoken { agent, message_id, text: text.to_owned() });
            }
        }
    }

    /// When the text must be written; none where there is none.
    pub(super) fn due(&self) -> Option<Instant> {
        let kept = self.kept();
        let due = kept.written.map_or_else(Instant::now, |at| at + TOGETHER);
        (!kept.spoken.is_empty()).then_some(due)
    }

    /// Writes the text that is kept.
    pub(super) async fn flush(&self) -> Result<(), Ending> {
        self.write(Vec::new()).await
    }

    /// Writes the text that is kept, and then events.
    pub(super) async fn write(&self, events: Vec<Draft>) -> Result<(), Ending> {
        let drafts = self.take(events);
        if drafts.is_empty() {
            return Ok(());
        }
        self.writer.write(drafts).await?;
        Ok(())
    }

    /// An event of the agent's.
    pub(super) fn event(&self, kind: EventType, content: ContentType, fields: Value) -> Draft {
        Draft::new(kind, Arc::clone(&self.agent), content, fields)
    }

    /// The text that is kept as events, and then others.
    pub(super) fn take(&self, events: Vec<Draft>) -> Vec<Draft> {
        let mut kept = self.kept();
        if kept.spoken.is_empty() {
            return events;
        }
        kept.written = Some(Instant::now());
        let mut drafts = Vec::new();
        for Spoken { agent, message_id, text } in std::mem::take(&mut kept.spoken) {
            let delta = |piece| {
                let fields = json!({"content": piece, "message_id": message_id});
                Draft::new(EventType::TextDelta, Arc::clone(&agent), ContentType::Markdown, fields)
            };
            drafts.extend(pieces(&text).map(delta));
        }
        drafts.extend(events);
        drafts
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A warning for whoever reads the stream.
pub(super) fn warning(code: &str, message: &str) -> Draft {
    warning_with(code, message, json!({}))
}

/// A warning with more to say.
pub(super) fn warning_with(code: &str, message: &str, more: Value) -> Draft {
    let mut draft =
        Draft::new(EventType::Warning, "countersign", ContentType::Json, json!({"code": code, "message": message}));
    if let Value::Object(more) = more {
        draft.fields.extend(more);
    }
    draft
}

/// A text in pieces that are not too long for a slow reader to hold.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at_checked(rest.floor_char_boundary(LONGEST)).unwrap_or((rest, ""));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The longest piece of text in one event, in bytes.
const LONGEST: usize = 32 * 1024;
/// Text that comes within this time is one event.
const TOGETHER: Duration = Duration::from_millis(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_nothing_is_lost() {
        let text = "x".to_owned() + &"价☂".repeat(20_000);
        let cut: Vec<_> = pieces(&text).collect();
        assert_eq!(cut.concat(), text);
        assert!(cut.len() == 4 && cut.iter().all(|piece| piece.len() <= LONGEST), "{}", cut.len());
        assert_eq!((pieces("").count(), pieces("a").count()), (0, 1));
    }
}
