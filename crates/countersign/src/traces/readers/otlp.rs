//! OpenTelemetry spans as OTLP JSON: the GenAI conventions, and what vendors call the same things.

use super::Reader;
use crate::contract::{Arguments, Message, Role, ToolCall, ToolResult};
use crate::traces::exchange::{Exchange, text_of};
use crate::traces::form::{Format, Tokens, Trace};
use crate::traces::record::Record;
use crate::traces::spans::{Part, Span, Spans, ToolSpan};
use crate::wire::messages::{read_message, unwrap_content};
use serde_json::{Map, Value, json};

/// Spans.
pub(super) struct Otlp(Spans);

impl Default for Otlp {
    fn default() -> Self {
        Self(Spans::new(Format::Otlp))
    }
}

impl Reader for Otlp {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let body = record.value()?;
        let list = |value: &Value, keys: [&str; 2]| {
            keys.iter().find_map(|key| value.get(*key)?.as_array()).cloned().unwrap_or_default()
        };
        for resource in list(&body, ["resourceSpans", "resource_spans"]) {
            for scope in list(&resource, ["scopeSpans", "scope_spans"]) {
                for span in list(&scope, ["spans", "spans"]) {
                    let line = record.line_of(span.get("spanId").and_then(Value::as_str));
                    if let Some(span) = read(&span, line) {
                        self.0.add(span, out);
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        self.0.finish()
    }
}

fn read(span: &Value, line: u64) -> Option<Span> {
    let known = Attributes::of(span);
    let part = match read_tool(span, &known) {
        Some(tool) => Part::Tool(tool),
        None => Part::Model(Box::new(read_model(span, &known)?)),
    };
    let word = |keys: [&str; 2]| keys.iter().find_map(|key| span.get(*key)).map(text_of).unwrap_or_default();
    let session = known.text(&["gen_ai.conversation.id", "session.id", "langfuse.session.id"]);
    let start = span.get("startTimeUnixNano").or_else(|| span.get("start_time_unix_nano"));
    Some(Span {
        trace: session.unwrap_or_else(|| word(["traceId", "trace_id"])),
        start: start.map(|start| start.as_str().map_or_else(|| start.to_string(), str::to_owned)).unwrap_or_default(),
        line,
        part,
    })
}

/// A span's attributes as an object, and those of its events.
struct Attributes(Map<String, Value>);

impl Attributes {
    fn of(span: &Value) -> Self {
        let mut fields = Map::new();
        collect(span, &mut fields);
        // Details of an inference may be an event of its span.
        for event in span.get("events").and_then(Value::as_array).into_iter().flatten() {
            if event.get("name").and_then(Value::as_str) == Some("gen_ai.client.inference.operation.details") {
                collect(event, &mut fields);
            }
        }
        Self(fields)
    }

    /// The first of some attributes; text that is JSON is read.
    fn value(&self, keys: &[&str]) -> Option<Value> {
        let value = keys.iter().find_map(|key| self.0.get(*key))?;
        Some(match value {
            Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
                serde_json::from_str(text).unwrap_or_else(|_| value.clone())
            }
            value => value.clone(),
        })
    }

    fn text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.0.get(*key)?.as_str()).map(str::to_owned)
    }

    fn number(&self, keys: &[&str]) -> u64 {
        let read = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
        keys.iter().find_map(|key| read(self.0.get(*key)?)).unwrap_or(0)
    }

    /// Messages that are spread over numbered attributes: `gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`.
    fn numbered(&self, prefix: &str, inner: &str) -> Vec<Value> {
        let field = |at: usize, name: &str| self.0.get(&format!("{prefix}.{at}.{inner}{name}"));
        let mut found = Vec::new();
        for at in 0..MAX_MESSAGES {
            let role = field(at, "role");
            let content = field(at, "content").cloned();
            let calls: Vec<Value> =
                (0..MAX_CALLS).map_while(|call| self.numbered_call(prefix, inner, at, call)).collect();
            if role.is_none() && content.is_none() && calls.is_empty() {
                break;
            }
            found.push(json!({
                "role": role.cloned().unwrap_or_else(|| "assistant".into()), "content": content.unwrap_or_default(),
                "tool_calls": calls, "tool_call_id": field(at, "tool_call_id").cloned().unwrap_or_default(),
            }));
        }
        found
    }

