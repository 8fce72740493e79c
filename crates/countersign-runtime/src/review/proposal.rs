//! A call or a result put before people: one shape for the gateway and for hosted turns.

use super::item::{Conversation, NewReview, Origin};
use countersign::contract::digest::arguments_digest;
use countersign::contract::{ToolCall, ToolResult, Verdict, VerificationReport};
use countersign::decide::{Binding, Proposal};
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

/// A result that a person decides on before the model sees it.
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
    pub session: Option<&'a str>,
}

impl ProposedResult<'_> {
    /// The item for the queue.
    pub fn review(self) -> NewReview {
        let Self { call, result, report, .. } = self;
        let content = &result.content;
        NewReview {
            binding: Binding {
                caller: self.caller.to_owned(),
                tool: call.name.clone(),
                tool_digest: String::new(),
                arguments_digest: arguments_digest(&json!({"result": content, "call_id": result.call_id})),
                policy_version: self.policy_version.to_owned(),
            },
            conversation: self.conversation,
            session_id: self.session.map(str::to_owned),
            call: json!({"id": call.id, "name": call.name, "arguments": call.arguments}),
            patch: json!([]),
            findings: json!(report.findings),
            signals: json!({"confidence": report.confidence, "checks_passed": report.checks_passed}),
            context: json!({"kind": "result", "result": content, "concerns": report.concerns}),
            request: json!({}),
            origin: Origin::default(),
        }
    }
}

/// So many of the newest messages are shown to a reviewer.
const RECENT: usize = 6;
