//! Answers to the engine's questions (CALL-7).
//!
//! The engine asks whether an endpoint, a permission or a record exists; here somebody looks. Every look has a
//! deadline, a failure or a panic of one source stays its own, and what could not be found out is `Unknown`, never a
//! silent yes. Nothing here judges: the same engine runs again with the answers.

/// Why a source cannot be used, or did not answer.
mod error;
/// Files that are read again when they change.
mod file;
/// One bounded HTTP look-up.
mod web;
/// Endpoints from OpenAPI documents.
mod openapi;
/// Permissions from a file or over HTTP.
mod permissions;
/// Records from CSV, JSON, SQLite or over HTTP.
mod records;
/// Answers kept for a time.
mod cache;
/// All sources of a policy, asked side by side.
mod asker;

use countersign::check_call::Guard;
use countersign::check_call::watch::{Nobody, Watch};
use countersign::contract::{Answer, Answers, Question, Verdict};
use countersign::conversation::Conversation;
use countersign::inspect;
use countersign::wire::requests::CheckRequest;

pub use asker::Asker;
pub use error::AskError;
pub use file::document;

/// Somebody who can answer questions about the world. Yours is registered with [`Asker::register`].
///
/// A checker is called from several threads at once. It should keep its own time, because a thread cannot be killed:
/// an answer that comes after the deadline is thrown away.
pub trait FactChecker: Send + Sync {
    /// Answers a question, or says why it cannot.
    fn answer(&self, question: &Question) -> Result<Answer, AskError>;
}

/// Judges one call; where the engine asks something and there is somebody to ask, judges it again with the answers.
pub fn judge(guard: &Guard, request: &CheckRequest, asker: Option<&Asker>) -> Verdict {
    judge_in(guard, request, &Conversation::of(request.messages.clone()), asker)
}

/// The same in a conversation that is already indexed.
pub fn judge_in(guard: &Guard, request: &CheckRequest, conversation: &Conversation, asker: Option<&Asker>) -> Verdict {
    judge_watched(guard, request, conversation, asker, &mut Nobody)
}

/// The same, while somebody watches: where it is judged a second time, they see that it begins again.
pub fn judge_watched<W: Watch>(
    guard: &Guard,
    request: &CheckRequest,
    conversation: &Conversation,
    asker: Option<&Asker>,
    watch: &mut W,
) -> Verdict {
    let verdict = inspect::check_watched(guard, request, conversation, &Answers::default(), watch);
    match asker {
        Some(asker) if !verdict.unanswered.is_empty() => {
            let answers = asker.answer_all(&verdict.unanswered);
            inspect::check_watched(guard, request, conversation, &answers, watch)
        }
        _ => verdict,
    }
}
