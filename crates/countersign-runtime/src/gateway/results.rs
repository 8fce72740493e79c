//! Tool results that a request brings: verified before the model sees them.
//!
//! A result that looks wrong passes and is recorded, or is marked for the model, or is withheld until a person has approved
//! it. What is done to a result is done to it again in every later request, so that the beginning of a conversation stays
//! the same.

use super::asked::Asked;
use super::people::{People, ResultAnswer, conversation};
use super::wire::Wire;
use crate::review::{Conversation, NewReview, ProposedResult};
use crate::turn::Rules;
use countersign::check_call::Guard;
use countersign::contract::{Context, ToolCall, ToolResult, VerificationReport};
use countersign::policy::SuspiciousResults;
use countersign::resolve::verify_result;
use countersign::wire::mark::mark_content;
use countersign::wire::messages::{read_message, read_result};
use serde_json::Value;
use std::collections::HashMap;

/// A result that was verified, and where it stands in the request.
#[derive(Debug)]
pub struct VerifiedResult {
    /// The call it answers.
    pub call: ToolCall,
    /// The result.
    pub result: ToolResult,
    /// What the checks say of it.
    pub report: VerificationReport,
    /// Whether the request brings it for the first time.
    pub newest: bool,
    /// Which message or item it stands in.
    at: usize,
    /// Where its content stands there.
    pointer: String,
}

/// What results are verified with.
pub struct ResultVerifier<'a> {
    /// The guard of the declared tools.
    pub guard: &'a Guard,
    /// The rules.
    pub rules: &'a Rules,
    /// What is known of the caller.
    pub context: &'a Context,
    /// Who calls.
    pub caller: &'a str,
    /// What becomes of those that look wrong.
    pub suspicious: SuspiciousResults,
}

impl ResultVerifier<'_> {
    /// Verifies the results of a request, and treats those that look wrong. Gives the new ones, right and wrong.
    pub async fn verify(&self, asked: &mut Asked, people: &People) -> Vec<VerifiedResult> {
        let messages = asked.conversation_items();
        let mut found = self.find(&messages);
        if self.suspicious != SuspiciousResults::Pass && found.iter().any(|result| result.report.is_suspicious) {
            let (mut edits, conversation) = (Vec::new(), conversation(asked));
            for result in found.iter().filter(|result| result.report.is_suspicious) {
                let content = match self.suspicious {
                    SuspiciousResults::Review => {
                        let new = self.propose(result, conversation.clone());
                        match people.ask_about_result(self.caller, new, result.newest).await {
                            ResultAnswer::Approved => continue,
                            // A tool's words are text on every wire.
                            ResultAnswer::Replaced(Value::String(text)) | ResultAnswer::Withheld(text) => {
                                Value::String(text)
                            }
                            ResultAnswer::Replaced(content) => Value::String(content.to_string()),
                        }
                    }
                    _ => {
                        let content = messages.get(result.at).and_then(|message| message.pointer(&result.pointer));
                        let text_type = if asked.wire == Wire::Responses { "input_text" } else { "text" };
                        mark_content(content.unwrap_or(&Value::Null), &result.report.concerns, text_type)
                    }
                };
                edits.push((result.at, result.pointer.clone(), content));
            }
            asked.edit(&edits);
        }
        found.retain(|result| result.newest);
        found
    }

    fn propose(&self, found: &VerifiedResult, conversation: Conversation) -> NewReview {
        let VerifiedResult { call, result, report, .. } = found;
        let (caller, policy_version) = (self.caller, &self.rules.policy.version);
        ProposedResult { caller, call, result, report, policy_version, conversation, hosted: None }.review()
    }

    /// The new results, and the old ones that look wrong: these are looked at only where something is done to them.
    fn find(&self, messages: &[Value]) -> Vec<VerifiedResult> {
        let last_call = messages.iter().rposition(|message| read_message(message).is_some_and(|m| !m.calls.is_empty()));
        let mut calls: HashMap<String, ToolCall> = HashMap::new();
        let mut found = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            for call in read_message(message).map(|message| message.calls).unwrap_or_default() {
                calls.extend(call.id.clone().map(|id| (id, call)));
            }
            let newest = last_call.is_none_or(|last| at > last);
            if !newest && self.suspicious == SuspiciousResults::Pass {
                continue;
            }
            for (pointer, result) in results(message) {
                let call = result.call_id.as_ref().and_then(|id| calls.get(id)).cloned();
                let Some(call) = call else { continue };
                let report = verify_result(self.guard, &call, &result, self.context);
                if newest || report.is_suspicious {
                    found.push(VerifiedResult { call, result, report, newest, at, pointer });
                }
            }
        }
        found
    }
}

/// The results of a message, and where their content stands.
fn results(message: &Value) -> Vec<(String, ToolResult)> {
    let kind = |value: &Value| value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(item) = message.as_object() else { return Vec::new() };
    if kind(message) == "function_call_output" {
        return vec![("/output".to_owned(), read_result(item))];
    }
    if item.get("role").and_then(Value::as_str) == Some("tool") {
        return vec![("/content".to_owned(), read_result(item))];
    }
    let blocks = item.get("content").and_then(Value::as_array).into_iter().flatten().enumerate();
    let found = blocks.filter(|(_, block)| kind(block) == "tool_result");
    found.filter_map(|(at, block)| Some((format!("/content/{at}/content"), read_result(block.as_object()?)))).collect()
}
