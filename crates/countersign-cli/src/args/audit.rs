//! The options of `audit`.

use super::{Colour, PolicyFile};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Files or folders with traces; without one, the sessions of coding agents found on this machine
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How the report is written
    #[arg(long, value_enum, default_value_t = AuditFormat::Human)]
    pub format: AuditFormat,
    /// Write the report into this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Exit with 1 where a finding is at least this grave (error, warning, info) or has this code; `never` for none
    #[arg(long, value_name = "SEVERITY|CODE", value_delimiter = ',', default_value = "error")]
    pub fail_on: Vec<String>,
    /// Report only what is not in this file
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write what was found into this file, to be given as --baseline later
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyFile,
    /// Say what differs between --policy and this policy; without it, --policy is compared with the built-in one
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Look at so many conversations only, chosen over all of them, the same ones each time
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Do not ask before the sessions on this machine are read; nothing leaves it either way
    #[arg(long, short)]
    pub yes: bool,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
    /// How many threads judge; all cores by default
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// For people: the summary, then the worst findings
    Human,
    /// One JSON object: summary, findings, difference
    Json,
    /// One JSON object for each conversation, with all it holds
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML: a suite for each conversation, a case for each call, result and answer
    Junit,
    /// Annotations of GitHub Actions
    Github,
    /// One page in one file
    Html,
}

pub(super) const AUDIT_HELP: &str = "\
Formats are told by content: transcripts of Claude Code, Codex and Gemini CLI, request logs of OpenAI and Anthropic (JSON
lines), OpenTelemetry spans (OTLP JSON), verdicts and sessions of Countersign, exports of Langfuse and LangSmith, traces of
OpenAI Agents, logs of Inspect, results of tau2. Nothing is sent anywhere.

Examples:
  countersign audit examples/audit
  countersign audit logs/ --format sarif --output audit.sarif
  countersign audit logs/ --write-baseline known.json
  countersign audit logs/ --baseline known.json --fail-on warning
  countersign audit logs/ --policy stricter.toml

Exit codes: 0 nothing at --fail-on was found, 1 something was, 2 wrong use or no trace found, 3 internal.";
