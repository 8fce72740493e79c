//! The tools of agents: is somebody away who offers some. Without them agents have less; the server itself is well.

use super::{Look, Probe};
use crate::serve::tool_setup::ToolSetup;
use countersign_runtime::redact::redact;
use countersign_runtime::tools::McpServer;
use futures_util::future::{BoxFuture, join_all};
use std::sync::Arc;
use std::time::Duration;

/// Looks at the sources of tools.
pub(crate) struct Tools {
    tool_setup: ToolSetup,
}

impl Tools {
    /// The sources of a configuration.
    pub(crate) fn new(tool_setup: ToolSetup) -> Self {
        Self { tool_setup }
    }
}

impl Probe for Tools {
    fn name(&self) -> &'static str {
        "tools"
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            let (mut away, mut coming, mut offered) = (Vec::new(), Vec::new(), 0);
            for standing in join_all(self.tool_setup.servers.iter().map(standing)).await {
                match standing {
                    Standing::Up(tools) => offered += tools,
                    Standing::Coming(name) => coming.push(name),
                    Standing::Away(reason) => away.push(reason),
                }
            }
            let documents =
                self.tool_setup.fetched.iter().filter_map(|service| {
                    service.trouble().map(|reason| format!("openapi.{}: {reason}", service.name()))
                });
            away.extend(documents);
            let look = match (away.is_empty(), coming.is_empty()) {
                (false, _) => Look::degraded(away.join("; ")),
                (true, false) => Look::healthy().noting(format!("{} is being connected", coming.join(", "))),
                (true, true) => Look::healthy(),
            };
            look.with("mcp_servers", self.tool_setup.servers.len()).with("mcp_tools", offered)
        })
    }
}

/// How an MCP server stands.
enum Standing {
    /// It offers so many tools.
    Up(usize),
    /// It is being connected for the first time.
    Coming(String),
    /// It is unavailable, with the reason.
    Away(String),
}

async fn standing(server: &Arc<McpServer>) -> Standing {
    let name = format!("mcp.{}", server.name());
    match tokio::time::timeout(DEADLINE, server.state()).await {
        Ok(state) if state.connected => Standing::Up(state.tools),
        Ok(state) => {
            let reason = state.last_error.unwrap_or_else(|| "it is not connected".to_owned());
            Standing::Away(format!("{name}: {}", redact(&reason)))
        }
        // The first try has a deadline of its own; after it, this is answered at once.
        Err(_) => Standing::Coming(name),
    }
}

/// How long a server may take to say how it is; the look itself has a little more.
const DEADLINE: Duration = Duration::from_millis(1000);
