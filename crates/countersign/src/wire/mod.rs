//! Foreign JSON into our words: the tool, message and request shapes of OpenAI, Anthropic and MCP.
//!
//! What cannot be read gives a `WireError` that says where and what to do; nothing is guessed and nothing lost.

pub mod built_in;
pub mod tools;
pub mod mark;
pub mod messages;
pub mod requests;
pub mod outputs;
pub mod claims;

/// A request that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WireError {
    /// What is wrong and what to do.
    pub message: String,
    /// The field that is wrong, where it is one.
    pub param: Option<String>,
}

impl WireError {
    /// An error about one field.
    pub fn at(param: &str, message: impl Into<String>) -> Self {
        Self { message: message.into(), param: Some(param.to_owned()) }
    }
}
