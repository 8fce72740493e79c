//! Calls, results and answers that a person is asked about, and the words for what they say.

use super::journal::DECIDED;
use super::outbox::warning_with;
use super::turn_context::AgentRun;
use super::verdicts::{JudgedCall, made};
use crate::review::{About, Conversation, NewReview, ProposedCall, Review, ReviewState, Reviewed};
use crate::stream::Draft;
use countersign::contract::{ContentType, EventType, Language, Severity, Status};
use countersign::decide::Proposal;
use countersign::inspect::AnswerReport;
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
            context: self.context.call_context.clone(),
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

/// The event that a person is asked about a call.
pub(super) fn review_draft(review: &Review, call_id: &str, step: &str) -> Draft {
    asked_draft(review, json!({"call_id": call_id, "tool": review.tool, "call": review.call, "step": step}))
}

/// The event that a person is asked about what came back from a call.
pub(super) fn result_review_draft(review: &Review, call_id: &str) -> Draft {
    asked_draft(review, json!({"call_id": call_id, "tool": review.tool, "call": review.call}))
}

/// The event that a person is asked about an answer. Its words are for the reviewer alone.
pub(super) fn answer_review_draft(review: &Review, message_id: &str, step: &str) -> Draft {
    asked_draft(review, json!({"message_id": message_id, "step": step}))
}

fn asked_draft(review: &Review, about: Value) -> Draft {
    let fields = json!({
        "review_id": review.review_id,
        "about": review.about(),
        "findings": review.findings,
        "explanation": review.context.get("explanation"),
        "expires_at": review.expires_at,
    });
    let mut draft = Draft::new(EventType::ReviewRequired, "countersign", ContentType::Json, fields);
    if let Value::Object(about) = about {
        draft.fields.extend(about);
    }
    draft
}

/// Who decided what, for the event of what they decided on.
pub(super) fn reviewed(review: &Review) -> Value {
    let decided = review.decided.as_ref();
    json!({
        "review_id": review.review_id,
        "state": review.state,
        "reviewer": decided.and_then(|decided| decided.reviewer.as_deref()),
        "reason": review.reason(),
    })
}

/// The event of what a person decided on a result or an answer: `about` names it.
pub(super) fn decided_draft(review: &Review, language: Language, about: Value) -> Draft {
    let mut more = reviewed(review);
    if let (Some(fields), Value::Object(about)) = (more.as_object_mut(), about) {
        fields.insert("about".to_owned(), json!(review.about()));
        fields.extend(about);
    }
    warning_with(DECIDED, &decision(review, language), more)
}

/// A decision on a result or an answer, in a sentence.
fn decision(review: &Review, language: Language) -> String {
    let chinese = language == Language::Chinese;
    let what = match (review.about(), chinese) {
        (About::Result, true) => format!("`{}` 的结果", review.tool),
        (About::Result, false) => format!("the result of `{}`", review.tool),
        (_, true) => "这条回答".to_owned(),
        (_, false) => "this answer".to_owned(),
    };
    let sentence = match (review.reviewed(), chinese) {
        (Some(Reviewed::Replaced(_)), true) => format!("审核人替换了{what}。"),
        (Some(Reviewed::Replaced(_)), false) => format!("A reviewer replaced {what}."),
        (Some(Reviewed::Withheld), _) if review.state == ReviewState::Expired => match chinese {
            true => format!("无人及时审核{what}。"),
            false => format!("Nobody decided on {what} in time."),
        },
        (Some(Reviewed::Withheld), true) => format!("审核人拒绝了{what}。"),
        (Some(Reviewed::Withheld), false) => format!("A reviewer rejected {what}."),
        (_, true) => format!("审核人接受了{what}。"),
        (_, false) => format!("A reviewer accepted {what}."),
    };
    match review.reason() {
        Some(reason) => format!("{sentence} {reason}"),
        None => sentence,
    }
}

/// What the model is told instead of a result that is withheld.
pub(super) fn withheld_result(review: &Review, language: Language) -> String {
    match (language, review.state, review.reason()) {
        (Language::Chinese, ReviewState::Rejected, Some(reason)) => {
            format!("错误：此调用的结果看起来有问题，已被扣留：审核人拒绝了它：{reason}")
        }
        (Language::Chinese, ReviewState::Rejected, None) => {
            "错误：此调用的结果看起来有问题，已被扣留：审核人拒绝了它。".to_owned()
        }
        (Language::Chinese, ..) => "错误：此调用的结果看起来有问题，已被扣留：没有人批准它。".to_owned(),
        (_, ReviewState::Rejected, Some(reason)) => {
            format!("Error: the result of this call looked wrong and is withheld: a reviewer rejected it: {reason}")
        }
        (_, ReviewState::Rejected, None) => {
            "Error: the result of this call looked wrong and is withheld: a reviewer rejected it.".to_owned()
        }
        _ => "Error: the result of this call looked wrong and is withheld: a person has not approved it.".to_owned(),
    }
}

/// What the reader is told instead of an answer that is withheld.
pub(super) fn withheld_answer(review: &Review, language: Language) -> String {
    match (language, review.state, review.reason()) {
        (Language::Chinese, ReviewState::Expired, _) => "无人及时审核这条回答，因此没有显示。".to_owned(),
        (Language::Chinese, _, Some(reason)) => format!("审核人没有放行这条回答：{reason}"),
        (Language::Chinese, _, None) => "审核人没有放行这条回答。".to_owned(),
        (_, ReviewState::Expired, _) => "This answer is withheld: nobody approved it in time.".to_owned(),
        (_, _, Some(reason)) => format!("A reviewer withheld this answer: {reason}"),
        (_, _, None) => "A reviewer withheld this answer.".to_owned(),
    }
}

/// Why a person is asked about an answer.
pub(super) fn why_doubted(report: &AnswerReport, language: Language) -> String {
    let grave = report.findings.iter().filter(|finding| finding.severity > Severity::Info);
    let found: Vec<&str> = grave.map(|finding| finding.evidence.as_str()).take(5).collect();
    match (found.is_empty(), language) {
        (false, _) => found.join("; "),
        (true, Language::Chinese) => format!("这条回答的置信度只有 {:.2}。", report.score),
        (true, _) => format!("The confidence in this answer is only {:.2}.", report.score),
    }
}

/// What the model is told of a no.
pub(super) fn denial(review: &Review, language: Language) -> String {
    match (language, review.state, review.reason()) {
        (Language::Chinese, ReviewState::Expired, _) => "无人及时批准此调用，因此没有执行。".to_owned(),
        (Language::Chinese, _, Some(reason)) => format!("审核人拒绝了此调用，因此没有执行：{reason}"),
        (Language::Chinese, _, None) => "审核人拒绝了此调用，因此没有执行。".to_owned(),
        (_, ReviewState::Expired, _) => "Nobody approved this call in time, so it was not run.".to_owned(),
        (_, _, Some(reason)) => format!("A reviewer rejected this call, so it was not run: {reason}"),
        (_, _, None) => "A reviewer rejected this call, so it was not run.".to_owned(),
    }
}

/// Who speaks where a person put their words in the place of an answer.
pub(super) const REVIEWER: &str = "reviewer";
