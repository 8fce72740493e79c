//! Calls and results that a person is asked about.

use super::turn_context::AgentRun;
use super::verdicts::{JudgedCall, made};
use crate::review::{Conversation, NewReview, ProposedCall, Review, ReviewState};
use crate::stream::Draft;
use countersign::contract::{ContentType, EventType, Language, Status};
use countersign::decide::Proposal;
use countersign::resolve::Words;
use serde_json::{Value, json};

impl AgentRun<'_> {
    /// A call for the queue, with what was said before it and beside it.
    pub(super) fn new_review(
        &self,
        judged: &JudgedCall,
        proposal: &Proposal,
        messages: &[Value],
        before: &[Draft],
    ) -> NewReview {
        let session = self.context.session;
        let asked = judged.verdict.status == Status::RequiresReview || judged.verdict.status.is_refused();
        let explanation = match asked {
            true => judged.verdict.explanation.clone(),
            false => Words(self.context.language).irreversible(&proposal.call().name),
        };
        let proposed = ProposedCall {
            proposal,
            made: made(judged),
            verdict: &judged.verdict,
            verdict_id: &judged.own.verdict_id,
            explanation: &explanation,
            said: &words(before),
            tools: json!(self.tools.specs),
            messages,
            context: session.context.clone(),
            conversation: Conversation::named(&session.session_id),
            session: Some((&session.session_id, session.user.as_deref())),
        };
        proposed.review(Some(&judged.own.call_id))
    }
}

/// The words of an answer among what is to be written.
fn words(drafts: &[Draft]) -> String {
    let message = drafts.iter().find(|draft| draft.kind == EventType::Message);
    let content = message.and_then(|draft| draft.fields.get("content")).and_then(Value::as_str);
    content.unwrap_or_default().to_owned()
}

/// The event that a person is asked.
pub(super) fn review_draft(review: &Review, call_id: &str, step: &str) -> Draft {
    let fields = json!({
        "review_id": review.review_id,
        "call_id": call_id,
        "tool": review.tool,
        "call": review.call,
        "findings": review.findings,
        "explanation": review.context.get("explanation"),
        "expires_at": review.expires_at,
        "step": step,
    });
    Draft::new(EventType::ReviewRequired, "countersign", ContentType::Json, fields)
}

/// What the model is told of a no.
pub(super) fn denial(review: &Review, language: Language) -> String {
    let reason = review.decided.as_ref().and_then(|decided| decided.reason.as_deref());
    match (language, review.state, reason) {
        (Language::Chinese, ReviewState::Expired, _) => "无人及时批准此调用，因此没有执行。".to_owned(),
        (Language::Chinese, _, Some(reason)) => format!("审核人拒绝了此调用，因此没有执行：{reason}"),
        (Language::Chinese, _, None) => "审核人拒绝了此调用，因此没有执行。".to_owned(),
        (_, ReviewState::Expired, _) => "Nobody approved this call in time, so it was not run.".to_owned(),
        (_, _, Some(reason)) => format!("A reviewer rejected this call, so it was not run: {reason}"),
        (_, _, None) => "A reviewer rejected this call, so it was not run.".to_owned(),
    }
}
