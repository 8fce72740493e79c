//! From the bodies of three dialects to one conversation.
//!
//! It takes what the real servers take, and says of the rest what is wrong with which field. What it does not know it
//! leaves alone: clients send more fields than any server reads.

use super::conversation::{Choice, Conversation, Delivery, Outcome, PastCall, PastResult, Said, Tool};
use super::schema::plain;
use super::trouble::Trouble;
use serde_json::{Map, Value};

/// Reads a chat completion's body.
pub(super) fn chat(body: Map<String, Value>) -> Result<Conversation, Trouble> {
    let mut read = Conversation::begin(body)?;
    let messages = filled(&read.body, "messages")?;
    read.turns = messages.iter().flat_map(chat_turns).collect();
    read.tools = tools(read.body.get("tools"), &read.request())?;
    read.choice = choice(read.body.get("tool_choice"));
    read.most_calls = calls_at_once(read.body.get("parallel_tool_calls"));
    let limits = [count(&read.body, "max_completion_tokens")?, count(&read.body, "max_tokens")?];
    read.most_tokens = limits.into_iter().flatten().next();
    if count(&read.body, "n")?.is_some_and(|n| n > 1) {
        return Err(Trouble::field("n", "the demo model gives one choice; ask for 1"));
    }
    let format = read.body.get("response_format");
    let format = format.and_then(|format| schema_of(format.get("json_schema").unwrap_or(format), format));
    read.format = format.map(|schema| plain(&schema, read.question()));
    if read.body.get("logprobs").and_then(Value::as_bool) == Some(true) {
        read.alternatives = Some(alternatives(&read.body)?);
    }
    let usage = read.body.get("stream_options").and_then(|options| options.get("include_usage"));
    if usage.and_then(Value::as_bool) == Some(true) && read.delivery == Delivery::Stream {
        read.delivery = Delivery::StreamWithUsage;
    }
    Ok(read)
}

/// Reads a response's body.
pub(super) fn responses(body: Map<String, Value>) -> Result<Conversation, Trouble> {
    let mut read = Conversation::begin(body)?;
    read.turns = match read.body.get("input") {
        Some(Value::String(text)) => vec![Said::User(text.clone())],
        _ => filled(&read.body, "input")?.iter().flat_map(response_turns).collect(),
    };
    read.tools = tools(read.body.get("tools"), &read.request())?;
    read.choice = choice(read.body.get("tool_choice"));
    read.most_calls = calls_at_once(read.body.get("parallel_tool_calls"));
    read.most_tokens = count(&read.body, "max_output_tokens")?;
    let format = read.body.get("text").and_then(|text| text.get("format"));
    let format = format.and_then(|format| schema_of(format, format));
    read.format = format.map(|schema| plain(&schema, read.question()));
    let include = read.body.get("include").and_then(Value::as_array);
    let wants = |what: &Value| what.as_str() == Some("message.output_text.logprobs");
    if include.is_some_and(|include| include.iter().any(wants)) {
        read.alternatives = Some(alternatives(&read.body)?);
    }
    Ok(read)
}

/// Reads a message's body.
pub(super) fn messages(body: Map<String, Value>) -> Result<Conversation, Trouble> {
    let mut read = Conversation::begin(body)?;
    let messages = filled(&read.body, "messages")?;
    read.turns = messages.iter().flat_map(message_turns).collect();
    let limit = count(&read.body, "max_tokens")?;
    read.most_tokens = Some(limit.ok_or_else(|| Trouble::field("max_tokens", "it is required"))?);
    read.tools = tools(read.body.get("tools"), &read.request())?;
    read.choice = choice(read.body.get("tool_choice"));
    let alone = read.body.get("tool_choice").and_then(|choice| choice.get("disable_parallel_tool_use"));
    if alone.and_then(Value::as_bool) == Some(true) {
        read.most_calls = 1;
    }
    Ok(read)
}

/// A list that must not be empty, of objects.
fn filled<'a>(body: &'a Map<String, Value>, field: &'static str) -> Result<&'a [Value], Trouble> {
    match body.get(field) {
        Some(Value::Array(list)) if list.is_empty() => Err(Trouble::field(field, "at least one is required")),
        Some(Value::Array(list)) if list.iter().all(Value::is_object) => Ok(list),
        Some(Value::Array(_)) => Err(Trouble::field(field, "each must be an object")),
        Some(Value::Null) | None => Err(Trouble::field(field, "it is required")),
        Some(_) => Err(Trouble::field(field, "it must be a list")),
    }
}

fn count(body: &Map<String, Value>, field: &'static str) -> Result<Option<usize>, Trouble> {
    match body.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().and_then(|count| usize::try_from(count).ok()) {
            Some(count) if count > 0 => Ok(Some(count)),
            _ => Err(Trouble::field(field, "it must be a whole number from 1")),
        },
    }
}