    fn numbered_call(&self, prefix: &str, inner: &str, at: usize, call: usize) -> Option<Value> {
        let base = format!("{prefix}.{at}.{inner}tool_calls.{call}.");
        let field = |names: [&str; 2]| names.iter().find_map(|name| self.0.get(&format!("{base}{name}")));
        let name = field(["name", "tool_call.function.name"])?;
        let arguments = field(["arguments", "tool_call.function.arguments"]).cloned().unwrap_or_default();
        let id = field(["id", "tool_call.id"]).cloned().unwrap_or_default();
        Some(json!({"id": id, "function": {"name": name, "arguments": arguments}}))
    }
}

fn collect(holder: &Value, fields: &mut Map<String, Value>) {
    match holder.get("attributes") {
        Some(Value::Array(pairs)) => {
            for pair in pairs {
                if let (Some(key), Some(value)) = (pair.get("key").and_then(Value::as_str), pair.get("value")) {
                    fields.insert(key.to_owned(), plain(value, 0));
                }
            }
        }
        Some(Value::Object(plain)) => fields.extend(plain.clone()),
        _ => {}
    }
}

/// `{"stringValue": "a"}` as `"a"`.
fn plain(value: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    let Some((kind, inner)) = value.as_object().and_then(|fields| fields.iter().next()) else { return value.clone() };
    match kind.as_str() {
        "intValue" => {
            inner.as_str().and_then(|text| text.parse::<i64>().ok()).map_or_else(|| inner.clone(), Value::from)
        }
        "arrayValue" => {
            let items = inner.get("values").and_then(Value::as_array);
            items.into_iter().flatten().map(|item| plain(item, depth + 1)).collect()
        }
        "kvlistValue" => {
            let pairs = inner.get("values").and_then(Value::as_array).into_iter().flatten();
            let pair =
                |pair: &Value| Some((pair.get("key")?.as_str()?.to_owned(), plain(pair.get("value")?, depth + 1)));
            Value::Object(pairs.filter_map(pair).collect())
        }
        _ => inner.clone(),
    }
}

