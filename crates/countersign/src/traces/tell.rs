//! Which format a record is of, by what it holds.

use super::form::Format;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The format of a record; none where it does not tell.
pub fn tell(text: &str) -> Option<Format> {
    let text = text.trim_start();
    if text.starts_with('[') {
        let first = serde_json::from_str::<Vec<&RawValue>>(text).ok()?.into_iter().next()?;
        // A list of messages is one conversation; a list of exchanges would be told by its first.
        return tell_object(first.get());
    }
    tell_object(text)
}

fn tell_object(text: &str) -> Option<Format> {
    let fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(text).ok()?;
    let has = |key: &str| fields.get(key).is_some_and(|value| value.get() != "null");
    let word = |key: &str| fields.get(key).and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    let kind = word("type").unwrap_or_default();
    if has("resourceSpans") || has("resource_spans") {
        return Some(Format::Otlp);
    }
    if has("payload") && CODEX.contains(&kind.as_str()) {
        return Some(Format::Codex);
    }
    if kind == "api-request-shape" || (has("sessionId") && (has("uuid") || has("parentUuid"))) {
        return Some(Format::ClaudeCode);
    }
    if has("run_type") && (has("trace_id") || has("dotted_order")) {
        return Some(Format::Langsmith);
    }
    if word("object").is_some_and(|object| object == "trace.span" || object == "trace") || has("span_data") {
        return Some(Format::OpenaiAgents);
    }
    let observed = LANGFUSE.contains(&kind.as_str()) && (has("traceId") || has("trace_id"));
    if observed || has("observations") {
        return Some(Format::Langfuse);
    }
    if has("simulations") || has("traj") {
        return Some(Format::Tau2);
    }
    if has("samples") && has("eval") || (has("epoch") && has("messages") && has("target")) {
        return Some(Format::Inspect);
    }
    if has("projectHash")
        || (has("sessionId") && has("messages"))
        || matches!(kind.as_str(), "gemini")
        || has("toolCalls")
    {
        return Some(Format::GeminiCli);
    }
    let judged = has("findings") && (has("status") || has("is_suspicious"));
    if judged || has("verdicts") || (has("event_type") && has("payload")) || (has("events") && has("session")) {
        return Some(Format::Countersign);
    }
    if ITEMS.contains(&kind.as_str()) && (has("role") || has("call_id")) {
        return Some(Format::Codex);
    }
    let asks = ["messages", "request", "input", "conversation", "choices", "kwargs", "body"].iter().any(|key| has(key));
    if asks || (has("call") && fields.len() > 1) {
        return Some(Format::Requests);
    }
    (has("data") && tell(fields.get("data")?.get()).is_some()).then(|| tell(fields.get("data")?.get())).flatten()
}

const CODEX: &[&str] =
    &["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "token_usage_record"];
const ITEMS: &[&str] =
    &["message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"];
const LANGFUSE: &[&str] =
    &["GENERATION", "TOOL", "AGENT", "GUARDRAIL", "SPAN", "EVENT", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING"];
