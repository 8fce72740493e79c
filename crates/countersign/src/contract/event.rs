//! An event of a session: what the reader of a stream gets, and what the log keeps.
//!
//! The log is the only source of what a stream shows, so an event is plain data with one form. The runtime numbers,
//! keeps and sends events; nothing here knows how.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;

/// The version of the event's form. Readers ignore what they do not know; a change that breaks them raises it.
pub const EVENT_VERSION: u32 = 1;

/// Where an event stands in its session: `epoch.seq`.
///
/// The sequence is dense over the whole session, from 1. The epoch says who wrote it: it goes up when another writer
/// takes over. Neither is a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    /// Which writer.
    pub epoch: u32,
    /// Which event.
    pub seq: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.epoch, self.seq)
    }
}

/// A cursor that is no `epoch.seq`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadEventId;

impl fmt::Display for BadEventId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an event id is EPOCH.SEQ, two whole numbers such as 1.42")
    }
}

impl std::error::Error for BadEventId {}

impl FromStr for EventId {
    type Err = BadEventId;

    fn from_str(text: &str) -> Result<Self, BadEventId> {
        let (epoch, seq) = text.split_once('.').ok_or(BadEventId)?;
        Ok(Self { epoch: digits(epoch)?, seq: digits(seq)? })
    }
}

/// Digits only: `+1` and ` 1` are no ids, though Rust would read the first.
fn digits<N: FromStr>(text: &str) -> Result<N, BadEventId> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten().ok_or(BadEventId)
}

impl Serialize for EventId {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EventId {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(input)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All of them, in the contract's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The one with this word.
            pub fn from_name(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == word)
            }
        }
    };
}

words! {
    /// What happened.
    EventType {
        /// Somebody said something whole.
        Message = "message",
        /// A piece of text of a message that is still being written.
        TextDelta = "text_delta",
        /// A tool is to be run, with its verdict.
        ToolCall = "tool_call",
        /// What a tool gave.
        ToolResult = "tool_result",
        /// A call was judged.
        Verdict = "verdict",
        /// A person must decide.
        ReviewRequired = "review_required",
        /// Claims changed their state.
        ClaimsUpdated = "claims_updated",
        /// What the user referred to: valid and invalid.
        References = "references",
        /// A plan.
        Plan = "plan",
        /// A piece of evidence.
        Evidence = "evidence",
        /// A citation.
        Citation = "citation",
        /// A note was saved.
        Note = "note",
        /// A material was saved.
        Material = "material",
        /// What searches found.
        SearchResults = "search_results",
        /// Something went wrong that does not end the turn.
        Warning = "warning",
        /// Something went wrong that does.
        Error = "error",
        /// The reader's cursor means nothing here: what follows starts over.
        Reset = "reset",
        /// The turn is done.
        Completed = "completed",
        /// The turn failed.
        Failed = "failed",
        /// The turn was stopped.
        Stopped = "stopped",
        /// The turn's writer died.
        Lost = "lost",
    }
}

impl EventType {
    /// Whether it ends a turn.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Stopped | Self::Lost)
    }

    /// Whether it is written to disk without waiting for company: what must not be late.
    pub const fn is_barrier(self) -> bool {
        self.is_terminal() || matches!(self, Self::ToolCall | Self::Verdict | Self::ReviewRequired)
    }
}

words! {
    /// What a payload holds.
    ContentType {
        /// Plain text.
        Text = "text",
        /// Text with Markdown.
        Markdown = "markdown",
        /// An object.
        Json = "json",
        /// What searches found.
        SearchResults = "search_results",
        /// A plan.
        Plan = "plan",
        /// Evidence.
        Evidence = "evidence",
        /// A citation.
        Citation = "citation",
        /// Claims and their state.
        Claims = "claims",
        /// What went wrong.
        Error = "error",
    }
}

words! {
    /// How a reader came by an event.
    Phase {
        /// It was in the log before the reader came.
        Replay = "replay",
        /// It was written while the reader was there.
        Live = "live",
    }
}

/// What an event says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Payload {
    /// What it holds.
    pub content_type: ContentType,
    /// The fields; which there are depends on the event.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

/// How a reader came by an event. The only part that may differ between two readings of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Meta {
    /// It was in the log before.
    pub is_replay: bool,
    /// The opposite.
    pub is_realtime: bool,
    /// The same as a word.
    pub phase: Phase,
}

impl Meta {
    /// The metadata of a phase.
    pub const fn of(phase: Phase) -> Self {
        Self { is_replay: matches!(phase, Phase::Replay), is_realtime: matches!(phase, Phase::Live), phase }
    }
}

/// An event as a reader gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamEvent {
    /// The version of this form.
    pub version: u32,
    /// Where it is; null for `reset`, which does not appear.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>", regex(pattern = r"^[0-9]+\.[0-9]+$")))]
    pub id: Option<EventId>,
    /// The session.
    pub session_id: String,
    /// What happened.
    pub event_type: EventType,
    /// Who did it: `user`, `concierge`, `countersign`, a tool, an agent of the user's.
    pub agent_source: String,
    /// When, in RFC 3339.
    pub timestamp: String,
    /// What it says.
    pub payload: Payload,
    /// How the reader came by it.
    pub meta: Meta,
}

#[cfg(test)]
mod tests {
    use super::*;

    // STREAM-1
    #[test]
    fn an_id_is_two_whole_numbers_and_nothing_else() {
        assert_eq!("2.17".parse(), Ok(EventId { epoch: 2, seq: 17 }));
        assert_eq!(EventId { epoch: 2, seq: 17 }.to_string(), "2.17");
        for wrong in ["", "2", "2.", ".1", "+2.1", "2.1.3", "2.-1", " 2.1", "2.1e3", "1.99999999999999999999"] {
            assert_eq!(wrong.parse::<EventId>(), Err(BadEventId), "{wrong}");
        }
    }

    // STREAM-1
    #[test]
    fn every_word_reads_back() {
        for kind in EventType::ALL {
            assert_eq!(EventType::from_name(kind.name()), Some(*kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        assert_eq!(EventType::ALL.iter().filter(|kind| kind.is_terminal()).count(), 4);
    }
}
