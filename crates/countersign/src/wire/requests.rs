//! The request lines of `check`, `verify`, `score` and `step`, with the aliases that the contract accepts.

use super::WireError;
use super::messages::{read_call, read_messages, read_result, unwrap_content};
use super::tools::read_tools;
use crate::contract::{Context, Language, Level, Message, ToolCall, ToolResult, ToolSpec, VerificationLevel};
use serde_json::{Map, Value};

/// A request to check a call. `tools: None` means that nothing is known, an empty list that none is registered.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// The caller's id.
    pub id: Value,
    /// The registered tools.
    pub tools: Option<Vec<ToolSpec>>,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The call to judge.
    pub call: ToolCall,
    /// What else is known.
    pub context: Context,
    /// The level, where the request has one.
    pub level: Option<Level>,
    /// The language to answer in, where the request says so.
    pub language: Option<Language>,
}

/// A request to verify a result.
#[derive(Debug, Clone)]
pub struct VerifyRequest {
    /// The caller's id.
    pub id: Value,
    /// The tool, where it is known.
    pub tool: Option<ToolSpec>,
    /// The call that was made.
    pub call: ToolCall,
    /// What came back.
    pub result: ToolResult,
    /// Earlier results, the time, and what else is known.
    pub context: Context,
    /// How strict.
    pub level: Option<VerificationLevel>,
    /// The language to answer in.
    pub language: Option<Language>,
}

/// A request to score an answer.
#[derive(Debug, Clone, Default)]
pub struct ScoreRequest {
    /// The caller's id.
    pub id: Value,
    /// The answer.
    pub response: String,
    /// What was asked.
    pub question: Option<String>,
    /// What the answer was made from.
    pub context: Vec<String>,
    /// The log-probabilities of the answer's tokens.
    pub logprobs: Option<Vec<f64>>,
    /// Other answers sampled for the same question.
    pub samples: Vec<String>,
    /// Facts verified and disputed.
    pub fact_check: Option<(f64, f64)>,
}

/// A request to judge a whole step.
#[derive(Debug, Clone)]
pub struct StepRequest {
    /// The call, its tools, the conversation and the context.
    pub check: CheckRequest,
    /// What the tool returned.
    pub output: Value,
    /// Whether the step has a result at all.
    pub has_output: bool,
    /// Whether the runner marked the output as an error.
    pub output_is_error: bool,
    /// What the model made of it.
    pub response: String,
    /// The log-probabilities of the answer's tokens.
    pub logprobs: Option<Vec<f64>>,
    /// How strictly the result is verified.
    pub verification_level: Option<VerificationLevel>,
}

/// Reads the body of `check`.
pub fn read_check(body: &Value) -> Result<CheckRequest, WireError> {
    let body = object(body)?;
    let call = match field(body, &["call"]) {
        Some(Value::Object(call)) => read_call(call),
        Some(_) => return Err(WireError::at("call", "`call` must be an object with `name` and `arguments`")),
        None if body.contains_key("tool_name") || body.contains_key("name") => read_call_fields(body),
        None => return Err(WireError::at("call", "the request needs a `call` with `name` and `arguments`")),
    };
    let tools = match field(body, &["tools"]) {
        Some(tools) => Some(read_tools(&tools.to_string())?),
        None => None,
    };
    Ok(CheckRequest {
        id: body.get("id").cloned().unwrap_or(Value::Null),
        tools,
        messages: field(body, &["messages", "conversation"]).map(read_messages).unwrap_or_default(),
        call,
        context: read_context(body)?,
        level: level(body, &["level", "validation_level"], Level::from_name, "strict, moderate or lenient")?,
        language: read_language(body),
    })
}

/// Reads the body of `verify`.
pub fn read_verify(body: &Value) -> Result<VerifyRequest, WireError> {
    let body = object(body)?;
    let call = match field(body, &["call"]) {
        Some(Value::Object(call)) => read_call(call),
        Some(_) => return Err(WireError::at("call", "`call` must be an object with `name` and `arguments`")),
        None => read_call_fields(body),
    };
    let result = match field(body, &["result"]) {
        Some(Value::Object(result)) if is_envelope(result) => read_result(result),
        Some(other) => {
            ToolResult { content: unwrap_content(other.clone()), call_id: call.id.clone(), ..Default::default() }
        }
        None if body.contains_key("result") || body.contains_key("tool_output") => ToolResult {
            content: unwrap_content(body.get("tool_output").cloned().unwrap_or(Value::Null)),
            call_id: call.id.clone(),
            ..Default::default()
        },
        None => return Err(WireError::at("result", "the request needs a `result` with `content`")),
    };
    let tool = match field(body, &["tool"]) {
        Some(tool @ Value::Object(_)) => Some(super::tools::read_tool(&tool.to_string())?),
        _ => None,
    };
    Ok(VerifyRequest {
        id: body.get("id").cloned().unwrap_or(Value::Null),
        tool,
        call,
        result,
        context: read_context(body)?,
        level: level(body, &["level", "verification_level"], VerificationLevel::from_name, "high, medium or low")?,
        language: read_language(body),
    })
}

