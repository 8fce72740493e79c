//! A cleared call on its way to a tool, with the key by which a repetition is known.

use countersign::contract::ToolCall;
use countersign::contract::digest::arguments_digest;
use countersign::decide::ClearedCall;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A call that was given to its runner: its id, its tool and its arguments. It can be read from a log; it runs nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// The call's id.
    pub call_id: String,
    /// The tool's name, as the agent knows it.
    pub name: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

impl Called {
    /// The call as the engine knows it.
    pub fn call(&self) -> ToolCall {
        let arguments = Value::Object(self.arguments.clone()).into();
        ToolCall { id: Some(self.call_id.clone()), name: self.name.clone(), arguments }
    }
}

/// A cleared call on its way to a tool. Only this is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    called: Called,
    key: String,
}

impl Order {
    /// An order for a call that may run, of a turn of a session.
    pub fn new(turn: &str, call_id: &str, cleared: &ClearedCall) -> Self {
        let ToolCall { name, arguments, .. } = cleared.call();
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let key = idempotency_key(turn, call_id, &Value::Object(arguments.clone()));
        Self { called: Called { call_id: call_id.to_owned(), name: name.clone(), arguments }, key }
    }

    /// What is called.
    pub fn called(&self) -> &Called {
        &self.called
    }

    /// The call's id.
    pub fn call_id(&self) -> &str {
        &self.called.call_id
    }

    /// The tool's name, as the agent knows it.
    pub fn name(&self) -> &str {
        &self.called.name
    }

    /// The arguments.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.called.arguments
    }

    /// The same for the same call of the same turn with the same arguments. Servers that know how to can use it to do
    /// a thing once.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// The key of a call: its turn in its session, its id and a digest of the arguments.
pub fn idempotency_key(turn: &str, call_id: &str, arguments: &Value) -> String {
    let mut hash = Sha256::new();
    for part in [turn, call_id, &arguments_digest(arguments)] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut key = String::from("idem_");
    for byte in hash.finalize().iter().take(KEY_BYTES) {
        // Writing to a string cannot fail.
        let _ = write!(key, "{byte:02x}");
    }
    key
}

/// How much of the digest a key keeps.
const KEY_BYTES: usize = 16;
