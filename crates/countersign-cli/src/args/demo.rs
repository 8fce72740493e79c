//! The options of `demo`.

use super::{Colour, Format};
use clap::{Args, ValueEnum};

/// `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Play this scene only
    #[arg(long, value_enum, value_name = "NAME")]
    pub scene: Option<DemoScene>,
    /// How scenes are written; `human` on a terminal, else `jsonl`
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

/// A scene of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoScene {
    /// A call with nothing wrong
    Clean,
    /// A misspelt name
    Name,
    /// "3" where 3 is due
    Types,
    /// Arguments that are not JSON
    Json,
    /// A call written into the text
    Text,
    /// A missing field, put right by the model
    Missing,
    /// A missing field, again and again
    Stubborn,
    /// Two calls, one of them forbidden
    Parallel,
    /// A stream that breaks off
    Cut,
    /// Figures that nobody verified
    Claims,
    /// A history that does not fit together
    History,
}

/// Under `demo --help`.
pub(super) const DEMO_HELP: &str = "\
No account, no network: the server runs inside the command, on a free port of this machine, and forgets everything.

Examples:
  countersign demo
  countersign demo --scene missing
  countersign demo --format jsonl

Exit codes: 0 the tour was played, 2 wrong use, 3 internal.";
