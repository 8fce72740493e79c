//! Countersign's engine: judges tool calls, tool results and answers. Pure, synchronous, no I/O, no clock.
//!
//! The rooms, in reading order. A room may use those above it, never those below; a test checks this.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a test that slices wrongly fails, as it should"))]

/// The shared words: call, finding, verdict.
pub mod contract;
/// Sentences, words and phrases of natural language.
pub mod text;
/// Foreign JSON into our words.
pub mod wire;
/// What the model really wrote.
pub mod parse;
/// What the operator wants.
pub mod policy;
/// What was said so far.
pub mod conversation;
/// Before a tool runs.
pub mod check_call;
/// After a tool ran.
pub mod check_result;
/// Tool definitions, pinned by digest.
pub mod pins;
/// Whether a text is in its sources.
pub mod grounding;
/// What nobody has verified yet.
pub mod claims;
/// How sure one may be of an answer.
pub mod score;
/// From findings to a decision.
pub mod decide;
/// From a verdict to words.
pub mod feedback;
/// START HERE: the whole line on one page.
pub mod inspect;
/// The one way from a model's words to released calls, verified results and examined answers.
pub mod resolve;
/// JSON text in, a report out: what every face shares.
pub mod lines;
/// Sessions of coding agents: commands, files, and what was said and not done.
pub mod coding;
/// Recorded traces of many programs, in one form.
pub mod traces;
/// A recorded conversation, judged from its beginning to its end.
pub mod audit;
/// What is weighed in a text, for those who learn weights.
#[cfg(feature = "training")]
#[doc(hidden)]
pub mod training;
/// Every table, built at once.
pub mod tables;
