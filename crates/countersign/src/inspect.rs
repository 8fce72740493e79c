//! START HERE: the whole line on one page.
//!
//! A call comes in as JSON; the guard checks it; `decide` gives the status; `feedback` finds the words. Every face
//! of the product calls these functions, so the same call gets the same verdict everywhere.

use crate::check_call::{self, Guard, Request};
use crate::contract::{Answers, Verdict};
use crate::conversation::Conversation;
use crate::wire::requests::CheckRequest;
use crate::{decide, feedback};

/// Judges one call.
pub fn check(guard: &Guard, request: &CheckRequest, answers: &Answers) -> Verdict {
    let conversation = Conversation::of(request.messages.clone());
    check_in(guard, request, &conversation, answers)
}

/// Judges one call in a conversation that is already indexed.
pub fn check_in(guard: &Guard, request: &CheckRequest, conversation: &Conversation, answers: &Answers) -> Verdict {
    let language =
        request.language.or(guard.policy().language).unwrap_or_else(|| conversation.language(&request.context));
    let asked = Request {
        call: &request.call,
        conversation,
        context: &request.context,
        level: request.level,
        language,
        answers,
    };
    let checked = check_call::check(guard, &asked);
    let status = decide::status(&checked);
    let score = decide::score(&checked);
    let feedback = status.is_refused().then(|| feedback::for_model(&request.call, &checked.findings, language));
    let explanation = feedback::for_people(status, &checked.findings, language);
    Verdict {
        id: request.id.clone(),
        status,
        score,
        call: checked.call.filter(|_| !status.is_refused()),
        findings: checked.findings,
        shadow: checked.shadow,
        feedback,
        explanation,
        unanswered: checked.questions,
    }
}
