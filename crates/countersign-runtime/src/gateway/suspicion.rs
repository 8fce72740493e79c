//! A tool result that looks wrong, and where it stands.

use countersign::contract::{ToolCall, ToolResult, VerificationReport};

/// A result that looks wrong.
#[derive(Debug)]
pub struct Suspicious {
    /// The call it answers.
    pub call: ToolCall,
    /// The result.
    pub result: ToolResult,
    /// What is wrong with it.
    pub report: VerificationReport,
    /// Whether the request brings it for the first time.
    pub newest: bool,
    /// Which message or item it stands in.
    pub at: usize,
    /// Where its content stands there.
    pub pointer: String,
}
