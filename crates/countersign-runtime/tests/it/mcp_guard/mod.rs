//! The guard in front of an MCP server, message by message: what passes, what is mended, what is refused.

mod calls;
mod eras;
mod results;

use countersign::policy::Policy;
use countersign_runtime::mcp_guard::{McpGuardSettings, Outgoing, Relay};
use countersign_runtime::turn::Rules;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn settings(policy: &str) -> McpGuardSettings {
    let policy = Arc::new(Policy::from_toml(policy).unwrap());
    let rules = Arc::new(Rules { policy, asker: None });
    McpGuardSettings::new(Arc::new(move || Arc::clone(&rules)))
}

pub(crate) fn relay() -> Relay {
    Relay::new(settings(""))
}

/// A relay that knows these tools.
pub(crate) fn knowing(mut relay: Relay, tools: Value) -> Relay {
    let asked = relay.from_client(br#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#);
    assert_eq!(asked.len(), 1);
    relay.from_server(json!({"jsonrpc": "2.0", "id": "l", "result": {"tools": tools}}).to_string().as_bytes());
    relay
}

pub(crate) fn shop() -> Value {
    json!([
        {"name": "get_weather", "description": "Weather of a city.", "inputSchema": {"type": "object", "properties":
            {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}}, "required": ["city"]}},
        {"name": "refund_order", "description": "Refund an order.", "inputSchema": {"type": "object", "properties":
            {"order_id": {"type": "string"}, "amount": {"type": "number", "minimum": 0}}, "required": ["order_id", "amount"]},
         "outputSchema": {"type": "object", "properties": {"refunded": {"type": "number"}}, "required": ["refunded"]}},
        {"name": "read_file", "description": "Read a file.", "inputSchema": {"type": "object", "properties":
            {"path": {"type": "string"}}, "required": ["path"]}},
    ])
}

pub(crate) fn call(id: Value, name: &str, arguments: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        .to_string()
}

/// The one line that went to the server.
pub(crate) fn sent(out: Vec<Outgoing>) -> String {
    match <[Outgoing; 1]>::try_from(out) {
        Ok([Outgoing::ToServer(line)]) => line,
        other => panic!("{other:?}"),
    }
}

/// The one message that went to the client.
pub(crate) fn told(out: Vec<Outgoing>) -> Value {
    match <[Outgoing; 1]>::try_from(out) {
        Ok([Outgoing::ToClient(line)]) => serde_json::from_str(&line).unwrap(),
        other => panic!("{other:?}"),
    }
}
