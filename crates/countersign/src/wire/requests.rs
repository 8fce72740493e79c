//! The request lines of `check`, `verify`, `score` and `step`, with the aliases that the contract accepts.
//!
//! Each body is read from a JSON value. `ToolLine` is the quick way in for `check` and `step`: it leaves `tools` as
//! the bytes they came in, because most of a line is tools and most lines repeat those of the line before. Both ways
//! give the same request; a test shows it.

use super::WireError;
use super::messages::{read_call, read_messages, read_result, unwrap_content};
use super::tools::read_tools;
use crate::contract::context::{NOW, TIMEZONE};
use crate::contract::{Context, Language, Level, Message, ToolCall, ToolResult, ToolSpec, VerificationLevel};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

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

/// A line of `check` or `step` whose tools have not been read yet.
#[derive(Debug)]
pub struct ToolLine<'a> {
    /// The tools as they are in the line; absent where the line has none or says `null`.
    pub tools: Option<&'a RawValue>,
    /// The other fields that the contract knows. The rest was skipped.
    pub fields: Map<String, Value>,
}

impl<'a> ToolLine<'a> {
    /// Reads a line.
    pub fn parse(line: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// The request of `check`, without its tools.
    pub fn check(mut self) -> Result<CheckRequest, WireError> {
        let messages = take_messages(&mut self.fields)?;
        let mut request = read_call_request(&self.fields)?;
        request.messages = messages;
        Ok(request)
    }

    /// The request of `step`, without its tools.
    pub fn step(mut self) -> Result<StepRequest, WireError> {
        let messages = take_messages(&mut self.fields)?;
        let mut request = read_step_fields(&self.fields)?;
        request.check.messages = messages;
        Ok(request)
    }
}

/// Reads the body of `check`.
pub fn read_check(body: &Value) -> Result<CheckRequest, WireError> {
    let body = object(body)?;
    let tools = read_body_tools(body)?;
    Ok(CheckRequest { tools, ..read_call_request(body)? })
}

fn read_body_tools(body: &Map<String, Value>) -> Result<Option<Vec<ToolSpec>>, WireError> {
    field(body, &["tools"]).map(|tools| read_tools(&tools.to_string())).transpose()
}

/// Everything of a `check` but its tools.
fn read_call_request(body: &Map<String, Value>) -> Result<CheckRequest, WireError> {
    let call = match field(body, &["call"]) {
        Some(Value::Object(call)) => read_call(call),
        Some(_) => return Err(WireError::at("call", "`call` must be an object with `name` and `arguments`")),
        None if body.contains_key("tool_name") || body.contains_key("name") => read_call_fields(body),
        None => return Err(WireError::at("call", "the request needs a `call` with `name` and `arguments`")),
    };
    Ok(CheckRequest {
        id: body.get("id").cloned().unwrap_or(Value::Null),
        tools: None,
        messages: read_conversation(body)?,
        call,
        context: read_context(body)?,
        level: level(body, &["level", "validation_level"], Level::from_name, "strict, moderate or lenient")?,
        language: read_language(body)?,
    })
}

/// Reads the body of `verify`.
pub fn read_verify(body: &Value) -> Result<VerifyRequest, WireError> {
    let body = object(body)?;
    let call = match field(body, &["call"]) {
        Some(Value::Object(call)) => read_call(call),
        Some(_) => return Err(WireError::at("call", "`call` must be an object with `name` and `arguments`")),
        None if body.contains_key("tool_name") || body.contains_key("name") => read_call_fields(body),
        None => return Err(WireError::at("call", "the request needs the `call` that the result belongs to")),
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
        None | Some(Value::String(_)) => None,
        Some(_) => return Err(WireError::at("tool", "`tool` must be a tool definition")),
    };
    Ok(VerifyRequest {
        id: body.get("id").cloned().unwrap_or(Value::Null),
        tool,
        call,
        result,
        context: read_context(body)?,
        level: level(body, &["level", "verification_level"], VerificationLevel::from_name, "high, medium or low")?,
        language: read_language(body)?,
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
    let body = object(body)?;
    let tools = read_body_tools(body)?;
    let mut request = read_step_fields(body)?;
    request.check.tools = tools;
    Ok(request)
}

fn read_step_fields(body: &Map<String, Value>) -> Result<StepRequest, WireError> {
    let mut check = read_call_request(body)?;
    if let Some(facts) = field(body, &["fact_check_results", "fact_check"]) {
        check.context.0.entry("fact_check_results").or_insert_with(|| facts.clone());
    }
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

fn read_conversation(body: &Map<String, Value>) -> Result<Vec<Message>, WireError> {
    match field(body, &["messages", "conversation"]) {
        None => Ok(Vec::new()),
        Some(messages @ (Value::Array(_) | Value::String(_))) => Ok(read_messages(messages)),
        Some(_) => Err(WireError::at("messages", "`messages` must be an array of messages")),
    }
}

/// Reads the messages and takes them out, so that a long conversation is not held twice.
fn take_messages(fields: &mut Map<String, Value>) -> Result<Vec<Message>, WireError> {
    let messages = read_conversation(fields)?;
    fields.remove("messages");
    fields.remove("conversation");
    Ok(messages)
}

fn object(body: &Value) -> Result<&Map<String, Value>, WireError> {
    body.as_object().ok_or_else(|| WireError { message: "the request must be a JSON object".into(), param: None })
}

/// The first of several names that is there; `null` counts as absent.
fn field<'a>(body: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().filter_map(|name| body.get(*name)).find(|value| !value.is_null())
}

/// A call whose fields stand beside the others (`tool_name`, `tool_input`): the line's own id is not the call's.
fn read_call_fields(body: &Map<String, Value>) -> ToolCall {
    let mut call = read_call(body);
    call.id =
        ["call_id", "tool_use_id", "tool_call_id"].iter().find_map(|key| body.get(*key)?.as_str()).map(str::to_owned);
    call
}

fn is_envelope(result: &Map<String, Value>) -> bool {
    let named = ["content", "call_id", "tool_call_id", "tool_use_id"].iter().any(|key| result.contains_key(*key));
    named && result.keys().all(|key| ENVELOPE.contains(&key.as_str()))
}

/// The context, with the clock of the request in it: `now` and `timezone` beside `context` win over those inside.
fn read_context(body: &Map<String, Value>) -> Result<Context, WireError> {
    let mut context = match field(body, &["context"]) {
        Some(Value::Object(map)) => Context(map.clone()),
        Some(_) => return Err(WireError::at("context", "`context` must be an object")),
        None => Context::default(),
    };
    if let Some(now) = field(body, &[NOW]) {
        if !now.as_str().is_some_and(is_rfc3339) {
            let message = format!("`now` must be a time in RFC 3339, such as 2026-03-14T09:30:00+01:00, not {now}");
            return Err(WireError::at(NOW, message));
        }
        context.0.insert(NOW.to_owned(), now.clone());
    }
    if let Some(zone) = field(body, &[TIMEZONE]) {
        if zone.as_str().is_none_or(|zone| zone.trim().is_empty()) {
            let message = format!("`timezone` must be an IANA name or an offset, such as Europe/Oslo, not {zone}");
            return Err(WireError::at(TIMEZONE, message));
        }
        context.0.insert(TIMEZONE.to_owned(), zone.clone());
    }
    Ok(context)
}

/// Whether a text is a time in RFC 3339. The parser takes more of ISO 8601, so the form is looked at too: a date and a
/// time to the second, and an offset.
fn is_rfc3339(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(['T', 't', ' ']) else { return false };
    let Some(at) = rest.find(['Z', 'z', '+', '-']) else { return false };
    let (time, offset) = rest.split_at(at);
    let seconds = time.split_once('.').map_or(time, |(seconds, _)| seconds);
    let offset = offset.len() == 1 || (offset.len() == 6 && offset.contains(':'));
    date.len() == 10 && seconds.len() == 8 && offset && text.parse::<Timestamp>().is_ok()
}

fn read_language(body: &Map<String, Value>) -> Result<Option<Language>, WireError> {
    let Some(value) = field(body, &["language"]) else { return Ok(None) };
    let read = value.as_str().and_then(Language::from_name);
    read.map(Some).ok_or_else(|| WireError::at("language", format!("`language` must be en or zh, not {value}")))
}

fn level<T>(
    body: &Map<String, Value>,
    names: &[&str],
    read: impl Fn(&str) -> Option<T>,
    wanted: &str,
) -> Result<Option<T>, WireError> {
    let Some(value) = field(body, names) else { return Ok(None) };
    let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let param = names.iter().copied().find(|name| body.contains_key(*name)).unwrap_or_default();
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

/// The fields of `check` and `step`. What is in a line beside them is skipped without being kept.
const LINE_FIELDS: &[&str] = &[
    "id",
    "call",
    "name",
    "tool",
    "tool_name",
    "function",
    "arguments",
    "input",
    "raw_params",
    "tool_input",
    "parameters",
    "params",
    "args",
    "call_id",
    "tool_use_id",
    "tool_call_id",
    "messages",
    "conversation",
    "context",
    NOW,
    TIMEZONE,
    "level",
    "validation_level",
    "language",
    "result",
    "tool_output",
    "output",
    "model_response",
    "response",
    "response_text",
    "logprobs",
    "verification_level",
];

impl<'de> Deserialize<'de> for ToolLine<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = ToolLine<'de>;

    fn expecting(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
        words.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut line = ToolLine { tools: None, fields: Map::new() };
        while let Some(Key(key)) = map.next_key()? {
            if key == "tools" {
                let tools: &RawValue = map.next_value()?;
                line.tools = Some(tools).filter(|tools| tools.get() != "null");
            } else if LINE_FIELDS.contains(&key.as_ref()) {
                line.fields.insert(key.into_owned(), map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(line)
    }
}

/// A key, borrowed from the line unless it has escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
                words.write_str("a key")
            }

            fn visit_borrowed_str<E: serde::de::Error>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        input.deserialize_str(KeyVisitor).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines() -> Vec<Value> {
        vec![
            json!({"id": 1, "call": {"id": "c", "name": "f", "arguments": {"a": [1, "二"]}}, "gold": {"x": 1}}),
            json!({"id": "2", "tool_name": "f", "tool_input": "{\"a\": 1}", "tool_use_id": "u", "tools": null}),
            json!({"name": "f", "raw_params": {"a": 1}, "level": 3, "messages": [{"role": "user", "content": "hi"}]}),
            json!({"call": {"name": "f", "input": {}}, "context": {"user_role": "viewer"}, "language": "zh", "level": null}),
            json!({"call": {"name": "f"}, "validation_level": "STRICT", "tools": [{"name": "f", "input_schema": {"type": "object"}}]}),
            json!({"tool_name": "f", "tool_input": {}, "tool_output": {"n": 1}, "model_response": "ok", "logprobs": [-0.1], "verification_level": "high"}),
            json!({"call": {"name": "f"}, "result": {"call_id": "c", "content": "7", "is_error": true}, "response_text": "seven"}),
            json!({"call": 7}),
            json!({"id": 3}),
            json!({"call": {"name": "f"}, "context": []}),
            json!({"call": {"name": "f"}, "level": "soft"}),
            json!({"call": {"name": "f"}, "now": "2026-03-14T09:30:00+01:00", "timezone": "Europe/Oslo"}),
            json!({"call": {"name": "f"}, "now": "tomorrow"}),
        ]
    }

    // SCORE-7: the quick way in reads the same request as the ordinary one.
    #[test]
    fn both_ways_in_read_the_same() {
        for body in lines() {
            let text = body.to_string();
            let line = ToolLine::parse(&text).unwrap();
            let tools = line.tools.map(|tools| read_tools(tools.get())).transpose().unwrap();
            let quick = line.check().map(|check| format!("{:?}", CheckRequest { tools: tools.clone(), ..check }));
            assert_eq!(quick, read_check(&body).map(|check| format!("{check:?}")), "{text}");
            let quick = ToolLine::parse(&text).unwrap().step().map(|mut step| {
                step.check.tools = tools.clone();
                format!("{step:?}")
            });
            assert_eq!(quick, read_step(&body).map(|step| format!("{step:?}")), "{text}");
        }
    }

    #[test]
    fn a_line_that_is_no_object_is_no_line() {
        for text in ["[]", "7", "\"x\"", "null", "{", "{} {}", "{\"call\": }"] {
            assert!(ToolLine::parse(text).is_err(), "{text}");
        }
        let escaped = ToolLine::parse(r#"{"to\u006fls": [], "x": {"tools": 1}}"#).unwrap();
        assert_eq!(escaped.tools.map(RawValue::get), Some("[]"));
    }

    // The contract: `null` for an optional field counts as absent.
    #[test]
    fn null_counts_as_absent() {
        let body = json!({"call": {"name": "f", "arguments": null}, "tools": null, "messages": null, "context": null, "level": null, "language": null});
        let read = read_check(&body).unwrap();
        assert!(read.tools.is_none() && read.messages.is_empty() && read.level.is_none() && read.context.0.is_empty());
        let body = json!({"response": "x", "logprobs": null, "samples": null, "context": null, "fact_check": null});
        let read = read_score(&body).unwrap();
        assert!(
            read.logprobs.is_none() && read.samples.is_empty() && read.context.is_empty() && read.fact_check.is_none()
        );
    }

    // MEANING-3: the clock stands beside the context or in it, and what stands beside it wins.
    #[test]
    fn a_request_says_what_time_it_is() {
        let asked = |fields: Value| {
            let mut body = json!({"call": {"name": "f"}});
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let check = read_check(&body).unwrap().context;
            assert_eq!(check, read_step(&body).unwrap().check.context);
            (check.now().map(str::to_owned), check.timezone().map(str::to_owned))
        };
        let (oslo, utc) = ("2026-03-14T09:30:00+01:00", "2026-03-14T08:30:00.25Z");
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(asked(json!({"now": oslo, "timezone": "Europe/Oslo"})), (some(oslo), some("Europe/Oslo")));
        assert_eq!(
            asked(json!({"now": utc, "context": {"now": oslo, "timezone": "+01:00"}})),
            (some(utc), some("+01:00"))
        );
        assert_eq!(asked(json!({"now": null, "timezone": null, "context": {"now": oslo}})), (some(oslo), None));
        assert_eq!(asked(json!({"now": null, "timezone": null})), (None, None));
    }

    // MEANING-3
    #[test]
    fn a_clock_that_cannot_be_read_is_an_error() {
        let wrong = [
            json!("tomorrow"),
            json!(""),
            json!("2026-03-14"),
            json!("2026-03-14T09:30:00"),
            json!("2026-03-14T09:30Z"),
            json!("20260314T093000Z"),
            json!("2026-02-30T09:30:00Z"),
            json!("2026-03-14T09:30:00+01:00[Europe/Oslo]"),
            json!("2026-03-14T25:30:00+01:00"),
            json!(1_773_477_000),
            json!({}),
        ];
        for now in wrong {
            let error = read_check(&json!({"call": {"name": "f"}, "now": now})).unwrap_err();
            assert_eq!(error.param.as_deref(), Some("now"), "{now}");
        }
        for timezone in [json!(1), json!(""), json!(["Europe/Oslo"])] {
            let error = read_step(&json!({"call": {"name": "f"}, "timezone": timezone})).unwrap_err();
            assert_eq!(error.param.as_deref(), Some("timezone"), "{timezone}");
        }
    }
}
