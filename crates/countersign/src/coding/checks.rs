//! Checks that are switched off: hooks of git that are removed or passed by, steps of CI that may fail.

use super::call::Call;
use super::kind::{Kind, kinds};
use super::memory::Memory;
use super::shell::{Ran, commands, join};
use serde_json::Value;

/// The hook of git that a command takes away.
pub(crate) fn removed_hook(ran: &Ran) -> Option<String> {
    let takes = ["rm", "unlink", "mv", "shred", "truncate"].contains(&ran.program().as_str())
        || (ran.program() == "chmod" && ran.arguments().iter().any(|word| word.ends_with("-x")));
    let is_hook = |path: &String| {
        format!("/{path}").contains("/.git/hooks") && !path.ends_with(".sample") && !path.ends_with(".lock")
    };
    ran.plain().filter(|_| takes).map(|path| join(&ran.dir, path)).find(is_hook)
}

/// Whether a commit or a push passes by a hook that has just refused it.
pub(crate) fn passes_by(ran: &Ran, memory: &Memory) -> bool {
    let kinds = kinds(ran);
    let passes = ran.has("--no-verify") || (kinds.contains(&Kind::Commit) && ran.has("-n"));
    memory.refused && passes && ran.program() == "git" && !memory.was_said("no-verify") && !memory.was_said("hook")
}

/// Whether what a commit or a push printed says that a hook refused it: a hook is named, and no commit is told of.
pub(crate) fn is_refused(ran: &[Ran], output: &str) -> bool {
    let kinds: Vec<Kind> = ran.iter().filter(|ran| ran.program() == "git").flat_map(kinds).collect();
    if !kinds.contains(&Kind::Commit) && !kinds.contains(&Kind::Push) {
        return false;
    }
    let lower = output.to_lowercase();
    let made = lower.lines().any(|line| {
        let told = line.trim_start().strip_prefix('[').and_then(|rest| rest.split(']').next());
        let hash = told.and_then(|told| told.split_whitespace().last());
        hash.is_some_and(|hash| hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
            || line.contains(" -> ")
    });
    let named = HOOKS.iter().any(|hook| lower.contains(hook));
    let fails = lower.contains("fail") || lower.contains("exited with") || lower.contains("code 1");
    named && fails && !made
}

/// The check of CI that an edit lets fail, as its line is written.
pub(crate) fn neutralised(call: &Call) -> Option<String> {
    let path = call.changed().into_iter().next()?.to_ascii_lowercase();
    if !CI.iter().any(|file| path.contains(file)) {
        return None;
    }
    edits(call).into_iter().find_map(|(old, new)| {
        let fresh = |text: &str| new.contains(text) && !old.contains(text);
        let lets_fail = ALLOWS.iter().any(|line| fresh(line));
        let mut runs = new.lines().map(|line| line.trim().trim_start_matches("- ").trim_start_matches("run:").trim());
        runs.find(|line| {
            let ignored = IGNORES.iter().find_map(|end| line.strip_suffix(end)).map(str::trim);
            let was =
                ignored.is_some_and(|command| !command.is_empty() && old.contains(command) && !old.contains(line));
            (was || lets_fail) && is_check(ignored.unwrap_or(line))
        })
        .map(str::to_owned)
    })
}

/// Whether a line runs tests or looks at code.
fn is_check(line: &str) -> bool {
    let kinds: Vec<Kind> = commands(line).iter().flat_map(kinds).collect();
    kinds.iter().any(|kind| [Kind::Test, Kind::Lint, Kind::Types].contains(kind))
}

/// The texts before and after each edit of a call.
pub(crate) fn edits(call: &Call) -> Vec<(&str, &str)> {
    let listed =
        call.arguments.get("edits").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let text = |fields: &'_ serde_json::Map<String, Value>, keys: [&str; 2]| -> Option<usize> {
        keys.iter().position(|key| fields.get(*key).is_some_and(Value::is_string))
    };
    let both = std::iter::once(&call.arguments).chain(listed);
    both.filter_map(|fields| {
        let get = |keys: [&'static str; 2]| fields.get(keys.into_iter().nth(text(fields, keys)?)?)?.as_str();
        Some((get(["old_string", "old_str"])?, get(["new_string", "new_str"])?))
    })
    .collect()
}

/// How hooks of git and those who manage them are called.
const HOOKS: &[&str] = &["pre-commit", "commit-msg", "pre-push", "husky", "lefthook", "hook"];
/// Where continuous integration is set up.
const CI: &[&str] = &[
    ".github/workflows/",
    ".gitlab-ci",
    ".circleci/",
    "azure-pipelines",
    "bitbucket-pipelines",
    ".drone.yml",
    ".woodpecker",
    "buildkite",
];
/// Settings under which a step may fail.
const ALLOWS: &[&str] = &["continue-on-error: true", "allow_failure: true", "continueOnError: true", "soft_fail: true"];
/// Ends of a line after which its failure counts for nothing.
const IGNORES: &[&str] = &["|| true", "|| :", "|| exit 0", "; true", "; exit 0"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_check_that_may_fail_is_seen() {
        // HOOK-1
        let edit = |path: &str, old: &str, new: &str| {
            neutralised(&Call::new("Edit", Some(&json!({"file_path": path, "old_string": old, "new_string": new}))))
        };
        let ci = ".github/workflows/test.yml";
        assert!(edit(ci, "run: cargo test", "run: cargo test || true").is_some());
        assert!(edit(".gitlab-ci.yml", "  - pytest -q", "  - pytest -q\n  allow_failure: true").is_some());
        for (path, old, new) in [
            (ci, "run: cargo test", "run: cargo test --workspace"),
            (ci, "run: cargo test || true", "run: cargo test"),
            (ci, "run: docker rm -f db", "run: docker rm -f db || true"),
            (ci, "run: upload-coverage", "run: upload-coverage\n  continue-on-error: true"),
            ("scripts/test.sh", "cargo test", "cargo test || true"),
        ] {
            assert_eq!(edit(path, old, new), None, "{new}");
        }
    }

    #[test]
    fn hooks_that_refuse_and_hooks_that_go_are_seen() {
        // HOOK-1
        let refuses = |line: &str, output: &str| is_refused(&commands(line), output);
        assert!(refuses("git commit -m x | tail -2", "ruff....Failed\nhusky - pre-commit hook exited with code 1"));
        assert!(!refuses("git commit -m x", "pre-commit: 0 failed\n[main 1a2b3c4] x\n 1 file changed"));
        assert!(!refuses("git commit -m 'fix the failing hook'", "nothing to commit, working tree clean"));
        let removed = |line: &str| commands(line).iter().find_map(removed_hook);
        assert!(removed("cd .git && rm hooks/pre-push").is_some());
        assert!(removed("chmod -x .git/hooks/commit-msg").is_some());
        assert_eq!(removed("rm .git/index.lock .git/hooks/a.sample"), None);
        assert_eq!(removed("cp hooks/pre-commit .git/hooks/"), None);
    }
}
