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
/// One model behind an OpenAI-compatible address, asked for one JSON object.
pub mod model;
/// A model that reads calls and answers a second time.
pub mod second_reader;
/// Answers kept for a time.
mod cache;
/// All sources of a policy, asked side by side.
mod asker;

use countersign::check_call::Guard;
use countersign::check_call::watch::{Nobody, Watch};
use countersign::contract::{Answer, Answers, Context, Question, StepReport, Verdict};
use countersign::conversation::Conversation;
use countersign::inspect::{self, AnswerReport};
use countersign::resolve::{self, KnownOfAnswer};
use countersign::wire::requests::{CheckRequest, StepRequest};

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
            let answers = asker.answer_all(&worth_asking(&verdict));
            inspect::check_watched(guard, request, conversation, &answers, watch)
        }
        _ => verdict,
    }
}

/// Examines an answer; where there is a second reader, once more with what it says.
pub fn examine_answer(
    guard: &Guard,
    conversation: &Conversation,
    context: &Context,
    (known, response): (&KnownOfAnswer<'_>, &str),
    asker: Option<&Asker>,
) -> Option<AnswerReport> {
    let report = resolve::examine_answer(guard, conversation, context, known, response)?;
    match asker {
        Some(asker) if !report.unanswered.is_empty() => {
            let answers = asker.answer_all(&report.unanswered);
            let known = KnownOfAnswer { answers: Some(&answers), ..*known };
            resolve::examine_answer(guard, conversation, context, &known, response)
        }
        _ => Some(report),
    }
}

/// Judges a step; where the engine asks something and there is somebody to ask, once more with the answers.
pub fn judge_step(guard: &Guard, request: &StepRequest, asker: Option<&Asker>) -> StepReport {
    let report = inspect::step(guard, request, &Answers::default());
    match asker {
        Some(asker) if !report.unanswered.is_empty() => {
            inspect::step(guard, request, &asker.answer_all(&report.unanswered))
        }
        _ => report,
    }
}

/// The questions of a verdict. A second reader is not asked about a call that will not run: it could not change that.
fn worth_asking(verdict: &Verdict) -> Vec<Question> {
    let asked = |question: &&Question| !(verdict.status.is_refused() && matches!(question, Question::Reading(_)));
    verdict.unanswered.iter().filter(asked).cloned().collect()
}
