//! `countersign session`: a hosted conversation taken out of a running server, and taken in.

use super::print;
use super::review::{ask, encode};
use crate::args::{Format, SessionArgs, SessionCommand};
use crate::failure::Failure;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Runs one of the commands.
pub(crate) fn run(args: SessionArgs) -> Result<u8, Failure> {
    match args.command {
        SessionCommand::Export { id, server } => {
            let whole = ask(&server, &format!("/v1/sessions/{}/export?files=content", encode(&id)), None)?;
            print(&format!("{whole}\n")).map(|()| 0)
        }
        SessionCommand::Import { file, server } => {
            let whole: Value = serde_json::from_slice(&read(&file)?)
                .map_err(|error| Failure::unusable(format!("{} is no exported session: {error}", file.display())))?;
            let taken = ask(&server, "/v1/sessions/import", Some(&whole))?;
            if server.format != Format::Human {
                return print(&format!("{taken}\n")).map(|()| 0);
            }
            let word = |name: &str| taken.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let count = |name: &str| taken.get(name).and_then(Value::as_u64).unwrap_or_default();
            let (events, files) = (count("events"), count("files"));
            crate::failure::tell(&format!("countersign: took in {events} events and {files} files"));
            print(&format!("{}\n", word("session_id"))).map(|()| 0)
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().read_to_end(&mut bytes).map(|_| ()),
        _ => std::fs::read(file).map(|found| bytes = found),
    };
    read.map(|()| bytes).map_err(|error| Failure::file(file, "read", &error))
}
