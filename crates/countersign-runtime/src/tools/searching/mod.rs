//! Web search by an HTTP endpoint of the operator's choice.

/// What the operator says of the endpoint.
mod options;

pub use options::{SearchKind, SearchMethod, SearchOptions};

use super::search::{Found, Search};
use super::setup::SetupError;
use super::tool::{Place, Tool, ToolTrouble};
use super::toolbox::ToolSource;
use async_trait::async_trait;
use std::sync::Arc;

/// Searches by an HTTP endpoint.
pub struct WebSearch {}

impl WebSearch {
    /// A search by an endpoint. The client must not follow redirects (`redirect::Policy::none()`).
    pub fn new(_options: SearchOptions, _client: reqwest::Client) -> Result<Arc<Self>, SetupError> {
        Ok(Arc::new(Self {}))
    }
}

#[async_trait]
impl Search for WebSearch {
    async fn search(&self, _query: &str, _place: &Place) -> Result<Vec<Found>, ToolTrouble> {
        Ok(Vec::new())
    }
}

/// The tool `web_search {query}` over a search.
pub fn search_tool(_search: Arc<dyn Search>) -> Arc<dyn ToolSource> {
    Arc::new(SearchTool { tools: Vec::new() })
}

struct SearchTool {
    tools: Vec<Arc<Tool>>,
}

#[async_trait]
impl ToolSource for SearchTool {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        self.tools.clone()
    }
}
