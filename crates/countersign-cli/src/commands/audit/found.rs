//! What is read: the files that were named, those of folders, or the sessions of coding agents on this machine.

use crate::args::AuditArgs;
use crate::failure::{Failure, tell};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The files, in order; none where the person said no.
pub(super) fn files(args: &AuditArgs) -> Result<Option<Vec<PathBuf>>, Failure> {
    if !args.paths.is_empty() {
        let mut files = Vec::new();
        for path in &args.paths {
            let about = std::fs::metadata(path).map_err(|error| Failure::file(path, "read", &error))?;
            if about.is_dir() { walk(path, &mut files, 0) } else { files.push(path.clone()) }
        }
        return Ok(Some(files));
    }
    let files = sessions();
    if files.is_empty() {
        let help = "name a file or a folder: countersign audit logs/";
        return Err(Failure::with_help("no sessions of coding agents were found on this machine", help));
    }
    if args.yes {
        return Ok(Some(files));
    }
    if !io::stdin().is_terminal() {
        let message = format!("{} sessions of coding agents are on this machine", files.len());
        return Err(Failure::with_help(message, "`--yes` reads them without asking; nothing leaves this machine"));
    }
    Ok(agrees(files.len()).then_some(files))
}

fn agrees(count: usize) -> bool {
    tell(&format!("{count} sessions of coding agents were found on this machine. Nothing leaves it."));
    let _ = write!(io::stderr(), "Read them? [y/N] ");
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.is_ok() && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Where coding agents keep their sessions.
fn sessions() -> Vec<PathBuf> {
    let Some(home) = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from) else {
        return Vec::new();
    };
    let own = |name: &str, default: &str| {
        std::env::var_os(name).filter(|path| !path.is_empty()).map_or_else(|| home.join(default), PathBuf::from)
    };
    let mut files = Vec::new();
    walk(&own("CLAUDE_CONFIG_DIR", ".claude").join("projects"), &mut files, 0);
    walk(&own("CODEX_HOME", ".codex").join("sessions"), &mut files, 0);
    walk(&home.join(".gemini").join("tmp"), &mut files, 0);
    files.retain(|file| {
        file.components().any(|part| part.as_os_str() == "chats") || file.extension().is_some_and(|end| end == "jsonl")
    });
    files
}

/// The files of a folder in the order of their names. Links are not followed.
fn walk(folder: &Path, files: &mut Vec<PathBuf>, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type());
        match kind {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => walk(&path, files, depth + 1),
            Ok(kind) if kind.is_file() && is_trace(&path) && files.len() < MAX_FILES => files.push(path),
            _ => {}
        }
    }
}

fn is_trace(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
    ["jsonl", "json", "ndjson", "log"].contains(&end)
}

const MAX_DEPTH: usize = 12;
const MAX_FILES: usize = 200_000;
