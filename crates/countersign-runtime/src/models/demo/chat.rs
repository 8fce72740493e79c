//! OpenAI chat completions, whole and in chunks.

use super::conversation::Delivery;
use super::script::Finish;
use super::sheet::{Sheet, or_null, pieces, with};
use serde_json::{Value, json};

/// The answer as one body.
pub(super) fn whole(sheet: &Sheet) -> Value {
    let mut message = json!({"role": "assistant", "content": or_null(&sheet.script.text), "refusal": null});
    let calls: Vec<Value> = (0..sheet.script.calls.len()).map(|at| call(sheet, at)).collect();
    if !calls.is_empty() {
        message = with(message, json!({"tool_calls": calls}));
    }
    let logprobs = sheet.probabilities().map(logprobs);
    let choice = json!({"index": 0, "message": message, "logprobs": logprobs, "finish_reason": finish(sheet)});
    with(head(sheet, "chat.completion"), json!({"choices": [choice], "usage": usage(sheet)}))
}

/// The answer as events.
pub(super) fn events(sheet: &Sheet) -> Vec<String> {
    let probabilities = sheet.probabilities();
    let content = if sheet.script.text.is_empty() { Value::Null } else { json!("") };
    let mut chunks = vec![chunk(sheet, json!({"role": "assistant", "content": content, "refusal": null}), Value::Null)];
    for (at, token) in sheet.text_pieces().into_iter().enumerate() {
        let told = probabilities.as_ref().and_then(|all| all.get(at)).cloned();
        let told = told.map_or(Value::Null, |told| logprobs(vec![told]));
        chunks.push(chunk(sheet, json!({"content": token}), told));
    }
    for (at, made) in sheet.script.calls.iter().enumerate() {
        let function = json!({"name": made.name, "arguments": ""});
        let begin = json!({"index": at, "id": sheet.call_id("call_", at), "type": "function", "function": function});
        chunks.push(chunk(sheet, json!({"tool_calls": [begin]}), Value::Null));
        for piece in pieces(&made.arguments) {
            let more = json!({"index": at, "function": {"arguments": piece}});
            chunks.push(chunk(sheet, json!({"tool_calls": [more]}), Value::Null));
        }
    }
    let mut events: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    if sheet.script.finish != Finish::Cut {
        events.extend(end(sheet));
    }
    events
}

/// The last chunks: why it ends, what it cost where that was asked for, and the mark of the end.
fn end(sheet: &Sheet) -> Vec<String> {
    let choice = json!({"index": 0, "delta": {}, "logprobs": null, "finish_reason": finish(sheet)});
    let mut events = vec![format!("data: {}\n\n", add_usage(sheet, json!({"choices": [choice]})))];
    if sheet.asked.delivery == Delivery::StreamWithUsage {
        let last = with(head(sheet, CHUNK), json!({"choices": [], "usage": usage(sheet)}));
        events.push(format!("data: {last}\n\n"));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn chunk(sheet: &Sheet, delta: Value, logprobs: Value) -> Value {
    let choice = json!({"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": null});
    add_usage(sheet, json!({"choices": [choice]}))
}

/// A chunk: where usage was asked for, all but the last carry the field empty.
fn add_usage(sheet: &Sheet, choices: Value) -> Value {
    let chunk = with(head(sheet, CHUNK), choices);
    if sheet.asked.delivery == Delivery::StreamWithUsage { with(chunk, json!({"usage": null})) } else { chunk }
}

fn head(sheet: &Sheet, object: &str) -> Value {
    json!({
        "id": sheet.names.id("chatcmpl-", "answer"),
        "object": object,
        "created": sheet.names.moment(),
        "model": sheet.asked.model,
        "service_tier": "default",
        "system_fingerprint": "fp_demo",
    })
}

fn call(sheet: &Sheet, at: usize) -> Value {
    let made = sheet.script.calls.get(at);
    let function = json!({"name": made.map(|call| &call.name), "arguments": made.map(|call| &call.arguments)});
    json!({"id": sheet.call_id("call_", at), "type": "function", "function": function})
}

fn logprobs(content: Vec<Value>) -> Value {
    json!({"content": content, "refusal": null})
}

const fn finish(sheet: &Sheet) -> &'static str {
    match sheet.script.finish {
        Finish::Calls => "tool_calls",
        Finish::Length => "length",
        Finish::Stop | Finish::Cut => "stop",
    }
}

fn usage(sheet: &Sheet) -> Value {
    let (read, written) = (sheet.read(), sheet.written());
    json!({
        "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
        },
    })
}

const CHUNK: &str = "chat.completion.chunk";
