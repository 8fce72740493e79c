//! `countersign tools`: the tools that agents have, as the server would see them now. One is called where somebody says so.

use super::{format, print};
use crate::args::{Format, ToolsArgs};
use crate::config::{self, Config};
use crate::engine::read_policy;
use crate::failure::{Failure, complain};
use crate::human;
use crate::human::canvas::Canvas;
use crate::serve::session_services::open_tools;
use crate::serve::tool_setup::ToolSetup;
use countersign::check_call::Guard;
use countersign::contract::digest::tool_digest;
use countersign::contract::{Answers, Language};
use countersign::decide::{ClearedCall, Scope};
use countersign::inspect::check;
use countersign::policy::Policy;
use countersign::policy::pattern::nearest;
use countersign::wire::requests::read_check;
use countersign::wire::tools::read_tools;
use countersign_runtime::agents::Agents;
use countersign_runtime::redact::redact;
use countersign_runtime::tools::{Order, Reach, Tool, ToolContext, Toolbox, matches, run as run_tool};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Lists the tools.
pub(crate) fn run(args: ToolsArgs) -> Result<u8, Failure> {
    let config = config::load(&args.config)?;
    check_agent(&config.agents, args.agent.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(format!("cannot start the threads: {error}")))?;
    if let Some(name) = &args.call {
        let done = runtime.block_on(call(&config, name, &args.arguments));
        runtime.shutdown_timeout(Duration::from_secs(2));
        return done;
    }
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
    /// What it takes.
    pub input_schema: Value,
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

/// Calls a tool once, where the policy lets it run, and prints what came of it.
async fn call(config: &Config, name: &str, arguments: &str) -> Result<u8, Failure> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| Failure::with_help(format!("--arguments is no JSON: {error}"), "write an object"))?;
    let policy = config.policy.as_deref().map_or_else(|| Ok(Policy::standard().as_ref().clone()), read_policy)?;
    let tool_setup = open_tools(config)?;
    let troubles = wake(&tool_setup).await;
    let everything = Toolbox::gather(&tool_setup.sources, &["*".to_owned()]).await;
    let Some(tool) = everything.find(name) else {
        troubles.iter().for_each(|trouble| complain(trouble));
        let known: Vec<&str> = everything.iter().map(|tool| tool.name.as_str()).collect();
        let help = nearest(name, &known).map(|near| format!("did you mean `{near}`?"));
        let help = help.unwrap_or_else(|| "`countersign tools` lists them".to_owned());
        return Err(Failure::with_help(format!("there is no tool `{name}`"), help));
    };
    let specs = read_tools(&Value::Array(vec![tool.spec.clone()]).to_string());
    let specs = specs.map_err(|error| Failure::Internal(error.message))?;
    let digest: Arc<str> = tool_digest(specs.first()).into();
    let guard = Guard::new(Some(specs), Arc::new(policy));
    let asked = json!({"call": {"id": CALL, "name": name, "arguments": arguments}});
    let request = read_check(&asked).map_err(|error| Failure::unusable(error.message))?;
    let verdict = check(&guard, &request, &Answers::default());
    let scope = Scope::new("operator", CALL);
    let Some(cleared) = ClearedCall::of(&verdict, &scope, &digest) else {
        complain(verdict.feedback.as_deref().unwrap_or(&verdict.explanation));
        return Ok(1);
    };
    let place = ToolContext { session: CALL.into(), user: None, language: Language::English };
    let outcome = run_tool(tool, Order::new(CALL, CALL, &cleared), place).await;
    print(&format!("{}\n", redact(&outcome.content.to_string())))?;
    Ok(u8::from(outcome.is_error))
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
    let takes = tool.spec.pointer("/function/parameters").or_else(|| tool.spec.get("input_schema"));
    Listed {
        name: tool.name.clone(),
        source: tool.source.to_string(),
        reach: match tool.reach {
            Reach::Reads => "reads",
            Reach::Acts => "acts",
        },
        description: said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned(),
        agents: agents.names().filter(has).map(str::to_owned).collect(),
        input_schema: takes.cloned().unwrap_or_default(),
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

/// The id of the one call.
const CALL: &str = "call_by_hand";
/// How long a server may take to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
