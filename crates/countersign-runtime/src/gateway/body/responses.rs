//! Responses as one body.

use crate::gateway::held::{CallForm, CallReader, Held, HeldCall, HeldChoice, Released, Settled, SettledChoice};
use crate::gateway::rewrite::UnknownItems;
use crate::gateway::rewrite::responses::form::{
    Role, call_item, call_key, is_limit, message_item, put_status, put_sums, put_text, said, text_of,
};
use crate::gateway::rewrite::responses::unknown_call;
use crate::models::TextScan;
use countersign::parse::native::Dialect;
use countersign::parse::{Finish, KnownTools};
use serde_json::{Value, json};

/// Where arguments stand that are no text.
pub(super) fn arguments(body: &Value) -> Vec<String> {
    let items = body.get("output").and_then(Value::as_array).into_iter().flatten().enumerate();
    let objects = items.filter(|(_, item)| item.get("arguments").is_some_and(Value::is_object));
    objects.map(|(at, _)| format!("/output/{at}/arguments")).collect()
}

/// What is held of an answer. Calls in texts are taken out of them.
pub(super) fn read(body: &mut Value, tools: Option<&KnownTools>, unknown: UnknownItems) -> Held {
    let cut = text_of(body, "status") == "incomplete";
    let finish = if cut { Finish::Length } else { Finish::Stop };
    let mut choice = HeldChoice { at_limit: cut && is_limit(body), ..HeldChoice::default() };
    choice.calls = native(body, finish, unknown);
    let usage = body.get("usage").filter(|usage| usage.is_object()).cloned();
    if let Some(items) = body.get_mut("output").and_then(Value::as_array_mut) {
        if let Some(tools) = tools {
            items.retain_mut(|item| take_written(item, tools, finish, &mut choice.calls) == Left::Something);
        }
        let known = |item: &Value| {
            matches!(text_of(item, "type"), "message" | "reasoning")
                || Role::of(item) == Role::Call
                || !item.is_object()
        };
        choice.has_more = !items.iter().all(known);
        choice.thoughts = items.iter().filter(|item| text_of(item, "type") == "reasoning").cloned().collect();
    }
    choice.text = body.get("output").map(said).unwrap_or_default();
    choice.has_more |= has_refusal(body);
    Held { choices: vec![choice], usage }
}

/// The calls of the output. How the response ended says which of them are whole.
fn native(body: &Value, finish: Finish, unknown: UnknownItems) -> Vec<HeldCall> {
    let items = body.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let held: Vec<&Value> = items.iter().filter(|item| Role::of(item).is_held(unknown)).collect();
    let (calls, unknown): (Vec<&Value>, Vec<&Value>) = held.into_iter().partition(|item| Role::of(item) == Role::Call);
    let unknown = unknown.into_iter().map(unknown_call);
    if calls.is_empty() {
        return unknown.collect();
    }
    let mut reader = CallReader::new(Dialect::Responses);
    // What is still being made may be cut anywhere.
    let status = match body.get("status") {
        Some(status) if status == "in_progress" || status == "queued" => &json!("cancelled"),
        None | Some(Value::Null) => &json!("completed"),
        Some(status) => status,
    };
    reader.take(&json!({"status": status, "incomplete_details": body.get("incomplete_details"), "output": calls}));
    reader.finish(finish).into_iter().chain(unknown).collect()
}

/// Whether a message of the output holds a part that is no text.
fn has_refusal(body: &Value) -> bool {
    let items = body.get("output").and_then(Value::as_array).into_iter().flatten();
    let mut parts = items.filter_map(|item| item.get("content").and_then(Value::as_array)).flatten();
    parts.any(|part| !matches!(text_of(part, "type"), "output_text" | "reasoning_text" | "summary_text"))
}

/// Whether something is left of a message.
#[derive(PartialEq)]
enum Left {
    Something,
    Nothing,
}

