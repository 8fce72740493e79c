//! The drop-in gateway: between a client and its model, in the client's own dialect.
//!
//! Text flows at once. From the first piece of a tool call on, that call is held, read, judged, mended, and released as
//! one well-formed call, or replaced by a text that says why not. Whatever needs no change passes byte for byte.

/// The dialects, and how they say that something went wrong.
pub mod wire;
/// Event streams, cut into frames.
pub mod sse;
/// What is held, and what was decided.
pub mod held;
/// The parts of a JSON text's outermost object.
mod top;
/// JSON text, read with patience and changed in place.
pub(crate) mod json;
/// What a client asks.
pub mod asked;
/// Streams, written again while they flow.
pub mod rewrite;
/// Whole answers.
pub mod body;
/// What goes back to the model.
pub(crate) mod correction;
/// Whether an upstream is away.
mod circuit;
/// A wait that is begun over and over.
mod idle_timer;
/// HTTP to one upstream.
pub mod client;
/// Straight or through a proxy.
pub mod transport;
/// Where requests go.
pub mod upstream;
/// The audit.
pub mod ledger;
/// How long the audit is kept.
pub mod retention;
/// An answer's calls before the engine.
pub mod judging;
/// Calls that need a person.
pub mod people;
/// Tool results that a request brings.
pub mod results;
/// Exchanges in their conversations, for people.
pub mod traffic;
/// From verdicts to what the client gets.
pub mod call_resolution;
/// What one answer is read with.
pub mod reading;
/// A streamed answer on its way.
mod driver;
/// Answers that are only watched.
mod watching;
/// START HERE: one exchange, from the client's request to the end of its answer.
pub mod exchange;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    asked::build_tables();
}
