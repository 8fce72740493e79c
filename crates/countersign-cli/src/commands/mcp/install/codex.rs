//! The TOML of Codex. Only the values that change are written again; comments and all else stay.

use super::entry::{Change, Changed, Standing, Start};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    mcp_servers: BTreeMap<String, Server>,
}

#[derive(Deserialize)]
struct Server {
    command: Option<Spanned<String>>,
    args: Option<Spanned<Vec<String>>>,
}

/// Changes the servers of `[mcp_servers.NAME]`.
pub(crate) fn change(text: &str, change: &Change) -> Result<Changed, String> {
    let file: File = toml::from_str(text).map_err(|error| format!("it is not TOML: {}", error.message()))?;
    let (mut servers, mut edits) = (Vec::new(), Vec::new());
    for (name, server) in &file.mcp_servers {
        let Some(command) = &server.command else {
            servers.push((name.clone(), Standing::Remote, false));
            continue;
        };
        let args = server.args.as_ref().map(|args| args.get_ref().clone()).unwrap_or_default();
        let start = Start { command: command.get_ref().clone(), args };
        let changed = change.apply(name, &start);
        let now = changed.as_ref().unwrap_or(&start);
        servers.push((
            name.clone(),
            if now.is_guarded() { Standing::Guarded } else { Standing::Open },
            changed.is_some(),
        ));
        let Some(now) = changed else { continue };
        edits.push((command.span(), Value::String(now.command).to_string()));
        let list = Value::Array(now.args.into_iter().map(Value::String).collect()).to_string();
        match &server.args {
            Some(args) => edits.push((args.span(), list)),
            None => {
                let end = command.span().end;
                let between = if is_inline(text, command.span().start) { ", " } else { "\n" };
                edits.push((end..end, format!("{between}args = {list}")));
            }
        }
    }
    // From the last place to the first, so that the others stay where they are.
    edits.sort_by_key(|(span, _)| std::cmp::Reverse((span.start, span.end)));
    let mut text = text.to_owned();
    for (span, value) in edits {
        text.replace_range(span, &value);
    }
    Ok(Changed { servers, text })
}

/// Whether a value stands in a table of one line.
fn is_inline(text: &str, at: usize) -> bool {
    let line = text.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    line.contains('{')
}

#[cfg(test)]
mod tests {
    use super::super::entry::Guarding;
    use super::*;

    // MCP-1
    #[test]
    fn comments_and_other_tables_stay() {
        let text = "model = \"x\" # mine\n\n[mcp_servers.files]\ncommand = \"npx\" # start\nargs = [\"-y\",\n  \"server\"]\nenv = { K = \"v\" }\n\n[mcp_servers.time]\ncommand = 'uvx'\n\n[mcp_servers.web]\nurl = \"https://x\"\n\n[other]\na = 1\n";
        let guard = Change::Guard(Guarding { program: "/opt/countersign".to_owned(), options: Vec::new() });
        let guarded = change(text, &guard).unwrap();
        for kept in
            ["model = \"x\" # mine", "# start", "env = { K = \"v\" }", "url = \"https://x\"", "[other]\na = 1\n"]
        {
            assert!(guarded.text.contains(kept), "{}", guarded.text);
        }
        let read: Value = toml::from_str(&guarded.text).unwrap();
        assert_eq!(read["mcp_servers"]["files"]["args"].as_array().unwrap().len(), 7);
        assert_eq!(read["mcp_servers"]["time"]["args"].as_array().unwrap().len(), 5);
        assert_eq!(change(&guarded.text, &guard).unwrap().text, guarded.text);
        let restored: Value = toml::from_str(&change(&guarded.text, &Change::Unguard).unwrap().text).unwrap();
        assert_eq!(restored["mcp_servers"]["files"]["command"].as_str(), Some("npx"));
        assert_eq!(restored["mcp_servers"]["files"]["args"].as_array().unwrap().len(), 2);
        let inline = "mcp_servers = { a = { command = \"x\" } }\n";
        assert!(toml::from_str::<Value>(&change(inline, &guard).unwrap().text).is_ok());
    }
}
