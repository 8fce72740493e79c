//! A `tools/call`, judged by the whole line: passed on as it came, mended, or answered with what is wrong.

use super::answer::refuse;
use super::message::{Message, key};
use super::settings::McpGuardSettings;
use crate::ask::judge_in;
use crate::stream::now_millis;
use crate::turn::Rules;
use crate::wall_clock;
use countersign::check_call::Guard;
use countersign::contract::{Context, Status, ToolCall, Verdict};
use countersign::conversation::Conversation;
use countersign::wire::requests::CheckRequest;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A call and what the engine says of it.
pub(super) struct JudgedCall {
    /// As the model made it.
    pub made: ToolCall,
    /// What is said of it.
    pub verdict: Verdict,
    /// What was known of the caller.
    pub context: Map<String, Value>,
}

/// Judges a call.
pub(super) fn judge(settings: &McpGuardSettings, rules: &Rules, guard: &Guard, request: &Message) -> JudgedCall {
    let made = read_call(request);
    let mut context = settings.context.clone();
    wall_clock::fill_in(&mut context, now_millis());
    // What is passed on keeps its digits, however many there are.
    context.insert("numbers".to_owned(), "as_written".into());
    let check = CheckRequest {
        id: Value::Null,
        tools: None,
        messages: Vec::new(),
        call: made.clone(),
        context: Context(context),
        level: settings.level,
        language: settings.language,
    };
    let verdict = judge_in(guard, &check, &Conversation::of(Vec::new()), rules.asker.as_deref());
    JudgedCall { made, verdict, context: check.context.0 }
}

/// The call in a request.
pub(super) fn read_call(request: &Message) -> ToolCall {
    let name = request.param("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = request.param("arguments").cloned().unwrap_or(Value::Null).into();
    ToolCall { id: request.id().map(key), name, arguments }
}

impl JudgedCall {
    /// The call as it is passed on; `None` where it is not.
    pub(super) fn released(&self) -> Option<&ToolCall> {
        self.verdict.call.as_ref().filter(|_| !self.verdict.status.is_refused())
    }

    /// Whether a person has to decide.
    pub(super) fn needs_person(&self) -> bool {
        self.verdict.status == Status::RequiresReview
    }

    /// What the model is told instead of a result.
    pub(super) fn refusal(&self, request: &Message) -> String {
        refuse(request, self.verdict.feedback.as_deref().unwrap_or(&self.verdict.explanation))
    }
}

/// The request with the call that may run in it. What the call and the request share keeps its bytes.
pub(super) fn write_call(request: &Message, made: &ToolCall, call: &ToolCall) -> String {
    if call.name == made.name && call.arguments == made.arguments {
        return request.text.clone();
    }
    let mut value = request.value.clone();
    if let Some(params) = value.get_mut("params").and_then(Value::as_object_mut) {
        params.insert("name".to_owned(), Value::String(call.name.clone()));
        if call.arguments != made.arguments {
            params.insert("arguments".to_owned(), serde_json::to_value(&call.arguments).unwrap_or_default());
        }
    }
    request.changed(&value)
}

/// What a result is examined with.
pub(super) struct CallOnItsWay {
    /// The call as it was passed on.
    pub call: ToolCall,
    /// The guard that judged it.
    pub guard: Arc<Guard>,
    /// What was known of the caller.
    pub context: Map<String, Value>,
}