fn alternatives(body: &Map<String, Value>) -> Result<usize, Trouble> {
    match body.get("top_logprobs").map(Value::as_u64) {
        None => Ok(0),
        Some(Some(count)) if count <= MOST_ALTERNATIVES => Ok(usize::try_from(count).unwrap_or(0)),
        Some(_) if body.get("top_logprobs").is_some_and(Value::is_null) => Ok(0),
        Some(_) => Err(Trouble::field("top_logprobs", "it must be a whole number from 0 to 20")),
    }
}

fn calls_at_once(parallel: Option<&Value>) -> usize {
    if parallel.and_then(Value::as_bool) == Some(false) { 1 } else { usize::MAX }
}

/// The schema of a structured answer; an object of any kind where only JSON is asked for.
fn schema_of(holder: &Value, format: &Value) -> Option<Value> {
    match word(format, "type") {
        "json_schema" => holder.get("schema").cloned(),
        "json_object" => Some(serde_json::json!({"type": "object", "properties": {"answer": {"type": "string"}}})),
        _ => None,
    }
}

/// The functions of a list of tools in any dialect. Tools that the server runs itself have no schema, and are not ours.
fn tools(list: Option<&Value>, request: &str) -> Result<Vec<Tool>, Trouble> {
    let list = match list {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(Trouble::field("tools", "it must be a list")),
    };
    let mut tools = Vec::new();
    for tool in list {
        let function = tool.get("function").unwrap_or(tool);
        let schema = function.get("parameters").or_else(|| function.get("input_schema"));
        let ours = matches!(word(tool, "type"), "" | "function" | "custom");
        match (word(function, "name"), schema) {
            ("", _) if ours => return Err(Trouble::field("tools", "each must have a name")),
            (name, schema) if word(tool, "type") == "function" || (ours && schema.is_some()) => {
                let schema = schema.unwrap_or(&Value::Null);
                tools.push(Tool::new(name, word(function, "description"), schema, request));
            }
            _ => {}
        }
    }
    Ok(tools)
}

fn choice(choice: Option<&Value>) -> Choice {
    let Some(choice) = choice else { return Choice::Free };
    let named = choice.get("function").unwrap_or(choice);
    match choice.as_str().unwrap_or_else(|| word(choice, "type")) {
        "none" => Choice::Never,
        "required" | "any" => Choice::Some,
        "function" | "tool" if !word(named, "name").is_empty() => Choice::Named(word(named, "name").to_owned()),
        _ => Choice::Free,
    }
}

fn chat_turns(message: &Value) -> Vec<Said> {
    match word(message, "role") {
        "user" => vec![Said::User(text_of(message.get("content")))],
        "assistant" => {
            let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
            let call = |call: &Value| past(call, "id", call.get("function").unwrap_or(call), "arguments");
            vec![Said::Model(calls.map(call).collect())]
        }
        "tool" | "function" => vec![result(message, "tool_call_id", message.get("content"), Outcome::Unmarked)],
        _ => Vec::new(),
    }
}

fn response_turns(item: &Value) -> Vec<Said> {
    match (word(item, "type"), word(item, "role")) {
        ("function_call", _) => vec![Said::Model(vec![past(item, "call_id", item, "arguments")])],
        ("function_call_output", _) => vec![result(item, "call_id", item.get("output"), Outcome::Unmarked)],
        ("message" | "", "user") => vec![Said::User(text_of(item.get("content")))],
        ("message" | "", "assistant") => vec![Said::Model(Vec::new())],
        _ => Vec::new(),
    }
}

/// A message's turns. Words beside results are notes of the client's program, no question of a user.
fn message_turns(message: &Value) -> Vec<Said> {
    let blocks = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let of_kind = |kind: &'static str| blocks.iter().filter(move |block| word(block, "type") == kind);
    if word(message, "role") == "assistant" {
        return vec![Said::Model(of_kind("tool_use").map(|call| past(call, "id", call, "input")).collect())];
    }
    let results = of_kind("tool_result").map(|block| {
        let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
        result(block, "tool_use_id", block.get("content"), if failed { Outcome::Failed } else { Outcome::Unmarked })
    });
    let results: Vec<Said> = results.collect();
    if results.is_empty() { vec![Said::User(text_of(message.get("content")))] } else { results }
}

/// An earlier call: arguments come as a text of JSON or as JSON.
fn past(call: &Value, id: &str, function: &Value, arguments: &str) -> PastCall {
    let arguments = match function.get(arguments) {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        other => other.cloned().unwrap_or_default(),
    };
    PastCall { id: word(call, id).to_owned(), name: word(function, "name").to_owned(), arguments }
}

fn result(holder: &Value, id: &str, content: Option<&Value>, outcome: Outcome) -> Said {
    Said::Result(PastResult { id: word(holder, id).to_owned(), text: text_of(content), outcome })
}

/// The words of a content: a text, or the texts of its parts.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> =
                parts.iter().map(|part| word(part, "text")).filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn word<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

const MOST_ALTERNATIVES: u64 = 20;
