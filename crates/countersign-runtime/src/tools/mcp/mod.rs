//! Tools of MCP servers: programs that are started here, and services that speak streamable HTTP.

/// What the operator says of a server.
mod options;
/// How it is doing.
mod state;

pub use options::{McpOptions, McpTransport};
pub use state::McpState;

use super::tool::Tool;
use super::toolbox::ToolSource;
use async_trait::async_trait;
use std::sync::Arc;

/// An MCP server whose tools are offered.
pub struct McpServer {
    options: McpOptions,
}

impl McpServer {
    /// A server. It is connected when it is first needed. Needs a tokio runtime.
    pub fn new(options: McpOptions) -> Arc<Self> {
        Arc::new(Self { options })
    }

    /// What the operator calls it.
    pub fn name(&self) -> &str {
        &self.options.name
    }

    /// How it is doing; it is connected first where it never was.
    pub async fn state(&self) -> McpState {
        McpState::default()
    }
}

#[async_trait]
impl ToolSource for McpServer {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        Vec::new()
    }
}
