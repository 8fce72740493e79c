//! `countersign policy`: what the policy in force does, is a policy right, and what may stand in one.

use super::print;
use crate::args::{ConfigArgs, PolicyArgs, PolicyCommand};
use crate::config::Layers;
use crate::engine::read_policy;
use crate::failure::Failure;
use crate::human;
use crate::human::canvas::Canvas;
use countersign::policy::Policy;
use countersign::policy::raw::RawPolicy;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Checks a file or prints the schema.
pub fn run(args: PolicyArgs) -> Result<u8, Failure> {
    match args.command {
        PolicyCommand::Check { file } => {
            let policy = read_policy(&file)?;
            print(&summary(&file, &policy)).map(|()| 0)
        }
        PolicyCommand::Show { policy, color } => {
            let (policy, source) = in_force(policy.file)?;
            print(&human::policy::draw(Canvas::new(color, None), &policy, &source)).map(|()| 0)
        }
        PolicyCommand::Schema => {
            let schema = schemars::schema_for!(RawPolicy);
            let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::Internal(error.to_string()))?;
            print(&(text + "\n")).map(|()| 0)
        }
    }
}

/// The policy that was named, else the one of `countersign.toml`, else the built-in one; and where it comes from.
fn in_force(named: Option<PathBuf>) -> Result<(Arc<Policy>, String), Failure> {
    let file = match named {
        Some(file) => Some(file),
        None => {
            let layers = Layers::read(&ConfigArgs::default(), &|name| std::env::var(name).ok())?;
            layers.raw()?.policy.map(PathBuf::from)
        }
    };
    match file {
        Some(file) => Ok((Arc::new(read_policy(&file)?), file.display().to_string())),
        None => Ok((Policy::standard(), "built-in".to_owned())),
    }
}

fn summary(file: &Path, policy: &Policy) -> String {
    let level = policy.level.name();
    let count = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    format!(
        "✔ {} can be used: level {level}, {}, {}, version {}\n",
        file.display(),
        count(policy.rules.len(), "rule", "rules"),
        count(policy.tools.len(), "tool entry", "tool entries"),
        policy.version
    )
}
