//! Anthropic messages, whole and as events.

use super::script::Finish;
use super::sheet::{Sheet, named_event, pieces, with};
use serde_json::{Value, json};

/// The answer as one body.
pub(super) fn whole(sheet: &Sheet) -> Value {
    let usage = usage(sheet, sheet.written());
    with(head(sheet), json!({"content": blocks(sheet), "stop_reason": stop_reason(sheet), "usage": usage}))
}

/// The answer as events.
pub(super) fn events(sheet: &Sheet) -> Vec<String> {
    let begun = with(head(sheet), json!({"content": [], "stop_reason": null, "usage": usage(sheet, 1)}));
    let mut events = vec![json!({"type": "message_start", "message": begun})];
    let blocks = blocks(sheet);
    let first_call = blocks.len() - sheet.script.calls.len();
    for (index, block) in blocks.iter().enumerate() {
        let (open, deltas) = match index.checked_sub(first_call).and_then(|at| sheet.script.calls.get(at)) {
            Some(call) => (with(block.clone(), json!({"input": {}})), input_deltas(&call.arguments)),
            None => (json!({"type": "text", "text": ""}), text_deltas(sheet)),
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": open}));
        if index == 0 {
            events.push(json!({"type": "ping"}));
        }
        let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.into_iter().map(delta));
        if sheet.script.finish != Finish::Cut || index + 1 < blocks.len() {
            events.push(json!({"type": "content_block_stop", "index": index}));
        }
    }
    if sheet.script.finish != Finish::Cut {
        let delta = json!({"stop_reason": stop_reason(sheet), "stop_sequence": null});
        events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": sheet.written()}}));
        events.push(json!({"type": "message_stop"}));
    }
    events.iter().map(named_event).collect()
}

fn text_deltas(sheet: &Sheet) -> Vec<Value> {
    sheet.text_pieces().into_iter().map(|token| json!({"type": "text_delta", "text": token})).collect()
}

/// The input in pieces, the first of them empty, as the real server begins.
fn input_deltas(arguments: &str) -> Vec<Value> {
    let all = std::iter::once(String::new()).chain(pieces(arguments));
    all.map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).collect()
}

fn blocks(sheet: &Sheet) -> Vec<Value> {
    let script = &sheet.script;
    let mut blocks = Vec::new();
    if !script.text.is_empty() || script.calls.is_empty() {
        blocks.push(json!({"type": "text", "text": script.text}));
    }
    for (at, call) in script.calls.iter().enumerate() {
        // Input that is no JSON stays a text, as compatible servers leave it: an object would hide what was said.
        let input: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
        blocks.push(json!({"type": "tool_use", "id": sheet.call_id("toolu_", at), "name": call.name, "input": input}));
    }
    blocks
}

fn head(sheet: &Sheet) -> Value {
    json!({
        "id": sheet.names.id("msg_", "answer"), "type": "message", "role": "assistant", "model": sheet.asked.model,
        "content": [], "stop_reason": null, "stop_sequence": null,
    })
}

const fn stop_reason(sheet: &Sheet) -> &'static str {
    match sheet.script.finish {
        Finish::Calls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Stop | Finish::Cut => "end_turn",
    }
}

fn usage(sheet: &Sheet, written: usize) -> Value {
    json!({
        "input_tokens": sheet.read(), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        "output_tokens": written, "service_tier": "standard",
    })
}
