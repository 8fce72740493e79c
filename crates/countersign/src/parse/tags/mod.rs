//! Protocols of tags, as data, and the tolerant reading of output that uses them.
//!
//! A protocol says which tags there are; `concierge` is the one that is shipped, `TagProtocol::from_toml` reads others.
//! The opening tag decides name and number. An unclosed tag runs to the next tag of the protocol, else to the end; a tag
//! inside another ends the outer one; a stray closing vanishes. What is quoted in backticks is text, what is in a
//! fence is not quoted. Unknown tags are text, and nothing is invented.

/// The part of the output that is still needed.
mod window;
/// What was mended.
mod kinds;
/// The sentences that stand for tags.
mod sentence;
/// Which tags there are.
mod protocol;
/// The readable text, sentences on their own lines.
mod lines;
/// Content that is not plain.
mod body;
/// A tag that is open.
mod region;
/// Tags that are only spoken of.
mod mention;
/// Backticks and comments.
mod quoting;
/// Reading output as it comes.
mod engine;

pub use kinds::KINDS;
pub use lines::Lines;
pub use protocol::{FieldRule, ProtocolError, Sentences, TagProtocol, TagRule};
pub use sentence::Sentence;

pub(crate) use engine::TagEngine;

use crate::parse::event::Engine;
use crate::parse::{Event, Finish, ParseOptions};
use std::sync::{Arc, LazyLock};

/// The shipped protocol: notes, materials, delegation, search, confirmations.
pub fn concierge() -> Arc<TagProtocol> {
    Arc::clone(&CONCIERGE)
}

/// Reads a whole output that came in pieces.
pub fn read<'t>(
    protocol: &Arc<TagProtocol>,
    pieces: impl IntoIterator<Item = &'t str>,
    finish: Finish,
    options: &ParseOptions,
) -> Vec<Event> {
    let mut engine = TagEngine::new(Arc::clone(protocol), options);
    let mut events = Vec::new();
    for piece in pieces {
        engine.push(piece, &mut events);
    }
    engine.finish(finish, &mut events);
    events
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&CONCIERGE);
}

static CONCIERGE: LazyLock<Arc<TagProtocol>> =
    LazyLock::new(|| Arc::new(TagProtocol::from_toml(include_str!("concierge.toml")).unwrap_or_default()));
