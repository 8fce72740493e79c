//! START HERE: the whole line on one page.
//!
//! A call comes in as JSON; the guard checks it; `decide` gives the status; `feedback` finds the words. A step adds
//! the result and the answer. Every face of the product calls these functions, so the same call gets the same
//! verdict everywhere.

/// An answer read a second time.
mod second_reading;
/// A whole step: the call, its result and the answer.
pub(crate) mod step;
/// An answer at the end of a turn.
pub(crate) mod answer;
/// An answer weighed again after its claims were checked.
mod reassess;
pub mod parse;
pub mod claims;

pub use answer::{AnswerReport, AnswerRequest, CallConfidence, FactCounts, answer, claims_without_ground};
pub use reassess::reassess;
pub use step::answer_sources;
pub use step::{step, step_language};

use crate::check_call::watch::{DECISION, Nobody, Watch};
use crate::check_call::{Checked, Guard, Request, line};
use crate::contract::{Answers, Language, Mode, ReadingRecord, ToolCall, Verdict, VerdictDetails};
use crate::conversation::Conversation;
use crate::policy::Policy;
use crate::wire::requests::CheckRequest;
use crate::{decide, feedback};
use std::borrow::Cow;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    step::build_tables();
}

/// Judges one call.
pub fn check(guard: &Guard, request: &CheckRequest, answers: &Answers) -> Verdict {
    let conversation = Conversation::of(request.messages.clone());
    check_in(guard, request, &conversation, answers)
}

/// Judges one call in a conversation that is already indexed.
pub fn check_in(guard: &Guard, request: &CheckRequest, conversation: &Conversation, answers: &Answers) -> Verdict {
    check_watched(guard, request, conversation, answers, &mut Nobody)
}

/// The same, while somebody watches the line and its end, the decision.
pub fn check_watched<W: Watch>(
    guard: &Guard,
    request: &CheckRequest,
    conversation: &Conversation,
    answers: &Answers,
    watch: &mut W,
) -> Verdict {
    let (checked, language) = run(guard, request, conversation, answers, watch);
    watch.begin(DECISION);
    let findings = checked.findings.len();
    let verdict = verdict(request, checked, answers, language);
    watch.end(DECISION, || Mode::Enforce, findings);
    verdict
}

/// Judges the calls of one message, each by itself: one refusal does not drop its siblings.
pub fn check_batch(guard: &Guard, request: &CheckRequest, calls: Vec<ToolCall>, answers: &Answers) -> Vec<Verdict> {
    let conversation = Conversation::of(request.messages.clone());
    let mut request = request.clone();
    let judge = |call| {
        request.call = call;
        check_in(guard, &request, &conversation, answers)
    };
    calls.into_iter().map(judge).collect()
}

fn run<'a, W: Watch>(
    guard: &Guard,
    request: &'a CheckRequest,
    conversation: &'a Conversation,
    answers: &'a Answers,
    watch: &mut W,
) -> (Checked<'a>, Language) {
    let language = choose_language(request, conversation, guard.policy());
    let CheckRequest { call, context, level, .. } = request;
    let asked = Request { call, conversation, context, level: *level, language, answers };
    (line::check_watched(guard, &asked, watch), language)
}

/// The language that a call is answered in.
pub fn check_language(request: &CheckRequest, policy: &Policy) -> Language {
    choose_language(request, &Conversation::of(request.messages.clone()), policy)
}

fn choose_language(request: &CheckRequest, conversation: &Conversation, policy: &Policy) -> Language {
    request.language.or(policy.language).unwrap_or_else(|| conversation.language(&request.context))
}

fn verdict(request: &CheckRequest, checked: Checked<'_>, answers: &Answers, language: Language) -> Verdict {
    let status = decide::status(&checked);
    let feedback = status.is_refused().then(|| feedback::for_model(&request.call, status, &checked.findings, language));
    Verdict::new(VerdictDetails {
        id: request.id.clone(),
        status,
        score: decide::score(&checked),
        explanation: feedback::for_people(status, &checked.findings, language),
        call: checked.call.filter(|_| !status.is_refused()).map(Cow::into_owned),
        findings: checked.findings,
        shadow: checked.shadow,
        feedback,
        unanswered: checked.questions,
        readings: ReadingRecord::of(answers),
    })
}
