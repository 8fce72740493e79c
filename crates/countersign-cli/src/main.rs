//! The command line of Countersign: one binary, one engine, one contract.
//!
//! The startup story: read the arguments, run one command, turn what happened into an exit code. Each command has its
//! own file in `commands`; lines are read, judged on all cores and written in order by `lines`; what people see is
//! drawn by `human`; and every call into the engine goes through `engine`.

/// What may be written on the command line.
mod args;
/// Why a command could not do its work.
mod failure;
/// How lines end, and what exit code follows.
mod tally;
/// Colours, symbols and pictures for people.
mod human;
/// JSON lines in, JSON lines out, on all cores.
mod lines;
/// The one door to the engine.
mod engine;
/// The settings of the server.
mod config;
/// The guard of coding agents.
mod hook;
/// What the server takes and answers, as tables.
mod shapes;
/// The server.
mod serve;
/// One file for each command.
mod commands;

use args::{Cli, Command};
use clap::Parser;
use clap::error::ErrorKind;
use failure::Failure;
use std::process::ExitCode;

/// Lines and requests make many small values; the system's allocator took a quarter of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// All passed.
const PASSED: u8 = 0;
/// The arguments or the configuration cannot be used.
const UNUSABLE: u8 = 2;

fn main() -> ExitCode {
    report_panics_in_one_line();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return show_usage(&error),
    };
    match run(cli.command) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => ExitCode::from(failure.report()),
    }
}

fn run(mut command: Command) -> Result<u8, Failure> {
    if let Some(policy) = command.policy() {
        config::fill_in_policy(policy)?;
    }
    match command {
        Command::Check(args) => commands::check::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Score(args) => commands::score::run(args),
        Command::Step(args) => commands::step::run(args),
        Command::Parse(args) => commands::parse::run(args),
        Command::Claims(args) => commands::claims::run(args),
        Command::FactCheck(args) => commands::factcheck::run(args),
        Command::Calibrate(args) => commands::calibrate::run(args),
        Command::Kb(args) => commands::kb::run(args),
        Command::Serve(args) => commands::serve::run(*args),
        Command::Demo(args) => commands::demo::run(&args),
        Command::Chat(args) => commands::chat::run(args),
        Command::Tools(args) => commands::tools::run(*args),
        Command::Mcp(args) => commands::mcp::run(*args),
        Command::Hook(args) => commands::hook::run(args),
        Command::Audit(args) => commands::audit::run(*args),
        Command::Config(args) => commands::config::run(args),
        Command::Keys(args) => commands::keys::run(args),
        Command::Review(args) => commands::review::run(args),
        Command::Backup(args) => commands::backup::back_up(&args),
        Command::Restore(args) => commands::backup::restore(&args),
        Command::Session(args) => commands::session::run(args),
        Command::Doctor(args) => commands::doctor::run(*args),
        Command::Health(args) => commands::health::run(&args),
        Command::Events(args) => commands::events::run(&args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Policy(args) => commands::policy::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}

/// Help and version are answers (0), anything else is a wrong use (2).
fn show_usage(error: &clap::Error) -> ExitCode {
    // Where the reader has gone there is nobody left to tell.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::from(PASSED),
        _ => ExitCode::from(UNUSABLE),
    }
}

/// A panic is our fault. It is caught for each line; this says where it was, without a page of backtrace.
fn report_panics_in_one_line() {
    std::panic::set_hook(Box::new(|panic| {
        // A PDF that cannot be read is skipped and counted: that is no fault of ours.
        if std::thread::current().name() == Some(countersign_runtime::kb::PDF_THREAD) {
            return;
        }
        let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        failure::complain(&format!("internal error at {place}; please report it"));
    }));
}
