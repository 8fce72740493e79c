//! The options of the server and of the commands around it.

use super::{Colour, Format};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Where settings come from: a file, and flags over it.
#[derive(Debug, Default, Args)]
pub(crate) struct ConfigArgs {
    /// The configuration, a TOML file; `countersign.toml` in the current folder where there is one [env: COUNTERSIGN_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The address to listen on; 127.0.0.1:7420 by default
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// Where sessions, reviews, keys and the log are kept; `:memory:` for nowhere
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<String>,
    /// An OpenAI-compatible address, with its `/v1`; without any, a demo model answers
    #[arg(long, value_name = "URL")]
    pub upstream_openai: Option<String>,
    /// An Anthropic-compatible address, without `/v1`
    #[arg(long, value_name = "URL")]
    pub upstream_anthropic: Option<String>,
    /// The model of sessions that name none
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Your rules, a TOML file; read again when it changes
    #[arg(long, value_name = "FILE")]
    pub policy: Option<String>,
    /// The tools, where a request has none
    #[arg(long, value_name = "FILE")]
    pub tools: Option<String>,
    /// A folder of documents to look claims up in
    #[arg(long = "kb", value_name = "DIR")]
    pub knowledge_base: Option<String>,
    /// How log lines are written: human or json
    #[arg(long, value_name = "FORMAT")]
    pub log_format: Option<String>,
    /// error, warn, info, debug, trace or a filter
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Any other setting, such as access.rate_limit=20; `countersign config docs` lists them
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl ConfigArgs {
    /// The settings of the flags: where each stands in the TOML, and its text.
    pub(crate) fn flags(&self) -> Result<Vec<(String, String)>, String> {
        let named = [
            ("listen", &self.listen),
            ("data_dir", &self.data_dir),
            ("upstream.openai", &self.upstream_openai),
            ("upstream.anthropic", &self.upstream_anthropic),
            ("upstream.model", &self.model),
            ("policy", &self.policy),
            ("tools", &self.tools),
            ("knowledge_base", &self.knowledge_base),
            ("telemetry.log_format", &self.log_format),
            ("telemetry.log_level", &self.log_level),
        ];
        let named = named.into_iter().filter_map(|(path, text)| Some(Ok((path.to_owned(), text.clone()?))));
        let others = self.set.iter().map(|pair| match pair.split_once('=') {
            Some((path, text)) => Ok((path.trim().to_owned(), text.to_owned())),
            None => Err(format!("--set takes KEY=VALUE, not `{pair}`")),
        });
        named.chain(others).collect()
    }
}

/// `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// `config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigCommandArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What can be done with a configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say whether the configuration can be used, and where it cannot
    #[command(after_help = "Example:\n  countersign config check --config countersign.toml")]
    Check(Box<ConfigArgs>),
    /// Print what holds and where it comes from; secrets are hidden
    Show(Box<ConfigArgs>),
    /// Print the JSON Schema of the file, for your editor
    Schema,
    /// Print the reference page of all settings
    Docs,
    /// Carry a LiteLLM configuration over: our TOML on standard output, what it leaves behind on standard error
    #[command(after_help = "Example:\n  countersign config import litellm.yaml > countersign.toml")]
    Import {
        /// The file that `litellm --config` takes
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub config: ConfigArgs,
    /// How the answer is written; `human` on a terminal, else `jsonl`
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

/// `keys`.
#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: KeysCommand,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key and show it, this once
    #[command(after_help = "Example:\n  countersign keys create --name ci --scope engine,sessions")]
    Create {
        /// What it is for, to find it again
        #[arg(long, value_name = "NAME", default_value = "")]
        name: String,
        /// What it opens; `review` decides on calls of other keys, `admin` opens everything
        #[arg(
            long,
            value_enum,
            value_name = "SCOPE",
            value_delimiter = ',',
            default_value = "engine,sessions,upstream"
        )]
        scope: Vec<KeyScope>,
        #[command(flatten)]
        config: Box<ConfigArgs>,
    },
    /// List the keys, without what they are
    List {
        #[command(flatten)]
        config: Box<ConfigArgs>,
    },
    /// Make a key useless, at once and forever
    #[command(after_help = "Example:\n  countersign keys revoke key_3f9a1c20")]
    Revoke {
        /// Its id or its name, as `keys list` shows them
        #[arg(value_name = "KEY")]
        key: String,
        #[command(flatten)]
        config: Box<ConfigArgs>,
    },
}

/// What a key opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyScope {
    /// The engine's routes and the drop-in routes
    Engine,
    /// Sessions and the brake
    Sessions,
    /// Deciding on calls of other keys, and stopping any session
    Review,
    /// The upstream's other routes (files, batches, …), with the operator's key
    Upstream,
    /// Everything, of every key
    Admin,
}

/// Under `serve --help`.
pub(super) const SERVE_HELP: &str = "\
Without an upstream a built-in demo model answers. The server binds 127.0.0.1 and refuses to bind elsewhere without keys.

Examples:
  countersign serve
  countersign serve --upstream-openai http://127.0.0.1:8000/v1 --policy policy.toml
  countersign serve --config countersign.toml --set access.rate_limit=20

Exit codes: 0 ended in order, 2 the configuration cannot be used, 3 internal.";

/// Under `health --help`.
pub(super) const HEALTH_HELP: &str = "\
Asks /readyz at the address that `serve` listens on with the same settings (COUNTERSIGN_LISTEN or --listen).

Example:
  countersign health --listen 127.0.0.1:7420

Exit codes: 0 it is ready, 1 it is not, 2 the configuration cannot be read.";

/// Under `doctor --help`.
pub(super) const DOCTOR_HELP: &str = "\
Example:
  countersign doctor --config countersign.toml

Exit codes: 0 all is well, 1 something is wrong, 2 the configuration cannot be read.";
