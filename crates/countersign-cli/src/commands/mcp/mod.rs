//! `countersign mcp`: a guard in front of an MCP server, where a client would start the server itself.

mod install;
mod login;
mod pins;

use crate::args::{McpArgs, McpCommand, McpGuardArgs, SecretsInResults};
use crate::engine::{load_policy, open_sources, read_context};
use crate::failure::{Failure, complain};
use countersign_runtime::mcp_guard::{
    Discovery, McpGuardSettings, McpUpstream, PinFile, ResultSecrets, StdioEnd, StdioError, Verdicts, guard_program,
    guard_service,
};
use countersign_runtime::redact::redact;
use countersign_runtime::turn::Rules;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;

/// Stands in front of a server until it or the client ends.
pub(crate) fn run(args: McpArgs) -> Result<u8, Failure> {
    match &args.command {
        Some(McpCommand::Pins(args)) => return pins::run(args),
        Some(McpCommand::Login(args)) => return login::login(args),
        Some(McpCommand::Logout(args)) => return login::logout(args),
        Some(McpCommand::Install(args)) => return install::install(args),
        Some(McpCommand::Uninstall(args)) => return install::uninstall(args),
        Some(McpCommand::Status(args)) => return install::status(args),
        None => {}
    }
    write_log();
    let mut settings = settings(&args.guard)?;
    if !args.no_pins {
        settings.pins = Some(pin_file(&args)?);
    }
    if args.bridge {
        settings.discovery = Discovery::Answer;
    }
    let log = args.log.as_deref().map(open_log).transpose()?;
    if log.is_some() {
        settings.verdicts = Verdicts::Kept(server_name(&args));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(format!("cannot start the threads: {error}")))?;
    if let Some(url) = &args.url {
        let upstream = McpUpstream::new(url, &headers(&args)?).map_err(Failure::unusable)?;
        let ended = runtime.block_on(guard_service(settings, log, upstream));
        return ended.map(|_| 0).map_err(|error| Failure::Internal(error.to_string()));
    }
    let Some((command, rest)) = args.server.split_first() else {
        return Err(Failure::with_help("there is no server to guard", "name it: countersign mcp -- COMMAND ARGS…"));
    };
    match runtime.block_on(guard_program(settings, log, command, rest)) {
        Ok(StdioEnd::ServerEnded(status)) => Ok(report_end(command, status)),
        Ok(_) => Ok(0),
        Err(error @ StdioError::Start(..)) => {
            Err(Failure::with_help(error.to_string(), "is it installed, and on the PATH that your client gives?"))
        }
        Err(error) => Err(Failure::Internal(error.to_string())),
    }
}

/// The pins of the server: by its name, and by how it is started.
fn pin_file(args: &McpArgs) -> Result<PinFile, Failure> {
    let origin = args.url.clone().unwrap_or_else(|| args.server.join(" "));
    let folder = pins::folder(args.pins.as_deref())?;
    // Addresses and arguments may carry keys.
    Ok(PinFile::of(&folder, &server_name(args), &redact(&origin)))
}

/// What the server is called.
fn server_name(args: &McpArgs) -> String {
    let host = |url: &String| reqwest::Url::parse(url).ok()?.host_str().map(str::to_owned);
    let program = || args.server.first().and_then(|first| Path::new(first).file_stem()?.to_str().map(str::to_owned));
    let name = args.name.clone().or_else(|| args.url.as_ref().and_then(host)).or_else(program);
    name.unwrap_or_else(|| "server".to_owned())
}

/// Opens the log of verdicts; what is in it stays. Arguments are in it, so it is for its owner alone.
fn open_log(path: &Path) -> Result<File, Failure> {
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    opened.map_err(|error| {
        Failure::with_help(format!("cannot write the log {}: {error}", path.display()), "name another file with --log")
    })
}

/// What every request to a service carries.
fn headers(args: &McpArgs) -> Result<BTreeMap<String, String>, Failure> {
    let mut headers: BTreeMap<String, String> = args.header.iter().cloned().collect();
    for (name, variable) in &args.header_env {
        let Ok(value) = std::env::var(variable) else {
            let message = format!("the variable {variable}, which holds the header `{name}`, is not set");
            return Err(Failure::with_help(message, format!("set it in your client's configuration: {variable}=…")));
        };
        headers.insert(name.clone(), value);
    }
    Ok(headers)
}

/// Says how the server ended, and gives its exit code.
fn report_end(command: &str, status: ExitStatus) -> u8 {
    complain(&format!("the MCP server `{command}` ended by itself ({status}); what it said last is above"));
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.unwrap_or(KILLED)
}

/// The settings of a guard.
fn settings(args: &McpGuardArgs) -> Result<McpGuardSettings, Failure> {
    let policy = load_policy(&args.policy)?;
    let asker = open_sources(&policy, &args.policy)?.map(Arc::new);
    let rules = Arc::new(Rules { policy, asker });
    let mut settings = McpGuardSettings::new(Arc::new(move || Arc::clone(&rules)));
    settings.context = args.context.as_deref().map(read_context).transpose()?.unwrap_or_default();
    (settings.level, settings.language) = (args.level, args.language);
    settings.longest_result = usize::try_from(args.max_result).unwrap_or(usize::MAX);
    settings.secrets = match args.secrets {
        SecretsInResults::Redact => ResultSecrets::Redact,
        SecretsInResults::Pass => ResultSecrets::Pass,
    };
    Ok(settings)
}

/// Warnings go to standard error, which clients show or keep; standard output belongs to the protocol.
fn write_log() {
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN);
    // Where somebody logs already, that stays.
    let _ = log.without_time().with_target(false).with_ansi(false).try_init();
}

/// The exit code where the server was killed.
const KILLED: u8 = 1;
