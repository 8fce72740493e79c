//! The tools of agents, opened from the configuration: the built-in ones, HTTP services, MCP servers and web search.
//!
//! What is configured wrongly is said at the start. What is merely away is not waited for: it joins when it comes.

use super::fetched::Fetched;
use crate::config::Config;
use crate::failure::Failure;
use countersign_runtime::factcheck::Library;
use countersign_runtime::sessions::Sessions;
use countersign_runtime::tools::{
    Builtin, McpServer, OpenApiTools, Search, SetupError, ToolSource, WebSearch, search_tool,
};
use std::sync::Arc;

/// The tools of agents.
#[derive(Clone, Default)]
pub(crate) struct ToolSetup {
    /// Where tools come from, in the order in which names are given.
    pub sources: Vec<Arc<dyn ToolSource>>,
    /// Who searches the web.
    pub search: Option<Arc<dyn Search>>,
    /// The MCP servers among the sources.
    pub servers: Vec<Arc<McpServer>>,
    /// The services among the sources whose document is elsewhere.
    pub fetched: Vec<Arc<Fetched>>,
}

impl ToolSetup {
    /// Opens everything that is configured. Needs a tokio runtime.
    pub(crate) fn open(
        config: &Config,
        client: &reqwest::Client,
        sessions: Sessions,
        library: Option<Arc<dyn Library>>,
    ) -> Result<Self, Failure> {
        let mut tool_setup = Self::default();
        tool_setup.sources.push(Builtin::new(sessions, library));
        for service in &config.openapi {
            match &service.elsewhere {
                Some(address) => tool_setup.fetched.push(Fetched::new(service, address, client.clone())),
                None => {
                    let tools = OpenApiTools::new(service.options.clone(), client.clone());
                    let at = format!("openapi.{}", service.options.name);
                    tool_setup.sources.push(tools.map_err(|error| unusable(&at, &error))?);
                }
            }
        }
        tool_setup.servers.extend(config.mcp.iter().cloned().map(McpServer::new));
        tool_setup.sources.extend(tool_setup.fetched.iter().map(|service| Arc::clone(service) as Arc<dyn ToolSource>));
        tool_setup.sources.extend(tool_setup.servers.iter().map(|server| Arc::clone(server) as Arc<dyn ToolSource>));
        if let Some(options) = &config.search {
            let search = WebSearch::new(options.clone(), client.clone());
            let search: Arc<dyn Search> = search.map_err(|error| unusable("search", &error))?;
            tool_setup.sources.push(search_tool(Arc::clone(&search)));
            tool_setup.search = Some(search);
        }
        Ok(tool_setup)
    }

    /// Whether anything of it can be unavailable.
    pub(crate) fn can_be_away(&self) -> bool {
        !self.servers.is_empty() || !self.fetched.is_empty()
    }
}

fn unusable(at: &str, error: &SetupError) -> Failure {
    Failure::with_help(format!("{at}: {error}"), "`countersign doctor` looks at every tool source")
}