fn read_tool(span: &Value, known: &Attributes) -> Option<ToolSpan> {
    let operation = known.text(&["gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind"]);
    let named = known.text(&["gen_ai.tool.name", "tool.name", "ai.toolCall.name"]);
    let is_tool = operation.as_deref().is_some_and(|kind| ["execute_tool", "TOOL", "tool"].contains(&kind));
    let only_named = named.is_some() && operation.is_none();
    if !is_tool && !only_named {
        return None;
    }
    let name = named.or_else(|| known.text(&["traceloop.entity.name"])).or_else(|| {
        let name = span.get("name")?.as_str()?;
        Some(name.strip_prefix("execute_tool ").unwrap_or(name).to_owned())
    });
    let code = span.pointer("/status/code");
    Some(ToolSpan {
        id: known.text(&["gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id"]),
        name: name.unwrap_or_default(),
        arguments: known.value(ARGUMENTS),
        result: known.value(RESULT),
        failed: known.0.contains_key("error.type")
            || code.is_some_and(|code| code.as_u64() == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR")),
    })
}

fn read_model(span: &Value, known: &Attributes) -> Option<Exchange> {
    let mut messages = Vec::new();
    let system = known.value(&["gen_ai.system_instructions", "gen_ai.system_instruction"]).map(|value| text_of(&value));
    messages.extend(system.filter(|text| !text.is_empty()).map(|text| Message::text(Role::System, text)));
    messages.extend(known.value(INPUT).map(|value| read_list(&value)).unwrap_or_default());
    let mut output = known.value(OUTPUT).map(|value| read_list(&value)).unwrap_or_default();
    for (prefix, inner) in [("gen_ai.prompt", ""), ("llm.input_messages", "message.")] {
        messages.extend(known.numbered(prefix, inner).iter().filter_map(read_message));
    }
    for (prefix, inner) in [("gen_ai.completion", ""), ("llm.output_messages", "message.")] {
        output.extend(known.numbered(prefix, inner).iter().filter_map(read_message));
    }
    read_vercel(known, &mut output);
    read_events(span, &mut messages, &mut output);
    output.iter_mut().for_each(|message| message.role = Role::Assistant);
    if messages.is_empty() && output.is_empty() {
        return None;
    }
    let tokens = Tokens {
        input: known.number(&["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"]),
        cached: known.number(&["gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cached_tokens"]),
        output: known.number(&[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
        ]),
    };
    let model = known.text(&["gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"]);
    Some(Exchange { tools: read_tools(known), messages, output, model, tokens })
}

/// The messages of the conventions, of a provider, or a request that holds them.
fn read_list(value: &Value) -> Vec<Message> {
    let list = match value {
        Value::Array(items) => items.as_slice(),
        Value::Object(fields) => match fields.get("messages").or_else(|| fields.get("contents")) {
            Some(Value::Array(items)) => items.as_slice(),
            _ => return read_parts(value).into_iter().collect(),
        },
        Value::String(text) => return vec![Message::text(Role::User, text.clone())],
        _ => return Vec::new(),
    };
    list.iter().filter_map(read_parts).collect()
}

fn read_parts(value: &Value) -> Option<Message> {
    let Some(parts) = value.get("parts").and_then(Value::as_array) else {
        return read_message(&as_provider(value));
    };
    let role = match value.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("assistant" | "model") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => Role::User,
    };
    let mut message = Message::text(role, "");
    for part in parts {
        let word = |key: &str| part.get(key).and_then(Value::as_str).map(str::to_owned);
        let call = part.get("functionCall").or_else(|| part.get("function_call")).unwrap_or(part);
        let response = part.get("functionResponse").or_else(|| part.get("function_response"));
        match word("type").as_deref() {
            Some("tool_call") => push_call(&mut message, part),
            _ if !std::ptr::eq(call, part) => push_call(&mut message, call),
            Some("tool_call_response") => {
                let content = ["response", "result"].iter().find_map(|key| part.get(*key)).cloned().unwrap_or_default();
                push_result(&mut message, word("id"), content);
            }
            _ if response.is_some() => {
                let id = response.and_then(|response| response.get("id")?.as_str()).map(str::to_owned);
                let content = response.and_then(|response| response.get("response")).cloned().unwrap_or_default();
                push_result(&mut message, id, content);
            }
            Some("reasoning" | "thinking") => {}
            _ => {
                let text = text_of(part);
                if !message.text.is_empty() && !text.is_empty() {
                    message.text.push('\n');
                }
                message.text.push_str(&text);
            }
        }
    }
    Some(message)
}

fn push_call(message: &mut Message, call: &Value) {
    let word = |key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
    let arguments = ["arguments", "args"].iter().find_map(|key| call.get(*key)).cloned();
    message.calls.push(ToolCall {
        id: word("id"),
        name: word("name").unwrap_or_default(),
        arguments: arguments.map_or(Arguments::Absent, Arguments::from),
    });
}

fn push_result(message: &mut Message, id: Option<String>, content: Value) {
    let content = unwrap_content(content);
    message.results.push(ToolResult { call_id: id, name: None, content, is_error: false, seal: None });
}

/// Vercel writes calls and results as parts with names of its own.
fn as_provider(value: &Value) -> Value {
    let mut value = value.clone();
    for part in value.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(fields) = part.as_object_mut() else { continue };
        let kind = match fields.get("type").and_then(Value::as_str) {
            Some("tool-call") => "tool_use",
            Some("tool-result") => "tool_result",
            _ => continue,
        };
        fields.insert("type".to_owned(), kind.into());
        for (theirs, ours) in [
            ("toolCallId", "tool_use_id"),
            ("toolName", "name"),
            ("args", "input"),
            ("result", "content"),
            ("output", "content"),
        ] {
            if let Some(field) = fields.remove(theirs) {
                fields.insert(ours.to_owned(), field);
            }
        }
        if kind == "tool_use"
            && let Some(id) = fields.remove("tool_use_id")
        {
            fields.insert("id".to_owned(), id);
        }
    }
    // A message of the tool holds its results as parts.
    let is_tool = value.get("role").and_then(Value::as_str) == Some("tool");
    let in_parts = value.get("content").is_some_and(Value::is_array);
    if let Some(role) = value.get_mut("role").filter(|_| is_tool && in_parts) {
        *role = "user".into();
    }
    value
}

