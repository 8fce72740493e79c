//! What the call could break: paths, commands, queries, addresses, secrets.
//!
//! One pass over a text tells which marks it has; a text without any of them is done. What a person or a model
//! writes as words (a message, a file's content, a search) is never searched for commands or paths, because people
//! write about them; secrets are looked for everywhere.

/// One text with all that the rules want to know of it.
pub(crate) mod text;
/// Where a path leads.
pub(crate) mod path;
/// A script as it was read.
pub(crate) mod script;
/// A shell command line, cut into words.
pub(crate) mod lexer;
/// Which program a command runs.
pub(crate) mod program;
/// One command with its words.
pub(crate) mod simple;
/// Code on a command line.
pub(crate) mod code;
/// Queries that destroy.
pub(crate) mod query;
/// Commands and queries that destroy.
pub(crate) mod command;
/// Shell syntax in a plain value.
pub(crate) mod shell;
/// SQL in a plain value.
pub(crate) mod sql;
/// A command in words, as programs are started.
pub(crate) mod argv;
/// The paths of a patch.
pub(crate) mod patch;
/// URLs into the private network.
pub(crate) mod address;
/// Secrets in the arguments.
pub(crate) mod secret;

use super::subject::{Check, Said, Subject};
use crate::contract::Finding;
use text::Text;

/// The check.
pub(crate) const CHECK: Check = Check { name: "danger", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    for node in subject.values.all() {
        if said.findings.len() >= subject.policy.limits.findings {
            return;
        }
        if let Some(line) = argv::line(node) {
            said.findings.extend(Text::read(subject, node, &line).and_then(|text| first(&text)));
        }
        let Some(text) = Text::of(subject, node) else { continue };
        // The words of a command are looked at together.
        if !argv::is_word(node) {
            said.findings.extend(first(&text));
        }
        said.findings.extend(secret::find(&text));
    }
}

fn first(text: &Text<'_>) -> Option<Finding> {
    RULES.iter().find_map(|rule| rule(text))
}

/// The rules for one text, in order: the first that speaks is enough.
const RULES: &[fn(&Text<'_>) -> Option<Finding>] =
    &[address::find, patch::find, path::find, command::find, shell::find, sql::find];

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    path::build_tables();
    code::build_tables();
    query::build_tables();
    command::build_tables();
    shell::build_tables();
    sql::build_tables();
}
