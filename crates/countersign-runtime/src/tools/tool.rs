//! What a tool is: what the model is told of it, what is known of its reach, and who runs it.

use super::order::Order;
use async_trait::async_trait;
use countersign::contract::Language;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// A tool that this process runs.
pub struct Tool {
    /// Its name, as the agent knows it.
    pub name: String,
    /// What the model is told, in the OpenAI shape; with `outputSchema` and `annotations` where it has them.
    pub spec: Value,
    /// Where it comes from: `builtin`, `search`, `mcp:NAME`, `openapi:NAME`.
    pub source: Arc<str>,
    /// What it may do to the world.
    pub reach: Reach,
    /// How long, and how much.
    pub limits: Limits,
    /// Who runs it.
    pub runner: Arc<dyn Runner>,
}

/// What a tool may do to the world, by the word of whoever set it up. A server's own annotations are never enough for
/// `Reads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It only looks: it may be asked twice, and what it said may be kept for a while.
    Reads,
    /// It may change something: it is run once for one call, or nobody knows.
    Acts,
}

/// The limits of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long a call may take.
    pub timeout: Duration,
    /// How many bytes of its result are kept.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(60), output: 256 * 1024 }
    }
}

/// For whom a tool is run.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// In which session.
    pub session: Arc<str>,
    /// For which user, in the words of the application.
    pub user: Option<String>,
    /// The language of the conversation.
    pub language: Language,
}

/// Runs a tool. It may be dropped at any await: the call was stopped, or its time is over.
#[async_trait]
pub trait Runner: Send + Sync {
    /// Runs it once.
    async fn run(&self, order: &Order, place: &ToolContext) -> Result<Ran, ToolTrouble>;
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ran {
    /// Its result.
    pub content: Value,
    /// Whether it says that it failed.
    pub is_error: bool,
    /// The call that it says this belongs to, where it says so.
    pub call_id: Option<String>,
    /// How many bytes were left out of the content because they were too many; 0 for none.
    pub cut: usize,
}

impl Ran {
    /// A result.
    pub fn of(content: impl Into<Value>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// A failure that the tool tells of itself.
    pub fn failed(why: impl Into<Value>) -> Self {
        Self { content: why.into(), is_error: true, ..Self::default() }
    }
}

/// Why a tool gave nothing back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToolTrouble {
    /// It was surely not run.
    #[error("the tool could not be reached, and was not run: {0}")]
    NotRun(String),
    /// It was run or refused, and that is over.
    #[error("the tool failed: {0}")]
    Failed(String),
    /// The connection was lost in the middle: it may have been run.
    #[error("it is unknown whether the tool ran: {0}")]
    Unknown(String),
}
