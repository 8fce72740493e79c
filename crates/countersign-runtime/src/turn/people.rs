//! Calls that a person is asked about.

use super::turn_context::AgentRun;
use super::verdicts::Judged;
use crate::review::{Binding, Conversation, NewReview, Origin, Review, ReviewState, arguments_digest, tool_digest};
use crate::stream::Draft;
use countersign::contract::{ContentType, EventType, Language, Status};
use serde_json::{Value, json};
use std::sync::Arc;

impl AgentRun<'_> {
    /// What a person is asked; `before` is what was said beside the call and goes to the log with it.
    pub(super) fn proposal(&self, judged: &Judged, messages: &Arc<Vec<Value>>, before: &[Draft]) -> NewReview {
        let session = self.context.session;
        let call = judged.proposed.clone();
        let tool = call.get("name").and_then(Value::as_str).unwrap_or(&judged.call.name).to_owned();
        let findings = judged.verdict.get("findings").cloned().unwrap_or_default();
        let corrections = findings.as_array().into_iter().flatten().filter_map(|found| found.get("correction"));
        let patch: Vec<_> = corrections.filter(|correction| !correction.is_null()).cloned().collect();
        let recent = messages.iter().skip(messages.len().saturating_sub(RECENT)).cloned().collect::<Vec<_>>();
        let user = session.user.as_deref().unwrap_or_default();
        let registry = self.tools.guard.registry();
        let explanation = self.why_asked(judged, &tool);
        let binding = Binding {
            caller: format!("{}/{user}/{}", session.caller, session.session_id),
            tool_digest: tool_digest(registry.and_then(|registry| registry.spec(registry.find(&tool)?))),
            tool,
            arguments_digest: arguments_digest(call.get("arguments").unwrap_or(&Value::Null)),
            policy_version: self.context.rules.policy.version.clone(),
        };
        NewReview {
            binding,
            conversation: Conversation::named(&session.session_id),
            session_id: Some(session.session_id.clone()),
            call,
            patch: json!(patch),
            findings,
            signals: json!({"score": judged.verdict.get("score"), "status": judged.status}),
            context: json!({"messages": recent, "user": session.user, "explanation": explanation}),
            request: json!({
                "tools": self.tools.specs, "messages": messages.as_ref(), "context": session.context,
            }),
            origin: Origin {
                made: Some(judged.made()),
                said: words(before),
                verdict_id: Some(judged.verdict_id.clone()),
            },
        }
    }

    /// Why a person is asked: what the verdict says, or that a call which is fine cannot be undone.
    fn why_asked(&self, judged: &Judged, tool: &str) -> String {
        match (judged.status, self.context.language) {
            (Status::RequiresReview, _) => judged.explanation.clone(),
            (_, Language::Chinese) => format!("`{tool}` 的操作无法撤销，需要人工确认。"),
            (_, _) => format!("What `{tool}` does cannot be undone, so a person decides."),
        }
    }
}

/// The words of an answer among what is to be written.
fn words(drafts: &[Draft]) -> String {
    let message = drafts.iter().find(|draft| draft.kind == EventType::Message);
    let content = message.and_then(|draft| draft.fields.get("content")).and_then(Value::as_str);
    content.unwrap_or_default().to_owned()
}

/// The event that a person is asked.
pub(super) fn review_draft(review: &Review, judged: &Judged, step: &str) -> Draft {
    let fields = json!({
        "review_id": review.review_id,
        "call_id": judged.call_id,
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

/// So many of the newest messages are shown to a reviewer.
const RECENT: usize = 6;
