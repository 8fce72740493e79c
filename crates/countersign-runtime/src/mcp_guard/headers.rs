//! What a request of the newer era says of itself in the headers of HTTP: its method, its name, and the arguments that
//! the tool's schema marks with `x-mcp-header`. A request that was mended says it anew.

use super::message::{Message, PROTOCOL_VERSION};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

/// Sets the headers of a request, and takes those out that belong to another form of it.
pub(super) fn describe(message: &Message, schema: Option<&Value>, headers: &mut HeaderMap) {
    let stale: Vec<HeaderName> = headers.keys().filter(|name| name.as_str().starts_with(PARAM)).cloned().collect();
    stale.into_iter().for_each(|name| {
        headers.remove(name);
    });
    headers.remove(NAME);
    let Some(method) = message.method() else { return };
    put(headers, METHOD, method);
    let named = match method {
        "tools/call" | "prompts/get" => message.param("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => message.param("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => message.param("taskId"),
        _ => None,
    };
    if let Some(name) = named.and_then(Value::as_str) {
        put(headers, NAME, name);
    }
    if let (Some(schema), Some(arguments)) = (schema, message.param("arguments")) {
        put_arguments(headers, schema, arguments, 0);
    }
    if let Some(version) = message.param("_meta").and_then(|meta| meta.get(PROTOCOL_VERSION)?.as_str()) {
        put(headers, VERSION, version);
    }
}

fn put_arguments(headers: &mut HeaderMap, schema: &Value, arguments: &Value, depth: usize) {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, property) in properties.take(MOST_PROPERTIES) {
        let Some(argument) = arguments.get(name) else { continue };
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            let text = match argument {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => argument.to_string(),
                _ => continue,
            };
            put(headers, &format!("{PARAM}{header}"), &text);
        } else if depth < DEEPEST {
            put_arguments(headers, property, argument, depth + 1);
        }
    }
}

/// Sets a header. What a header cannot hold is written in base 64, as the protocol says.
pub(super) fn put(headers: &mut HeaderMap, name: &str, value: &str) {
    let is_plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) && value.trim() == value;
    let looks_coded = value.starts_with(CODED.0) && value.ends_with(CODED.1);
    let written = match is_plain && !looks_coded {
        true => value.to_owned(),
        false => format!("{}{}{}", CODED.0, STANDARD.encode(value), CODED.1),
    };
    if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(written)) {
        headers.insert(name, value);
    }
}

pub(super) const METHOD: &str = "mcp-method";
pub(super) const NAME: &str = "mcp-name";
pub(super) const VERSION: &str = "mcp-protocol-version";
pub(super) const SESSION: &str = "mcp-session-id";
const PARAM: &str = "mcp-param-";
const CODED: (&str, &str) = ("=?base64?", "?=");
const MOST_PROPERTIES: usize = 1_000;
const DEEPEST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // MCP-2: a mended call says in its headers what it says in its body.
    #[test]
    fn headers_follow_the_call() {
        let call = json!({"id": 1, "method": "tools/call", "params": {"name": "天气", "arguments": {"city": "Oslo", "days": 3,
            "deep": {"zone": " x"}}, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}});
        let schema = json!({"properties": {"city": {"x-mcp-header": "City"}, "days": {"x-mcp-header": "Days"},
            "deep": {"properties": {"zone": {"x-mcp-header": "Zone"}}}}});
        let mut headers = HeaderMap::new();
        headers.insert("mcp-param-old", HeaderValue::from_static("x"));
        describe(&Message::read(call.to_string().as_bytes()).unwrap(), Some(&schema), &mut headers);
        let of = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(of("mcp-method").as_deref(), Some("tools/call"));
        assert_eq!(of("mcp-name").as_deref(), Some("=?base64?5aSp5rCU?="));
        assert_eq!((of("mcp-param-city").as_deref(), of("mcp-param-days").as_deref()), (Some("Oslo"), Some("3")));
        assert_eq!((of("mcp-param-zone").as_deref(), of("mcp-param-old")), (Some("=?base64?IHg=?="), None));
        assert_eq!(of("mcp-protocol-version").as_deref(), Some("2026-07-28"));
        let list = Message::read(br#"{"id":2,"method":"tools/list"}"#).unwrap();
        describe(&list, None, &mut headers);
        assert_eq!((headers.get("mcp-name"), headers.get("mcp-param-city")), (None, None));
    }
}
