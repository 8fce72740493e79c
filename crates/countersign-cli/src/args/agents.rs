//! The options of the commands around hosted agents: `tools` and `chat`.

use super::{Colour, ConfigArgs, Format};
use clap::Args;

/// `tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// Only those of this agent
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Call this tool once, as an agent would: judged by the policy first
    #[arg(long, value_name = "TOOL", conflicts_with = "agent")]
    pub call: Option<String>,
    /// What it is called with, a JSON object
    #[arg(long, value_name = "JSON", requires = "call", default_value = "{}")]
    pub arguments: String,
    /// How the list is written; `human` on a terminal, else `jsonl`
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// `chat`.
#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// One message: its answer is printed, and that is all; without, a conversation begins
    #[arg(value_name = "MESSAGE")]
    pub message: Vec<String>,
    /// The server; http://127.0.0.1:7420 by default, and where none answers there, one in this process
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_SERVER", hide_env_values = true)]
    pub url: Option<String>,
    /// The variable that holds the key; COUNTERSIGN_KEY, else COUNTERSIGN_API_KEY, by default
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// Who answers: concierge, react, rewoo, or an agent of the configuration
    #[arg(long, value_name = "NAME", default_value = "concierge", conflicts_with = "session")]
    pub agent: String,
    /// Go on with a conversation
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// The model, where not the configured one
    #[arg(long, value_name = "NAME", conflicts_with = "session")]
    pub model: Option<String>,
    /// In whose name
    #[arg(long, value_name = "NAME", conflicts_with = "session")]
    pub user: Option<String>,
    /// Start a server in this process after this configuration, a TOML file
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub config: Option<std::path::PathBuf>,
    /// How events are written: for people, or each as a line of JSON
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

/// Under `tools --help`.
pub(super) const TOOLS_HELP: &str = "\
MCP servers are started or reached and OpenAPI documents fetched, as the server does it. Nothing is called without --call.

Examples:
  countersign tools --config countersign.toml
  countersign tools --config countersign.toml --call pets__getPet --arguments '{\"id\": 7}'
  countersign tools --config countersign.toml --agent librarian --format json

Exit codes: 0 all sources answered, 1 a source is unavailable or a call was refused or failed, 2 the configuration cannot be used.";

/// Under `chat --help`.
pub(super) const CHAT_HELP: &str = "\
In a conversation: /help, /file PATH, /notes, /materials, /session, /stop, /quit. Ctrl-C stops the answer, twice quits.
A call that needs a person asks you, where your key may decide. Text of models is shown without control characters.

Examples:
  countersign chat
  countersign chat \"What did the market do in 2024?\"
  git diff | countersign chat --format json
  countersign chat --session ses_…

Exit codes: 0 the last answer was completed, 1 it failed or was stopped, 2 wrong use, 3 internal.";
