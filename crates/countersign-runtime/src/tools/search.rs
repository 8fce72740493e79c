//! What a web search gives: the same five fields, whoever searches.

use super::tool::{ToolContext, ToolTrouble};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// One thing that was found. What is not known is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    /// Its title.
    pub title: String,
    /// Where it is.
    pub link: String,
    /// What it says, shortened by whoever found it.
    pub content: String,
    /// A small picture for it.
    pub icon: String,
    /// When it was published, as its source writes it.
    pub publish_date: String,
}

/// Searches the web. It may be dropped at any await, and ends in time by itself.
#[async_trait]
pub trait Search: Send + Sync {
    /// What is found for a query, the best first.
    async fn search(&self, query: &str, place: &ToolContext) -> Result<Vec<Found>, ToolTrouble>;
}
