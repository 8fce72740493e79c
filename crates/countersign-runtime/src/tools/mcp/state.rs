//! How an MCP server is doing, for whoever watches.

use serde::Serialize;

/// How an MCP server is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct McpState {
    /// Whether it is connected right now.
    pub connected: bool,
    /// The version of the protocol it speaks, where it was ever connected.
    pub protocol: Option<String>,
    /// What it calls itself, with its version.
    pub server: Option<String>,
    /// How many of its tools are offered.
    pub tools: usize,
    /// Why it last could not be used.
    pub last_error: Option<String>,
}
