//! What may be written on the command line.
//!
//! Names and meanings are part of the contract. The texts are written for somebody who sees them for the first time.

mod judge;
mod serve;
mod review;
mod data;
mod demo;
mod agents;
mod kb;
mod mcp;
mod hook;
mod audit;

pub(crate) use agents::{ChatArgs, ToolsArgs};
pub(crate) use audit::{AuditArgs, AuditFormat};
pub(crate) use data::{BackupArgs, RestoreArgs, SessionArgs, SessionCommand};
pub(crate) use demo::{DemoArgs, DemoScene};
pub(crate) use hook::{Agent, HookArgs, HookCommand, InstallArgs, PlaceArgs, ReportArgs, Scope};
pub(crate) use judge::JudgeArgs;
pub(crate) use kb::{KbArgs, KbCommand, KbPlace};
pub(crate) use mcp::{
    McpArgs, McpClient, McpCommand, McpGuardArgs, McpInstallArgs, McpLoginArgs, McpPinsArgs, McpPinsCommand,
    SecretsInResults,
};
pub(crate) use review::{EventsArgs, EventsCommand, ReviewArgs, ReviewCommand, SaidArgs, ServerArgs};
pub(crate) use serve::{
    ConfigArgs, ConfigCommand, ConfigCommandArgs, DoctorArgs, KeyScope, KeysArgs, KeysCommand, ServeArgs,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use countersign::contract::{Language, Level, VerificationLevel};
use std::path::PathBuf;

/// Checks what language models want to do, what their tools return and what they say.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check tool calls before they run
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Verify what a tool returned
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// Score how far an answer can be trusted
    #[command(after_help = SCORE_HELP)]
    Score(ScoreArgs),
    /// Judge a whole agent step: call, result and answer
    #[command(after_help = STEP_HELP)]
    Step(StepArgs),
    /// Read what a model wrote: text, tool calls, tags, JSON
    #[command(after_help = PARSE_HELP)]
    Parse(ParseArgs),
    /// Mark what a message claims and nobody has verified
    #[command(after_help = CLAIMS_HELP)]
    Claims(ClaimsArgs),
    /// Look up what a message claims, in its evidence and your documents
    #[command(name = "factcheck", after_help = FACTCHECK_HELP)]
    FactCheck(FactCheckArgs),
    /// Fit the score to labelled outcomes of your own
    #[command(after_help = CALIBRATE_HELP)]
    Calibrate(CalibrateArgs),
    /// Build, search and describe a knowledge base: a folder of your documents
    Kb(KbArgs),
    /// Run the server: the engine and hosted sessions over HTTP
    #[command(after_help = serve::SERVE_HELP)]
    Serve(Box<ServeArgs>),
    /// Watch the drop-in gateway at work: a tour of short scenes with the built-in demo model
    #[command(after_help = demo::DEMO_HELP)]
    Demo(DemoArgs),
    /// Talk to an agent in the terminal: streamed, with claims marked and approvals asked for
    #[command(after_help = agents::CHAT_HELP)]
    Chat(ChatArgs),
    /// List the tools that agents have
    #[command(after_help = agents::TOOLS_HELP)]
    Tools(Box<ToolsArgs>),
    /// Guard an MCP server: every call checked and mended, every result verified
    #[command(after_help = mcp::MCP_HELP)]
    Mcp(Box<McpArgs>),
    /// Guard coding agents: judge their hooks, put the guard into their settings
    Hook(HookArgs),
    /// Judge recorded traces: what went wrong in conversations that already happened
    #[command(after_help = audit::AUDIT_HELP)]
    Audit(Box<AuditArgs>),
    /// Check, show or describe the configuration of the server
    Config(ConfigCommandArgs),
    /// Make, list and revoke API keys of the server
    Keys(KeysArgs),
    /// Decide on the calls that wait for a person
    Review(ReviewArgs),
    /// Back up everything that the server keeps into one file, while it runs
    #[command(after_help = data::BACKUP_HELP)]
    Backup(BackupArgs),
    /// Restore a backup into a new folder
    #[command(after_help = data::RESTORE_HELP)]
    Restore(RestoreArgs),
    /// Export a hosted conversation, or take one in
    Session(SessionArgs),
    /// Say what is wrong around the server, and how to mend it
    #[command(after_help = serve::DOCTOR_HELP)]
    Doctor(Box<DoctorArgs>),
    /// Ask the server on this machine whether it takes requests, for health checks of containers and services
    #[command(after_help = serve::HEALTH_HELP)]
    Health(Box<ConfigArgs>),
    /// Print the events of a stream as a JSON Schema or as TypeScript types
    Events(EventsArgs),
    /// Explain a finding code
    #[command(after_help = "Example:\n  countersign explain call.wrong-type")]
    Explain(ExplainArgs),
    /// Explain the policy in force, check a policy file, or print the schema of policies
    Policy(PolicyArgs),
    /// Print a completion script for your shell
    #[command(
        after_help = "Example:\n  countersign completions bash > ~/.local/share/bash-completion/completions/countersign"
    )]
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(after_help = "Example:\n  countersign man | man -l -")]
    Man(ManArgs),
}

