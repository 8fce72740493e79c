//! Parts of messages that only one era has.

use super::super::message::{CAPABILITIES, Message, PROTOCOL, PROTOCOL_VERSION};
use serde_json::{Map, Value, json};

/// What a request of the newer era says of its client, taken from the greeting of an older one: never more than it said.
pub(super) fn describe_client(greeting: &Message) -> Map<String, Value> {
    let said = |name: &str| greeting.param(name).cloned().unwrap_or_else(|| json!({}));
    let meta = json!({PROTOCOL_VERSION: NEWER, CAPABILITIES: said("capabilities"), CLIENT_INFO: said("clientInfo")});
    Map::from_iter([("_meta".to_owned(), meta)])
}

/// The parameters of a greeting, taken from the first request of a newer client.
pub(super) fn greet(first: &Message) -> Map<String, Value> {
    let meta = |name: &str| first.param("_meta").and_then(|meta| meta.get(name)).cloned();
    let info = meta(CLIENT_INFO).unwrap_or_else(|| json!({"name": "client", "version": "0"}));
    let mut params = Map::new();
    params.insert("protocolVersion".to_owned(), OLDER.into());
    params.insert("capabilities".to_owned(), meta(CAPABILITIES).unwrap_or_else(|| json!({})));
    params.insert("clientInfo".to_owned(), info);
    params
}

/// Only what a request of the newer era says of its client.
pub(super) fn keep_meta(request: &Message) -> Map<String, Value> {
    let meta = request.param("_meta").and_then(Value::as_object).into_iter().flatten();
    let kept = meta.filter(|(name, _)| name.starts_with(PROTOCOL)).map(|(name, value)| (name.clone(), value.clone()));
    Map::from_iter([("_meta".to_owned(), Value::Object(kept.collect()))])
}

/// A message without what only the newer era has in it; every other byte stays.
pub(super) fn without_meta(message: &Message) -> String {
    let mut value = message.value.clone();
    if let Some(params) = value.get_mut("params").and_then(Value::as_object_mut) {
        let is_empty = params.get_mut("_meta").and_then(Value::as_object_mut).is_some_and(|meta| {
            meta.retain(|name, _| !name.starts_with(PROTOCOL));
            meta.is_empty()
        });
        if is_empty {
            params.shift_remove("_meta");
        }
        params.shift_remove("requestState");
        params.shift_remove("inputResponses");
    }
    message.changed(&value)
}

/// Whether an answer to `server/discover` names the version that is spoken here.
pub(super) fn knows_newer(discovered: &Value) -> bool {
    let versions = discovered.get("supportedVersions").and_then(Value::as_array);
    versions.is_some_and(|versions| versions.iter().any(|version| version == NEWER))
}

/// The answer to a request.
pub(super) fn answer(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// Whether a server may answer this with a question.
pub(super) fn may_ask(method: &str) -> bool {
    matches!(method, "tools/call" | "resources/read" | "prompts/get")
}

/// Whether an answer says how long it may be kept.
pub(super) fn may_be_kept(method: &str) -> bool {
    matches!(method, "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" | "resources/read")
}

/// The version of the newer era that is spoken here.
pub(super) const NEWER: &str = "2026-07-28";
/// The last version of the older one.
pub(super) const OLDER: &str = "2025-11-25";
pub(super) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(super) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(super) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Puts a value under a path of keys, with the objects on the way to it.
pub(super) fn put(value: &mut Value, path: &[&str], new: Value) {
    let Some((key, rest)) = path.split_first() else {
        *value = new;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(serde_json::Map::new());
    }
    if let Some(object) = value.as_object_mut() {
        put(object.entry(*key).or_insert(Value::Null), rest, new);
    }
}
