//! The options of the commands beside a running server: `review` and `events`.

use super::{Colour, Format};
use clap::{ArgGroup, Args, Subcommand};

/// `review`.
#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ReviewCommand,
}

/// Where the server is, and how the answer is written.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// The server
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_SERVER", default_value = "http://127.0.0.1:7420")]
    pub server: String,
    /// A key that may review; better in the variable than on the command line
    #[arg(long, value_name = "KEY", env = "COUNTERSIGN_KEY", hide_env_values = true)]
    pub key: Option<String>,
    /// How the answer is written: for people, or as JSON with every field
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

/// What can be done with reviews.
#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// List the calls, results and answers that wait for a person
    #[command(
        after_help = "Examples:\n  countersign review list\n  countersign review list --state approved --format jsonl"
    )]
    List {
        /// pending, approved, edited, rejected or expired
        #[arg(long, value_name = "STATE", default_value = "pending")]
        state: String,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Watch what waits, live: a line for each change, and on a terminal a key decides
    #[command(
        after_help = "On a terminal: a approves the item that is shown, r rejects it, n shows the next one, l lists what waits, q leaves.\n\nExamples:\n  countersign review watch\n  countersign review watch --format jsonl | jq -r .review_id"
    )]
    Watch {
        /// Who decides
        #[arg(long, value_name = "NAME")]
        reviewer: Option<String>,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Show one item, why it is here, and what was said before it
    Show {
        /// The review: its name, or as much of its beginning as no other has
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Let a call run as it is proposed, or a result or an answer stand as it is
    Approve {
        /// The review: its name, or as much of its beginning as no other has
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        said: SaidArgs,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Let a call run with other arguments, which are checked like any call's; or replace a result or an answer
    #[command(
        group(ArgGroup::new("edit").required(true).args(["arguments", "content"])),
        after_help = "Examples:\n  countersign review edit rev_1f03 --arguments '{\"to\": \"ann@example.com\", \"text\": \"hi\"}'\n  countersign review edit rev_77ab --content 'We are open from 9 to 17.'"
    )]
    Edit {
        /// The review: its name, or as much of its beginning as no other has
        #[arg(value_name = "ID")]
        id: String,
        /// All arguments of a call, a JSON object
        #[arg(long, value_name = "JSON")]
        arguments: Option<String>,
        /// What stands in the place of a result or an answer
        #[arg(long, value_name = "TEXT")]
        content: Option<String>,
        #[command(flatten)]
        said: SaidArgs,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Refuse a call, or withhold a result or an answer; the reason is told
    Reject {
        /// The review: its name, or as much of its beginning as no other has
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        said: SaidArgs,
        #[command(flatten)]
        server: ServerArgs,
    },
}

/// Who says it, and why.
#[derive(Debug, Args)]
pub(crate) struct SaidArgs {
    /// Why, for the audit and for the model
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Who decides
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
}

/// `events`.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// What to print.
    #[command(subcommand)]
    pub command: EventsCommand,
}

/// In which form.
#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// The JSON Schema of an event
    Schema,
    /// TypeScript types, one for each event
    #[command(after_help = "Example:\n  countersign events types > src/events.d.ts")]
    Types,
}
