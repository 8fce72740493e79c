//! Messages as one body.
//!
//! Blocks of calls keep their place and the fields that are not known here. It never leaves a blank text behind where a
//! call was taken out: providers refuse a history that has one.

use crate::gateway::held::{Held, HeldCall, HeldChoice, Released, Settled, SettledChoice, bounded_name};
use crate::gateway::json::find;
use crate::gateway::rewrite::messages::{is_limit, is_unknown_call, stop_reason};
use crate::gateway::rewrite::{Options, UnknownItems, add_usage};
use crate::gateway::top::elements;
use crate::models::TextScan;
use countersign::parse::{Finish, KnownTools};
use serde_json::{Value, json};

/// What is held of an answer. Calls in texts are taken out of them.
pub(super) fn read(body: &mut Value, text: &str, options: &Options) -> Held {
    let inputs = inputs(body, text);
    let usage = body.get("usage").filter(|usage| usage.is_object()).cloned();
    let at_limit = body.get("stop_reason").and_then(Value::as_str).is_some_and(is_limit);
    let mut found = HeldChoice { at_limit, ..HeldChoice::default() };
    let content = body.get_mut("content").and_then(Value::as_array_mut);
    let mut left = content.as_ref().map_or(0, |content| content.len());
    if let Some(content) = content {
        let mut inputs = inputs.into_iter();
        content.retain_mut(|block| {
            left -= 1;
            let input = inputs.next().flatten();
            // A limit cuts the block that was being written, which is the last.
            let finish = if at_limit && left == 0 { Finish::Length } else { Finish::Stop };
            read_block(block, input, finish, options, &mut found)
        });
    }
    Held { choices: vec![found], usage }
}

/// The inputs of calls as they are written, block by block.
fn inputs(body: &Value, text: &str) -> Vec<Option<String>> {
    let Some(blocks) = body.get("content").and_then(Value::as_array) else { return Vec::new() };
    if !blocks.iter().any(is_call) {
        return Vec::new();
    }
    let content = find(text, "/content").unwrap_or_default();
    let texts = elements(content).into_iter().flatten().map(|place| content.get(place).unwrap_or_default());
    let input = |text: &str| find(text, "/input").map(str::to_owned);
    blocks.iter().zip(texts).map(|(block, text)| input(text).filter(|_| is_call(block))).collect()
}

/// Reads a block. Says whether something of it is left.
fn read_block(
    block: &mut Value,
    input: Option<String>,
    finish: Finish,
    options: &Options,
    found: &mut HeldChoice,
) -> bool {
    let tools = options.text_tools.as_ref();
    match block.get("type").and_then(Value::as_str) {
        Some(kind) if is_unknown_call(kind) && options.unknown_items == UnknownItems::Refuse => {
            let id = block.get("id").and_then(Value::as_str).map(str::to_owned);
            found.calls.push(HeldCall::unknown(kind, id, block));
            // It never goes out.
            return false;
        }
        Some("tool_use") => {
            let call = call(block, input, finish, found);
            found.calls.push(call);
        }
        Some("thinking" | "redacted_thinking") => found.thoughts.push(block.clone()),
        Some("text") => {
            let Some(Value::String(text)) = block.get_mut("text") else { return true };
            let taken = tools.is_some_and(|tools| take_calls(text, finish, tools, found));
            found.text.push_str(text);
            return !taken || !text.trim().is_empty();
        }
        _ => found.has_more = true,
    }
    true
}

/// Takes calls out of a text. Says whether there were any.
fn take_calls(text: &mut String, finish: Finish, tools: &KnownTools, found: &mut HeldChoice) -> bool {
    let mut scan = TextScan::new(tools);
    let mut shown = scan.push(text).unwrap_or_else(|| text.clone());
    shown.push_str(&scan.finish(finish));
    if scan.has_calls() {
        *text = shown;
    }
    let before = found.calls.len();
    found.calls.extend(scan.take_calls().into_iter().map(HeldCall::from));
    found.calls.len() > before
}

