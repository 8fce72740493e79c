//! Files that a session writes and may run later: scripts, targets of a runner, aliases of git. What they do is judged as the
//! command line that would do it.
//!
//! Only what a script says is kept, never its text: the reason for which the same line would have been stopped.

use super::alias;
use super::call::Call;
use super::checks::edits;
use super::kind::is_target_runner;
use super::memory::Armed;
use super::place::Place;
use super::shell::{Ran, commands, join};
use serde_json::Value;

/// Something that was written and can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file, absolute; `git` for an alias.
    pub path: String,
    /// The target in it, or the alias; empty for the whole file.
    pub target: String,
    /// The command line that does what it would do.
    pub line: String,
}

/// What a call writes that can be run later.
pub fn written(call: &Call, place: &Place) -> Vec<Written> {
    if let Some(line) = call.command().filter(|_| !call.is_patch()) {
        return commands(line).iter().flat_map(|ran| written_by(ran, place)).collect();
    }
    let Some(path) = call.changed().into_iter().next().and_then(|path| place.resolve(&path)) else { return Vec::new() };
    let keys = ["content", "file_text", "contents", "text", "new_source"];
    let whole = keys.iter().find_map(|key| call.arguments.get(*key).and_then(Value::as_str));
    let texts = whole.into_iter().chain(edits(call).into_iter().map(|(_, new)| new));
    texts.flat_map(|text| parts(&path, text)).collect()
}

/// What a call takes out of a file that could be run.
pub fn replaced(call: &Call, place: &Place) -> Vec<Written> {
    let Some(path) = call.changed().into_iter().next().and_then(|path| place.resolve(&path)) else { return Vec::new() };
    edits(call).into_iter().flat_map(|(old, _)| parts(&path, old)).collect()
}

/// Those of them that a call writes whole, so that what was there before is gone.
pub fn overwritten(call: &Call, place: &Place) -> Option<String> {
    let path = call.changed().into_iter().next().and_then(|path| place.resolve(&path))?;
    edits(call).is_empty().then_some(path)
}

/// What one command writes: a heredoc or a text into a file, an alias.
fn written_by(ran: &Ran, place: &Place) -> Vec<Written> {
    let program = ran.program();
    if program == "git" {
        let words = ran.arguments();
        let set = words.iter().position(|word| word == "config").and_then(|at| words.get(at + 1..));
        let aliases = set.into_iter().flat_map(alias::set_by);
        return aliases
            .map(|(name, value)| Written { path: "git".to_owned(), target: name, line: alias::expand(&value, &[]) })
            .collect();
    }
    let said = || ran.plain().collect::<Vec<_>>().join(" ").replace("\\n", "\n");
    let text = match program.as_str() {
        "echo" | "printf" => said(),
        "cat" | "tee" => ran.input.clone().unwrap_or_default(),
        _ => return Vec::new(),
    };
    let mut files: Vec<&str> = ran.writes.iter().map(String::as_str).collect();
    files.extend(ran.plain().filter(|_| program == "tee"));
    let files = files.into_iter().filter_map(|path| place.resolve(&join(&ran.dir, path)));
    files.flat_map(|path| parts(&path, &text)).collect()
}

/// What a file's text can be run as.
fn parts(path: &str, text: &str) -> Vec<Written> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let part = |target: &str, line: String| Written { path: path.to_owned(), target: target.to_owned(), line };
    let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text);
    if RECIPES.contains(&name.as_str()) || name.ends_with(".mk") {
        return recipes(text).into_iter().map(|(target, line)| part(&target, line)).collect();
    }
    if name == "package.json" {
        return entries(text).into_iter().map(|(target, line)| part(&target, line)).collect();
    }
    let first = text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
    let language = LANGUAGES.iter().find(|(end, program)| name.ends_with(end) || first.contains(program));
    match language {
        Some((_, "sh")) => vec![part("", text.to_owned())],
        Some((_, program)) => vec![part("", format!("{program} - <<'{END}'\n{text}\n{END}"))],
        // A hook has no ending; what else has none and no first line is no script.
        None if path.contains("/.git/hooks/") || path.contains("/.husky/") => vec![part("", text.to_owned())],
        None => Vec::new(),
    }
}

/// The targets of a makefile with what they run. `$(HOME)` is the shell's `$HOME`.
fn recipes(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut targets: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with(['\t', ' ']) {
            let command = line.trim().trim_start_matches(['@', '-', '+']);
            let command = command.replace("$$", "\u{0}").replace("$(", "${").replace('\u{0}', "$");
            let command = closed(&command);
            for target in &targets {
                match found.iter_mut().find(|(known, _)| known == target) {
                    Some((_, lines)) => {
                        lines.push('\n');
                        lines.push_str(&command);
                    }
                    None => found.push((target.clone(), command.clone())),
                }
            }
        } else if let Some((names, _)) =
            line.split_once(':').filter(|(names, rest)| !names.contains('=') && !rest.starts_with('='))
        {
            targets = names.split_whitespace().take(MAX_TARGETS).map(str::to_owned).collect();
        } else if !line.trim().is_empty() {
            targets.clear();
        }
    }
    found
}

/// A make variable `${X)` as the shell writes it: `${X}`.
fn closed(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        let name = from.get(2..).unwrap_or_default();
        let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let behind = name.get(length..).unwrap_or_default();
        out.push_str(before);
        if let Some(after) = behind.strip_prefix(')') {
            out.push_str(&format!("${{{}}}", name.get(..length).unwrap_or_default()));
            rest = after;
        } else {
            // A function of make, which the shell reads as a substitution.
            out.push_str("$(");
            rest = name;
        }
    }
    out.push_str(rest);
    out
}

