//! What goes to the log, in order, a few pieces at a time.
//!
//! Wake-ups cost more than bytes: deltas that come within some milliseconds of each other are one event. The first is
//! written at once. What is still here when a turn is stopped goes out with its terminal event.

use super::ending::Ending;
use crate::stream::{Draft, Scribe};
use countersign::contract::{ContentType, EventType};
use serde_json::json;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The outbox of a turn.
pub struct Outbox {
    scribe: Scribe,
    agent: String,
    kept: Mutex<Kept>,
}

struct Kept {
    text: String,
    message_id: String,
    /// When text was last written.
    written: Option<Instant>,
}

impl Outbox {
    /// An outbox to a log.
    pub fn new(scribe: Scribe, agent: &str) -> Self {
        let kept = Kept { text: String::new(), message_id: String::new(), written: None };
        Self { scribe, agent: agent.to_owned(), kept: Mutex::new(kept) }
    }

    /// The writer.
    pub fn scribe(&self) -> &Scribe {
        &self.scribe
    }

    /// Who speaks.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// What follows is text of this message.
    pub fn begin(&self, message_id: &str) {
        message_id.clone_into(&mut self.kept().message_id);
    }

    /// Adds text.
    pub fn add(&self, text: &str) {
        self.kept().text.push_str(text);
    }

    /// When the text must be written; none where there is none.
    pub fn due(&self) -> Option<Instant> {
        let kept = self.kept();
        let due = kept.written.map_or_else(Instant::now, |at| at + TOGETHER);
        (!kept.text.is_empty()).then_some(due)
    }

    /// Writes the text that is kept.
    pub async fn flush(&self) -> Result<(), Ending> {
        self.write(Vec::new()).await
    }

    /// Writes the text that is kept, and then events.
    pub async fn write(&self, events: Vec<Draft>) -> Result<(), Ending> {
        let drafts = self.take(events);
        if drafts.is_empty() {
            return Ok(());
        }
        self.scribe.write(drafts).await?;
        Ok(())
    }

    /// An event of the agent's.
    pub fn event(&self, kind: EventType, content: ContentType, fields: serde_json::Value) -> Draft {
        Draft::new(kind, self.agent.as_str(), content, fields)
    }

    /// The text that is kept as an event, or several where it is long, and then others.
    pub fn take(&self, events: Vec<Draft>) -> Vec<Draft> {
        let mut kept = self.kept();
        let text = std::mem::take(&mut kept.text);
        if text.is_empty() {
            return events;
        }
        kept.written = Some(Instant::now());
        let delta = |piece| {
            let fields = json!({"content": piece, "message_id": kept.message_id});
            Draft::new(EventType::TextDelta, self.agent.as_str(), ContentType::Markdown, fields)
        };
        pieces(&text).map(delta).chain(events).collect()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
