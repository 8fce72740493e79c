//! The clients that can be set up, and where each keeps its MCP servers.

use crate::args::McpClient;
use std::path::{Path, PathBuf};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// JSON; the servers stand under this key.
    Json(&'static str),
    /// The TOML of Codex.
    Codex,
}

impl McpClient {
    /// Every client, in the order of reports.
    pub(crate) const ALL: [Self; 7] =
        [Self::ClaudeCode, Self::ClaudeDesktop, Self::Cursor, Self::Vscode, Self::Codex, Self::Gemini, Self::Windsurf];

    /// Its name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Codex => "Codex CLI",
            Self::Gemini => "Gemini CLI",
            Self::Windsurf => "Windsurf",
        }
    }

    /// How its files are written.
    pub(crate) fn notation(self) -> Notation {
        match self {
            Self::Vscode => Notation::Json("servers"),
            Self::Codex => Notation::Codex,
            _ => Notation::Json("mcpServers"),
        }
    }

    /// Its files: the user's, and that of a project where it has one.
    pub(crate) fn configuration_files(self, home: &Path, project: &Path) -> Vec<PathBuf> {
        let settings =
            if cfg!(target_os = "macos") { home.join("Library/Application Support") } else { home.join(".config") };
        match self {
            Self::ClaudeCode => vec![home.join(".claude.json"), project.join(".mcp.json")],
            Self::ClaudeDesktop => vec![settings.join("Claude/claude_desktop_config.json")],
            Self::Cursor => vec![home.join(".cursor/mcp.json"), project.join(".cursor/mcp.json")],
            Self::Vscode => vec![settings.join("Code/User/mcp.json"), project.join(".vscode/mcp.json")],
            Self::Codex => vec![home.join(".codex/config.toml"), project.join(".codex/config.toml")],
            Self::Gemini => vec![home.join(".gemini/settings.json"), project.join(".gemini/settings.json")],
            Self::Windsurf => vec![home.join(".codeium/windsurf/mcp_config.json")],
        }
    }
}
