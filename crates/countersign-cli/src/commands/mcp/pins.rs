//! `countersign mcp pins`: what the tools of guarded servers were when they were approved, and what they are now.

use crate::args::{McpPinsArgs, McpPinsCommand};
use crate::commands::print;
use crate::failure::Failure;
use countersign_runtime::mcp_guard::Pins;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Runs one of the commands.
pub(crate) fn run(args: &McpPinsArgs) -> Result<u8, Failure> {
    let (McpPinsCommand::List(named)
    | McpPinsCommand::Diff(named)
    | McpPinsCommand::Verify(named)
    | McpPinsCommand::Approve { named, .. }) = &args.command;
    let folder = folder(named.pins.as_deref())?;
    let found = read(&folder, named.server.as_deref())?;
    match &args.command {
        McpPinsCommand::List(_) => list(&found),
        McpPinsCommand::Diff(_) => diff(&found),
        McpPinsCommand::Verify(_) => verify(&found),
        McpPinsCommand::Approve { tools, .. } => approve(found, tools),
    }
}

/// Where pins are kept, unless somebody says otherwise.
pub(crate) fn folder(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(folder) = named {
        return Ok(folder.to_owned());
    }
    let state = std::env::var_os("XDG_STATE_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")));
    let help = "name a folder with --pins, or guard without pins with --no-pins";
    let state = state.ok_or_else(|| Failure::with_help("there is no home folder to keep pins in", help))?;
    Ok(state.join("countersign/mcp-pins"))
}

/// A file of pins.
type Found = (PathBuf, Pins);

fn read(folder: &Path, server: Option<&str>) -> Result<Vec<Found>, Failure> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::file(folder, "read", &error)),
    };
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let pins = Pins::read(&path).map_err(|error| Failure::file(&path, "read", &error))?;
        if server.is_none_or(|server| server == pins.server) {
            found.push((path, pins));
        }
    }
    match server {
        Some(server) if found.is_empty() => Err(Failure::with_help(
            format!("no server `{server}` has pins in {}", folder.display()),
            "`countersign mcp pins list` shows those that have; a server is pinned when it is first guarded",
        )),
        _ => Ok(found),
    }
}

fn list(found: &[Found]) -> Result<u8, Failure> {
    let mut page = String::new();
    for (_, pins) in found {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "{} ({})", pins.server, pins.origin);
        for (name, tool) in &pins.tools {
            let state = if tool.held.is_some() { "held" } else { "pinned" };
            let digest: String = tool.approved.iter().flat_map(|pin| pin.digest.chars().take(12)).collect();
            let _ = writeln!(page, "  {state:<6}  {digest:<12}  {name}");
        }
    }
    if page.is_empty() {
        page.push_str("No tools are pinned yet: a server is pinned when it is first guarded.\n");
    }
    print(&page).map(|()| 0)
}

fn diff(found: &[Found]) -> Result<u8, Failure> {
    let mut page = String::new();
    for (_, pins) in found {
        for (name, tool) in pins.tools.iter().filter(|(_, tool)| tool.held.is_some()) {
            let _ = writeln!(page, "{} / {name}", pins.server);
            for (code, evidence) in &tool.why {
                let _ = writeln!(page, "  {code}: {evidence}");
            }
            for difference in tool.differences() {
                let _ = writeln!(page, "  {}", difference.place);
                show(&mut page, '-', difference.before.as_ref());
                show(&mut page, '+', difference.after.as_ref());
            }
        }
    }
    let code = u8::from(!page.is_empty());
    if page.is_empty() {
        page.push_str("No tool differs from its pin.\n");
    }
    print(&page).map(|()| code)
}

/// One side of a difference. What could act on a terminal is shown, not done.
fn show(page: &mut String, sign: char, value: Option<&Value>) {
    let Some(value) = value else { return };
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for line in text.lines() {
        let visible: String =
            line.chars().flat_map(|c| if is_plain(c) { vec![c] } else { c.escape_unicode().collect() }).collect();
        let _ = writeln!(page, "  {sign} {visible}");
    }
}

fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

fn verify(found: &[Found]) -> Result<u8, Failure> {
    let mut held = Vec::new();
    for (_, pins) in found {
        let names = pins.tools.iter().filter(|(_, tool)| tool.held.is_some());
        held.extend(names.map(|(name, _)| format!("{} / {name} is held\n", pins.server)));
    }
    let tools: usize = found.iter().map(|(_, pins)| pins.tools.len()).sum();
    if held.is_empty() {
        return print(&format!("{tools} tools of {} servers are as they were approved.\n", found.len())).map(|()| 0);
    }
    print(&held.concat()).map(|()| 1)
}

fn approve(found: Vec<Found>, tools: &[String]) -> Result<u8, Failure> {
    let mut page = String::new();
    for (path, mut pins) in found {
        let approved = pins.approve(tools);
        if !approved.is_empty() {
            pins.write(&path).map_err(|error| Failure::file(&path, "write", &error))?;
        }
        for name in approved {
            let _ = writeln!(page, "{} / {name} is approved as it is now", pins.server);
        }
    }
    if page.is_empty() {
        return Err(Failure::with_help("nothing of that name is held", "`countersign mcp pins list` shows what is"));
    }
    print(&page).map(|()| 0)
}
