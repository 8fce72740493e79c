//! Web search as a tool that a model can call.

use super::super::order::Order;
use super::super::search::Search;
use super::super::tool::{Limits, Ran, Reach, Runner, Tool, ToolContext, ToolTrouble};
use super::super::toolbox::ToolSource;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;

/// The tool `web_search {query}` over a search.
pub fn search_tool(search: Arc<dyn Search>) -> Arc<dyn ToolSource> {
    let tool = Tool {
        name: NAME.to_owned(),
        spec: spec(),
        source: Arc::from("search"),
        reach: Reach::Reads,
        limits: Limits::default(),
        runner: Arc::new(Searching(search)),
    };
    Arc::new(Offered(Arc::new(tool)))
}

struct Offered(Arc<Tool>);

#[async_trait]
impl ToolSource for Offered {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        vec![Arc::clone(&self.0)]
    }
}

struct Searching(Arc<dyn Search>);

#[async_trait]
impl Runner for Searching {
    async fn run(&self, order: &Order, place: &ToolContext) -> Result<Ran, ToolTrouble> {
        let query = order.arguments().get("query").and_then(Value::as_str).unwrap_or_default().trim();
        if query.is_empty() {
            return Ok(Ran::failed("`query` is empty: say what to search for"));
        }
        let found = self.0.search(query, place).await?;
        Ok(Ran::of(json!({"query": query, "results": found})))
    }
}

fn spec() -> Value {
    let query = json!({"type": "string", "minLength": 1, "description": "What to search for."});
    json!({"type": "function", "function": {
        "name": NAME,
        "description": "Searches the web. Gives a list of results with title, link, content, icon and publish_date.",
        "parameters": {"type": "object", "properties": {"query": query}, "required": ["query"], "additionalProperties": false},
    }})
}

const NAME: &str = "web_search";