/// The entries `"name": "command"` of a piece of JSON.
fn entries(text: &str) -> Vec<(String, String)> {
    let entry = |line: &str| {
        let (key, value) = line.trim().trim_end_matches(',').split_once(':')?;
        let key: String = serde_json::from_str(key.trim()).ok()?;
        Some((key, serde_json::from_str(value.trim()).ok()?))
    };
    text.lines().filter_map(entry).take(MAX_TARGETS).collect()
}

/// What was written and is dangerous to run, where a line runs it.
pub fn run_by<'a>(line: &str, place: &Place, armed: &'a [Armed]) -> Option<&'a Armed> {
    if armed.is_empty() {
        return None;
    }
    let ran = commands(line);
    armed.iter().find(|armed| ran.iter().any(|ran| runs(ran, place, &armed.path, &armed.target)))
}

/// Whether a command runs a file, or a target in it.
pub fn runs_written(line: &str, place: &Place, written: &Written) -> bool {
    commands(line).iter().any(|ran| runs(ran, place, &written.path, &written.target))
}

fn runs(ran: &Ran, place: &Place, path: &str, target: &str) -> bool {
    let program = ran.program();
    let first = ran.words.first().map(String::as_str).unwrap_or_default();
    if path == "git" {
        return program == "git" && ran.plain().next() == Some(target);
    }
    if !target.is_empty() {
        let name = path.rsplit('/').next().unwrap_or_default();
        let manages = ["npm", "pnpm", "yarn", "bun"].contains(&program.as_str());
        let fits = if name == "package.json" { manages } else { is_target_runner(&program) };
        return fits && ran.plain().any(|word| word == target);
    }
    let is_it = |word: &str| place.resolve(&join(&ran.dir, word)).as_deref() == Some(path);
    let started = first.contains('/') && is_it(first);
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let interpreter = LANGUAGES.iter().any(|(_, language)| plain == *language)
        || ["bash", "zsh", "dash", "ksh", "source", "tsx", "bun", "deno"].contains(&plain)
        || program == ".";
    started || (interpreter && ran.plain().find(|word| *word != "run").is_some_and(is_it))
}

const RECIPES: &[&str] = &["makefile", "gnumakefile", "justfile"];
/// Endings of scripts, and who runs them.
const LANGUAGES: &[(&str, &str)] = &[
    (".sh", "sh"),
    (".bash", "sh"),
    (".zsh", "sh"),
    (".py", "python"),
    (".rb", "ruby"),
    (".pl", "perl"),
    (".js", "node"),
    (".mjs", "node"),
    (".cjs", "node"),
    (".php", "php"),
];
const END: &str = "END_OF_WRITTEN_TEXT";
const MAX_TEXT: usize = 200_000;
const MAX_TARGETS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn place() -> Place {
        Place {
            cwd: "/w/app".to_owned(),
            roots: vec!["/w/app".to_owned()],
            home: Some("/home/dev".to_owned()),
            guarded: Vec::new(),
        }
    }

    fn of(name: &str, arguments: Value) -> Vec<(String, String, String)> {
        let found = written(&Call::new(name, Some(&arguments)), &place());
        found.into_iter().map(|written| (written.path, written.target, written.line)).collect()
    }

    #[test]
    fn what_is_written_is_read_as_what_it_runs() {
        // HOOK-1
        let text = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(of("Write", json!({"file_path": "a.sh", "content": "ls"})), [text("/w/app/a.sh", "", "ls")]);
        assert_eq!(
            of("Bash", json!({"command": "cat > tools/a.sh <<'X'\nls\nX"})).first().map(|found| found.0.clone()),
            Some("/w/app/tools/a.sh".to_owned())
        );
        let make = "all: x\n\t@echo $$PATH\n\nwipe:\n\trm -rf $(OUT) $(wildcard *.o)\n";
        assert_eq!(
            of("Write", json!({"file_path": "Makefile", "content": make})),
            [
                text("/w/app/Makefile", "all", "echo $PATH"),
                text("/w/app/Makefile", "wipe", "rm -rf ${OUT} $(wildcard *.o)")
            ]
        );
        let edit = json!({"file_path": "package.json", "old_string": "{", "new_string": "{\n \"scripts\": {\n  \"x\": \"ls -l\",\n"});
        assert_eq!(of("Edit", edit), [text("/w/app/package.json", "x", "ls -l")]);
        assert_eq!(of("Bash", json!({"command": "git config alias.s '!ls'"})), [text("git", "s", "ls")]);
        assert_eq!(of("Write", json!({"file_path": "notes.md", "content": "rm -rf /"})), []);
    }

    #[test]
    fn what_runs_a_file_is_known() {
        // HOOK-1
        let runs = |line: &str, path: &str, target: &str| {
            let armed =
                [Armed { path: path.to_owned(), target: target.to_owned(), reason: "x".to_owned(), refused: false }];
            run_by(line, &place(), &armed).is_some()
        };
        assert!(runs("chmod +x a.sh && ./a.sh", "/w/app/a.sh", ""));
        assert!(runs("cd tools; sudo bash -x a.sh", "/w/app/tools/a.sh", ""));
        assert!(runs("python3 /tmp/x.py --all", "/tmp/x.py", ""));
        assert!(runs("make -j4 wipe", "/w/app/Makefile", "wipe"));
        assert!(runs("npm run x", "/w/app/package.json", "x"));
        assert!(runs("git s", "git", "s"));
        assert!(!runs("cat a.sh; shellcheck a.sh", "/w/app/a.sh", ""));
        assert!(!runs("make all", "/w/app/Makefile", "wipe"));
        assert!(!runs("git status", "git", "s"));
    }
}
