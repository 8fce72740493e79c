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
    Prompt {
        /// What they said, without secrets.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
    },
    /// The agent ended a turn and showed these commands.
    Offered {
        /// The commands.
        commands: Vec<String>,
    },
    /// A file was written that does what would have been stopped as a command.
    Armed {
        /// The file.
        path: String,
        /// The target in it; empty for the whole file.
        target: String,
        /// What was said against it; empty where it was written again and does so no more.
        reason: String,
        /// Whether it would have been refused.
        refused: bool,
    },
    /// A text was read that orders something.
    Ordered {
        /// The passage, without secrets.
        words: String,
        /// The file that it was read in.
        path: Option<String>,
    },
    /// A secret was read.
    Secret {
        /// What it is known by.
        mark: String,
    },
    /// A hook of git refused a commit or a push.
    HookRefused,
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
        /// How many tests passed while others were left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<u32>,
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
        let mut end = end(output);
        if end != End::Failed && is_unopened(&ran, output.text) {
            end = End::Failed;
        }
        let part = if found.contains(&Kind::Test) { part_of_tests(output.text) } else { None };
        Self::Run { command, kinds: found, end, edits, part }
    }

    /// The user's words.
    pub fn prompt(words: &str) -> Self {
        Self::Prompt { words: redact(words).chars().take(MAX_WORDS).collect() }
    }

    /// The commands that the agent's last message shows.
    pub fn offered(message: &str) -> Option<Self> {
        let commands = super::wish::offered(message);
        (!commands.is_empty()).then_some(Self::Offered { commands })
    }

    /// Whether a turn begins here.
    pub fn is_prompt(&self) -> bool {
        matches!(self, Self::Prompt { .. })
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

/// Whether a command that opens a pull request printed something, and no address of one.
fn is_unopened(ran: &[super::shell::Ran], output: &str) -> bool {
    let opens = |ran: &super::shell::Ran| {
        let mut words = ran.plain();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        ["gh", "glab"].contains(&ran.program().as_str())
            && ["pr", "mr"].contains(&first)
            && ["create", "new"].contains(&second)
    };
    let told = ["/pull/", "/merge_requests/", "://", "#"].iter().any(|mark| output.contains(mark));
    let last = ran.iter().rev().find(|ran| !ran.words.is_empty());
    let shown = last.is_some_and(|last| {
        opens(last) && !last.writes.iter().any(|file| file.contains(|c: char| !c.is_ascii_digit()))
    });
    shown && !output.trim().is_empty() && !told
}

/// How many tests passed, where the runner says that it left others out: `1 passed, 311 deselected`.
fn part_of_tests(output: &str) -> Option<u32> {
    let (mut passed, mut left) = (0_u32, false);
    for line in output.lines().filter(|line| line.len() < MAX_SUMMARY) {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        for (number, word) in words.iter().zip(words.iter().skip(1)) {
            let Ok(number) = number.parse::<u32>() else { continue };
            match *word {
                "passed" => passed = passed.saturating_add(number),
                "deselected" | "filtered" => left |= number > 0,
                _ => {}
            }
        }
    }
    left.then_some(passed)
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
const MAX_WORDS: usize = 4000;
const MAX_SUMMARY: usize = 400;
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
    fn a_part_of_the_tests_and_a_request_that_was_not_opened_are_seen() {
        // HOOK-4
        assert_eq!(part_of_tests("3 passed, 90 deselected in 1.2s"), Some(3));
        assert_eq!(
            part_of_tests("test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 12 filtered out"),
            Some(5)
        );
        assert_eq!(part_of_tests("test result: ok. 5 passed; 0 failed; 0 filtered out"), None);
        let end =
            |line: &str, text: &str| match Entry::of_command(line, Output { failed: false, text }, &Place::default()) {
                Entry::Run { end, .. } => end,
                _ => End::Well,
            };
        assert_eq!(end("gh pr create --fill 2>&1", "To use gh here, log in first"), End::Failed);
        assert_eq!(end("gh pr create --fill", "https://github.com/a/b/pull/3"), End::Well);
        assert_eq!(end("gh pr create --fill && git status", "nothing to commit"), End::Well);
        assert_eq!(end("git push | tail -1", " ! [rejected]  a -> a (fetch first)"), End::Failed);
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
