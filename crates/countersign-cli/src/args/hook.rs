//! The options of `hook`.

use super::{Colour, Format};
use clap::{Args, Subcommand, ValueEnum};

/// `hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: HookCommand,
}

/// What can be done with hooks.
#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Judge one payload of Claude Code on standard input
    ClaudeCode,
    /// Judge one payload of Codex CLI
    Codex,
    /// Judge one payload of Cursor
    Cursor,
    /// Judge one payload of Gemini CLI
    Gemini,
    /// Judge one payload of Copilot CLI
    Copilot,
    /// Judge one payload of opencode
    Opencode,
    /// Judge one payload of Windsurf
    Windsurf,
    /// Judge one payload of Cline
    Cline,
    /// Put the guard into an agent's settings
    #[command(
        after_help = "Examples:\n  countersign hook install --agent claude-code --observe\n  countersign hook install --agent codex --scope project --dry-run"
    )]
    Install(InstallArgs),
    /// Take the guard out of an agent's settings; what others put there stays
    Uninstall(PlaceArgs),
    /// Say for which agents the guard is on
    Status(PlaceArgs),
    /// Run the configured command with a call that must be refused, and say where the guard is off, and why
    Doctor(PlaceArgs),
    /// Show what was refused, asked and noted
    Report(ReportArgs),
    /// Let one call through that waits for a person, once, within an hour
    Allow {
        /// The id in the refusal
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Measure what a hook costs in a long session
    #[command(hide = true)]
    Bench {
        /// How many messages the session has
        #[arg(long, default_value_t = 2000)]
        messages: usize,
        /// How many calls are measured
        #[arg(long, default_value_t = 50)]
        calls: usize,
    },
}

impl HookCommand {
    /// The agent whose payload is judged.
    pub(crate) fn agent(&self) -> Option<Agent> {
        Some(match self {
            Self::ClaudeCode => Agent::ClaudeCode,
            Self::Codex => Agent::Codex,
            Self::Cursor => Agent::Cursor,
            Self::Gemini => Agent::Gemini,
            Self::Copilot => Agent::Copilot,
            Self::Opencode => Agent::Opencode,
            Self::Windsurf => Agent::Windsurf,
            Self::Cline => Agent::Cline,
            _ => return None,
        })
    }
}

/// An agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// Copilot CLI and cloud agent
    Copilot,
    /// opencode
    Opencode,
    /// Windsurf
    Windsurf,
    /// Cline
    Cline,
}

impl Agent {
    /// All of them.
    pub(crate) const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::Gemini,
        Self::Copilot,
        Self::Opencode,
        Self::Windsurf,
        Self::Cline,
    ];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Opencode => "opencode",
            Self::Windsurf => "windsurf",
            Self::Cline => "cline",
        }
    }
}

/// Which agents, and where.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlaceArgs {
    /// The agent; may be repeated. All of them where none is named (for install: those that have a folder here)
    #[arg(long, value_enum, value_name = "AGENT")]
    pub agent: Vec<Agent>,
    /// For all projects of this user, or for the project in the current folder
    #[arg(long, value_enum, default_value_t = Scope::User)]
    pub scope: Scope,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `install`.
#[derive(Debug, Clone, Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Only record what would be refused; `countersign hook report` shows it
    #[arg(long)]
    pub observe: bool,
}

/// `report`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportArgs {
    /// How many of the last lines
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub last: usize,
    /// How it is written
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

/// Where settings are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// In the user's home.
    User,
    /// In the project of the current folder.
    Project,
}
