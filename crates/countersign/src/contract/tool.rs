//! A tool as its owner declared it, whatever shape it came in.

use serde_json::value::RawValue;
use std::sync::Arc;

/// A JSON Schema kept as the text it came in; it is parsed when a call first needs it.
#[derive(Debug, Clone)]
pub struct RawSchema(pub Arc<RawValue>);

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
