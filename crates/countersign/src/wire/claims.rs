//! The request lines of `claims`: a message, and who it is from.

use super::WireError;
use serde_json::Value;

/// A request to find the claims of a message.
#[derive(Debug, Clone)]
pub struct ClaimsRequest {
    /// The caller's id.
    pub id: Value,
    /// The message.
    pub text: String,
}

/// Reads the body of `claims`. `content` is accepted for `text`, so that its own answers can be read again.
pub fn read_claims(body: Value) -> Result<ClaimsRequest, WireError> {
    let Value::Object(mut body) = body else {
        return Err(WireError { message: "the request must be a JSON object".into(), param: None });
    };
    let id = body.remove("id").unwrap_or(Value::Null);
    let mut take = |name: &str| body.remove(name).filter(|value| !value.is_null());
    match take("text").or_else(|| take("content")) {
        Some(Value::String(text)) => Ok(ClaimsRequest { id, text }),
        Some(_) => Err(WireError::at("text", "`text` must be a string: the message")),
        None => Err(WireError::at("text", "the request needs `text`, the message")),
    }
}
