//! The options of `kb`.

use super::{Colour, Format};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `kb`.
#[derive(Debug, Args)]
pub(crate) struct KbArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: KbCommand,
}

/// What can be done with a knowledge base.
#[derive(Debug, Subcommand)]
pub(crate) enum KbCommand {
    /// Bring the index of a folder up to date
    #[command(after_help = KB_BUILD_HELP)]
    Build(KbPlace),
    /// Find the passages that fit some words best
    #[command(after_help = KB_SEARCH_HELP)]
    Search {
        #[command(flatten)]
        place: KbPlace,
        /// The words to look for; any text will do
        #[arg(value_name = "QUERY", required = true)]
        query: Vec<String>,
        /// How many passages at most
        #[arg(long, short, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Say what is in an index
    #[command(after_help = "Example:\n  countersign kb stats docs")]
    Stats(KbPlace),
}

/// A folder of documents, its index, and how answers are written.
#[derive(Debug, Args)]
pub(crate) struct KbPlace {
    /// The folder: Markdown, text, HTML, PDF, CSV, JSON and JSON lines in it are read
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Where the index is kept; DIR/.countersign-kb by default
    #[arg(long, value_name = "PATH")]
    pub index: Option<PathBuf>,
    /// How the answer is written; `human` on a terminal, else `jsonl`
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

const KB_BUILD_HELP: &str = "\
Only files that changed are read again. An index that is damaged is rebuilt.

Example:
  countersign kb build docs

Exit codes: 0 built, 2 the folder or the index cannot be used, 3 internal.";

const KB_SEARCH_HELP: &str = "\
The index is brought up to date first.

Examples:
  countersign kb search docs how are passages cut
  countersign kb search docs --limit 3 营收 12.5%

Exit codes: 0 something was found, 1 nothing was, 2 the folder or the index cannot be used, 3 internal.";
