//! The tools of a server: asked for page by page, and offered as the operator wants them.

use super::super::naming::Names;
use super::super::tool::{Reach, Tool};
use super::super::toolbox::matches;
use super::calling::{Calling, Shared, sign_in_wanted};
use rmcp::model::PaginatedRequestParams;
use rmcp::service::{Peer, RoleClient};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Asks a server for its tools.
pub(super) async fn list(peer: &Peer<RoleClient>, name: &str) -> Result<Vec<rmcp::model::Tool>, String> {
    let (mut tools, mut seen, mut cursor) = (Vec::new(), HashSet::new(), None);
    for _ in 0..MOST_PAGES {
        let asking = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(asking)).await.map_err(|error| {
            sign_in_wanted(&error, name).unwrap_or_else(|| format!("its tools cannot be listed: {error}"))
        })?;
        tools.extend(page.tools);
        match page.next_cursor {
            // A server that leads in circles is not followed.
            Some(next) if tools.len() < MOST_TOOLS && seen.insert(next.clone()) => cursor = Some(next),
            _ => break,
        }
    }
    tools.truncate(MOST_TOOLS);
    Ok(tools)
}

/// The tools that are offered of those that a server has.
pub(super) fn offered(shared: &Arc<Shared>, listed: Vec<rmcp::model::Tool>) -> Vec<Arc<Tool>> {
    let options = &shared.options;
    let fits = |patterns: &[String], name: &str| patterns.iter().any(|pattern| matches(pattern, name));
    let source: Arc<str> = Arc::from(format!("mcp:{}", options.name));
    let (mut names, mut seen) = (Names::default(), HashSet::new());
    let mut offered = Vec::new();
    for tool in listed {
        if !(options.tools.is_empty() || fits(&options.tools, &tool.name)) || !seen.insert(tool.name.clone()) {
            continue;
        }
        let name = names.give(&options.prefix, &tool.name);
        let spec = spec(&name, &tool);
        if spec.to_string().len() > LARGEST {
            tracing::warn!(
                server = options.name,
                tool = name,
                "a tool is left out: what it says of itself is too long"
            );
            continue;
        }
        let reach = if fits(&options.reads, &tool.name) { Reach::Reads } else { Reach::Acts };
        let runner = Arc::new(Calling { shared: Arc::clone(shared), tool: tool.name.into_owned() });
        let (source, limits) = (Arc::clone(&source), options.limits);
        offered.push(Arc::new(Tool { name, spec, source, reach, limits, runner }));
    }
    offered
}

fn spec(name: &str, tool: &rmcp::model::Tool) -> Value {
    let about = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let function = json!({"name": name, "description": about, "parameters": *tool.input_schema});
    let mut spec = json!({"type": "function", "function": function});
    if let Value::Object(fields) = &mut spec {
        if let Some(output) = &tool.output_schema {
            fields.insert("outputSchema".to_owned(), Value::Object((**output).clone()));
        }
        if let Some(annotations) = &tool.annotations {
            fields.insert("annotations".to_owned(), json!(annotations));
        }
    }
    spec
}

const MOST_PAGES: usize = 50;
const MOST_TOOLS: usize = 1_000;
/// How much a tool may say of itself, in bytes.
const LARGEST: usize = 256 * 1024;
