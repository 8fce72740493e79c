//! What kind of work a command is: a test run, a build, a commit. The list is data.
//!
//! A command may be of several kinds (`git push` may be how somebody deploys). Kinds are evidence for what an agent says
//! later, so a command that might be a test run counts as one: nobody is accused for a runner that is not in the list.

use super::shell::Ran;
use crate::policy::pattern::Pattern;
use crate::text::lists::word_list;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// Runs tests.
    Test,
    /// Compiles.
    Build,
    /// Checks types.
    Types,
    /// Checks style.
    Lint,
    /// Makes a commit.
    Commit,
    /// Sends commits to a remote.
    Push,
    /// Merges a branch.
    Merge,
    /// Opens or changes a pull request.
    PullRequest,
    /// Makes a tag.
    Tag,
    /// Publishes a package.
    Publish,
    /// May bring a version to where it runs.
    Deploy,
    /// May restart a service.
    Restart,
    /// Installs packages.
    Install,
    /// May tell somebody something.
    Send,
    /// May change a database's schema.
    Migrate,
    /// Measures.
    Bench,
    /// Changes nothing.
    Read,
    /// Runs a script or a runner's target whose work nobody can read from the line.
    Script,
}

/// The kinds of a command.
pub(crate) fn kinds(ran: &Ran) -> Vec<Kind> {
    let mut found = Vec::new();
    for at in starts(ran) {
        let words = ran.words.get(at..).unwrap_or_default();
        let Some((program, rest)) = words.split_first() else { continue };
        let program = program.rsplit('/').next().unwrap_or(program).trim_end_matches(".exe");
        let matching = RULES.iter().filter(|rule| rule.programs.contains(&program) && rule.matches(rest));
        found.extend(matching.map(|rule| rule.kind).filter(|kind| *kind != Kind::Read || at == 0));
    }
    // What only shows what it would do has done nothing.
    if ran.has("--dry-run") || ran.has("--dryrun") {
        found.retain(|kind| matches!(kind, Kind::Build | Kind::Test | Kind::Types | Kind::Lint | Kind::Read));
    }
    if only_compiles(ran) {
        found.retain(|kind| *kind != Kind::Test);
    }
    if found.contains(&Kind::Read) && (!ran.writes.is_empty() || changes(ran)) {
        found.retain(|kind| *kind != Kind::Read);
    }
    // `systemctl status` restarts nothing.
    if found.contains(&Kind::Read) {
        return vec![Kind::Read];
    }
    // A target that is called `lint` does what it says; what a build or a test also runs, nobody can read from the line.
    let says_all = !found.is_empty() && found.iter().all(|kind| matches!(kind, Kind::Lint | Kind::Types));
    if is_script(ran) && !says_all {
        found.push(Kind::Script);
    }
    found.dedup();
    found
}

/// Whether a program installs packages.
pub(crate) fn installs(program: &str) -> bool {
    let program = program.rsplit('/').next().unwrap_or(program);
    RULES.iter().any(|rule| rule.kind == Kind::Install && rule.programs.contains(&program))
}

/// Whether a program runs the targets of a file.
pub(crate) fn is_target_runner(program: &str) -> bool {
    TARGETS.contains(&program) || program == "gmake"
}

/// Where a program may begin: at the first word, and behind those that only start others.
fn starts(ran: &Ran) -> Vec<usize> {
    let runner = RUNNERS.contains(&ran.program().as_str());
    let last = if runner { ran.words.len().min(MAX_STARTS) } else { 1 };
    (0..last).collect()
}

/// `cargo test --no-run` and the like run nothing.
fn only_compiles(ran: &Ran) -> bool {
    ["--no-run", "--collect-only", "--co", "--listTests", "-DskipTests", "--list"].iter().any(|option| ran.has(option))
}

/// `sed -i`, `find -delete`, `git stash`: words of a reader that change something.
fn changes(ran: &Ran) -> bool {
    !super::files::changed(ran).is_empty()
}

/// A file that is run, or a target of a runner.
fn is_script(ran: &Ran) -> bool {
    let first = ran.words.first().map(String::as_str).unwrap_or_default();
    let program = ran.program();
    let is_file = |word: &str| {
        SCRIPTS.iter().any(|end| word.ends_with(end)) || word.starts_with("./") || word.starts_with("scripts/")
    };
    is_file(first)
        || TARGETS.contains(&program.as_str())
        || (MANAGERS.contains(&program.as_str()) && ran.plain().any(|word| word == "run" || word == "run-script"))
        || (INTERPRETERS.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
            && ran.plain().any(is_file))
}

struct Rule {
    kind: Kind,
    programs: Vec<&'static str>,
    words: Vec<Vec<Pattern>>,
}

impl Rule {
    fn read(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let kind = serde_json::from_value(fields.next()?.into()).ok()?;
        let programs = fields.next()?.split('|').collect();
        let words = fields.next().unwrap_or_default().split(' ').filter(|word| !word.is_empty());
        let words = words.map(|word| word.split('|').map(Pattern::new).collect()).collect();
        Some(Self { kind, programs, words })
    }

    fn matches(&self, rest: &[String]) -> bool {
        let mut rest = rest.iter();
        self.words.iter().all(|word| rest.by_ref().any(|given| word.iter().any(|pattern| pattern.matches(given))))
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&RULES);
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let lines = include_str!("data/kinds.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(Rule::read).collect()
});

/// Programs that start another one among their words.
const RUNNERS: &[&str] = word_list!("coding", "kind/runners");
const TARGETS: &[&str] = word_list!("coding", "kind/targets");
const MANAGERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "composer", "deno", "uv", "poetry"];
const INTERPRETERS: &[&str] = word_list!("coding", "kind/interpreters");
const SCRIPTS: &[&str] = &[".sh", ".py", ".js", ".ts", ".mjs", ".rb", ".pl", ".php", ".bash"];
const MAX_STARTS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::shell::commands;

    fn all(text: &str) -> Vec<Kind> {
        commands(text).iter().flat_map(kinds).collect()
    }

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = include_str!("data/kinds.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(RULES.len(), lines);
    }

    #[test]
    fn kinds_are_read_from_the_words() {
        // HOOK-4
        for test in [
            "cargo test -p a",
            "docker compose run --rm api pytest -q",
            "python -m pytest",
            "cd api && npm test",
            "make test 2>&1 | tail",
            "bundle exec rspec",
        ] {
            assert!(all(test).contains(&Kind::Test), "{test}");
        }
        for other in ["cargo test --no-run", "cat tests/a.rs", "git commit -m 'cargo test'", "ls"] {
            assert!(!all(other).contains(&Kind::Test), "{other}");
        }
        assert!(!all("cargo publish --dry-run").contains(&Kind::Publish));
        assert!(all("node --test tests/").contains(&Kind::Test));
        assert_eq!(all("git status"), [Kind::Read]);
        assert_eq!(all("cat a > b"), []);
        assert_eq!(all("sed -i s/a/b/ x"), []);
        assert!(all("git commit -am x && git push").contains(&Kind::Push));
        assert!(all("./scripts/check.sh").contains(&Kind::Script));
    }
}
