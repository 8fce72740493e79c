//! Sessions of coding agents: what a call would change, and what a session did when its agent says that it did it.
//!
//! A coding agent runs shell commands and edits files all day, and nearly all of that is its work. The rules here look
//! only at what a command really runs and changes: heredocs, commit messages and file contents are data. Nothing here
//! touches the disk; where the project lies and which files guard it is told by the caller.

/// Aliases of git.
pub(crate) mod alias;
/// A command line as the commands that it runs.
pub(crate) mod shell;
/// Where a path lies.
pub mod place;
/// Which files a command changes.
pub(crate) mod files;
/// What kind of work a command is.
pub mod kind;
/// Commands that nobody can take back.
pub(crate) mod harm;
/// Secrets on their way out.
pub(crate) mod leaving;
/// A call: the command that it runs, the files that it changes.
pub mod call;
/// The policy that coding agents are judged by.
pub mod policy;
/// What the user's words ask for.
pub(crate) mod wish;
/// What a session did.
pub mod ledger;
/// What a session brings to a call.
pub mod memory;
/// Checks that are switched off.
pub(crate) mod checks;
/// Where packages come from.
pub(crate) mod supply;
/// Orders that were read and are carried out.
pub(crate) mod orders;
/// Files that are written and run later.
pub mod written;
/// What a call that ran leaves to be remembered.
pub mod noticed;
/// A call, before it runs.
pub mod check;
/// What an answer of a coding agent claims.
pub(crate) mod claim;
/// Said and not done.
pub mod said;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    kind::build_tables();
    harm::build_tables();
    ledger::build_tables();
    claim::build_tables();
}