fn read_vercel(known: &Attributes, output: &mut Vec<Message>) {
    let mut message = Message::text(Role::Assistant, known.text(&["ai.response.text"]).unwrap_or_default());
    if let Some(Value::Array(calls)) = known.value(&["ai.response.toolCalls"]) {
        for call in &calls {
            let word = |keys: [&str; 2]| keys.iter().find_map(|key| call.get(*key)?.as_str()).map(str::to_owned);
            let arguments = ["args", "input"].iter().find_map(|key| call.get(*key)).cloned();
            message.calls.push(ToolCall {
                id: word(["toolCallId", "id"]),
                name: word(["toolName", "name"]).unwrap_or_default(),
                arguments: arguments.map_or(Arguments::Absent, Arguments::from),
            });
        }
    }
    if output.is_empty() && (!message.text.is_empty() || !message.calls.is_empty()) {
        output.push(message);
    }
}

/// Older conventions keep each message as an event.
fn read_events(span: &Value, messages: &mut Vec<Message>, output: &mut Vec<Message>) {
    for event in span.get("events").and_then(Value::as_array).into_iter().flatten() {
        let mut fields = Map::new();
        collect(event, &mut fields);
        let known = Attributes(fields);
        let body = || {
            let mut body = Value::Object(known.0.clone());
            for key in ["tool_calls", "content", "message"] {
                if let (Some(value), Some(fields)) = (known.value(&[key]), body.as_object_mut()) {
                    fields.insert(key.to_owned(), value);
                }
            }
            body
        };
        let role = match event.get("name").and_then(Value::as_str).unwrap_or_default() {
            "gen_ai.system.message" => "system",
            "gen_ai.user.message" => "user",
            "gen_ai.assistant.message" => "assistant",
            "gen_ai.tool.message" => "tool",
            "gen_ai.choice" => {
                let body = body();
                output.extend(read_message(body.get("message").filter(|message| message.is_object()).unwrap_or(&body)));
                continue;
            }
            _ => continue,
        };
        let mut body = body();
        if let Some(fields) = body.as_object_mut() {
            fields.insert("role".to_owned(), role.into());
        }
        messages.extend(read_message(&body));
    }
}

fn read_tools(known: &Attributes) -> Option<String> {
    if let Some(Value::Array(tools)) = known.value(&["gen_ai.tool.definitions", "llm.tools", "gen_ai.request.tools"]) {
        return serde_json::to_string(&tools).ok();
    }
    if let Some(Value::Array(tools)) = known.value(&["ai.prompt.tools"]) {
        let tools: Vec<Value> = tools
            .iter()
            .map(|tool| match tool.as_str() {
                Some(text) => serde_json::from_str(text).unwrap_or_default(),
                None => tool.clone(),
            })
            .collect();
        return serde_json::to_string(&tools).ok();
    }
    let schema = |at: usize| known.value(&[&format!("llm.tools.{at}.tool.json_schema")]);
    let numbered: Vec<Value> = (0..MAX_MESSAGES).map_while(schema).collect();
    (!numbered.is_empty()).then(|| serde_json::to_string(&numbered).ok()).flatten()
}

const ARGUMENTS: &[&str] = &[
    "gen_ai.tool.call.arguments",
    "tool.parameters",
    "ai.toolCall.args",
    "gcp.vertex.agent.tool_call_args",
    "traceloop.entity.input",
    "mlflow.spanInputs",
    "input.value",
];
const RESULT: &[&str] = &[
    "gen_ai.tool.call.result",
    "ai.toolCall.result",
    "gcp.vertex.agent.tool_response",
    "traceloop.entity.output",
    "mlflow.spanOutputs",
    "output.value",
];
const INPUT: &[&str] =
    &["gen_ai.input.messages", "pydantic_ai.all_messages", "ai.prompt.messages", "gcp.vertex.agent.llm_request"];
const OUTPUT: &[&str] = &["gen_ai.output.messages", "gcp.vertex.agent.llm_response"];
const MAX_MESSAGES: usize = 2000;
const MAX_CALLS: usize = 200;
const MAX_DEPTH: usize = 40;
