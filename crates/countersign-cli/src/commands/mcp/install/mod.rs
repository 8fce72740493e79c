//! `countersign mcp install | uninstall | status`: guards in front of the servers that clients have configured.
//!
//! Only commands change. Before a file is written, what it was is kept beside it; a file that cannot be read for sure is
//! left alone, and so are servers that a client reaches over HTTP by itself.

mod clients;
mod entry;
mod json;
mod codex;

use crate::args::{McpClient, McpInstallArgs};
use crate::commands::print;
use crate::failure::Failure;
use clients::Notation;
use entry::{Change, Changed, Guarding, Standing};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Puts a guard in front of each server.
pub(crate) fn install(args: &McpInstallArgs) -> Result<u8, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::Internal(format!("where am I? {error}")))?;
    let mut options = Vec::new();
    if let Some(policy) = &args.policy {
        let whole = policy.canonicalize().map_err(|error| Failure::file(policy, "read", &error))?;
        options.extend(["--policy".to_owned(), whole.display().to_string()]);
    }
    go(args, &Change::Guard(Guarding { program: program.display().to_string(), options }))
}

/// Takes every guard out.
pub(crate) fn uninstall(args: &McpInstallArgs) -> Result<u8, Failure> {
    go(args, &Change::Unguard)
}

/// Says which servers are guarded.
pub(crate) fn status(args: &McpInstallArgs) -> Result<u8, Failure> {
    go(args, &Change::Look)
}

fn go(args: &McpInstallArgs, change: &Change) -> Result<u8, Failure> {
    let home = args.home.clone().or_else(std::env::home_dir);
    let home = home.ok_or_else(|| Failure::with_help("there is no home folder", "name it with --home"))?;
    let project = args.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let clients = if args.client.is_empty() { McpClient::ALL.to_vec() } else { args.client.clone() };
    let (mut report, mut failed, mut found) = (String::new(), false, false);
    for client in clients {
        for file in client.configuration_files(&home, &project).into_iter().filter(|file| file.exists()) {
            found = true;
            // Writing to a string cannot fail.
            let _ = writeln!(report, "{}: {}", client.title(), file.display());
            match treat(client, &file, change, args.dry_run) {
                Ok((changed, note)) => describe(&mut report, &changed, note),
                Err(why) => {
                    failed = true;
                    let _ = writeln!(report, "  left alone: {why}");
                }
            }
        }
    }
    if !found {
        report
            .push_str("No client has a file of MCP servers here; `countersign mcp --help` shows the line to write.\n");
    }
    print(&report)?;
    Ok(u8::from(failed))
}

fn treat(client: McpClient, file: &Path, change: &Change, dry_run: bool) -> Result<(Changed, Option<String>), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("it cannot be read: {error}"))?;
    let changed = match client.notation() {
        Notation::Json(key) => json::change(&text, key, change)?,
        Notation::Codex => codex::change(&text, change)?,
    };
    if changed.text == text {
        return Ok((changed, None));
    }
    if dry_run {
        return Ok((changed, Some("nothing was written (--dry-run)".to_owned())));
    }
    let kept = write(file, &text, &changed.text).map_err(|error| format!("it cannot be written: {error}"))?;
    Ok((changed, Some(format!("what it was is kept in {}", kept.display()))))
}

/// Writes a file in one step, and keeps what it was beside it.
fn write(file: &Path, before: &str, after: &str) -> std::io::Result<PathBuf> {
    // A link leads to the file that is meant.
    let file = file.canonicalize()?;
    let beside = |ending: &str| {
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(ending);
        file.with_file_name(name)
    };
    let (kept, fresh) = (beside(".before-countersign"), beside(".countersign-new"));
    std::fs::write(&kept, before)?;
    std::fs::write(&fresh, after)?;
    let permissions = std::fs::metadata(&file)?.permissions();
    std::fs::set_permissions(&kept, permissions.clone())?;
    std::fs::set_permissions(&fresh, permissions)?;
    std::fs::rename(&fresh, &file)?;
    Ok(kept)
}

fn describe(report: &mut String, changed: &Changed, note: Option<String>) {
    for (name, standing, is_new) in &changed.servers {
        let words = match (standing, is_new) {
            (Standing::Guarded, true) => "now guarded",
            (Standing::Guarded, false) => "guarded",
            (Standing::Open, true) => "no longer guarded",
            (Standing::Open, false) => "not guarded",
            (Standing::Remote, _) => {
                "not guarded: the client reaches it over HTTP; see /mcp/NAME of `countersign serve`"
            }
        };
        let _ = writeln!(report, "  {name}: {words}");
    }
    if changed.servers.is_empty() {
        report.push_str("  no MCP servers\n");
    }
    if let Some(note) = note {
        let _ = writeln!(report, "  {note}");
    }
}
