//! The tools of agents: is somebody away who offers some. Without them agents have less; the server itself is well.

use super::{Look, Probe};
use crate::serve::workshop::Workshop;
use countersign_runtime::redact::redact;
use countersign_runtime::tools::McpServer;
use futures_util::future::{BoxFuture, join_all};
use std::sync::Arc;
use std::time::Duration;

/// Looks at the sources of tools.
pub struct Tools {
    workshop: Workshop,
}

impl Tools {
    /// The sources of a configuration.
    pub fn new(workshop: Workshop) -> Self {
        Self { workshop }
    }
}

impl Probe for Tools {
    fn name(&self) -> &'static str {
        "tools"
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            let mut away: Vec<String> = Vec::new();
            let mut offered = 0;
            for state in join_all(self.workshop.servers.iter().map(server)).await {
                match state {
                    Ok(tools) => offered += tools,
                    Err(reason) => away.push(reason),
                }
            }
            let documents =
                self.workshop.fetched.iter().filter_map(|service| {
                    service.trouble().map(|reason| format!("openapi.{}: {reason}", service.name()))
                });
            away.extend(documents);
            let look = if away.is_empty() { Look::healthy() } else { Look::degraded(away.join("; ")) };
            look.with("mcp_servers", self.workshop.servers.len()).with("mcp_tools", offered)
        })
    }
}

/// How many tools a server offers, or why it is away.
async fn server(server: &Arc<McpServer>) -> Result<usize, String> {
    let at = format!("mcp.{}", server.name());
    match tokio::time::timeout(DEADLINE, server.state()).await {
        Ok(state) if state.connected => Ok(state.tools),
        Ok(state) => {
            let reason = state.last_error.unwrap_or_else(|| "it is not connected".to_owned());
            Err(format!("{at}: {}", redact(&reason)))
        }
        Err(_) => Err(format!("{at}: it is being connected")),
    }
}

/// How long a server may take to say how it is; the look itself has a little more.
const DEADLINE: Duration = Duration::from_millis(1000);
