//! A call that needs a person: asked for inside the client where it can ask its user, else put before whoever the driver
//! knows, else refused with a name to come back with.
//!
//! What a client says its user said is the client's word, and a hook may have answered for the person. So what cannot be
//! undone is never asked for there.

use super::calls::JudgedCall;
use super::message::{CAPABILITIES, Message};
use crate::review::{Conversation, NewReview, ProposedCall};
use countersign::check_call::Guard;
use countersign::check_call::secrets::redact;
use countersign::contract::{ToolCall, Verdict};
use countersign::decide::{Proposal, Scope};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A call that waits for a person.
pub struct PersonCase {
    pub(super) request: Message,
    pub(super) made: ToolCall,
    pub(super) guard: Arc<Guard>,
    /// What is proposed.
    pub proposal: Proposal,
    /// What the engine says of it.
    pub verdict: Verdict,
    /// What was known of the caller.
    pub context: Map<String, Value>,
}

impl PersonCase {
    /// A case; `None` where the policy denies the call, and nobody is asked.
    pub(super) fn of(judged: &JudgedCall, request: &Message, guard: &Arc<Guard>, scope: &Scope) -> Option<Self> {
        let name = judged.verdict.call.as_ref().map_or(judged.made.name.as_str(), |call| call.name.as_str());
        let digest = guard.registry().map(|registry| registry.digest(name)).unwrap_or_else(|| "".into());
        let proposal = Proposal::of(&judged.made, &judged.verdict, scope, &digest, &guard.policy().version)?;
        Some(Self {
            request: request.clone(),
            made: judged.made.clone(),
            guard: Arc::clone(guard),
            proposal,
            verdict: judged.verdict.clone(),
            context: judged.context.clone(),
        })
    }

    /// The call as the model made it.
    pub fn made(&self) -> Value {
        json!({"id": self.made.id, "name": self.made.name, "arguments": self.made.arguments})
    }

    /// The item for the queue of people.
    pub(super) fn review(&self, conversation: &str) -> NewReview {
        let proposed = ProposedCall {
            proposal: &self.proposal,
            made: self.made(),
            verdict: &self.verdict,
            verdict_id: "",
            explanation: &self.verdict.explanation,
            said: "",
            tools: self.tools(),
            messages: &[],
            context: Value::Object(self.context.clone()),
            conversation: Conversation::named(conversation),
            session: None,
        };
        proposed.review(self.made.id.as_deref())
    }

    /// The definition of the tool, by which the arguments of a reviewer are checked.
    fn tools(&self) -> Value {
        let registry = self.guard.registry();
        let spec = registry.and_then(|registry| registry.spec(registry.find(&self.proposal.call().name)?));
        let Some(spec) = spec else { return Value::Null };
        let input: Value =
            spec.input.as_ref().and_then(|schema| serde_json::from_str(schema.0.get()).ok()).unwrap_or_default();
        json!([{"name": spec.name, "description": spec.description, "inputSchema": input}])
    }

    /// What the model is told while nobody has decided.
    pub(super) fn waiting(&self, name: &str) -> String {
        let words = self.verdict.feedback.as_deref().unwrap_or(&self.verdict.explanation);
        format!("{words}\nIt waits for review as {name}. Call it again, unchanged, once it has been approved.")
    }

    /// Whether the client may be asked to ask its user.
    pub(super) fn may_be_asked_in_client(&self) -> bool {
        !self.guard.is_irreversible(&self.proposal.call().name)
    }

    /// A name for the case: the same call has the same one.
    pub(super) fn name(&self) -> String {
        let digest: String = self.proposal.binding().digest().chars().take(12).collect();
        format!("mcp_{digest}")
    }

    /// The question to the user, as `elicitation/create` asks it.
    pub(super) fn question(&self) -> Value {
        let ToolCall { name, arguments, .. } = self.proposal.call();
        let arguments = serde_json::to_string(arguments).unwrap_or_default();
        let shown: String = redact(&arguments).chars().take(LONGEST_SHOWN).collect();
        let message = format!("{} The call: {name} {shown}", self.verdict.explanation);
        json!({
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": {APPROVE: {"type": "boolean", "title": "Run this call", "default": false}},
                "required": [APPROVE],
            },
        })
    }
}

/// Whether an answer to the question is a yes.
pub(super) fn says_yes(answer: &Value) -> bool {
    answer.get("action").and_then(Value::as_str) == Some("accept")
        && answer.pointer("/content/approve").and_then(Value::as_bool) == Some(true)
}

/// Whether a client of the newer era says with a request that it can ask its user.
pub(super) fn can_ask(request: &Message) -> bool {
    let told = request.param("_meta").and_then(|meta| meta.get(CAPABILITIES));
    told.is_some_and(has_elicitation)
}

/// Whether these capabilities let a form be shown to the user.
pub(super) fn has_elicitation(capabilities: &Value) -> bool {
    match capabilities.get("elicitation") {
        Some(Value::Object(modes)) => modes.is_empty() || modes.contains_key("form"),
        _ => false,
    }
}

/// The answer of a server that needs more input, in the newer era.
pub(super) fn input_required(request: &Message, case: &PersonCase, state: &str) -> String {
    let result = json!({
        "resultType": "input_required",
        "inputRequests": {APPROVE: {"method": "elicitation/create", "params": case.question()}},
        "requestState": state,
    });
    json!({"jsonrpc": "2.0", "id": request.id(), "result": result}).to_string()
}

/// What the question and its one field are called.
pub(super) const APPROVE: &str = "approve";
const LONGEST_SHOWN: usize = 1_000;