/// The call of a block.
fn call(block: &Value, input: Option<String>, finish: Finish, found: &HeldChoice) -> HeldCall {
    let told = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    let written = match block.get("input") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(read) => input.unwrap_or_else(|| read.to_string()),
    };
    // Two results under one id could not be told apart: the second call goes without.
    let id = told("id").filter(|id| !found.calls.iter().any(|call| call.id.as_ref() == Some(id)));
    let name = bounded_name(&told("name").unwrap_or_default());
    HeldCall { id, name, written, complete: finish == Finish::Stop, ..HeldCall::default() }
}

/// Puts what was decided into the answer. Gives the inputs of released calls as they are to be written, and where.
pub(super) fn write(body: &mut Value, held: &Held, settled: &Settled) -> Vec<(String, String)> {
    let mut places = Vec::new();
    if let Some(decided) = settled.choice(0) {
        let told = body.get("stop_reason").and_then(Value::as_str);
        let reason = stop_reason(told, decided).to_owned();
        let shown = held.choices.first().map_or("", |choice| choice.text.as_str());
        if let Some(content) = body.get_mut("content").and_then(Value::as_array_mut) {
            write_content(content, decided, shown);
            places = written_inputs(content, decided);
        }
        if let Some(fields) = body.as_object_mut() {
            fields.insert("stop_reason".to_owned(), Value::String(reason));
        }
    }
    if let Some(usage) = body.get_mut("usage").filter(|usage| usage.is_object()) {
        settled.more_usage.iter().for_each(|more| add_usage(usage, more));
    }
    places
}

/// Where the inputs of released calls stand, and how they are written.
fn written_inputs(content: &[Value], decided: &SettledChoice) -> Vec<(String, String)> {
    let blocks = content.iter().enumerate().filter(|(_, block)| is_call(block));
    let written = blocks.filter_map(|(at, block)| {
        let id = block.get("id").and_then(Value::as_str)?;
        let call = decided.calls.iter().find(|call| call.id == id)?;
        let object = call.arguments.trim_ascii_start().starts_with('{') && block.get("input").is_some_and(is_filled);
        object.then(|| (format!("/content/{at}/input"), call.arguments.clone()))
    });
    written.collect()
}

fn is_filled(input: &Value) -> bool {
    input.as_object().is_some_and(|fields| !fields.is_empty())
}

/// Released calls take the place of the blocks with their id, others come last, and what is said about the rest stands
/// before them.
fn write_content(content: &mut Vec<Value>, decided: &SettledChoice, shown: &str) {
    if let Some(text) = &decided.replacement {
        content.retain(|block| block.get("type").is_none_or(|kind| kind != "text"));
        content.push(json!({"type": "text", "text": text}));
    }
    let shown = decided.replacement.as_deref().unwrap_or(shown);
    let mut left: Vec<&Released> = decided.calls.iter().collect();
    content.retain_mut(|block| {
        if !is_call(block) {
            return true;
        }
        let id = block.get("id").and_then(Value::as_str);
        let Some(at) = left.iter().position(|call| Some(call.id.as_str()) == id) else { return false };
        put_call(block, left.remove(at));
        true
    });
    for call in left {
        let mut block = json!({"type": "tool_use", "id": call.id});
        put_call(&mut block, call);
        content.push(block);
    }
    if let Some(note) = decided.note(shown) {
        let at = content.iter().position(is_call).unwrap_or(content.len());
        content.insert(at, json!({"type": "text", "text": note}));
    }
}

/// Puts a call into a block: fields that we do not know stay.
fn put_call(block: &mut Value, call: &Released) {
    let Some(fields) = block.as_object_mut() else { return };
    fields.insert("name".to_owned(), Value::String(call.name.clone()));
    let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    fields.insert("input".to_owned(), input);
}

fn is_call(block: &Value) -> bool {
    block.get("type").is_some_and(|kind| kind == "tool_use")
}
