//! What a model said in one answer, in words that all dialects share.

use crate::contract::{ToolCall, Verdict};

/// One answer of a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Output<'a> {
    /// The words for the reader.
    pub text: &'a str,
    /// What it thought.
    pub thought: &'a str,
    /// Why it stopped.
    pub finish: Finish,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Finish {
    /// By itself.
    #[default]
    Stop,
    /// At the token limit.
    Limit,
}

/// A call of an answer, judged. `T` is what the face itself needs to know of the call.
#[derive(Debug, Clone)]
pub struct Judged<T> {
    /// The face's own.
    pub own: T,
    /// The call as the model made it.
    pub call: ToolCall,
    /// How much of it there is.
    pub extent: Extent,
    /// Whether its form has a place for an answer in words.
    pub answerable: bool,
    /// What the engine says of it.
    pub verdict: Verdict,
}

/// How much of a call there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// All of it but for its closing mark. It may run where what it does can be undone.
    Unclosed,
    /// A part of it. It never runs.
    Cut,
    /// An item of a kind that nobody here knows. It never runs.
    Unreadable,
}
