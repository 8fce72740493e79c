//! OpenAI responses, whole and as numbered events.

use super::script::Finish;
use super::sheet::{Sheet, named_event, pieces, with};
use serde_json::{Value, json};

/// The answer as one body.
pub(super) fn whole(sheet: &Sheet) -> Value {
    let ended = if sheet.script.finish == Finish::Length { "incomplete" } else { "completed" };
    response(sheet, ended, items(sheet))
}

/// The answer as events.
pub(super) fn events(sheet: &Sheet) -> Vec<String> {
    let begun = response(sheet, "in_progress", Vec::new());
    let mut told = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    let items = items(sheet);
    for (at, item) in items.iter().enumerate() {
        let last = at + 1 == items.len();
        let mut events = match item.get("type").and_then(Value::as_str) {
            Some("message") => message_events(sheet, at, item),
            _ => call_events(at, item),
        };
        if last && sheet.script.finish == Finish::Cut {
            // What says that the item is done never comes.
            events
                .retain(|event| !event.get("type").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("done")));
        }
        told.extend(events);
    }
    match sheet.script.finish {
        Finish::Cut => {}
        Finish::Length => told.push(json!({"type": "response.incomplete", "response": whole(sheet)})),
        Finish::Stop | Finish::Calls => told.push(json!({"type": "response.completed", "response": whole(sheet)})),
    }
    let numbered = |(number, event)| named_event(&with(event, json!({"sequence_number": number})));
    told.into_iter().enumerate().map(numbered).collect()
}

fn message_events(sheet: &Sheet, at: usize, item: &Value) -> Vec<Value> {
    let place = json!({"item_id": item.get("id"), "output_index": at, "content_index": 0});
    let event = |kind: &str, more: Value| with(with(json!({"type": kind}), place.clone()), more);
    let open = with(item.clone(), json!({"status": "in_progress", "content": []}));
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": at, "item": open}),
        event("response.content_part.added", json!({"part": part("", Vec::new())})),
    ];
    let probabilities = sheet.probabilities().unwrap_or_default();
    for (number, token) in sheet.text_pieces().into_iter().enumerate() {
        let told: Vec<&Value> = probabilities.get(number).into_iter().collect();
        events.push(event("response.output_text.delta", json!({"delta": token, "logprobs": told})));
    }
    let done = json!({"text": sheet.script.text, "logprobs": probabilities});
    events.push(event("response.output_text.done", done));
    let whole = part(&sheet.script.text, probabilities);
    events.push(event("response.content_part.done", json!({"part": whole})));
    events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    events
}

fn call_events(at: usize, item: &Value) -> Vec<Value> {
    let place = json!({"item_id": item.get("id"), "output_index": at});
    let event = |kind: &str, more: Value| with(with(json!({"type": kind}), place.clone()), more);
    let open = with(item.clone(), json!({"status": "in_progress", "arguments": ""}));
    let mut events = vec![json!({"type": "response.output_item.added", "output_index": at, "item": open})];
    let arguments = item.get("arguments").and_then(Value::as_str).unwrap_or_default();
    for piece in pieces(arguments) {
        events.push(event("response.function_call_arguments.delta", json!({"delta": piece})));
    }
    let done = json!({"name": item.get("name"), "arguments": arguments});
    events.push(event("response.function_call_arguments.done", done));
    events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    events
}

/// The finished items. Only the last one can have been cut.
fn items(sheet: &Sheet) -> Vec<Value> {
    let script = &sheet.script;
    let mut items = Vec::new();
    if !script.text.is_empty() || script.calls.is_empty() {
        let content = [part(&script.text, sheet.probabilities().unwrap_or_default())];
        let id = sheet.names.id("msg_", "message");
        items.push(json!({
            "id": id, "type": "message", "status": "completed", "role": "assistant", "content": content,
        }));
    }
    for (at, call) in script.calls.iter().enumerate() {
        items.push(json!({
            "id": sheet.names.id("fc_", &format!("item {at}")), "type": "function_call", "status": "completed",
            "call_id": sheet.call_id("call_", at), "name": call.name, "arguments": call.arguments,
        }));
    }
    if let Some(last) = items.last_mut().filter(|_| script.finish == Finish::Length) {
        *last = with(last.take(), json!({"status": "incomplete"}));
    }
    items
}

fn part(text: &str, logprobs: Vec<Value>) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": logprobs})
}

fn response(sheet: &Sheet, status: &str, output: Vec<Value>) -> Value {
    let details = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
    let usage = (status != "in_progress").then(|| usage(sheet));
    let asked = |field: &str, usual: Value| match sheet.asked.body.get(field) {
        None | Some(Value::Null) => usual,
        Some(value) => value.clone(),
    };
    json!({
        "id": sheet.names.id("resp_", "answer"), "object": "response", "created_at": sheet.names.moment(),
        "status": status, "background": false, "error": null, "incomplete_details": details,
        "instructions": asked("instructions", Value::Null),
        "max_output_tokens": asked("max_output_tokens", Value::Null),
        "model": sheet.asked.model, "output": output,
        "parallel_tool_calls": asked("parallel_tool_calls", json!(true)),
        "previous_response_id": asked("previous_response_id", Value::Null),
        "reasoning": {"effort": null, "summary": null}, "store": false,
        "temperature": asked("temperature", json!(1.0)), "text": asked("text", json!({"format": {"type": "text"}})),
        "tool_choice": asked("tool_choice", json!("auto")), "tools": asked("tools", json!([])),
        "top_p": asked("top_p", json!(1.0)), "truncation": "disabled", "usage": usage, "user": null,
        "metadata": asked("metadata", json!({})),
    })
}

fn usage(sheet: &Sheet) -> Value {
    let (read, written) = (sheet.read(), sheet.written());
    json!({
        "input_tokens": read, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": written, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": read + written,
    })
}
