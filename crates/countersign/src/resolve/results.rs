//! What came back from a tool, verified against the tool and the call it answers.

use super::words::strip_mark;
use crate::check_call::Guard;
use crate::check_result;
use crate::contract::{Context, ToolCall, ToolResult, VerificationReport};
use crate::conversation::Conversation;
use crate::wire::requests::VerifyRequest;
use serde_json::Value;

/// Verifies a result. Every face asks here, so one result has one report.
pub fn verify_result(guard: &Guard, call: &ToolCall, result: &ToolResult, context: &Context) -> VerificationReport {
    let registry = guard.registry();
    let tool = registry.and_then(|registry| registry.spec(registry.find(&call.name)?)).cloned();
    let request = VerifyRequest {
        id: Value::Null,
        tool,
        call: call.clone(),
        result: result.clone(),
        context: context.clone(),
        level: None,
        language: None,
    };
    check_result::verify(&request, guard.policy())
}

/// The calls of a conversation with their results, oldest first; what was marked in front of a result is taken off.
pub fn paired_results(conversation: &Conversation) -> Vec<(&ToolCall, ToolResult)> {
    let messages = conversation.messages();
    let calls = messages.iter().flat_map(|message| &message.calls);
    let find = |call: &ToolCall| {
        let mut results = messages.iter().flat_map(|message| &message.results);
        let mut result = results.find(|result| result.call_id.is_some() && result.call_id == call.id)?.clone();
        if let Value::String(text) = &result.content {
            let stripped = strip_mark(text);
            if stripped.len() < text.len() {
                result.content = crate::wire::messages::unwrap_content(Value::String(stripped.to_owned()));
            }
        }
        Some(result)
    };
    calls.filter_map(|call| Some((call, find(call)?))).collect()
}
