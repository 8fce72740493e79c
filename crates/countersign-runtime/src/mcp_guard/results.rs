//! A result of a `tools/call`, examined before the client sees it: cleaned, bounded, verified, and marked where it looks
//! wrong. A result that needs nothing of this passes as the bytes it came in.

use super::calls::CallOnItsWay;
use super::clean::clean;
use super::message::Message;
use super::settings::{McpGuardSettings, ResultSecrets};
use countersign::check_call::secrets;
use countersign::contract::{Context, Severity, ToolResult, VerificationReport};
use countersign::policy::SuspiciousResults;
use countersign::resolve::verify_result;
use countersign::wire::mark::mark_content;
use countersign::wire::messages::unwrap_content;
use serde_json::{Map, Value, json};

/// The answer as the client gets it.
pub(super) fn examine(settings: &McpGuardSettings, on_its_way: &CallOnItsWay, answer: &Message) -> String {
    let Some(result) = answer.value.get("result").and_then(Value::as_object).filter(|result| is_complete(result))
    else {
        return answer.text.clone();
    };
    let mut examined = result.clone();
    clean_strings(settings, &mut examined);
    bound(settings, &mut examined);
    if let Some(report) = verify(on_its_way, &examined).filter(|report| report.is_suspicious) {
        treat(on_its_way.guard.policy().suspicious_results, &report, &mut examined);
    }
    if examined == *result {
        return answer.text.clone();
    }
    let mut value = answer.value.clone();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("result".to_owned(), Value::Object(examined));
    }
    answer.changed(&value)
}

/// Whether it is what a tool returned, and not a question of the server or a task of its own.
fn is_complete(result: &Map<String, Value>) -> bool {
    let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("complete");
    kind == "complete" && (result.get("content").is_some_and(Value::is_array) || result.contains_key(STRUCTURE))
}

fn clean_strings(settings: &McpGuardSettings, result: &mut Map<String, Value>) {
    let blocks = result.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten();
    for block in blocks {
        if let Some(text) = block.get_mut("text") {
            clean_value(settings, text, 0);
        }
        if let Some(text) = block.pointer_mut("/resource/text") {
            clean_value(settings, text, 0);
        }
    }
    if let Some(structure) = result.get_mut(STRUCTURE) {
        clean_value(settings, structure, 0);
    }
}

fn clean_value(settings: &McpGuardSettings, value: &mut Value, depth: usize) {
    match value {
        Value::String(text) => {
            let cleaned = clean(text);
            let shown = match settings.secrets {
                ResultSecrets::Redact => secrets::redact(&cleaned),
                ResultSecrets::Pass => std::borrow::Cow::Borrowed(cleaned.as_ref()),
            };
            if *shown != **text {
                *text = shown.into_owned();
            }
        }
        Value::Array(list) if depth < DEEPEST => {
            list.iter_mut().for_each(|value| clean_value(settings, value, depth + 1));
        }
        Value::Object(map) if depth < DEEPEST => {
            map.values_mut().for_each(|value| clean_value(settings, value, depth + 1));
        }
        _ => {}
    }
}

/// Cuts texts that are too long together. A structure cannot be cut: one that is too long becomes an error.
fn bound(settings: &McpGuardSettings, result: &mut Map<String, Value>) {
    let most = settings.longest_result;
    let structure = result.get(STRUCTURE).map_or(0, |structure| structure.to_string().len());
    if structure > most {
        let text = format!("The result has {structure} bytes, more than the {most} that may pass. Ask for less.");
        result.remove(STRUCTURE);
        result.insert("content".to_owned(), json!([{"type": "text", "text": text}]));
        result.insert("isError".to_owned(), true.into());
        return;
    }
    let mut room = most;
    let blocks = result.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten();
    for block in blocks {
        for pointer in ["/text", "/resource/text"] {
            let Some(Value::String(text)) = block.pointer_mut(pointer) else { continue };
            if text.len() > room {
                let left = text.len() - room;
                text.truncate(text.floor_char_boundary(room));
                text.push_str(&format!("\n[countersign: {left} bytes more were cut; ask for less]"));
            }
            room = room.saturating_sub(text.len());
        }
    }
}

/// What the checks say. Nothing where there is nothing but pictures and sounds, which nobody looks at.
fn verify(on_its_way: &CallOnItsWay, result: &Map<String, Value>) -> Option<VerificationReport> {
    let CallOnItsWay { call, guard, context } = on_its_way;
    let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let content = match result.get(STRUCTURE).filter(|_| !is_error) {
        Some(structure) => structure.clone(),
        None => unwrap_content(words(result)?),
    };
    let result = ToolResult { call_id: call.id.clone(), name: None, content, is_error, seal: None };
    Some(verify_result(guard, call, &result, &Context(context.clone())))
}

/// The texts of a result; none where it has other blocks only.
fn words(result: &Map<String, Value>) -> Option<Value> {
    let blocks = result.get("content").and_then(Value::as_array)?;
    let text =
        |block: &'_ Value| Some(block.get("text").or_else(|| block.pointer("/resource/text"))?.as_str()?.to_owned());
    let texts: Vec<String> = blocks.iter().filter_map(text).collect();
    (blocks.is_empty() || !texts.is_empty()).then(|| Value::String(texts.join("\n")))
}

fn treat(suspicious: SuspiciousResults, report: &VerificationReport, result: &mut Map<String, Value>) {
    let empty = Value::Array(Vec::new());
    match suspicious {
        SuspiciousResults::Pass => {}
        SuspiciousResults::Mark => {
            let marked = mark_content(result.get("content").unwrap_or(&empty), &report.concerns, "text");
            result.insert("content".to_owned(), marked);
        }
        SuspiciousResults::Review => {
            // What was found is not repeated: it may be an order to the model.
            let found = report.findings.iter().filter(|finding| finding.severity > Severity::Info);
            let why: Vec<&str> = found.map(|finding| finding.code.title).collect();
            let text = format!("The result of this call looked wrong and is withheld: {}.", why.join("; "));
            result.remove(STRUCTURE);
            result.insert("content".to_owned(), json!([{"type": "text", "text": text}]));
            result.insert("isError".to_owned(), true.into());
        }
    }
}

const STRUCTURE: &str = "structuredContent";
/// What is nested deeper is passed as it is.
const DEEPEST: usize = 128;
