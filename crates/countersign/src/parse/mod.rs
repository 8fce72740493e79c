//! What the model really wrote: text, tool calls, tags and values, streamed or whole, broken or not.
//!
//! A `Parser` takes bytes as they come and gives `Event`s. It never fails: what it had to mend comes out as a
//! repair, what it could not understand comes out as text. It runs in linear time, its memory is bounded by
//! `ParseOptions`, and any split of the input gives the same events once neighbouring deltas are joined.

/// What comes out: events, spans and repairs.
mod event;
/// JSON as models write it.
pub mod json;
/// A value that fits its JSON Schema.
pub mod align;
/// Tags as models write them: one candidate, folded, held against a closed list of names.
pub(crate) mod markup;
/// Protocols of tags, as data.
pub mod tags;
/// The call formats of open models.
pub(crate) mod formats;
/// Plans of several steps.
pub mod plan;
/// The streams of hosted models.
pub mod native;
/// Messages that say nothing.
pub mod chatter;
/// The `json` protocol.
mod value;
/// Which way a model writes, by name.
mod protocol;
/// All that was read, in one piece.
mod outcome;
/// START HERE: bytes in, events out.
mod parser;

pub use event::{Elsewhere, Event, Finish, Kind, ParseOptions, Place, Repair, Span, TagRead, join_deltas};
pub use formats::KnownTools;
pub use outcome::{Call, Gather, Message, Outcome, Remark, Unfinished};
pub use parser::{NOT_UTF8, Parser, read_output};
pub use plan::plan;
pub use protocol::Protocol;

/// Every kind of repair that any part of the parser makes, with its code.
pub fn repair_kinds() -> impl Iterator<Item = &'static Kind> {
    let lists = [json::KINDS, align::KINDS, tags::KINDS, formats::KINDS, native::KINDS];
    std::iter::once(&NOT_UTF8).chain(lists.into_iter().flatten().copied())
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    markup::build_tables();
    tags::build_tables();
    formats::build_tables();
    chatter::build_tables();
}
