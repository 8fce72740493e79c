//! `hook install`, `uninstall` and `status`.

use super::places::{configured, file, is_own_file, is_present, put, take};
use crate::args::{Agent, InstallArgs, PlaceArgs, Scope};
use crate::commands::print;
use crate::failure::Failure;
use crate::hook::home::{Home, Mode};
use std::fs;
use std::path::{Path, PathBuf};

/// Puts the guard into the settings.
pub(super) fn install(args: &InstallArgs, home: &Home) -> Result<u8, Failure> {
    let place = &args.place;
    let agents = chosen(place, |agent| is_present(agent, place.scope));
    if agents.is_empty() {
        let help = "name it: countersign hook install --agent claude-code";
        return Err(Failure::with_help("no agent was found here", help));
    }
    for agent in agents {
        let path = file(agent, place.scope)?;
        let old = read(&path)?;
        if is_own_file(agent) && !old.is_empty() && !old.contains("countersign") {
            let help = "move it away, or call `countersign hook` from it yourself";
            return Err(Failure::with_help(format!("{} belongs to somebody else", path.display()), help));
        }
        let new = put(agent, &old, !args.observe).map_err(|trouble| unusable(&path, &trouble))?;
        if place.dry_run {
            print(&format!("{} would become:\n{new}", path.display()))?;
            continue;
        }
        save(&path, &old, &new)?;
        if agent == Agent::Cline {
            finish_cline(&path, &new)?;
        }
        print(&format!("{}: on in {}{}\n", agent.name(), path.display(), next_step(agent)))?;
    }
    if !place.dry_run {
        let mode = if args.observe { Mode::Observe } else { Mode::Enforce };
        let project = project(place.scope);
        home.set_mode(project.as_deref(), mode).map_err(|error| Failure::file(home.path(), "write", &error))?;
        let said = match mode {
            Mode::Observe => "It only records; `countersign hook report` shows what it would have refused.",
            Mode::Enforce => "It refuses; `countersign hook doctor` shows that it works.",
        };
        print(&format!("{said}\n"))?;
    }
    Ok(0)
}

/// Takes the guard out of the settings.
pub(super) fn uninstall(args: &PlaceArgs) -> Result<u8, Failure> {
    let mut found = false;
    for agent in chosen(args, |_| true) {
        let path = file(agent, args.scope)?;
        let old = read(&path)?;
        if configured(agent, &old).is_none() {
            continue;
        }
        found = true;
        let new = take(agent, &old).map_err(|trouble| unusable(&path, &trouble))?;
        if args.dry_run {
            print(&format!("{} would become:\n{}", path.display(), new.unwrap_or_else(|| "(no file)\n".to_owned())))?;
            continue;
        }
        match new {
            Some(new) => save(&path, &old, &new)?,
            None => remove(agent, &path)?,
        }
        print(&format!("{}: off in {}\n", agent.name(), path.display()))?;
    }
    if !found {
        print("the guard is in no settings here\n")?;
    }
    Ok(0)
}

/// Says where the guard is on.
pub(super) fn status(args: &PlaceArgs, home: &Home) -> Result<u8, Failure> {
    let mode = match home.mode(project(args.scope).as_deref()) {
        Mode::Observe => "observe",
        Mode::Enforce => "enforce",
    };
    for agent in chosen(args, |_| true) {
        let path = file(agent, args.scope)?;
        let line = match configured(agent, &read(&path)?) {
            Some(command) => format!("{:<12} on   {mode}  {}  {command}\n", agent.name(), path.display()),
            None => format!("{:<12} off\n", agent.name()),
        };
        print(&line)?;
    }
    Ok(0)
}

/// The agents that are named, or those that fit.
pub(super) fn chosen(args: &PlaceArgs, fits: impl Fn(Agent) -> bool) -> Vec<Agent> {
    if args.agent.is_empty() {
        Agent::ALL.into_iter().filter(|agent| fits(*agent)).collect()
    } else {
        args.agent.clone()
    }
}

/// The project that a scope means.
pub(super) fn project(scope: Scope) -> Option<String> {
    let here = || std::env::current_dir().ok().map(|here| here.display().to_string());
    (scope == Scope::Project).then(here).flatten()
}

/// A file's text; a missing one is empty.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::file(path, "read", &error)),
    }
}

/// Writes a file beside itself and puts it in place, with what was there before in a backup.
fn save(path: &Path, old: &str, new: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file(path, "write", &error);
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    if !old.is_empty() && old != new {
        fs::write(beside(path, "countersign-backup"), old).map_err(failed)?;
    }
    let draft = beside(path, "countersign-new");
    fs::write(&draft, new).map_err(failed)?;
    fs::rename(&draft, path).map_err(failed)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{name}.{ending}"))
}

/// Cline runs one program for each event.
fn finish_cline(path: &Path, text: &str) -> Result<(), Failure> {
    for event in CLINE {
        let file = path.with_file_name(event);
        fs::write(&file, text).map_err(|error| Failure::file(&file, "write", &error))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let run = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&file, run).map_err(|error| Failure::file(&file, "make executable", &error))?;
        }
    }
    Ok(())
}

fn remove(agent: Agent, path: &Path) -> Result<(), Failure> {
    let files: Vec<PathBuf> = match agent {
        Agent::Cline => CLINE.iter().map(|event| path.with_file_name(event)).collect(),
        _ => vec![path.to_owned()],
    };
    for file in files.iter().filter(|file| read(file).is_ok_and(|text| text.contains("countersign"))) {
        fs::remove_file(file).map_err(|error| Failure::file(file, "remove", &error))?;
    }
    Ok(())
}

fn next_step(agent: Agent) -> &'static str {
    match agent {
        Agent::Codex => "; now type /hooks in Codex and trust it, until then it does not run",
        Agent::Windsurf | Agent::Cursor => "; restart the editor",
        _ => "",
    }
}

fn unusable(path: &Path, trouble: &str) -> Failure {
    Failure::with_help(format!("{}: {trouble}", path.display()), "mend the file, or move it away, and try again")
}

const CLINE: &[&str] = &["PreToolUse", "PostToolUse", "TaskStart", "UserPromptSubmit", "TaskComplete"];
