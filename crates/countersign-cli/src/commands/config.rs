//! `countersign config`: can the configuration be used, what holds, and what may be set.

use super::print;
use crate::args::{ConfigArgs, ConfigCommand, ConfigCommandArgs};
use crate::config::raw::RawConfig;
use crate::config::{Imported, Layers, import, page, show};
use crate::engine::read_policy;
use crate::failure::{Failure, tell};
use std::path::Path;

/// Checks, shows or describes the configuration.
pub(crate) fn run(args: ConfigCommandArgs) -> Result<u8, Failure> {
    match args.command {
        ConfigCommand::Check(args) => check(&args),
        ConfigCommand::Show(args) => {
            let layers = layers(&args)?;
            layers.config()?;
            print(&show(&layers)?).map(|()| 0)
        }
        ConfigCommand::Schema => {
            let schema = schemars::schema_for!(RawConfig);
            let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::Internal(error.to_string()))?;
            print(&(text + "\n")).map(|()| 0)
        }
        ConfigCommand::Docs => print(&page()).map(|()| 0),
        ConfigCommand::Import { file } => carry_over(&file),
    }
}

fn check(args: &ConfigArgs) -> Result<u8, Failure> {
    let config = layers(args)?.config()?;
    if let Some(policy) = &config.policy {
        read_policy(policy)?;
    }
    let listen = config.listen;
    print(&format!("✔ the configuration can be used: listens on {listen}; `countersign doctor` looks at the rest\n"))
        .map(|()| 0)
}

fn carry_over(file: &Path) -> Result<u8, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| Failure::file(file, "read", &error))?;
    let Imported { toml, notes } = import(&text)?;
    notes.iter().for_each(|note| tell(&format!("note: {note}")));
    print(&toml).map(|()| 0)
}

fn layers(args: &ConfigArgs) -> Result<Layers, Failure> {
    Layers::read(args, &|name| std::env::var(name).ok())
}
