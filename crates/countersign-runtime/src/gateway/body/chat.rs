//! Chat completions as one body.

use crate::gateway::held::{
    CallForm, CallReader, Held, HeldCall, HeldChoice, Origin, Released, Settled, SettledChoice,
};
use crate::gateway::rewrite::add_usage;
use crate::gateway::rewrite::chat::{has_calls, has_more, is_limit, put_finish};
use crate::models::TextScan;
use countersign::parse::native::Dialect;
use countersign::parse::{Finish, KnownTools};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The parts of an answer that show whether it holds calls.
#[derive(Deserialize)]
struct Glance<'a> {
    #[serde(borrow)]
    choices: Vec<ChoiceGlance<'a>>,
}

#[derive(Deserialize)]
struct ChoiceGlance<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(borrow)]
    message: MessageGlance<'a>,
}

#[derive(Deserialize)]
struct MessageGlance<'a> {
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function_call: Option<&'a RawValue>,
}

/// What is held of an answer that certainly holds no call, which is most of them; `None` where it must be read whole.
pub(super) fn glance(body: &[u8], tools: Option<&KnownTools>) -> Option<Held> {
    let glance: Glance = serde_json::from_slice(body).ok()?;
    let mut choices = Vec::with_capacity(glance.choices.len());
    for choice in glance.choices {
        let message = choice.message;
        if message.function_call.is_some() || message.tool_calls.is_some_and(|calls| calls.get() != "[]") {
            return None;
        }
        let text = message.content.unwrap_or_default();
        if text.trim().is_empty() {
            // It may be asked for again, and then its thoughts count.
            return None;
        }
        if let Some(tools) = tools.filter(|_| !text.is_empty()) {
            let mut scan = TextScan::new(tools);
            scan.push(&text);
            scan.finish(Finish::Stop);
            if scan.has_calls() {
                return None;
            }
        }
        let index = choice.index.unwrap_or(0);
        choices.push(HeldChoice { index, text: text.into_owned(), ..HeldChoice::default() });
    }
    // What it cost matters only to corrections, and there are none.
    Some(Held { choices, usage: None })
}

/// Where arguments stand that are no text.
pub(super) fn arguments(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (at, choice) in body.get("choices").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let calls = choice.pointer("/message/tool_calls").and_then(Value::as_array).into_iter().flatten().enumerate();
        let places = calls.map(|(call, _)| format!("/message/tool_calls/{call}/function/arguments"));
        let places = places.chain(["/message/function_call/arguments".to_owned()]);
        let objects = places.filter(|place| choice.pointer(place).is_some_and(Value::is_object));
        found.extend(objects.map(|place| format!("/choices/{at}{place}")));
    }
    found
}

/// What is held of an answer. Calls in texts are taken out of them.
pub(super) fn read(body: &mut Value, tools: Option<&KnownTools>) -> Held {
    let mut held = Held { choices: Vec::new(), usage: body.get("usage").filter(|usage| usage.is_object()).cloned() };
    for choice in body.get_mut("choices").and_then(Value::as_array_mut).into_iter().flatten() {
        held.choices.push(read_choice(choice, tools));
    }
    held
}

fn read_choice(choice: &mut Value, tools: Option<&KnownTools>) -> HeldChoice {
    let at_limit = choice.get("finish_reason").and_then(Value::as_str).is_some_and(is_limit);
    let finish = if at_limit { Finish::Length } else { Finish::Stop };
    let mut calls = choice.get("message").filter(|message| has_calls(message)).map(native).unwrap_or_default();
    // The last of a body that was cut is the one that was being written.
    if let (true, Some(last)) = (at_limit, calls.last_mut()) {
        let whole = || serde_json::from_str::<Map<String, Value>>(&last.written).is_ok();
        last.complete = last.complete && last.form != CallForm::Text && whole();
    }
    let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
    let mut found = HeldChoice { index, at_limit, ..HeldChoice::default() };
    if let Some(message) = choice.get_mut("message").and_then(Value::as_object_mut) {
        if let (Some(tools), Some(Value::String(text))) = (tools, message.get_mut("content")) {
            let mut scan = TextScan::new(tools);
            let mut shown = scan.push(text).unwrap_or_else(|| text.clone());
            shown.push_str(&scan.finish(finish));
            if scan.has_calls() {
                *text = shown;
                calls.extend(scan.take_calls().into_iter().map(HeldCall::from));
            }
        }
        let said = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        found.has_more = has_more(message);
        found.text = said("content");
        let thoughts =
            Some(said("reasoning_content")).filter(|text| !text.is_empty()).unwrap_or_else(|| said("reasoning"));
        found.thoughts.extend(Some(thoughts).filter(|text| !text.is_empty()).map(Value::String));
    }
    found.calls = calls;
    found
}

