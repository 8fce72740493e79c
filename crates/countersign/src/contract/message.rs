//! One message of a conversation, from any provider's shape.

use super::{ToolCall, ToolResult};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions of the operator (`system`, `developer`).
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's answer.
    Tool,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// All its text parts, joined by line breaks.
    pub text: String,
    /// The calls it makes.
    pub calls: Vec<ToolCall>,
    /// The results it carries.
    pub results: Vec<ToolResult>,
}

impl Message {
    /// A message that only holds text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), calls: Vec::new(), results: Vec::new() }
    }
}
