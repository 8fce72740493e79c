//! From a model's words to a released call, a verified result and an examined answer: one way for every face.
//!
//! Everything that a gateway, a hosted turn, an MCP guard or a hook decides is decided here, without I/O: `calls` is the
//! machine that takes judged calls and says which are released, sent back, shown to a person or refused; `answers` says
//! when an answer is none; `results` verifies what came back. Faces carry what they are told and judge nothing.

/// What a model said.
pub mod output;
/// What tells whether two calls are one.
pub mod call_key;
/// The calls of a correction, each in its place.
mod placing;
/// What is said about calls and answers that do not go on.
pub mod words;
/// The calls of answers: released, sent back, shown to a person, refused.
pub mod calls;
/// How the correction of a call ended.
mod correction;
/// Results, verified.
pub mod results;
/// Answers: examined, and asked for again where they are none.
pub mod answers;

pub use answers::{
    AnswerFault, Asker, KnownOfAnswer, doubt, examine_answer, find_fault, has_ground, has_thoughts, open_steps,
};
pub use call_key::CallKey;
pub use calls::{
    Disposition, Irreversible, Next, PersonSaid, Placed, Refusal, RefusalKind, Release, Resolution, ResolveOptions,
    Slot, Standing,
};
pub use output::{Extent, Finish, Judged, Output};
pub use results::verify_result;
pub use words::Words;
