//! What came back from a tool, verified against the tool and the call it answers.

use crate::check_call::Guard;
use crate::check_result;
use crate::contract::{Context, ToolCall, ToolResult, VerificationReport};
use crate::wire::requests::VerifyRequest;
use serde_json::Value;

/// Verifies a result. Every face asks here, so one result has one report.
pub fn verify_result(guard: &Guard, call: &ToolCall, result: &ToolResult, context: &Context) -> VerificationReport {
    let registry = guard.registry();
    let tool = registry.and_then(|registry| registry.spec(registry.find(&call.name)?)).map(|spec| spec.to_spec());
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
