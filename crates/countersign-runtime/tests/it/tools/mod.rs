//! Tools of every source, run as a turn runs them: against real MCP servers, hostile ones, and HTTP services on loopback.

mod service;
mod builtin;
mod searching;
mod openapi;
mod mcp_real;
mod mcp_hostile;
mod mcp_http;
mod mcp_eras;

use countersign::check_call::Guard;
use countersign::contract::{Answers, Context, Language, ToolCall};
use countersign::decide::{ClearedCall, Scope};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::CheckRequest;
use countersign_runtime::tools::{Order, Outcome, Tool, ToolContext, ToolSource, run};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) fn place(session: &str) -> ToolContext {
    ToolContext { session: Arc::from(session), user: None, language: Language::English }
}

pub(crate) fn order(name: &str, arguments: &Value) -> Order {
    let call = ToolCall { id: None, name: name.to_owned(), arguments: arguments.clone().into() };
    // Nothing is known about the tool, so the engine clears the call as it is.
    let policy = Policy::from_toml("preset = \"none\"").unwrap();
    let guard = Guard::new(None, Arc::new(policy));
    let request = CheckRequest {
        id: Value::Null,
        tools: None,
        messages: Vec::new(),
        call,
        context: Context::default(),
        level: None,
        language: None,
    };
    let verdict = inspect::check(&guard, &request, &Answers::default());
    let cleared = ClearedCall::of(&verdict, &Scope::new("", "session"), &Arc::from("")).unwrap();
    Order::new("session", "call_1", &cleared)
}

/// The tool of a source by its name.
pub(crate) async fn find(source: &dyn ToolSource, name: &str) -> Arc<Tool> {
    let tools = source.tools().await;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    Arc::clone(tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("no {name} among {names:?}")))
}

/// Runs a tool of a source, as a turn does.
pub(crate) async fn call(source: &dyn ToolSource, name: &str, arguments: Value) -> Outcome {
    run(&find(source, name).await, order(name, &arguments), place("session")).await
}

/// What is tried again and again until it gives something.
pub(crate) async fn until<T>(what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(Instant::now() < end, "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A file of the MCP servers that `tools/test-mcp-servers` installs.
pub(crate) fn installed(path: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/mcp/current").join(path);
    assert!(file.exists(), "{} is missing: run ./tools/test-mcp-servers first (make test does)", file.display());
    // Without its dots, but with the links of a virtual environment as they are.
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
        .join("target/mcp/current")
        .join(path)
}
