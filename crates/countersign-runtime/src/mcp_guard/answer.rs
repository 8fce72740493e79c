//! Messages of our own: refusals that a model can act on, errors that a client understands, and requests.

use super::message::Message;
use serde_json::{Map, Value, json};

/// A result that says why a call did not run. A model reads it, unlike an error of the protocol.
pub(super) fn refuse(request: &Message, text: &str) -> String {
    let mut result = json!({"content": [{"type": "text", "text": text}], "isError": true});
    if let (Some(_), Some(fields)) = (request.version(), result.as_object_mut()) {
        fields.insert("resultType".to_owned(), "complete".into());
    }
    json!({"jsonrpc": "2.0", "id": request.id(), "result": result}).to_string()
}

/// An error of the protocol.
pub(super) fn error(id: Option<&Value>, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}

/// A request of ours.
pub(super) fn request(id: &str, method: &str, params: Map<String, Value>) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// It is no JSON.
pub(super) const PARSE_ERROR: i64 = -32_700;
/// It is JSON and no request.
pub(super) const INVALID_REQUEST: i64 = -32_600;
/// Something broke on the way.
pub(super) const INTERNAL_ERROR: i64 = -32_603;