impl Command {
    /// The policy of a command that judges lines.
    pub(crate) fn policy(&mut self) -> Option<&mut PolicyFile> {
        match self {
            Self::Check(args) => Some(&mut args.guard.base.policy),
            Self::Step(args) => Some(&mut args.guard.base.policy),
            Self::Verify(args) => Some(&mut args.base.policy),
            Self::Score(args) => Some(&mut args.policy),
            Self::Parse(args) => Some(&mut args.policy),
            Self::Claims(args) => Some(&mut args.policy),
            Self::FactCheck(args) => Some(&mut args.policy),
            Self::Calibrate(args) => Some(&mut args.policy),
            Self::Explain(args) => Some(&mut args.policy),
            Self::Mcp(args) => Some(&mut args.guard.policy),
            _ => None,
        }
    }
}

/// `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Check this one call instead of reading lines, such as '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
    #[arg(long, value_name = "JSON", conflicts_with = "files")]
    pub call: Option<String>,
    #[command(flatten)]
    pub guard: GuardArgs,
    #[command(flatten)]
    pub lines: LineArgs,
}

/// `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// How strict, where a line does not say: high, medium or low
    #[arg(long, value_name = "LEVEL", env = "COUNTERSIGN_VERIFICATION_LEVEL", hide_env_values = true, value_parser = verification_level)]
    pub level: Option<VerificationLevel>,
    #[command(flatten)]
    pub base: BaseArgs,
    #[command(flatten)]
    pub lines: LineArgs,
}

/// `score`.
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub policy: PolicyFile,
    #[command(flatten)]
    pub lines: LineArgs,
}

/// `step`.
#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    pub guard: GuardArgs,
    /// How strictly results are verified, where a line does not say: high, medium or low
    #[arg(long, value_name = "LEVEL", env = "COUNTERSIGN_VERIFICATION_LEVEL", hide_env_values = true, value_parser = verification_level)]
    pub verification_level: Option<VerificationLevel>,
    #[command(flatten)]
    pub lines: LineArgs,
}

/// `parse`.
#[derive(Debug, Args)]
pub(crate) struct ParseArgs {
    /// How outputs are read, where a line does not say: auto, json, concierge, openai, anthropic, responses, a format, or a
    /// TOML file with tags of your own
    #[arg(long, short, value_name = "NAME|FILE")]
    pub protocol: Option<String>,
    #[command(flatten)]
    pub policy: PolicyFile,
    /// The tools, where a line has none: a JSON array or an MCP tools/list answer
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
    #[command(flatten)]
    pub lines: LineArgs,
}

/// `claims`.
#[derive(Debug, Args)]
pub(crate) struct ClaimsArgs {
    #[command(flatten)]
    pub policy: PolicyFile,
    #[command(flatten)]
    pub lines: LineArgs,
}

/// `factcheck`.
#[derive(Debug, Args)]
pub(crate) struct FactCheckArgs {
    /// A folder of documents to look claims up in, or the index that `countersign kb build` made of one
    #[arg(long, value_name = "DIR")]
    pub kb: Option<PathBuf>,
    #[command(flatten)]
    pub judge: JudgeArgs,
    #[command(flatten)]
    pub policy: PolicyFile,
    #[command(flatten)]
    pub lines: LineArgs,
}

/// `calibrate`.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Files of labelled JSON lines; `-` or none reads standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyFile,
    /// Read calls that people have decided on (lines of `check` with a `label`) with the policy's second reader, and say what it would add and cost
    #[arg(long, conflicts_with_all = ["out", "svg"])]
    pub judge: bool,
    /// Write the fitted `[score]` table here, ready for a policy
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the reliability diagram here
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// How the report is written
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