/// Reads the body of `score`.
pub fn read_score(body: &Value) -> Result<ScoreRequest, WireError> {
    let body = object(body)?;
    let response = match field(body, &["response", "response_text", "model_response"]) {
        Some(Value::String(text)) => text.clone(),
        Some(_) => return Err(WireError::at("response", "`response` must be a string")),
        None => return Err(WireError::at("response", "the request needs a `response`")),
    };
    Ok(ScoreRequest {
        id: body.get("id").cloned().unwrap_or(Value::Null),
        response,
        question: field(body, &["question"]).and_then(Value::as_str).map(str::to_owned),
        context: texts(field(body, &["context"])),
        logprobs: numbers(body, "logprobs")?,
        samples: texts(field(body, &["samples"])),
        fact_check: field(body, &["fact_check", "fact_check_results"]).and_then(read_facts),
    })
}

/// Reads the body of `step`.
pub fn read_step(body: &Value) -> Result<StepRequest, WireError> {
    let check = read_check(body)?;
    let body = object(body)?;
    let envelope =
        field(body, &["result"]).and_then(Value::as_object).filter(|result| is_envelope(result)).map(read_result);
    let output = ["tool_output", "output"].iter().find_map(|key| body.get(*key));
    let response = match field(body, &["model_response", "response", "response_text"]) {
        Some(Value::String(text)) => text.clone(),
        Some(_) => return Err(WireError::at("model_response", "`model_response` must be a string")),
        None => String::new(),
    };
    Ok(StepRequest {
        check,
        has_output: output.is_some() || envelope.is_some(),
        output_is_error: envelope.as_ref().is_some_and(|result| result.is_error),
        output: output.cloned().map(unwrap_content).or(envelope.map(|result| result.content)).unwrap_or(Value::Null),
        response,
        logprobs: numbers(body, "logprobs")?,
        verification_level: level(body, &["verification_level"], VerificationLevel::from_name, "high, medium or low")?,
    })
}

/// Facts verified and disputed, from `{verified_count, disputed_count}`.
pub fn read_facts(value: &Value) -> Option<(f64, f64)> {
    let count = |keys: [&str; 2]| keys.iter().find_map(|key| value.get(*key)?.as_f64()).map(|n| n.max(0.0));
    let (verified, disputed) = (count(["verified_count", "verified"]), count(["disputed_count", "disputed"]));
    (verified.is_some() || disputed.is_some()).then(|| (verified.unwrap_or(0.0), disputed.unwrap_or(0.0)))
}

fn object(body: &Value) -> Result<&Map<String, Value>, WireError> {
    body.as_object().ok_or_else(|| WireError { message: "the request must be a JSON object".into(), param: None })
}

/// The first of several names that is there; `null` counts as absent.
fn field<'a>(body: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| body.get(*name)).filter(|value| !value.is_null())
}

/// A call whose fields stand beside the others (`tool_name`, `tool_input`): the line's own id is not the call's.
fn read_call_fields(body: &Map<String, Value>) -> ToolCall {
    let mut call = read_call(body);
    call.id =
        ["call_id", "tool_use_id", "tool_call_id"].iter().find_map(|key| body.get(*key)?.as_str()).map(str::to_owned);
    call
}

fn is_envelope(result: &Map<String, Value>) -> bool {
    result.contains_key("content") && result.keys().all(|key| ENVELOPE.contains(&key.as_str()))
}

fn read_context(body: &Map<String, Value>) -> Result<Context, WireError> {
    match field(body, &["context"]) {
        Some(Value::Object(map)) => Ok(Context(map.clone())),
        Some(_) => Err(WireError::at("context", "`context` must be an object")),
        None => Ok(Context::default()),
    }
}

fn read_language(body: &Map<String, Value>) -> Option<Language> {
    field(body, &["language"]).and_then(Value::as_str).and_then(Language::from_name)
}

fn level<T>(
    body: &Map<String, Value>,
    names: &[&str],
    read: impl Fn(&str) -> Option<T>,
    wanted: &str,
) -> Result<Option<T>, WireError> {
    let Some(value) = field(body, names) else { return Ok(None) };
    let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let param = names.first().copied().unwrap_or_default();
    read(&name).map(Some).ok_or_else(|| WireError::at(param, format!("`{param}` must be {wanted}, not `{name}`")))
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().map(text_of).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(other) => vec![text_of(other)],
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn numbers(body: &Map<String, Value>, name: &str) -> Result<Option<Vec<f64>>, WireError> {
    let Some(value) = field(body, &[name]) else { return Ok(None) };
    let wrong = || WireError::at(name, format!("`{name}` must be an array of numbers"));
    let items = value.as_array().ok_or_else(wrong)?;
    // A token without log-probability is null in some providers' answers; an object carries it as `logprob`.
    let read = |item: &Value| item.as_f64().or_else(|| item.get("logprob").and_then(Value::as_f64));
    let found: Option<Vec<f64>> = items.iter().filter(|item| !item.is_null()).map(read).collect();
    found.map(Some).ok_or_else(wrong)
}

const ENVELOPE: &[&str] =
    &["call_id", "tool_call_id", "tool_use_id", "id", "content", "is_error", "isError", "name", "seal", "type", "role"];
