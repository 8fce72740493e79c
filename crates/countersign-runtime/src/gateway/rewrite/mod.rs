//! Streams of the three dialects, written again while they flow: text at once, calls when they are decided.
//!
//! A rewriter reads frames and says which bytes may go to the client now. It holds the pieces of calls, and from the
//! first of them on the frames that say how the answer ended, because those depend on what becomes of the calls. It
//! decides nothing about a call, and what it does not understand and need not change it leaves as it came.

/// A chunk of a chat completion.
mod chunk;
/// Log-probabilities of text that is held.
mod measured;
/// A chunk at first sight.
mod glance;
/// Chunks that are like the one before.
mod repeated;
/// Chat completions.
pub(in crate::gateway) mod chat;
/// Messages.
pub(in crate::gateway) mod messages;
/// Responses.
pub(in crate::gateway) mod responses;

use super::held::{Held, Settled};
use super::sse::{Frame, Output};
use super::wire::{Fault, Wire};
use countersign::parse::KnownTools;

/// Reads a streamed answer and writes it for the client.
pub trait Rewriter: Send {
    /// Takes a frame. What may go to the client now is written.
    fn frame(&mut self, frame: &Frame, out: &mut Output) -> Result<(), Fault>;

    /// Whether the answer is over, so that nothing more need be read.
    fn is_over(&self) -> bool;

    /// The upstream sends no more. The rest of the text is written, and what is held is given for decision. An answer
    /// that was not finished is a fault.
    fn end(&mut self, ended: Ended, out: &mut Output) -> Result<Held, Fault>;

    /// Writes what was decided, and everything that was held behind it.
    fn close(&mut self, settled: &Settled, out: &mut Output);

    /// The number that the next event would have, for dialects that count.
    fn sequence(&self) -> u64 {
        0
    }
}

/// How the upstream's bytes ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// As they should.
    Clean,
    /// In the middle, for this reason.
    Broken(String),
}

/// How a stream is written again.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The tools to look for in the text; none where nothing is looked for.
    pub text_tools: Option<KnownTools>,
    /// Whether the frame that ends the answer is held in any case, because something is added to it.
    pub extend: Extend,
    /// What becomes of items that the client may run and that nobody here knows.
    pub unknown_items: UnknownItems,
}

/// What becomes of items of an answer that the client may run and that nobody here knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownItems {
    /// They are refused, with a note.
    #[default]
    Refuse,
    /// They pass, unjudged.
    Pass,
}

/// Whether something is added to the end of every answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extend {
    /// No.
    #[default]
    No,
    /// Perhaps: the end waits until the answer was examined.
    Wait,
    /// An extension field.
    Field,
}

/// The rewriter of a dialect.
pub fn rewriter(wire: Wire, options: Options) -> Box<dyn Rewriter> {
    match wire {
        Wire::Chat => Box::new(chat::Chat::new(options)),
        Wire::Messages => Box::new(messages::Messages::new(options)),
        Wire::Responses => Box::new(responses::Responses::new(options)),
    }
}

/// Adds figures of the same name, at every depth; what is no figure stays as it was.
pub fn add_usage(total: &mut serde_json::Value, more: &serde_json::Value) {
    use serde_json::Value;
    match (total, more) {
        (Value::Object(total), Value::Object(more)) => {
            for (key, value) in more {
                match total.get_mut(key) {
                    Some(known) => add_usage(known, value),
                    None => drop(total.insert(key.clone(), value.clone())),
                }
            }
        }
        (Value::Number(total), Value::Number(more)) => {
            if let (Some(one), Some(two)) = (total.as_u64(), more.as_u64()) {
                *total = one.saturating_add(two).into();
            }
        }
        (total @ Value::Null, more) => *total = more.clone(),
        _ => {}
    }
}

/// The most text that is remembered of a choice, for corrections and claims.
const MAX_TEXT: usize = 1 << 20;

/// Remembers text, up to a limit.
fn remember(kept: &mut String, text: &str) {
    if kept.len() + text.len() <= MAX_TEXT {
        kept.push_str(text);
    }
}
