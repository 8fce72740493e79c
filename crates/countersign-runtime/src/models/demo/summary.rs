//! What results come to, in words: the values that tools gave back, so that a reader needs no JSON.

use super::conversation::{Conversation, PastResult, Said};
use super::words::{Tongue, parts, tongue};
use serde_json::Value;

/// An answer from what the tools gave back since the question.
pub(super) fn of_results(asked: &Conversation, counts: impl Fn(&PastResult) -> bool) -> String {
    let results: Vec<&PastResult> =
        asked.since_question().iter().filter_map(Said::result).filter(|result| counts(result)).collect();
    let chinese = tongue(asked.question()) == Tongue::Chinese;
    let front = if chinese { "工具返回：" } else { "The tool answered: " };
    match results.as_slice() {
        [one] => format!("{front}{}", summarize(&one.text)),
        several => {
            let line = |result: &&PastResult| format!("- {}: {}", label(asked, result), summarize(&result.text));
            let front = if chinese { "各工具返回：" } else { "The tools answered:" };
            format!("{front}\n{}", several.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// A call in short: its tool, and the first value that it was given.
fn label(asked: &Conversation, result: &PastResult) -> String {
    let Some(call) = asked.called(&result.id) else { return result.id.clone() };
    let first = call.arguments.as_object().and_then(|given| given.values().next()).map(|value| scalar(value, 0));
    first.map_or_else(|| call.name.clone(), |first| format!("{} ({first})", call.name))
}

/// A result as a person would say it: JSON as its names and values, other text as it is.
fn summarize(text: &str) -> String {
    let text = text.trim();
    let value: Option<Value> = serde_json::from_str(text).ok();
    let told = match value {
        // One text under a name is that text.
        Some(Value::Object(fields)) if fields.len() == 1 && fields.values().all(Value::is_string) => {
            fields.values().filter_map(Value::as_str).collect()
        }
        Some(value @ (Value::Object(_) | Value::Array(_))) => scalar(&value, 0),
        _ => text.to_owned(),
    };
    told.chars().take(LONGEST).collect()
}

/// A name with its value; what is true or not is told in words.
fn pair(name: &str, value: &Value, depth: usize) -> String {
    let parts = parts(name);
    let bare = if parts.len() > 1 { parts.strip_prefix(&["is".to_owned()]).unwrap_or(&parts) } else { &parts };
    match value {
        Value::Bool(true) => bare.join(" "),
        Value::Bool(false) => format!("not {}", bare.join(" ")),
        value => format!("{}: {}", parts.join(" "), scalar(value, depth + 1)),
    }
}

fn scalar(value: &Value, depth: usize) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "-".to_owned(),
        Value::Object(fields) if depth < DEEPEST => {
            let told = fields.iter().filter(|(_, value)| !value.is_null());
            let pairs: Vec<String> = told.take(MOST).map(|(name, value)| pair(name, value, depth)).collect();
            pairs.join(if depth == 0 { "; " } else { ", " })
        }
        Value::Array(items) if depth < DEEPEST => {
            let told: Vec<String> = items.iter().take(MOST).map(|item| scalar(item, depth + 1)).collect();
            told.join(if items.iter().any(Value::is_object) { " | " } else { ", " })
        }
        other => other.to_string(),
    }
}

const DEEPEST: usize = 4;
const MOST: usize = 20;
const LONGEST: usize = 2000;
