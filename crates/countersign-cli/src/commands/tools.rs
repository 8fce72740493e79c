//! `countersign tools`: the tools that agents have, as the server would see them now. Nothing is called.

use super::{format, print};
use crate::args::{Format, ToolsArgs};
use crate::config::{self, Config};
use crate::failure::{Failure, complain};
use crate::human;
use crate::human::canvas::Canvas;
use crate::serve::session_services::open_tools;
use crate::serve::tool_setup::ToolSetup;
use countersign::policy::pattern::nearest;
use countersign_runtime::agents::Agents;
use countersign_runtime::redact::redact;
use countersign_runtime::tools::{Reach, Tool, Toolbox, matches};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// Lists the tools.
pub(crate) fn run(args: ToolsArgs) -> Result<u8, Failure> {
    let config = config::load(&args.config)?;
    check_agent(&config.agents, args.agent.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(format!("cannot start the threads: {error}")))?;
    let (tools, troubles) = runtime.block_on(look(&config, args.agent.as_deref()))?;
    // Servers that were started here end with the threads.
    runtime.shutdown_timeout(Duration::from_secs(2));
    print(&render(&args, &config.agents, &tools)?)?;
    troubles.iter().for_each(|trouble| complain(trouble));
    Ok(u8::from(!troubles.is_empty()))
}

/// A tool, as it is listed.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// `reads` or `acts`.
    pub reach: &'static str,
    /// The first line of what the model is told.
    pub description: String,
    /// Who has it.
    pub agents: Vec<String>,
}

async fn look(config: &Config, agent: Option<&str>) -> Result<(Vec<Listed>, Vec<String>), Failure> {
    // The one crypto library of the process; a second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let tool_setup = open_tools(config)?;
    let troubles = wake(&tool_setup).await;
    let everything = Toolbox::gather(&tool_setup.sources, &["*".to_owned()]).await;
    let listed = everything.iter().map(|tool| describe_tool(tool, &config.agents));
    let wanted = listed.filter(|tool| agent.is_none_or(|agent| tool.agents.iter().any(|name| name == agent)));
    Ok((wanted.collect(), troubles))
}

/// Waits until every source has said what it offers; gives what is wrong with the others.
pub(crate) async fn wake(tool_setup: &ToolSetup) -> Vec<String> {
    let mut troubles = Vec::new();
    let states = tool_setup.servers.iter().map(|server| tokio::time::timeout(PATIENCE, server.state()));
    let states = futures_util::future::join_all(states).await;
    for (server, state) in tool_setup.servers.iter().zip(states) {
        let reason = match state {
            Ok(state) if state.connected => continue,
            Ok(state) => state.last_error.unwrap_or_else(|| "it cannot be connected".to_owned()),
            Err(_) => format!("it was not ready in {} s", PATIENCE.as_secs()),
        };
        troubles.push(redact(&format!("mcp.{}: {reason}", server.name())));
    }
    for service in &tool_setup.fetched {
        if let Err(reason) = service.fetch().await {
            troubles.push(format!("openapi.{}: {reason}", service.name()));
        }
    }
    troubles
}

fn describe_tool(tool: &Tool, agents: &Agents) -> Listed {
    let has = |name: &&str| {
        let patterns = agents.get(name).map(|agent| agent.tools.as_slice()).unwrap_or_default();
        patterns.iter().any(|pattern| matches(pattern, &tool.name))
    };
    let said = tool.spec.pointer("/function/description").or_else(|| tool.spec.get("description"));
    let said = said.and_then(Value::as_str).unwrap_or_default();
    Listed {
        name: tool.name.clone(),
        source: tool.source.to_string(),
        reach: match tool.reach {
            Reach::Reads => "reads",
            Reach::Acts => "acts",
        },
        description: said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned(),
        agents: agents.names().filter(has).map(str::to_owned).collect(),
    }
}

fn check_agent(agents: &Agents, asked: Option<&str>) -> Result<(), Failure> {
    let Some(name) = asked.filter(|name| agents.get(name).is_none()) else { return Ok(()) };
    let known: Vec<&str> = agents.names().collect();
    let help = match nearest(name, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.join(", ")),
    };
    Err(Failure::with_help(format!("there is no agent `{name}`"), help))
}

fn render(args: &ToolsArgs, agents: &Agents, tools: &[Listed]) -> Result<String, Failure> {
    let failed = |error: serde_json::Error| Failure::Internal(error.to_string());
    match format(args.format) {
        Format::Human => {
            Ok(human::tools::draw(Canvas::new(args.color, None), &rows(tools), &counts(args, agents, tools)))
        }
        Format::Json => serde_json::to_string_pretty(tools).map(|text| text + "\n").map_err(failed),
        Format::Jsonl => {
            tools.iter().map(|tool| Ok(serde_json::to_string(tool)? + "\n")).collect::<Result<_, _>>().map_err(failed)
        }
    }
}

fn rows(tools: &[Listed]) -> Vec<[&str; 4]> {
    tools.iter().map(|tool| [tool.name.as_str(), tool.source.as_str(), tool.reach, tool.description.as_str()]).collect()
}

/// How many of the tools each agent has.
fn counts(args: &ToolsArgs, agents: &Agents, tools: &[Listed]) -> Vec<(String, usize)> {
    let wanted = agents.names().filter(|name| args.agent.as_deref().is_none_or(|agent| agent == *name));
    let count = |name: &str| tools.iter().filter(|tool| tool.agents.iter().any(|agent| agent == name)).count();
    wanted.map(|name| (name.to_owned(), count(name))).collect()
}

/// How long a server may take to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
