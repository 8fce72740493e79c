//! A tool result that was examined, and where it stands.

use countersign::contract::{ToolCall, ToolResult, VerificationReport};

/// A result that was examined.
#[derive(Debug)]
pub struct Examined {
    /// The call it answers.
    pub call: ToolCall,
    /// The result.
    pub result: ToolResult,
    /// What the checks say of it.
    pub report: VerificationReport,
    /// Whether the request brings it for the first time.
    pub newest: bool,
    /// Which message or item it stands in.
    pub at: usize,
    /// Where its content stands there.
    pub pointer: String,
}