/// `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code, such as call.wrong-type; none lists them all
    pub code: Option<String>,
    /// Write one page for each code, and an index, into this folder
    #[arg(long, value_name = "FOLDER", hide = true, conflicts_with = "code")]
    pub write: Option<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyFile,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

/// `policy`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: PolicyCommand,
}

/// What can be done with a policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say whether a policy can be used, and where it cannot
    #[command(after_help = "Example:\n  countersign policy check examples/policies/starter.toml")]
    Check {
        /// The policy, a TOML file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Explain the policy in force, on one page: checks, rules, tools, thresholds
    #[command(after_help = POLICY_SHOW_HELP)]
    Show {
        #[command(flatten)]
        policy: PolicyFile,
        /// When to use colours; NO_COLOR turns `auto` off
        #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
        color: Colour,
    },
    /// Print the JSON Schema of policies, for your editor
    #[command(after_help = "Example:\n  countersign policy schema > policy.schema.json")]
    Schema,
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {}

/// Where lines come from and how answers are written.
#[derive(Debug, Args)]
pub(crate) struct LineArgs {
    /// Files of JSON lines; `-` or none reads standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How answers are made and written.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// How answers are written; `human` on a terminal, else `jsonl`
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colours; NO_COLOR turns `auto` off
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
    /// How many threads judge lines; all cores by default
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// The policy alone.
#[derive(Debug, Args)]
pub(crate) struct PolicyFile {
    /// Your rules, a TOML file; else the policy of `countersign.toml` in the current folder, else the built-in one
    #[arg(long = "policy", value_name = "FILE", env = "COUNTERSIGN_POLICY", hide_env_values = true)]
    pub file: Option<PathBuf>,
}

/// What lines need not repeat, for results and for calls.
#[derive(Debug, Args)]
pub(crate) struct BaseArgs {
    #[command(flatten)]
    pub policy: PolicyFile,
    /// The tools, where a line has none: a JSON array or an MCP tools/list answer
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
    /// What is known about the caller, such as '{"user": {"role": "viewer"}}'; keys of a line win
    #[arg(long, value_name = "JSON")]
    pub context: Option<String>,
    /// The language of findings and messages: en or zh; by default the conversation's
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    pub language: Option<Language>,
}

/// What lines need not repeat, for calls.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    #[command(flatten)]
    pub base: BaseArgs,
    /// How strict, where a line does not say: strict, moderate or lenient
    #[arg(long, value_name = "LEVEL", env = "COUNTERSIGN_LEVEL", hide_env_values = true, value_parser = level)]
    pub level: Option<Level>,
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// One JSON object a line
    Jsonl,
    /// One JSON array
    Json,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

fn level(name: &str) -> Result<Level, String> {
    Level::from_name(name).ok_or_else(|| "use strict, moderate or lenient (or 3, 2, 1)".to_owned())
}

fn verification_level(name: &str) -> Result<VerificationLevel, String> {
    VerificationLevel::from_name(name).ok_or_else(|| "use high, medium or low (or 0.8, 0.6, 0.4)".to_owned())
}

fn language(name: &str) -> Result<Language, String> {
    Language::from_name(name).ok_or_else(|| "use en or zh".to_owned())
}

const AFTER_HELP: &str = "\
Try it:
  countersign demo
  countersign check examples/demo.jsonl
  countersign check --tools examples/tools.json --call '{\"name\": \"getWeather\", \"arguments\": {\"city\": \"Oslo\"}}'

Every command that judges reads JSON lines from files or standard input and writes one line for each, in order.

Environment:
  COUNTERSIGN_POLICY              the policy, as --policy
  COUNTERSIGN_LEVEL               how strictly calls are judged, as --level
  COUNTERSIGN_VERIFICATION_LEVEL  how strictly results are verified
  NO_COLOR                        no colours

Exit codes:
  0  all passed
  1  something was refused, is suspicious or needs a person, or a line was malformed
  2  the arguments, a file or the policy cannot be used
  3  something broke inside countersign";

const CHECK_HELP: &str = "\
A line:
  {\"id\": 1, \"tools\": [...], \"messages\": [...], \"call\": {\"name\": \"...\", \"arguments\": {...}}, \"context\": {...}, \"level\": \"strict\"}
  Only `call` is required. Tools may have OpenAI, Anthropic or MCP shape.

Examples:
  countersign check examples/check.jsonl
  countersign check --tools examples/tools.json --call '{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": \"3\"}}'
  tail -f calls.jsonl | countersign check --policy examples/policies/starter.toml

Exit codes: 0 all may run, 1 a call is refused or needs a person or a line is malformed, 2 wrong use, 3 internal.";

const POLICY_SHOW_HELP: &str = "\
Without --policy it is the one that `countersign.toml` in the current folder names, else the built-in policy.

Example:
  countersign policy show
  countersign policy show --policy examples/policies/starter.toml";

const VERIFY_HELP: &str = "\
A line:
  {\"id\": 1, \"tool\": {...}, \"call\": {...}, \"result\": {\"call_id\": \"...\", \"content\": ...}, \"context\": {...}, \"level\": \"high\"}

Example:
  countersign verify examples/verify.jsonl

Exit codes: 0 nothing suspicious, 1 a result is suspicious or a line is malformed, 2 wrong use, 3 internal.";

const SCORE_HELP: &str = "\
A line:
  {\"id\": 1, \"response\": \"...\", \"question\": \"...\", \"context\": [\"...\"], \"logprobs\": [-0.1, ...], \"samples\": [\"...\"],
   \"fact_check\": {\"verified_count\": 3, \"disputed_count\": 1}}
  Only `response` is required. A signal without input has no say.

Example:
  countersign score examples/score.jsonl

Exit codes: 0 scored, 1 an answer needs a person or a line is malformed, 2 wrong use, 3 internal.";

const STEP_HELP: &str = "\
A line:
  {\"id\": 1, \"tool_name\": \"...\", \"tool_input\": {...}, \"tool_output\": ..., \"model_response\": \"...\", \"logprobs\": [...],
   \"context\": {...}, \"tools\": [...]}

Example:
  countersign step examples/step.jsonl

Exit codes: 0 all may go on, 1 a step is refused or needs a person or a line is malformed, 2 wrong use, 3 internal.";

const CLAIMS_HELP: &str = "\
Each line: {\"id\", \"text\"}
Each answer: {\"id\", \"content\", \"needs_verify\", \"claims\": [{\"start\", \"end\", \"utf16_start\", \"utf16_end\", \"text\", \"kind\", \"value\", \"status\", …}]}

Kinds: percentage, currency, date, citation, quantity, comparison, url, version, statistic, and your own from the policy.";

const FACTCHECK_HELP: &str = "\
A line:
  {\"id\": 1, \"text\": \"...\", \"evidence\": \"...\" | [\"...\"] | [{\"call_id\": \"...\", \"content\": ...}], \"claims\": [...]}
  Only `text` is required. `claims` are those of `countersign claims`; without them they are found.

Each claim is verified, disputed (with the passage that says otherwise) or unverifiable. Sources, in order: the evidence,
arithmetic, the knowledge base, the policy's fact checkers, the model of `--judge`. Where one of them failed and no other
could tell, a claim stays pending and `troubles` says why.

Example:
  countersign factcheck examples/factcheck.jsonl
  countersign factcheck --kb docs examples/factcheck.jsonl
  countersign factcheck --judge http://127.0.0.1:8000/v1 --judge-model small examples/factcheck.jsonl

Exit codes: 0 nothing is disputed, 1 a claim is disputed or a line is malformed, 2 wrong use, 3 internal.";

const PARSE_HELP: &str = "\
A line:
  {\"id\": 1, \"input\": \"...\", \"protocol\": \"auto\", \"tools\": [...], \"schema\": {...}, \"finish_reason\": \"stop\"}
  Only `input`, or `chunks` as an array of strings, is required.

Protocols:
  auto       calls in any known format, recognised from the text and the tools
  json       one JSON value, aligned to `schema` where there is one
  concierge  the tags create_note, save_material, call_orchestrator, web_search, confirmN
  openai, anthropic, responses   streams or whole responses of these APIs
  hermes, qwen-coder, llama3, pythonic, mistral, deepseek-v3, kimi-k2, glm, harmony, ...   one format

Examples:
  countersign parse examples/parse.jsonl
  countersign parse --protocol examples/protocols/support.toml examples/protocols/support.jsonl

Exit codes: 0 all lines were read, 1 a line is malformed, 2 wrong use, 3 internal.";

const CALIBRATE_HELP: &str = "\
A line is a line of `score` with the outcome: \"label\": true where the answer was right, false where it was wrong.

Example:
  countersign calibrate examples/calibrate.jsonl --out score.toml --svg reliability.svg";
