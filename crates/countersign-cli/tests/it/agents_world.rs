//! Hosted agents on the real server: a configuration with MCP servers, and one of our own that counts its calls.

use crate::native_world::Event;
use crate::serve_world::Server;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The lines that the counting MCP server wrote: one for each call that was run.
pub(crate) struct Counted(PathBuf);

impl Counted {
    /// How often a tool was run with a text.
    pub(crate) fn of(&self, tool: &str, text: &str) -> usize {
        let lines = std::fs::read_to_string(&self.0).unwrap_or_default();
        lines.lines().filter(|line| *line == format!("{tool} {text}")).count()
    }
}

/// Writes a configuration with the counting server, and more; gives its path, and the counts.
pub(crate) fn counting(home: &Path, more: &str) -> (String, Counted) {
    let lines = home.join("lines.txt");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/agents_tools.py");
    let text = format!(
        "[mcp.fx]\ncommand = {}\nargs = [{}, {}]\nreads = [\"look_*\"]\ntimeout = \"5s\"\n{more}\n",
        json!(python()),
        json!(script),
        json!(lines),
    );
    (configured(home, &text), Counted(lines))
}

/// Writes a configuration; gives its path.
pub(crate) fn configured(home: &Path, text: &str) -> String {
    let file = home.join("agents.toml");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

/// The Python of the MCP servers that `tools/test-mcp-servers` installs.
pub(crate) fn python() -> PathBuf {
    installed("python/bin/python")
}

/// A file of those servers.
pub(crate) fn installed(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let file = root.join("target/mcp/current").join(path);
    assert!(file.exists(), "{} is missing: run ./tools/test-mcp-servers first (make test does)", file.display());
    file
}

/// The variables that MCP servers need to be found.
pub(crate) fn variables() -> Vec<(&'static str, &'static str)> {
    let path = std::env::var("PATH").unwrap_or_default();
    vec![("PATH", path.leak())]
}

/// Says yes to what waits in a session; gives how many did.
pub(crate) fn approve(server: &Server, events: &[Event]) -> usize {
    let asked: Vec<String> = of(events, "review_required").map(|event| event.word("review_id")).collect();
    let yes = json!({"decision": "approve"}).to_string();
    let decide = |id: &&String| server.post(&format!("/v1/reviews/{id}/decision"), &yes).status == 200;
    asked.iter().filter(decide).count()
}

/// The events of a kind.
pub(crate) fn of<'e>(events: &'e [Event], kind: &'static str) -> impl Iterator<Item = &'e Event> {
    events.iter().filter(move |event| event.kind() == kind)
}

/// What a model's server demands of a conversation: every call has one result, right after it, and no result is alone.
pub(crate) fn well_formed(messages: &Value) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages.as_array().unwrap() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            assert!(open.contains(&id), "a result of nothing: {messages:#}");
            open.retain(|known| *known != id);
            continue;
        }
        assert!(open.is_empty(), "{open:?} have no result: {messages:#}");
        open.extend(message["tool_calls"].as_array().into_iter().flatten().filter_map(|call| call["id"].as_str()));
    }
    assert!(open.is_empty(), "{open:?} have no result: {messages:#}");
}
