//! A call, a result or an answer put before people: one shape for the gateway and for hosted turns.

use super::item::{About, Conversation, NewReview, Origin};
use countersign::contract::digest::arguments_digest;
use countersign::contract::{ToolCall, ToolResult, Verdict, VerificationReport};
use countersign::decide::{Binding, Proposal};
use countersign::inspect::AnswerReport;
use serde_json::{Value, json};

/// A call that a person decides on, and what they see of it.
pub struct ProposedCall<'a> {
    /// What is proposed.
    pub proposal: &'a Proposal,
    /// The call as the model made it.
    pub made: Value,
    /// What the engine says of it.
    pub verdict: &'a Verdict,
    /// The verdict in the audit.
    pub verdict_id: &'a str,
    /// Why a person is asked.
    pub explanation: &'a str,
    /// What the model said beside it.
    pub said: &'a str,
    /// The tools, as they were declared.
    pub tools: Value,
    /// The conversation before it.
    pub messages: &'a [Value],
    /// What else is known of the caller.
    pub context: Value,
    /// The conversation that it came up in.
    pub conversation: Conversation,
    /// The hosted session, and its user.
    pub session: Option<(&'a str, Option<&'a str>)>,
}

impl ProposedCall<'_> {
    /// The item for the queue.
    pub fn review(self, call_id: Option<&str>) -> NewReview {
        let Self { proposal, verdict, messages, .. } = self;
        let ToolCall { name, arguments, .. } = proposal.call();
        let patch: Vec<_> = verdict.findings.iter().filter_map(|found| found.correction.as_ref()).collect();
        let recent = messages.get(messages.len().saturating_sub(RECENT)..).unwrap_or_default();
        let mut context = json!({"messages": recent, "explanation": self.explanation, "verdict_id": self.verdict_id});
        if let (Some((_, user)), Some(fields)) = (self.session, context.as_object_mut()) {
            fields.insert("user".to_owned(), json!(user));
        }
        NewReview {
            about: About::Call,
            waits: true,
            binding: proposal.binding().clone(),
            conversation: self.conversation,
            session_id: self.session.map(|(id, _)| id.to_owned()),
            call: json!({"id": call_id, "name": name, "arguments": arguments}),
            patch: json!(patch),
            findings: json!(verdict.findings),
            signals: json!({"score": verdict.score, "status": verdict.status}),
            context,
            request: json!({"tools": self.tools, "messages": messages, "context": self.context}),
            origin: Origin {
                made: Some(self.made),
                said: self.said.to_owned(),
                verdict_id: Some(self.verdict_id.to_owned()),
            },
        }
    }
}

/// A result that a person decides on.
pub struct ProposedResult<'a> {
    /// Who calls.
    pub caller: &'a str,
    /// The call that it answers.
    pub call: &'a ToolCall,
    /// The result.
    pub result: &'a ToolResult,
    /// What the checks say of it.
    pub report: &'a VerificationReport,
    /// The version of the policy.
    pub policy_version: &'a str,
    /// The conversation that it came up in.
    pub conversation: Conversation,
    /// The hosted session.
    pub hosted: Option<HostedResult<'a>>,
}

/// Where a result of a hosted turn came up.
#[derive(Debug, Clone, Copy)]
pub struct HostedResult<'a> {
    /// The session.
    pub session: &'a str,
    /// What the user asked.
    pub question: &'a str,
    /// The name of its examination in the audit.
    pub examination: &'a str,
    /// Whether the turn waits for the decision.
    pub waits: bool,
}

impl ProposedResult<'_> {
    /// The item for the queue.
    ///
    /// A client of the gateway brings a result again and again under the id of its call. In a session a retry makes the
    /// call anew, under another id: the same call with the same result is the same item there.
    pub fn review(self) -> NewReview {
        let Self { call, result, report, hosted, .. } = self;
        let content = &result.content;
        let digested = match hosted {
            Some(_) => json!({"result": content, "arguments": call.arguments}),
            None => json!({"result": content, "call_id": result.call_id}),
        };
        let mut context =
            json!({"kind": "result", "result": content, "concerns": report.concerns, "verification": report});
        if let (Some(hosted), Some(fields)) = (hosted, context.as_object_mut()) {
            fields.insert("messages".to_owned(), json!([{"role": "user", "content": hosted.question}]));
            fields.insert("explanation".to_owned(), json!(report.concerns.join("; ")));
        }
        NewReview {
            about: About::Result,
            waits: hosted.is_none_or(|hosted| hosted.waits),
            binding: Binding {
                caller: self.caller.to_owned(),
                tool: call.name.clone(),
                tool_digest: String::new(),
                arguments_digest: arguments_digest(&digested),
                policy_version: self.policy_version.to_owned(),
            },
            conversation: self.conversation,
            session_id: hosted.map(|hosted| hosted.session.to_owned()),
            call: json!({"id": call.id, "name": call.name, "arguments": call.arguments}),
            patch: json!([]),
            findings: json!(report.findings),
            signals: json!({"confidence": report.confidence, "checks_passed": report.checks_passed}),
            context,
            request: json!({}),
            origin: Origin { verdict_id: hosted.map(|hosted| hosted.examination.to_owned()), ..Origin::default() },
        }
    }
}

/// An answer of a hosted turn that a person decides on.
pub struct ProposedAnswer<'a> {
    /// Who calls.
    pub caller: &'a str,
    /// The session.
    pub session: &'a str,
    /// The answer's name in the session.
    pub message_id: &'a str,
    /// What was asked.
    pub question: &'a str,
    /// The answer, for the reader.
    pub answer: &'a str,
    /// What the checks say of it.
    pub report: &'a AnswerReport,
    /// Why a person is asked.
    pub explanation: &'a str,
    /// The conversation before it.
    pub messages: &'a [Value],
    /// The version of the policy.
    pub policy_version: &'a str,
    /// Whether the turn waits for the decision.
    pub waits: bool,
    /// What the turn must know of the answer when it goes on.
    pub heard: Value,
}

impl ProposedAnswer<'_> {
    /// The item for the queue. It has no call.
    pub fn review(self) -> NewReview {
        let Self { question, answer, report, messages, .. } = self;
        let recent = messages.get(messages.len().saturating_sub(RECENT)..).unwrap_or_default();
        NewReview {
            about: About::Answer,
            waits: self.waits,
            binding: Binding {
                caller: self.caller.to_owned(),
                tool: String::new(),
                tool_digest: About::Answer.name().to_owned(),
                arguments_digest: arguments_digest(&json!({"question": question, "answer": answer})),
                policy_version: self.policy_version.to_owned(),
            },
            conversation: Conversation::named(self.session),
            session_id: Some(self.session.to_owned()),
            call: json!({"id": null, "name": "", "arguments": {}}),
            patch: json!([]),
            findings: json!(report.findings),
            signals: json!({"score": report.score, "status": report.status, "confidence": report.confidence}),
            context: json!({
                "kind": "answer", "question": question, "answer": answer, "message_id": self.message_id,
                "messages": recent, "explanation": self.explanation,
            }),
            request: json!({ "heard": self.heard }),
            origin: Origin::default(),
        }
    }
}

/// So many of the newest messages are shown to a reviewer.
const RECENT: usize = 6;
