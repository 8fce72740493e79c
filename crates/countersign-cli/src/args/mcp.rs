//! The options of `mcp`.

use super::{ConfigArgs, PolicyFile, language, level};
use clap::{Args, Subcommand, ValueEnum};
use countersign::contract::{Language, Level};
use std::path::PathBuf;

/// `mcp`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct McpArgs {
    /// What to do, where it is not to guard a server
    #[command(subcommand)]
    pub command: Option<McpCommand>,
    /// The program that speaks MCP on its standard input and output, with its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "url", conflicts_with = "url")]
    pub server: Vec<String>,
    /// Or the address of a server that speaks MCP over streamable HTTP
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// What is sent with each request to it, as `NAME=VALUE`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "url", value_parser = pair)]
    pub header: Vec<(String, String)>,
    /// The same, the value from a variable, so that no key is written down; may be repeated
    #[arg(long, value_name = "NAME=VARIABLE", requires = "url", value_parser = pair)]
    pub header_env: Vec<(String, String)>,
    /// What the server is called, for its pins; by default its program or its host
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Where the definitions of its tools are pinned; a folder in your home by default
    #[arg(long, value_name = "DIR", env = "COUNTERSIGN_PINS", hide_env_values = true)]
    pub pins: Option<PathBuf>,
    /// Do not pin the definitions of its tools
    #[arg(long, conflicts_with = "pins")]
    pub no_pins: bool,
    /// A file that each verdict is added to, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Answer a client that has only 2026-07-28 in the place of a server that does not have it
    #[arg(long)]
    pub bridge: bool,
    #[command(flatten)]
    pub guard: McpGuardArgs,
}

/// What else can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Look at the pins of tools: what they were when they were approved, and what has changed
    Pins(McpPinsArgs),
    /// Sign in to a server of the configuration, so that agents can use its tools
    #[command(
        after_help = "It prints an address; open it in a browser. The tokens are kept in the data folder, for you alone.\n\nExample:\n  countersign mcp login docs --config countersign.toml"
    )]
    Login(Box<McpLoginArgs>),
    /// Forget the tokens of a server
    #[command(after_help = "Example:\n  countersign mcp logout docs --config countersign.toml")]
    Logout(Box<McpLoginArgs>),
    /// Put a guard in front of every server that your clients start
    #[command(
        after_help = "Example:\n  countersign mcp install --dry-run\n  countersign mcp install --client claude-code"
    )]
    Install(McpInstallArgs),
    /// Take the guards out again
    #[command(after_help = "Example:\n  countersign mcp uninstall --client claude-code")]
    Uninstall(McpInstallArgs),
    /// Say which servers of your clients are guarded
    #[command(after_help = "Example:\n  countersign mcp status")]
    Status(McpInstallArgs),
}

/// `mcp login` and `mcp logout`.
#[derive(Debug, Args)]
pub(crate) struct McpLoginArgs {
    /// The server, by its name in `[mcp.NAME]`
    #[arg(value_name = "NAME")]
    pub server: String,
    /// A scope to ask for beside those that are needed; may be repeated
    #[arg(long, value_name = "SCOPE")]
    pub scope: Vec<String>,
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// `mcp pins`.
#[derive(Debug, Args)]
pub(crate) struct McpPinsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: McpPinsCommand,
}

/// What can be done with pins.
#[derive(Debug, Subcommand)]
pub(crate) enum McpPinsCommand {
    /// List the tools that are pinned, and those that are held
    #[command(after_help = "Example:\n  countersign mcp pins list")]
    List(McpPinned),
    /// Show what has changed in the tools that are held
    #[command(
        after_help = "Example:\n  countersign mcp pins diff files\n\nExit codes: 0 nothing is held, 1 something is."
    )]
    Diff(McpPinned),
    /// Approve tools that are held, as they are now
    #[command(after_help = "Example:\n  countersign mcp pins approve files write_file")]
    Approve {
        #[command(flatten)]
        named: McpPinned,
        /// Which tools; all that are held by default
        #[arg(value_name = "TOOL")]
        tools: Vec<String>,
    },
    /// Say whether every tool is as it was approved
    #[command(after_help = "Example:\n  countersign mcp pins verify\n\nExit codes: 0 all are, 1 something is held.")]
    Verify(McpPinned),
}

/// Whose pins.
#[derive(Debug, Args)]
pub(crate) struct McpPinned {
    /// The server, by the name that its guard was given; all by default
    #[arg(value_name = "SERVER")]
    pub server: Option<String>,
    /// The folder of the pins
    #[arg(long, value_name = "DIR", env = "COUNTERSIGN_PINS", hide_env_values = true)]
    pub pins: Option<PathBuf>,
}

/// `mcp install`, `mcp uninstall` and `mcp status`.
#[derive(Debug, Args)]
pub(crate) struct McpInstallArgs {
    /// Which clients; all that are found by default
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<McpClient>,
    /// The policy that the guards follow
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Only say what would be written
    #[arg(long)]
    pub dry_run: bool,
    /// The project whose files are looked at too; the current folder by default
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The home folder, where it is not yours
    #[arg(long, value_name = "DIR", hide = true)]
    pub home: Option<PathBuf>,
}

/// A client that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpClient {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
    /// Windsurf
    Windsurf,
}

/// How calls and results are judged.
#[derive(Debug, Args)]
pub(crate) struct McpGuardArgs {
    #[command(flatten)]
    pub policy: PolicyFile,
    /// What is known about the caller, such as '{"user": {"role": "viewer"}}'
    #[arg(long, value_name = "JSON")]
    pub context: Option<String>,
    /// How strict: strict, moderate or lenient
    #[arg(long, value_name = "LEVEL", env = "COUNTERSIGN_LEVEL", hide_env_values = true, value_parser = level)]
    pub level: Option<Level>,
    /// The language of refusals: en or zh
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    pub language: Option<Language>,
    /// What becomes of secrets in results
    #[arg(long, value_enum, default_value_t = SecretsInResults::Redact, value_name = "WHAT")]
    pub secrets: SecretsInResults,
    /// How many bytes of text a result may have; the rest is cut
    #[arg(long, value_name = "BYTES", default_value_t = 1_048_576, value_parser = clap::value_parser!(u32).range(1024..))]
    pub max_result: u32,
}

/// What becomes of secrets in results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecretsInResults {
    /// They are cut to their first characters
    Redact,
    /// They pass
    Pass,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

pub(super) const MCP_HELP: &str = "\
Put it in front of the command in your client's configuration:
  {\"mcpServers\": {\"files\": {\"command\": \"countersign\", \"args\": [\"mcp\", \"--\", \"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]}}}

Calls are checked against the schemas that the server lists and against your policy, mended where that is certain, and else
answered with what is wrong. Results are cleaned, verified and bounded. Everything else passes as the bytes it came in.

Example:
  countersign mcp --url https://mcp.example.com/mcp --header-env Authorization=MCP_TOKEN
  countersign mcp --policy examples/policies/starter.toml -- npx -y @modelcontextprotocol/server-everything

Exit codes: 0 the client left, 2 wrong use or the server cannot be started, else that of the server.";
