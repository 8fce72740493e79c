//! A call that may run: made from a verdict or from a person's approval, and from nothing else (RESOLVE-2).
//!
//! A `ClearedCall` cannot be read back from JSON, and no field of it can be set. A verdict is made by the engine only; an
//! approval by the review queue only, and it is good for the proposal that it was given on. After a restart a call is
//! judged again: what was cleared once is not cleared by a log.

use super::binding::Binding;
use crate::contract::digest::arguments_digest;
use crate::contract::{Arguments, Finding, Mode, Outcome, Status, ToolCall, Verdict};
use serde_json::Value;
use std::sync::Arc;

/// Who calls, and in which conversation: what a cleared call is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Who calls.
    pub caller: Arc<str>,
    /// The session, turn or answer that the call belongs to.
    pub conversation: Arc<str>,
}

impl Scope {
    /// A scope.
    pub fn new(caller: &str, conversation: &str) -> Self {
        Self { caller: caller.into(), conversation: conversation.into() }
    }
}

/// A call that may run, for one caller, in one conversation, by one definition of its tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearedCall {
    call: ToolCall,
    scope: Scope,
    tool_digest: Arc<str>,
}

impl ClearedCall {
    /// The call of a verdict, where it may run.
    pub fn of(verdict: &Verdict, scope: &Scope, tool_digest: &Arc<str>) -> Option<Self> {
        if verdict.status.is_refused() {
            return None;
        }
        let call = verdict.call.clone()?;
        Some(Self { call, scope: scope.clone(), tool_digest: Arc::clone(tool_digest) })
    }

    /// A call of a tool that the operator only observes: it goes on as the model made it, whatever the verdict says.
    pub(crate) fn observed(call: ToolCall, scope: &Scope, tool_digest: &Arc<str>) -> Self {
        Self { call, scope: scope.clone(), tool_digest: Arc::clone(tool_digest) }
    }

    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Whether it is good here: the same caller, the same conversation, and the tool as it was when it was judged.
    pub fn is_good_for(&self, scope: &Scope, tool_digest: &str) -> bool {
        self.scope == *scope && *self.tool_digest == *tool_digest
    }
}

/// A call that a person is asked about: with the repairs that were applied, and what an approval is bound to.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    call: ToolCall,
    binding: Binding,
    scope: Scope,
    tool_digest: Arc<str>,
}

impl Proposal {
    /// The proposal of a judged call. None where the policy denies it: nobody is asked about that.
    pub fn of(
        made: &ToolCall,
        verdict: &Verdict,
        scope: &Scope,
        tool_digest: &Arc<str>,
        policy_version: &str,
    ) -> Option<Self> {
        if is_denied(verdict) {
            return None;
        }
        let call = propose(made, verdict);
        let binding = Binding {
            caller: scope.caller.to_string(),
            tool: call.name.clone(),
            tool_digest: tool_digest.to_string(),
            arguments_digest: arguments_digest(&read_arguments(&call)),
            policy_version: policy_version.to_owned(),
        };
        Some(Self { call, binding, scope: scope.clone(), tool_digest: Arc::clone(tool_digest) })
    }

    /// The call to show.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// What an approval is bound to.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// The call that a person approved. An approval of anything else clears nothing.
    pub fn approve(&self, approval: Approval) -> Option<ClearedCall> {
        let Approval { binding, call } = approval;
        if binding != self.binding.digest() || call.name != self.call.name {
            return None;
        }
        let call = ToolCall { id: self.call.id.clone(), ..call };
        Some(ClearedCall { call, scope: self.scope.clone(), tool_digest: Arc::clone(&self.tool_digest) })
    }
}

/// A person's approval, as the review queue hands it out: once. Its arguments are the proposed ones, or those that the
/// person wrote and that were checked when they did.
#[derive(Debug)]
pub struct Approval {
    binding: String,
    call: ToolCall,
}

impl Approval {
    /// An approval of what the binding's digest names. The review queue is the only caller; a test keeps it so.
    pub fn grant(binding: String, call: ToolCall) -> Self {
        Self { binding, call }
    }
}

/// Whether the policy denies the call, so that neither the model nor a person can mend it.
pub fn is_denied(verdict: &Verdict) -> bool {
    use crate::contract::codes::context::{DENIED, RULE_FAILED};
    use crate::contract::codes::fact::MISSING_PERMISSION;
    let denies = |finding: &Finding| {
        let by_rule = [&DENIED, &RULE_FAILED, &MISSING_PERMISSION].iter().any(|code| finding.code.is(code));
        by_rule && finding.outcome == Outcome::Deny && finding.mode == Mode::Enforce && !finding.is_applied()
    };
    verdict.status == Status::Rejected && verdict.findings.iter().any(denies)
}

/// The call with the repairs that the engine applied.
fn propose(made: &ToolCall, verdict: &Verdict) -> ToolCall {
    let (mut call, mended) = match &verdict.call {
        Some(call) => (call.clone(), true),
        None => (made.clone(), false),
    };
    call.id = made.id.clone();
    let mut document = serde_json::json!({"name": call.name, "arguments": read_arguments(&call)});
    let applied = verdict.findings.iter().filter_map(|found| found.correction.as_ref()).filter(|fix| fix.applied);
    for operation in applied.filter(|_| !mended).flat_map(|fix| &fix.patch) {
        operation.apply(&mut document);
    }
    let name = document.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = document.get("arguments").cloned().unwrap_or_default();
    ToolCall { id: call.id, name, arguments: arguments.into() }
}

/// The arguments as JSON; a string that is JSON counts as that JSON.
pub fn read_arguments(call: &ToolCall) -> Value {
    match &call.arguments {
        Arguments::Text(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}
