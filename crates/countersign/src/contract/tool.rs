//! A tool as its owner declared it, whatever shape it came in.

use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::{Arc, OnceLock};

/// A JSON Schema kept as the text it came in; it is parsed when a call first needs it, once for all its copies.
#[derive(Debug, Clone)]
pub struct RawSchema(pub Arc<SchemaText>);

/// The text of a schema.
#[derive(Debug)]
pub struct SchemaText {
    text: Box<RawValue>,
    value: OnceLock<Value>,
}

impl RawSchema {
    /// A schema as it was written.
    pub fn new(text: Box<RawValue>) -> Self {
        Self(Arc::new(SchemaText { text, value: OnceLock::new() }))
    }
}

impl SchemaText {
    /// The text.
    pub fn get(&self) -> &str {
        self.text.get()
    }

    /// What it says; `null` where it cannot be read.
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| serde_json::from_str(self.get()).unwrap_or_default())
    }
}

/// A declared tool.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// The registered name.
    pub name: String,
    /// What the tool says of itself.
    pub description: String,
    /// The schema of its arguments; absent where the tool declared none.
    pub input: Option<RawSchema>,
    /// The schema of its results (`output_schema`, MCP `outputSchema`).
    pub output: Option<RawSchema>,
    /// What the tool says about its effects.
    pub annotations: Annotations,
    /// A tool that the model's provider runs itself: it has no schema, and its calls pass untouched.
    pub server_side: bool,
    /// What its calls bring.
    pub takes: Takes,
}

/// What the calls of a tool bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Takes {
    /// A JSON object.
    #[default]
    Arguments,
    /// Free text, judged as an object of one field.
    Text,
}

/// The MCP annotations of a tool. They are hints, so they may raise our care and never lower it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
}
