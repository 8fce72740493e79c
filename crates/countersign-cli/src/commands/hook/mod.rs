//! `countersign hook`: the guard of coding agents, one payload on standard input, one answer.

/// Where the guard stands in each agent's settings.
mod places;
mod install;
mod doctor;
mod report;
mod bench;

use super::print;
use crate::args::{HookArgs, HookCommand};
use crate::failure::{Failure, tell};
use crate::hook::answer;
use crate::hook::event::Caller;
use crate::hook::home::Home;
use std::io::Read;

/// Judges a payload, or looks after the settings.
pub(crate) fn run(args: HookArgs) -> Result<u8, Failure> {
    if let Some(agent) = args.command.agent() {
        return judge(&Caller::from_environment(agent));
    }
    let home = Home::of_user();
    match args.command {
        HookCommand::Install(args) => install::install(&args, &home),
        HookCommand::Uninstall(args) => install::uninstall(&args),
        HookCommand::Status(args) => install::status(&args, &home),
        HookCommand::Doctor(args) => doctor::run(&args, &home),
        HookCommand::Report(args) => report::run(&args, &home),
        HookCommand::Allow { id } => allow(&id, &home),
        HookCommand::Bench { messages, calls } => bench::run(messages, calls),
        _ => Ok(0),
    }
}

fn judge(caller: &Caller) -> Result<u8, Failure> {
    let mut payload = Vec::new();
    // What cannot be read is no JSON, and is refused as that.
    let _ = std::io::stdin().lock().take(MAX_PAYLOAD).read_to_end(&mut payload);
    let reply = answer(&payload, caller, &Home::of_user());
    if let Some(text) = &reply.stderr {
        tell(text);
    }
    if let Some(json) = &reply.stdout {
        print(&format!("{json}\n"))?;
    }
    Ok(reply.code)
}

fn allow(id: &str, home: &Home) -> Result<u8, Failure> {
    if id.len() != 8 || !id.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(Failure::with_help(
            format!("`{id}` is no id of a call"),
            "it has eight digits and stands in the refusal",
        ));
    }
    home.allow(id).map_err(|error| Failure::file(home.path(), "write", &error))?;
    print(&format!("{id}: the same call may run once within the next hour\n"))?;
    Ok(0)
}

const MAX_PAYLOAD: u64 = 64 * 1024 * 1024;
