//! `countersign completions`: a completion script for a shell.

use super::print;
use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;
use clap::CommandFactory;

/// Prints the script.
pub(crate) fn run(args: CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "countersign", &mut script);
    print(&String::from_utf8_lossy(&script)).map(|()| 0)
}
