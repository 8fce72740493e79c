//! What a session did: prompts, edits, commands and calls, in order, each with how it ended.
//!
//! The ledger is written from what the agent's program reports and never from what the model says. An entry is one
//! line of JSON, so that a session is a file that only grows.

use super::files;
use super::kind::{Kind, kinds};
use super::place::Place;
use super::shell::commands;
use crate::check_call::secrets::redact;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Entry {
    /// The session began here: everything it did is in the ledger.
    Start,
    /// The user spoke; a turn begins.
    Prompt,
    /// A file was changed.
    Edit {
        /// Which.
        path: String,
    },
    /// A command line ran.
    Run {
        /// What, cut to what evidence needs.
        command: String,
        /// What kind of work it was.
        kinds: Vec<Kind>,
        /// How it ended.
        end: End,
        /// Whether it changed files of the project.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        edits: bool,
    },
    /// Another tool ran.
    Call {
        /// Its name.
        name: String,
        /// Whether it succeeded.
        ok: bool,
    },
    /// The end of the turn was refused.
    Blocked,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Well, and it says that tests passed.
    Passed,
    /// Well, as far as can be told.
    Well,
    /// Badly.
    Failed,
}

/// What came back from a command.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// Whether the agent's program called it an error.
    pub failed: bool,
    /// What it printed.
    pub text: &'a str,
}

impl Entry {
    /// A command line that ran.
    pub fn of_command(line: &str, output: Output<'_>, place: &Place) -> Self {
        let ran = commands(line);
        let mut found: Vec<Kind> = ran.iter().flat_map(kinds).collect();
        if found.iter().any(|kind| *kind != Kind::Read) || ran.iter().any(|ran| kinds(ran).is_empty()) {
            found.retain(|kind| *kind != Kind::Read);
        }
        found.dedup();
        let mut changed = ran.iter().flat_map(files::changed).filter_map(|path| place.resolve(&path));
        let edits = changed.any(|path| is_code(&path) && !place.is_temporary(&path));
        let command = redact(line).chars().take(MAX_COMMAND).collect();
        Self::Run { command, kinds: found, end: end(output), edits }
    }

    /// Whether this changed code, so that what was tested before is no longer what there is.
    pub(crate) fn edits_code(&self) -> bool {
        match self {
            Self::Edit { path } => is_code(path),
            Self::Run { edits, .. } => *edits,
            _ => false,
        }
    }
}

/// How a command ended, by its exit and, where a pipe hides that, by what it printed.
fn end(output: Output<'_>) -> End {
    let from = output.text.ceil_char_boundary(output.text.len().saturating_sub(MAX_OUTPUT));
    let tail = output.text.get(from..).unwrap_or_default();
    if output.failed || FAILED.iter().any(|failed| failed.is_match(tail)) {
        return End::Failed;
    }
    if PASSED.iter().any(|passed| passed.is_match(tail)) { End::Passed } else { End::Well }
}

/// Whether a change of a file may change what tests say.
fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let words = [".md", ".txt", ".rst", ".adoc", ".log", ".png", ".svg", ".jpg", ".pdf", ".csv"];
    !words.iter().any(|end| name.ends_with(end))
        && !["license", "changelog", ".gitignore", "authors"].contains(&name.as_str())
}

fn patterns(lines: &str) -> Vec<Regex> {
    lines
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| Regex::new(line).ok())
        .collect()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&FAILED);
    LazyLock::force(&PASSED);
}

static FAILED: LazyLock<Vec<Regex>> = LazyLock::new(|| patterns(include_str!("data/failed.txt")));
static PASSED: LazyLock<Vec<Regex>> = LazyLock::new(|| patterns(include_str!("data/passed.txt")));

const MAX_COMMAND: usize = 300;
const MAX_OUTPUT: usize = 16_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for (text, patterns) in
            [(include_str!("data/failed.txt"), &*FAILED), (include_str!("data/passed.txt"), &*PASSED)]
        {
            assert_eq!(patterns.len(), text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count());
        }
    }

    #[test]
    fn ends_are_read_from_exit_and_output() {
        // HOOK-4
        let of = |text: &str| end(Output { failed: false, text });
        for failed in [
            "test result: FAILED. 11 passed; 1 failed; 0 ignored",
            "1 failed, 11 passed in 0.40s",
            "Tests: 1 failed, 11 passed, 12 total",
            "--- FAIL: TestA (0.00s)\nFAIL\n",
            "error: could not compile `shop`",
            "src/a.ts(3,5): error TS2304: x",
            "BUILD FAILED in 3s",
            "Process exited with code 1\n",
        ] {
            assert_eq!(of(failed), End::Failed, "{failed}");
        }
        for passed in [
            "test result: ok. 12 passed; 0 failed; 0 ignored",
            "12 passed in 1.0s",
            "Tests: 12 passed, 12 total",
            "ok  \texample.test/a\t0.01s",
            "all 12 tests passed",
            "3 failures expected, 0 failed, 12 passed",
        ] {
            assert_eq!(of(passed), End::Passed, "{passed}");
        }
        assert_eq!(of("Finished `dev` profile"), End::Well);
        assert_eq!(of("the word failed alone says nothing"), End::Well);
    }
}
