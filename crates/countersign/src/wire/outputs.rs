//! The request lines of `parse`: what a model wrote, and how it is to be read.

use super::WireError;
use super::tools::read_tools;
use crate::contract::{Language, Role, ToolSpec};
use serde_json::{Map, Value};

/// A request to parse a model's output.
#[derive(Debug, Clone)]
pub struct ParseRequest {
    /// The caller's id.
    pub id: Value,
    /// The output, in the pieces it came in.
    pub chunks: Vec<String>,
    /// How it is to be read, by name; absent where the request does not say.
    pub protocol: Option<String>,
    /// The registered tools.
    pub tools: Option<Vec<ToolSpec>>,
    /// The schema of a JSON answer.
    pub schema: Option<Value>,
    /// Why the output ended: stop, length or cancelled.
    pub finish_reason: Option<String>,
    /// Whose words these are: the assistant's, or a user's message that may be a mere confirmation.
    pub role: Role,
    /// The language of the sentences that stand for tags; absent where the words around them decide.
    pub language: Option<Language>,
}

/// Reads the body of `parse`.
pub fn read_parse(body: &Value) -> Result<ParseRequest, WireError> {
    let Some(body) = body.as_object() else {
        return Err(WireError { message: "the request must be a JSON object".into(), param: None });
    };
    let tools = field(body, "tools").map(|tools| read_tools(&tools.to_string())).transpose()?;
    Ok(ParseRequest {
        id: body.get("id").cloned().unwrap_or(Value::Null),
        chunks: read_chunks(body)?,
        protocol: text(body, "protocol")?,
        tools,
        schema: field(body, "schema").cloned(),
        finish_reason: text(body, "finish_reason")?,
        role: match text(body, "role")?.as_deref() {
            None | Some("assistant") => Role::Assistant,
            Some("user") => Role::User,
            Some(other) => {
                return Err(WireError::at("role", format!("`role` must be assistant or user, not `{other}`")));
            }
        },
        language: text(body, "language")?.map(|name| read_language(&name)).transpose()?,
    })
}

fn read_language(name: &str) -> Result<Language, WireError> {
    let unknown = || WireError::at("language", format!("`language` must be en or zh, not `{name}`"));
    Language::from_name(name).ok_or_else(unknown)
}

fn read_chunks(body: &Map<String, Value>) -> Result<Vec<String>, WireError> {
    match (field(body, "input"), field(body, "chunks")) {
        (Some(Value::String(input)), None) => Ok(vec![input.clone()]),
        (None, Some(Value::Array(chunks))) => chunks.iter().map(read_chunk).collect(),
        (Some(_), Some(_)) => Err(WireError::at("chunks", "give `input` or `chunks`, not both")),
        (Some(_), None) => Err(WireError::at("input", "`input` must be a string: what the model wrote")),
        (None, Some(_)) => Err(WireError::at("chunks", "`chunks` must be an array of strings")),
        (None, None) => Err(WireError::at("input", "the request needs `input`, what the model wrote, or its `chunks`")),
    }
}

fn read_chunk(chunk: &Value) -> Result<String, WireError> {
    chunk.as_str().map(str::to_owned).ok_or_else(|| WireError::at("chunks", "`chunks` must be an array of strings"))
}

fn text(body: &Map<String, Value>, name: &str) -> Result<Option<String>, WireError> {
    match field(body, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(WireError::at(name, format!("`{name}` must be a string"))),
    }
}

fn field<'a>(body: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    body.get(name).filter(|value| !value.is_null())
}
