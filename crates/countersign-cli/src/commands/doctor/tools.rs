//! What is wrong with the tools of agents: servers are started, documents loaded, the search is asked once.

use super::check::Check;
use crate::config::Config;
use crate::serve::session_services::open_tools;
use crate::serve::tool_setup::ToolSetup;
use countersign::contract::Language;
use countersign_runtime::redact::redact;
use countersign_runtime::tools::{McpServer, McpTransport, Search, ToolContext, Toolbox, matches};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;

/// Looks at every source of tools, and whether agents have what they name.
pub(super) async fn look(config: &Config) -> Vec<Check> {
    if config.mcp.is_empty() && config.openapi.is_empty() && config.search.is_none() {
        return Vec::new();
    }
    // The documents are looked at elsewhere; an index of them is not needed to look at tools.
    let lean = Config { knowledge_base: None, ..config.clone() };
    let tool_setup = match open_tools(&lean) {
        Ok(tool_setup) => tool_setup,
        Err(failure) => {
            return vec![Check::wrong("tools", failure.sentence(), "correct the table that it names")];
        }
    };
    let mut seen = join_all(tool_setup.servers.iter().map(|server| mcp(config, server))).await;
    seen.extend(documents(config, &tool_setup).await);
    if let Some(search) = &tool_setup.search {
        seen.push(web_search(search.as_ref()).await);
    }
    seen.extend(agents(config, &tool_setup).await);
    seen
}

async fn mcp(config: &Config, server: &Arc<McpServer>) -> Check {
    let name = format!("mcp.{}", server.name());
    let transport = config.mcp.iter().find(|known| known.name == server.name()).map(|known| &known.transport);
    let mend = match transport {
        Some(McpTransport::Child { command, .. }) => {
            format!(
                "start `{command}` by hand with the same arguments: it must run, and write nothing but MCP to its standard output"
            )
        }
        _ => "start the server, or correct `url` and `headers`".to_owned(),
    };
    match tokio::time::timeout(PATIENCE, server.state()).await {
        Err(_) => Check::wrong(name, format!("it was not ready in {} s", PATIENCE.as_secs()), mend),
        Ok(state) if !state.connected => {
            let reason = state.last_error.unwrap_or_else(|| "it cannot be connected".to_owned());
            Check::wrong(name, redact(&reason), mend)
        }
        Ok(state) if state.tools == 0 => {
            Check::warning(name, "it is connected and offers no tools", "look at `tools`: its patterns may fit none")
        }
        Ok(state) => {
            let server = state.server.unwrap_or_else(|| "a server".to_owned());
            let protocol = state.protocol.map(|version| format!(", protocol {version}")).unwrap_or_default();
            Check::ok(name, format!("{server}: {} tools{protocol}", state.tools))
        }
    }
}

async fn documents(config: &Config, tool_setup: &ToolSetup) -> Vec<Check> {
    let mut seen = Vec::new();
    for service in &config.openapi {
        let name = format!("openapi.{}", service.options.name);
        let fetched = tool_setup.fetched.iter().find(|fetched| fetched.name() == service.options.name);
        if let Some(Err(reason)) = async { Some(fetched?.fetch().await) }.await {
            seen.push(Check::wrong(name, reason, "correct `document`, or start the service that has it"));
            continue;
        }
        let source = format!("openapi:{}", service.options.name);
        let offered = Toolbox::gather(&tool_setup.sources, &["*".to_owned()]).await;
        seen.push(match offered.iter().filter(|tool| *tool.source == source).count() {
            0 => Check::warning(name, "it offers no tools", "look at `operations`: its patterns may fit none"),
            count => Check::ok(name, format!("{count} operations")),
        });
    }
    seen
}

async fn web_search(search: &dyn Search) -> Check {
    let (name, mend) = ("search", "start the service, or correct the keys under [search]");
    let place = ToolContext { session: "doctor".into(), user: None, language: Language::English };
    match tokio::time::timeout(PATIENCE, search.search("weather", &place)).await {
        Err(_) => Check::wrong(name, "it does not answer", mend),
        Ok(Err(trouble)) => Check::wrong(name, redact(&trouble.to_string()), mend),
        Ok(Ok(found)) if found.is_empty() => Check::warning(
            name,
            "it answers, and found nothing for `weather`",
            "look at `kind` and, for a generic search, at `results` and the pointers",
        ),
        Ok(Ok(found)) => Check::ok(name, format!("it answers: {} results for `weather`", found.len())),
    }
}

/// Agents that name tools which nobody offers.
async fn agents(config: &Config, tool_setup: &ToolSetup) -> Vec<Check> {
    let offered = Toolbox::gather(&tool_setup.sources, &["*".to_owned()]).await;
    let mut seen = Vec::new();
    for agent in config.agents.names().filter_map(|name| config.agents.get(name)) {
        let idle = agent.tools.iter().filter(|pattern| !KNOWN_LATER.contains(&pattern.as_str()));
        let idle = idle.filter(|pattern| !offered.iter().any(|tool| matches(pattern, &tool.name)));
        for pattern in idle {
            let message = format!("no tool is called `{pattern}`");
            let mend = "`countersign tools` lists the names; a source that is unavailable has none";
            seen.push(Check::warning(format!("agents.{}", agent.name), message, mend));
        }
    }
    seen
}

/// What is not looked at here, and may be there all the same.
const KNOWN_LATER: &[&str] = &["*", "kb_search"];
/// How long a source may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