/// Takes the calls out of a message's texts.
fn take_written(item: &mut Value, tools: &KnownTools, finish: Finish, calls: &mut Vec<HeldCall>) -> Left {
    if text_of(item, "type") != "message" {
        return Left::Something;
    }
    let Some(parts) = item.get_mut("content").and_then(Value::as_array_mut) else { return Left::Something };
    let before = calls.len();
    for part in parts.iter_mut().filter(|part| text_of(part, "type") == "output_text") {
        let text = text_of(part, "text").to_owned();
        let mut scan = TextScan::new(tools);
        let mut shown = scan.push(&text).unwrap_or(text);
        shown.push_str(&scan.finish(finish));
        if let (true, Some(fields)) = (scan.has_calls(), part.as_object_mut()) {
            put_text(fields, "text", &shown);
            calls.extend(scan.take_calls().into_iter().map(HeldCall::from));
        }
    }
    let blank = |part: &Value| text_of(part, "type") == "output_text" && text_of(part, "text").trim().is_empty();
    if calls.len() > before && parts.iter().all(blank) { Left::Nothing } else { Left::Something }
}

/// Puts what was decided into the answer.
pub(super) fn write(body: &mut Value, held: &Held, settled: &Settled) {
    // A later answer and what is said about calls are one message.
    let note = settled.choice(0).and_then(|decided| decided.stream_note("")).map(|note| message_item(body, &note));
    let Some(response) = body.as_object_mut() else { return };
    if let Some(decided) = settled.choice(0) {
        put_status(response, decided);
        let items = response.entry("output").or_insert_with(|| json!([]));
        let before = items.as_array().cloned().unwrap_or_default();
        let held: Vec<&HeldCall> = held.choices.iter().flat_map(|choice| &choice.calls).collect();
        *items = Value::Array(output(before, decided, note, &held));
    }
    put_sums(response, settled);
}

/// The items: those that came, with the calls that are released; the note stands before the calls.
fn output(before: Vec<Value>, decided: &SettledChoice, note: Option<Value>, held: &[&HeldCall]) -> Vec<Value> {
    let mut waiting: Vec<&Released> = decided.calls.iter().collect();
    let mut items = Vec::with_capacity(before.len() + waiting.len() + 1);
    for item in before {
        if decided.replacement.is_some() && text_of(&item, "type") == "message" {
            continue;
        }
        if !is_held(&item, held) {
            items.push(item);
            continue;
        }
        let found = waiting.iter().position(|call| call_key(&item) == Some(call.id.as_str()));
        if let Some(at) = found {
            items.push(released(item, waiting.remove(at)));
        }
    }
    items.extend(waiting.into_iter().map(|call| call_item(None, call)));
    let place = items.iter().position(|item| Role::of(item) == Role::Call).unwrap_or(items.len());
    items.splice(place..place, note);
    items
}

/// Whether an item was held: a call, or one of a kind that nobody here knows and that does not pass.
fn is_held(item: &Value, held: &[&HeldCall]) -> bool {
    match Role::of(item) {
        Role::Call => true,
        Role::Unknown => held.iter().any(|call| call.form == CallForm::Unknown),
        Role::Shown => false,
    }
}

/// A call in the place where it came: one that needs no change stays as it is.
fn released(item: Value, call: &Released) -> Value {
    let same = |key: &str, text: &str| text_of(&item, key) == text;
    let same_arguments = match call.form {
        CallForm::Item(known) => {
            let came = item.as_object().and_then(|fields| known.arguments(fields));
            serde_json::from_str::<Value>(&call.arguments).is_ok_and(|arguments| Some(arguments) == came)
        }
        CallForm::Text => same("name", &call.name) && same("input", &call.arguments),
        _ => same("name", &call.name) && same("arguments", &call.arguments),
    };
    let done = item.get("status").is_none_or(|status| status == "completed" || status.is_null());
    if same("call_id", &call.id) && same_arguments && done {
        return item;
    }
    call_item(Some(item), call)
}