/// The calls of a message.
fn native(message: &Value) -> Vec<HeldCall> {
    let mut reader = CallReader::new(Dialect::OpenAi);
    // A whole body is whole: that it was cut by a limit is seen by whoever knows the reason.
    reader.take(&json!({"choices": [{"message": message, "finish_reason": "stop"}]}));
    reader.finish(Finish::Stop)
}

/// Puts what was decided into the answer.
pub(super) fn write(body: &mut Value, settled: &Settled) {
    for choice in body.get_mut("choices").and_then(Value::as_array_mut).into_iter().flatten() {
        let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        if let Some(decided) = settled.choice(index) {
            put_finish(choice, settled);
            write_message(choice, decided);
        }
    }
    if let Some(usage) = body.get_mut("usage").filter(|usage| usage.is_object()) {
        settled.more_usage.iter().for_each(|more| add_usage(usage, more));
    }
}

fn write_message(choice: &mut Value, settled: &SettledChoice) {
    let Some(message) = choice.get_mut("message").and_then(Value::as_object_mut) else { return };
    let came = message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let text = settled.replacement.clone().unwrap_or(came);
    let note = settled.note(&text);
    if note.is_some() || settled.replacement.is_some() {
        message.insert("content".to_owned(), Value::String(format!("{text}{}", note.unwrap_or_default())));
    }
    let (legacy, calls): (Vec<_>, Vec<_>) = settled.calls.iter().partition(|call| call.origin == Origin::Legacy);
    let before: Vec<Value> = message.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
    if calls.is_empty() {
        message.shift_remove("tool_calls");
    } else {
        let calls = calls.iter().map(|call| tool_call(&before, call)).collect();
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    match legacy.first() {
        Some(call) => {
            drop(message.insert("function_call".to_owned(), json!({"name": call.name, "arguments": call.arguments})))
        }
        None if message.get("function_call").is_some_and(Value::is_object) => {
            message.shift_remove("function_call");
        }
        None => {}
    }
}

/// A call in the place of another: fields that we do not know stay.
fn tool_call(before: &[Value], call: &Released) -> Value {
    let same = |value: &&Value| value.get("id").and_then(Value::as_str) == Some(call.id.as_str());
    let mut written = before.iter().find(same).cloned().unwrap_or_else(|| json!({}));
    if let Some(fields) = written.as_object_mut() {
        fields.entry("id").or_insert_with(|| Value::String(call.id.clone()));
        let (kind, key, other) = match call.form {
            CallForm::Text => ("custom", "input", "function"),
            _ => ("function", "arguments", "custom"),
        };
        // What was judged is all that goes out: a call cannot be of two kinds.
        fields.shift_remove(other);
        if fields.get("type").is_some_and(|named| named == other) || !fields.contains_key("type") {
            fields.insert("type".to_owned(), kind.into());
        }
        let body = fields.entry(kind).or_insert_with(|| json!({}));
        if !body.is_object() {
            *body = json!({});
        }
        if let Some(body) = body.as_object_mut() {
            body.insert("name".to_owned(), Value::String(call.name.clone()));
            body.insert(key.to_owned(), Value::String(call.arguments.clone()));
        }
    }
    written
}
